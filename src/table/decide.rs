//! From a command to events, or to a refusal that changes nothing.

use std::collections::BTreeMap;

use super::evolve::{Effects, Stamp, Stop};
use super::{Closed, Follow, MAX_MOVE_BYTES, Open, Place, Playing, Refusal, SEED_SECONDS, Sealing, Stage, Table};
use crate::canonical::to_jcs;
use crate::commitment::{move_commitment, seed_commitment};
use crate::event::{
    Actor, Body, Closed as ClosedData, Committed, Created, Disclosed, Ended, Left, Moved, Opened, PlayerRef, Resigned,
    SealedBy, Seated, SeedOpened, Started, TimedOut, VoidReason, Voided,
};
use crate::games::Move;
use crate::hex32::{Hash, Nonce, PlayerSeed};
use crate::ids::{GameId, PlayerId};
use crate::keys::{PublicKey, Signature};
use crate::seat::Seat;
use crate::seed_chain::{SeedChain, ServerSeeds};
use crate::timestamp::Timestamp;

/// What somebody asks of a table.
#[derive(Debug, Clone)]
pub enum Command {
    /// Sit down, on a certain seat or on the first that is free.
    Sit {
        /// Who.
        player: PlayerRef,
        /// Where; anywhere if `None`.
        seat: Option<Seat>,
        /// The commitment to a seed that the player contributes.
        seed_commitment: Option<Hash>,
        /// The key that signs what this seat sends from now on, this included.
        key: Option<PublicKey>,
        /// The event that the player knew last.
        after: Option<u64>,
        /// The player's signature.
        by: Option<Signature>,
    },
    /// Get up again.
    GetUp {
        /// Who.
        player: PlayerId,
        /// The event that the player knew last.
        after: Option<u64>,
        /// The player's signature.
        by: Option<Signature>,
    },
    /// Close the table before every place is taken.
    Start {
        /// Who asks; the host may.
        player: PlayerId,
    },
    /// Call the game off; `None` is the server itself, where nobody is left.
    Cancel {
        /// Who asks; the host may.
        player: Option<PlayerId>,
    },
    /// Open the seed.
    OpenSeed {
        /// Who.
        player: PlayerId,
        /// The seed.
        seed: PlayerSeed,
        /// The player's signature.
        by: Option<Signature>,
    },
    /// Make a move in the open, or one for the server to seal.
    Move {
        /// Who.
        player: PlayerId,
        /// The decision; `None` for a move that is none.
        step: Option<u32>,
        /// For a move that is no decision: the event that the player knew last.
        after: Option<u64>,
        /// The move.
        mv: Move,
        /// The player's signature.
        by: Option<Signature>,
    },
    /// Bind oneself to a move.
    Commit {
        /// Who.
        player: PlayerId,
        /// The decision.
        step: u32,
        /// The commitment.
        commitment: Hash,
        /// The player's signature.
        by: Option<Signature>,
    },
    /// Open the move that one is bound to.
    Open {
        /// Who.
        player: PlayerId,
        /// The decision.
        step: u32,
        /// The move.
        mv: Move,
        /// What blinded the commitment.
        nonce: Nonce,
        /// The player's signature.
        by: Option<Signature>,
    },
    /// Give up.
    Resign {
        /// Who.
        player: PlayerId,
        /// The event that the player knew last.
        after: Option<u64>,
        /// The player's signature.
        by: Option<Signature>,
    },
    /// Have it logged that somebody is late; `None` is the server itself.
    CallTimeout {
        /// Who asks; any seat may.
        player: Option<PlayerId>,
    },
}

/// A move that the server sealed, secret until it is opened.
#[derive(Clone)]
pub struct SealedMove {
    /// The decision.
    pub step: u32,
    /// The move.
    pub mv: Move,
    /// What blinded the commitment.
    pub nonce: Nonce,
}

/// What the server knows of a game that stands in no event yet.
#[derive(Clone)]
pub struct Secrets {
    /// The game's chain of seeds; `None` once the game is over and the root is deleted.
    pub chain: Option<SeedChain>,
    /// The moves that the server sealed and has not opened, by seat.
    pub sealed: BTreeMap<Seat, SealedMove>,
}

impl ServerSeeds for Secrets {
    fn seed(&self, draw: u32) -> Option<crate::hex32::ServerSeed> {
        self.chain.as_ref()?.seed(draw)
    }
}

