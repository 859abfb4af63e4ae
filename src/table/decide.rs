//! From a command to events, or to a refusal that changes nothing.

use super::command::{Command, SealedMove, Secrets};
use super::evolve::Stop;
use super::{MAX_MOVE_BYTES, Open, Place, Playing, Refusal, Sealing, Stage, Table};
use crate::canonical::jcs_length;
use crate::event::{Actor, Body, Closed as ClosedData, Created};
use crate::games::Move;
use crate::hex32::Nonce;
use crate::ids::{GameId, PlayerId};
use crate::keys::PublicKey;
use crate::seat::Seat;
use crate::timestamp::Timestamp;

mod draft;
mod playing;
mod seating;

use draft::Draft;

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
        let at_hand = playing.step_at_hand().ok_or(Refusal::NotYourTurn)?;
        if step != at_hand {
            return Err(Refusal::WrongStep(at_hand));
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
        // At most 20 seats, so the cast loses nothing.
        ClosedData { seats: taken as u8, open_by: self.open_by(at, committed) }.into()
    }
}

fn check_move_size(mv: &Move) -> Result<(), Refusal> {
    let length = jcs_length(mv);
    if length <= MAX_MOVE_BYTES {
        return Ok(());
    }
    Err(Refusal::MoveForm(format!("it has {length} bytes of canonical JSON, and at most {MAX_MOVE_BYTES} are allowed")))
}