/// The events of one append, and the table after them.
pub struct Decision {
    /// When.
    pub at: Timestamp,
    /// What, by whom, in order; never empty.
    pub bodies: Vec<(Actor, Body)>,
    /// The table after all of them.
    pub table: Table,
    /// A move that the server sealed just now.
    pub sealed: Option<(Seat, SealedMove)>,
    /// The moves of these seats are opened now, or never: they are no secrets any more.
    pub unsealed: Vec<Seat>,
}

/// Why a command made no events.
#[derive(Debug)]
pub enum Denied {
    /// It is refused.
    Refused(Refusal),
    /// The table can't go on: a fault of this program or of what was stored.
    Broken(Stop),
}

impl From<Refusal> for Denied {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Stop> for Denied {
    fn from(stop: Stop) -> Self {
        Self::Broken(stop)
    }
}

impl Table {
    /// A new game's first event and its table.
    ///
    /// # Errors
    ///
    /// When a table with so many seats could not start with these options.
    pub fn open_new(game: GameId, created: Created, at: Timestamp) -> Result<Decision, Refusal> {
        let table = Self::create(game, created.clone(), at).map_err(|fault| Refusal::CantStart(fault.to_string()))?;
        let bodies = vec![(Actor::Server, Body::Created(created))];
        Ok(Decision { at, bodies, table, sealed: None, unsealed: Vec::new() })
    }

    /// Judges a command and makes the events that follow from it. `now` is the server's time; `nonce` is fresh, and
    /// used where the server seals a move.
    ///
    /// # Errors
    ///
    /// When the command is refused; the table is unchanged in any case.
    pub fn decide(
        &self,
        command: &Command,
        now: Timestamp,
        nonce: Nonce,
        secrets: &Secrets,
    ) -> Result<Decision, Denied> {
        let at = now.max(self.at);
        let mut sealed = None;
        let (actor, body) = match command {
            Command::Sit { .. } => self.sit(command)?,
            Command::GetUp { player, after, by } => self.get_up(*player, *after, *by)?,
            Command::Start { player } => self.start(*player, at)?,
            Command::Cancel { player } => self.cancel(*player)?,
            Command::OpenSeed { player, seed, by } => self.open_seed(*player, *seed, *by, at)?,
            Command::Move { player, step, after, mv, by } => {
                let (seat, place, playing) = self.player(*player)?;
                check_move_size(mv)?;
                if !mv.is_decision() {
                    self.free_move((seat, place, playing), *step, *after, mv, *by)?
                } else {
                    let step = step.ok_or(Refusal::StepForm("a decision names its step"))?;
                    if after.is_some() {
                        return Err(Refusal::AfterForm("a decision has a step, and no after").into());
                    }
                    self.check_turn(seat, playing, step, at)?;
                    match playing.sealing {
                        Sealing::None => self.open_move((seat, place, playing), step, mv, *by)?,
                        _ => {
                            let (event, secret) = self.seal_move((seat, place, playing), step, mv, *by, nonce)?;
                            sealed = Some((seat, secret));
                            event
                        }
                    }
                }
            }
            Command::Commit { player, step, commitment, by } => self.commit(*player, *step, *commitment, *by, at)?,
            Command::Open { player, step, mv, nonce, by } => self.open(*player, *step, mv, *nonce, *by, at)?,
            Command::Resign { player, after, by } => self.resign(*player, *after, *by)?,
            Command::CallTimeout { player } => self.call_timeout(*player, at)?,
        };
        let mut draft = Draft { at, table: self.clone(), bodies: Vec::new(), secrets, sealed };
        draft.push(actor, body)?;
        draft.follow()?;
        Ok(draft.finish())
    }

    fn sit(&self, command: &Command) -> Result<(Actor, Body), Refusal> {
        let Command::Sit { player, seat, seed_commitment, key, after, by } = command else {
            return Err(Refusal::NotOpen);
        };
        let open = self.still_open()?;
        if let Some(seat) = self.seat_of(player.id) {
            return Err(Refusal::AlreadySeated(seat));
        }
        let seat = match seat {
            Some(seat) => match open.places.get(*seat) {
                None => return Err(Refusal::NoSuchSeat),
                Some(Some(_)) => return Err(Refusal::SeatTaken),
                Some(None) => *seat,
            },
            None if seed_commitment.is_some() || key.is_some() => return Err(Refusal::SeatNotNamed),
            None => {
                let free = open.places.iter().find(|(_, place)| place.is_none());
                free.map(|(seat, _)| seat).ok_or(Refusal::Full)?
            }
        };
        let data =
            Seated { player: player.clone(), seed_commitment: *seed_commitment, key: *key, after: *after, by: *by };
        self.signed_after(seat, key.as_ref(), *after, data.into())
    }

    fn get_up(&self, player: PlayerId, after: Option<u64>, by: Option<Signature>) -> Result<(Actor, Body), Refusal> {
        let (seat, place) = self.seated(player)?;
        self.still_open()?;
        self.signed_after(seat, place.key.as_ref(), after, Left { after, by }.into())
    }

    fn start(&self, player: PlayerId, at: Timestamp) -> Result<(Actor, Body), Refusal> {
        if player != self.created.host {
            return Err(Refusal::NotHost);
        }
        let open = self.still_open()?;
        let taken = open.places.iter().filter(|(_, place)| place.is_some()).count();
        let in_front = open.places.iter().take_while(|(_, place)| place.is_some()).count();
        if taken < usize::from(self.created.seats.min) {
            let least = self.created.seats.min;
            return Err(Refusal::CantStart(format!("{taken} of at least {least} players have sat down")));
        }
        if taken != in_front {
            return Err(Refusal::CantStart("seats are to be taken from 0 on without a gap".to_owned()));
        }
        self.created.options.fits(taken)?;
        Ok((Actor::Server, self.closing(at)))
    }

    fn cancel(&self, player: Option<PlayerId>) -> Result<(Actor, Body), Refusal> {
        let open = self.still_open()?;
        match player {
            Some(player) if player != self.created.host => return Err(Refusal::NotHost),
            None if open.places.iter().any(|(_, place)| place.is_some()) => return Err(Refusal::NothingOverdue),
            _ => {}
        }
        Ok((Actor::Server, Voided { reason: VoidReason::Cancelled, seats: Vec::new() }.into()))
    }

    fn open_seed(
        &self,
        player: PlayerId,
        seed: PlayerSeed,
        by: Option<Signature>,
        at: Timestamp,
    ) -> Result<(Actor, Body), Refusal> {
        let (seat, place) = self.seated(player)?;
        let closed = match &self.stage {
            Stage::Closed(closed) => closed,
            Stage::Open(_) => return Err(Refusal::NotClosed),
            Stage::Playing(_) if place.seed_commitment.is_some() => return Err(Refusal::SeedAlreadyOpened),
            Stage::Playing(_) => return Err(Refusal::NoSeedCommitted),
            Stage::Over(_) => return Err(Refusal::Over),
        };
        let commitment = place.seed_commitment.ok_or(Refusal::NoSeedCommitted)?;
        if closed.seeds[seat].is_some() {
            return Err(Refusal::SeedAlreadyOpened);
        }
        if seed_commitment(self.game, seat, &seed) != commitment {
            return Err(Refusal::SeedMismatch);
        }
        let event = self.signed(seat, place.key.as_ref(), SeedOpened { seed, by }.into())?;
        self.in_time(at)?;
        Ok(event)
    }

    fn free_move(
        &self,
        (seat, place, playing): (Seat, &Place, &Playing),
        step: Option<u32>,
        after: Option<u64>,
        mv: &Move,
        by: Option<Signature>,
    ) -> Result<(Actor, Body), Refusal> {
        if step.is_some() {
            return Err(Refusal::StepForm("this move is no decision: its step is null, and it has an after"));
        }
        playing.game.judge(seat, mv)?;
        let data = Moved { step: None, after, mv: mv.clone(), facts: Vec::new(), by };
        self.signed_after(seat, place.key.as_ref(), after, data.into())
    }

    fn open_move(
        &self,
        (seat, place, playing): (Seat, &Place, &Playing),
        step: u32,
        mv: &Move,
        by: Option<Signature>,
    ) -> Result<(Actor, Body), Refusal> {
        playing.game.judge(seat, mv)?;
        let data = Moved { step: Some(step), after: None, mv: mv.clone(), facts: Vec::new(), by };
        self.signed(seat, place.key.as_ref(), data.into())
    }

    fn seal_move(
        &self,
        (seat, place, playing): (Seat, &Place, &Playing),
        step: u32,
        mv: &Move,
        by: Option<Signature>,
        nonce: Nonce,
    ) -> Result<((Actor, Body), SealedMove), Refusal> {
        if place.key.is_some() {
            return Err(Refusal::SealYourself);
        }
        playing.game.judge(seat, mv)?;
        let commitment = move_commitment(self.game, seat, step, mv, &nonce);
        let data = Committed { step, commitment, sealed_by: SealedBy::Server, by };
        let event = self.signed(seat, None, data.into())?;
        Ok((event, SealedMove { step, mv: mv.clone(), nonce }))
    }

    fn commit(
        &self,
        player: PlayerId,
        step: u32,
        commitment: Hash,
        by: Option<Signature>,
        at: Timestamp,
    ) -> Result<(Actor, Body), Refusal> {
        let (seat, place, playing) = self.player(player)?;
        self.check_turn(seat, playing, step, at)?;
        if matches!(playing.sealing, Sealing::None) {
            return Err(Refusal::NotSealed);
        }
        let data = Committed { step, commitment, sealed_by: SealedBy::Client, by };
        self.signed(seat, place.key.as_ref(), data.into())
    }

    fn open(
        &self,
        player: PlayerId,
        step: u32,
        mv: &Move,
        nonce: Nonce,
        by: Option<Signature>,
        at: Timestamp,
    ) -> Result<(Actor, Body), Refusal> {
        let (seat, place, playing) = self.player(player)?;
        check_move_size(mv)?;
        if mv.kind() != self.kind() {
            return Err(Refusal::MoveForm(format!("it is one of {}", mv.kind().name())));
        }
        if step != playing.step {
            return Err(Refusal::WrongStep(playing.step));
        }
        let (bound, opened) = match &playing.sealing {
            Sealing::None => return Err(Refusal::NotSealed),
            Sealing::Committing(_) => return Err(Refusal::NotAllCommitted),
            Sealing::Opening { bound, opened, .. } => (bound[seat].ok_or(Refusal::NotYourTurn)?, &opened[seat]),
        };
        if opened.is_some() {
            return Err(Refusal::AlreadyDecided);
        }
        if move_commitment(self.game, seat, step, mv, &nonce) != bound.commitment {
            return Err(Refusal::CommitmentMismatch);
        }
        let data = Opened { step, mv: mv.clone(), nonce, facts: Vec::new(), by };
        let event = self.signed(seat, place.key.as_ref(), data.into())?;
        self.in_time(at)?;
        Ok(event)
    }

    fn resign(&self, player: PlayerId, after: Option<u64>, by: Option<Signature>) -> Result<(Actor, Body), Refusal> {
        let (seat, place, _) = self.player(player)?;
        // The step is known once the rules have spoken: see `Draft::push`.
        self.signed_after(seat, place.key.as_ref(), after, Resigned { step: None, after, facts: Vec::new(), by }.into())
    }

    fn call_timeout(&self, player: Option<PlayerId>, at: Timestamp) -> Result<(Actor, Body), Refusal> {
        if let Some(player) = player {
            self.seated(player)?;
        }
        if self.is_over() {
            return Err(Refusal::Over);
        }
        if self.in_time(at).is_ok() {
            return Err(Refusal::NothingOverdue);
        }
        let data = match &self.stage {
            Stage::Closed(closed) => Voided { reason: VoidReason::SeedMissing, seats: closed.missing() }.into(),
            Stage::Playing(playing) => {
                TimedOut { step: playing.step, seats: playing.to_act(), facts: Vec::new() }.into()
            }
            Stage::Open(_) | Stage::Over(_) => return Err(Refusal::NothingOverdue),
        };
        Ok((Actor::Server, data))
    }

    fn still_open(&self) -> Result<&Open, Refusal> {
        match &self.stage {
            Stage::Open(open) => Ok(open),
            Stage::Over(_) => Err(Refusal::Over),
            Stage::Closed(_) | Stage::Playing(_) => Err(Refusal::NotOpen),
        }
    }

    fn seated(&self, player: PlayerId) -> Result<(Seat, &Place), Refusal> {
        let seat = self.seat_of(player).ok_or(Refusal::NotSeated)?;
        let place = self.places().get(seat).copied().flatten().ok_or(Refusal::NotSeated)?;
        Ok((seat, place))
    }

    /// The seat of a player who is in a game that is on.
    fn player(&self, player: PlayerId) -> Result<(Seat, &Place, &Playing), Refusal> {
        let (seat, place) = self.seated(player)?;
        match &self.stage {
            Stage::Playing(playing) if playing.game.is_in(seat) => Ok((seat, place, playing)),
            Stage::Playing(_) => Err(Refusal::OutOfGame),
            Stage::Over(_) => Err(Refusal::Over),
            Stage::Open(_) | Stage::Closed(_) => Err(Refusal::NotStarted),
        }
    }

    /// Whether the seat is to decide now, and in time.
    fn check_turn(&self, seat: Seat, playing: &Playing, step: u32, at: Timestamp) -> Result<(), Refusal> {
        if step != playing.step {
            return Err(Refusal::WrongStep(playing.step));
        }
        match &playing.sealing {
            Sealing::Committing(bound) if bound[seat].is_some() => return Err(Refusal::AlreadyDecided),
            Sealing::Opening { bound, .. } => {
                return Err(if bound[seat].is_some() { Refusal::AlreadyDecided } else { Refusal::OpeningDue });
            }
            _ => {}
        }
        if !playing.to_act().contains(&seat) {
            return Err(Refusal::NotYourTurn);
        }
        self.in_time(at)
    }

    fn in_time(&self, at: Timestamp) -> Result<(), Refusal> {
        match self.due_at() {
            Some(due) if at > due => Err(Refusal::TooLate),
            _ => Ok(()),
        }
    }

    /// The event, if the player's own signature on it is as it must be.
    fn signed(&self, seat: Seat, key: Option<&PublicKey>, body: Body) -> Result<(Actor, Body), Refusal> {
        let signed = body.command().is_some_and(|(_, by)| by.is_some());
        match key {
            None if signed => Err(Refusal::Signature("this seat sat down without a key, so by must be null")),
            Some(_) if !signed => Err(Refusal::Signature("this seat sat down with a key, so by must be its signature")),
            _ if !body.is_signed_by(self.game, seat, key) => {
                Err(Refusal::Signature("by is no signature of this seat's key over this command"))
            }
            _ => Ok((Actor::Seat(seat), body)),
        }
    }

    /// As [`Table::signed`], for what has no step of its own.
    fn signed_after(
        &self,
        seat: Seat,
        key: Option<&PublicKey>,
        after: Option<u64>,
        body: Body,
    ) -> Result<(Actor, Body), Refusal> {
        match after {
            None if key.is_some() => {
                Err(Refusal::AfterForm("a seat with a key says in after which event it knew last"))
            }
            Some(after) if after > self.seq => Err(Refusal::AfterForm("after names an event that is not in the log")),
            _ => {
                let (actor, body) = self.signed(seat, key, body)?;
                if let (Stage::Open(open), Some((_, Some(by)))) = (&self.stage, body.command())
                    && open.signatures.contains(&by)
                {
                    return Err(Refusal::Signature("this signature was used before: sign a newer after"));
                }
                Ok((actor, body))
            }
        }
    }

    /// The `closed` event for the places as they are taken.
    fn closing(&self, at: Timestamp) -> Body {
        let places = self.places();
        let taken = places.iter().filter(|(_, place)| place.is_some()).count();
        let committed = places.iter().any(|(_, place)| place.is_some_and(|place| place.seed_commitment.is_some()));
        let seconds = self.created.move_seconds.map_or(SEED_SECONDS, |seconds| seconds.min(SEED_SECONDS));
        // At most 20 seats, so the cast loses nothing.
        ClosedData { seats: taken as u8, open_by: committed.then(|| at.plus_seconds(seconds)) }.into()
    }

    /// Whether the log may hold already what the command asks for, so that it is worth a look.
    pub fn may_repeat(&self, command: &Command) -> bool {
        let seated = |player: PlayerId| self.seat_of(player);
        match command {
            Command::Sit { player, .. } => seated(player.id).is_some(),
            Command::GetUp { player, .. } => seated(*player).is_none(),
            Command::Start { player } => *player == self.created.host && !matches!(self.stage, Stage::Open(_)),
            Command::Cancel { .. } => self.is_over(),
            Command::OpenSeed { player, .. } => seated(*player).is_some_and(|seat| match &self.stage {
                Stage::Open(_) => false,
                Stage::Closed(Closed { seeds, .. }) => seeds[seat].is_some(),
                Stage::Playing(_) | Stage::Over(_) => true,
            }),
            Command::Move { player, step: None, after: Some(after), .. } => {
                seated(*player).is_some_and(|seat| match &self.stage {
                    Stage::Playing(playing) => playing.last_free_move[seat].is_some_and(|last| last > *after),
                    _ => true,
                })
            }
            Command::Move { step: None, .. } => self.is_over(),
            Command::Move { player, step: Some(step), .. }
            | Command::Commit { player, step, .. }
            | Command::Open { player, step, .. } => {
                seated(*player).is_some_and(|seat| self.step().is_none_or(|now| *step < now || !self.owes(seat)))
            }
            Command::Resign { player, .. } => seated(*player).is_some_and(|seat| match &self.stage {
                Stage::Playing(playing) => !playing.game.is_in(seat),
                _ => true,
            }),
            Command::CallTimeout { player } => player.is_some_and(|player| seated(player).is_some()),
        }
    }

    /// Whether the seat has not yet done its part of the decision at hand.
    fn owes(&self, seat: Seat) -> bool {
        let Stage::Playing(playing) = &self.stage else { return false };
        match &playing.sealing {
            Sealing::None => true,
            Sealing::Committing(bound) => bound[seat].is_none(),
            Sealing::Opening { .. } => false,
        }
    }
}

fn check_move_size(mv: &Move) -> Result<(), Refusal> {
    let length = to_jcs(mv).len();
    if length <= MAX_MOVE_BYTES {
        return Ok(());
    }
    Err(Refusal::MoveForm(format!("it has {length} bytes of canonical JSON, and at most {MAX_MOVE_BYTES} are allowed")))
}

/// An append in the making.
struct Draft<'a> {
    at: Timestamp,
    table: Table,
    bodies: Vec<(Actor, Body)>,
    secrets: &'a Secrets,
    /// The move that the server seals with this append.
    sealed: Option<(Seat, SealedMove)>,
}

impl Draft<'_> {
    /// Lets the table take the event, completes it with what the rules made of it, and adds it.
    fn push(&mut self, actor: Actor, mut body: Body) -> Result<(), Stop> {
        let stamp = Stamp { at: self.at, actor };
        let Effects { facts: new, used_step } = self.table.take(stamp, &body, self.secrets)?;
        match &mut body {
            Body::Started(Started { facts })
            | Body::Opened(Opened { facts, .. })
            | Body::Moved(Moved { facts, .. })
            | Body::TimedOut(TimedOut { facts, .. }) => *facts = new,
            Body::Resigned(Resigned { facts, step, .. }) => {
                *facts = new;
                *step = used_step;
            }
            _ => {}
        }
        self.bodies.push((actor, body));
        Ok(())
    }

    /// Adds all that must follow at once.
    fn follow(&mut self) -> Result<(), Stop> {
        while let Some(follow) = self.table.follows() {
            let (actor, body) = match follow {
                Follow::Close => (Actor::Server, self.table.closing(self.at)),
                Follow::Start => (Actor::Server, Started { facts: Vec::new() }.into()),
                Follow::Open(seat) => (Actor::Seat(seat), self.opening(seat)?),
                Follow::Disclose(draw) => {
                    let seed = self.secrets.seed(draw).ok_or(Stop::Undisclosed(draw))?;
                    (Actor::Server, Disclosed { draw, seed }.into())
                }
                Follow::End(result) => (Actor::Server, Ended { result }.into()),
            };
            self.push(actor, body)?;
        }
        Ok(())
    }

    /// The opening of what the server sealed for a seat.
    fn opening(&self, seat: Seat) -> Result<Body, Stop> {
        let new = self.sealed.as_ref().filter(|(owner, _)| *owner == seat).map(|(_, sealed)| sealed);
        let Some(SealedMove { step, mv, nonce }) = new.or_else(|| self.secrets.sealed.get(&seat)) else {
            let expected = format!("the move that was sealed for seat {seat}");
            return Err(super::Fault::new(super::Question::Sealed, expected, "none among the secrets").into());
        };
        Ok(Opened { step: *step, mv: mv.clone(), nonce: *nonce, facts: Vec::new(), by: None }.into())
    }

    fn finish(self) -> Decision {
        // A sealed move is of use until its step is over.
        let stale = |sealed: &SealedMove| self.table.step() != Some(sealed.step);
        let unsealed = self.secrets.sealed.iter().filter(|(_, sealed)| stale(sealed)).map(|(seat, _)| *seat).collect();
        let sealed = self.sealed.filter(|(_, sealed)| !stale(sealed));
        Decision { at: self.at, bodies: self.bodies, table: self.table, sealed, unsealed }
    }
}
