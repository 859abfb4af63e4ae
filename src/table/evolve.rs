//! From an event to the table after it.

use std::sync::Arc;

use super::{
    Bound, Closed, Fault, Follow, MAX_MOVE_BYTES, MOVE_SECONDS, Open, Over, Place, Playing, Question, SEED_SECONDS,
    Sealing, Stage, Table,
};
use crate::canonical::to_jcs;
use crate::commitment::{move_commitment, seed_commitment};
use crate::event::{
    Actor, Body, Closed as ClosedData, Committed, Created, Disclosed, Event, Left, Moved, Opened, PROTOCOL, Resigned,
    SealedBy, Seated, SeedOpened, TimedOut, VoidReason, Voided,
};
use crate::game::{Chance, Decided, DrawInputs, ForfeitReason, NoDraw, Outcome, Refused};
use crate::games::{AnyGame, Fact, Move};
use crate::ids::GameId;
use crate::seat::{BySeat, Seat};
use crate::seed_chain::{CHAIN_LENGTH, ServerSeeds, leads_back};
use crate::timestamp::Timestamp;

use Question::{Draws, Form, Rules, Sealed, Seeds};

/// What an event led to by the rules.
#[derive(Debug, Default)]
pub(super) struct Effects {
    /// What became public.
    pub facts: Vec<Fact>,
    /// The step that was used up.
    pub used_step: Option<u32>,
}

/// When and by whom an event is brought about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stamp {
    pub at: Timestamp,
    pub actor: Actor,
}

/// Why a table could not go on: the event is wrong, or a draw that it needs is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The event may not stand here.
    Fault(Fault),
    /// The event needs a draw that is not disclosed.
    Undisclosed(u32),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<NoDraw> for Stop {
    fn from(no_draw: NoDraw) -> Self {
        match no_draw {
            NoDraw::Undisclosed(draw) => Self::Undisclosed(draw),
            NoDraw::ChainEnd => Self::Fault(Fault::new(Draws, "a draw within the chain", "a draw past its end")),
        }
    }
}

impl Table {
    /// The table after a game's first event.
    ///
    /// # Errors
    ///
    /// When the event can't begin a log of this protocol.
    pub fn begin(event: &Event) -> Result<Self, Fault> {
        let Body::Created(created) = &event.body else {
            return Err(Fault::new(Form, "created as the first event", event.body.event_type()));
        };
        if event.seq != 0 || event.actor != Actor::Server {
            return Err(Fault::new(Form, "created by the server as event 0", format!("by {}", event.actor)));
        }
        Self::create(event.game, created.clone(), event.at)
    }

    pub(super) fn create(game: GameId, created: Created, at: Timestamp) -> Result<Self, Fault> {
        check_created(&created)?;
        let places = BySeat::from_fn(usize::from(created.seats.max), |_| None);
        let stage = Stage::Open(Open { places, signatures: Vec::new() });
        Ok(Self { game, created: Arc::new(created), seq: 0, at, stage })
    }

    /// Takes the next event in, checking everything but the hash chain and the signatures, which are
    /// [`crate::log`]'s.
    ///
    /// # Errors
    ///
    /// When the event may not stand here, or needs a draw that is not known. The table is of no use then.
    pub fn evolve(&mut self, event: &Event, seeds: &dyn ServerSeeds) -> Result<(), Stop> {
        let stamp = Stamp { at: event.at, actor: event.actor };
        let effects = self.take(stamp, &event.body, seeds)?;
        if effects.facts != event.body.facts() {
            return Err(self.facts_differ(&effects.facts, event.body.facts()).into());
        }
        if let Body::Resigned(Resigned { step, .. }) = &event.body
            && *step != effects.used_step
        {
            let show = |step: Option<u32>| step.map_or("null".to_owned(), |step| step.to_string());
            let expected = format!("resigned with step {}", show(effects.used_step));
            return Err(Fault::new(Rules, expected, format!("step {}", show(*step))).into());
        }
        Ok(())
    }

    /// Where the cards differ the draw does not give what the log shows; all else is the rules.
    fn facts_differ(&self, expected: &[Fact], found: &[Fact]) -> Fault {
        let drawn =
            |facts: &[Fact]| -> Vec<_> { facts.iter().map(Fact::drawn).filter(|drawn| !drawn.is_null()).collect() };
        let question = if drawn(expected) == drawn(found) { Rules } else { Draws };
        let show = |facts: &[Fact]| String::from_utf8_lossy(&to_jcs(&facts)).into_owned();
        Fault::new(question, format!("the facts {}", show(expected)), show(found))
    }

    /// Takes an event in whose facts are not known yet, and says what they are.
    pub(super) fn take(&mut self, stamp: Stamp, body: &Body, seeds: &dyn ServerSeeds) -> Result<Effects, Stop> {
        self.check_form(stamp.actor, body)?;
        self.check_place(stamp, body)?;
        let seq = self.seq + 1;
        let due = self.due_at();
        let effects = match (body, stamp.actor) {
            (Body::Seated(data), Actor::Seat(seat)) => self.take_seated(seat, data).map(none)?,
            (Body::Left(data), Actor::Seat(seat)) => self.take_left(seat, data).map(none)?,
            (Body::Closed(data), Actor::Server) => self.take_closed(stamp.at, data).map(none)?,
            (Body::SeedOpened(data), Actor::Seat(seat)) => self.take_seed(stamp, seat, data, due).map(none)?,
            (Body::Started(_), Actor::Server) => self.take_started(stamp.at, seeds)?,
            (Body::Committed(data), Actor::Seat(seat)) => self.take_committed(stamp, seat, data, due).map(none)?,
            (Body::Opened(data), Actor::Seat(seat)) => self.take_opened(stamp, seat, data, due, seeds)?,
            (Body::Moved(data), Actor::Seat(seat)) => self.take_moved(stamp, seat, data, due, seeds)?,
            (Body::Resigned(data), Actor::Seat(seat)) => self.take_resigned(stamp, seat, data, seeds)?,
            (Body::TimedOut(data), Actor::Server) => self.take_timed_out(stamp, data, due, seeds)?,
            (Body::Disclosed(data), Actor::Server) => self.take_disclosed(data).map(none)?,
            (Body::Ended(data), Actor::Server) => self.take_ended(&data.result).map(none)?,
            (Body::Voided(data), Actor::Server) => self.take_voided(stamp.at, data).map(none)?,
            _ => return Err(misplaced(body.event_type(), &format!("by {}", stamp.actor)).into()),
        };
        self.seq = seq;
        self.at = stamp.at;
        Ok(effects)
    }

    /// What must follow at once follows at once, and what only follows stands nowhere else.
    fn check_place(&self, stamp: Stamp, body: &Body) -> Result<(), Fault> {
        let Some(follow) = self.follows() else {
            return match body {
                Body::Started(_) => Err(Fault::new(Seeds, "every seed opened before started", "one that is missing")),
                Body::Disclosed(_) => Err(Fault::new(Seeds, "no disclosure before it is due", "disclosed")),
                Body::Ended(_) => Err(Fault::new(Rules, "the game to go on", "ended")),
                _ => Ok(()),
            };
        };
        let (question, expected, fits) = match &follow {
            Follow::Close => (Rules, "closed, since the table is full".to_owned(), matches!(body, Body::Closed(_))),
            Follow::Start => (Rules, "started, since no seed is missing".to_owned(), matches!(body, Body::Started(_))),
            Follow::Open(seat) => (
                Sealed,
                format!("the opening that the server sealed for seat {seat}"),
                matches!(body, Body::Opened(_)) && stamp.actor == Actor::Seat(*seat),
            ),
            Follow::Disclose(draw) => {
                (Seeds, format!("disclosed up to draw {draw}"), matches!(body, Body::Disclosed(_)))
            }
            Follow::End(_) => (Rules, "ended, since the game is over".to_owned(), matches!(body, Body::Ended(_))),
        };
        if !fits {
            // A disclosure that nothing asks for is its own fault.
            let question = if matches!(body, Body::Disclosed(_)) { Seeds } else { question };
            return Err(Fault::new(question, expected, body.event_type()));
        }
        if stamp.at != self.at {
            return Err(Fault::new(Rules, format!("{expected} at the same time, {}", self.at), stamp.at.to_string()));
        }
        Ok(())
    }

    fn take_seated(&mut self, seat: Seat, data: &Seated) -> Result<(), Fault> {
        self.check_after(data.after, data.key.is_some())?;
        let Stage::Open(open) = &mut self.stage else { return Err(misplaced("seated", "after closed")) };
        if open.places.iter().flat_map(|(_, place)| place).any(|place| place.player.id == data.player.id) {
            return Err(Fault::new(Form, "one seat a player", format!("a second one for {}", data.player.id)));
        }
        match open.places.get_mut(seat) {
            Some(place @ None) => {
                *place =
                    Some(Place { player: data.player.clone(), seed_commitment: data.seed_commitment, key: data.key });
            }
            Some(Some(_)) => return Err(Fault::new(Form, "a free seat", format!("seat {seat}, which is taken"))),
            None => return Err(Fault::new(Form, "a seat of this table", format!("seat {seat}"))),
        }
        open.remember(data.by)
    }

    fn take_left(&mut self, seat: Seat, data: &Left) -> Result<(), Fault> {
        let keyed = self.places().get(seat).copied().flatten().is_some_and(|place| place.key.is_some());
        self.check_after(data.after, keyed)?;
        let Stage::Open(open) = &mut self.stage else { return Err(misplaced("left", "after closed")) };
        match open.places.get_mut(seat) {
            Some(place @ Some(_)) => *place = None,
            _ => return Err(Fault::new(Form, "a seat that is taken", format!("seat {seat}"))),
        }
        open.remember(data.by)
    }

    fn take_closed(&mut self, at: Timestamp, data: &ClosedData) -> Result<(), Fault> {
        let Stage::Open(open) = &self.stage else { return Err(misplaced("closed", "a second time")) };
        let places: BySeat<Place> = open.places.iter().map_while(|(_, place)| place.clone()).collect();
        let taken = open.places.iter().filter(|(_, place)| place.is_some()).count();
        if places.len() != taken || usize::from(data.seats) != taken {
            let found = format!("{} with {taken} seats taken", data.seats);
            return Err(Fault::new(Form, "the number of seats, taken from 0 without a gap", found));
        }
        if let Err(illegal) = self.created.options.fits(taken) {
            return Err(Fault::new(Rules, "a table that can start", illegal.to_string()));
        }
        let committed = places.iter().any(|(_, place)| place.seed_commitment.is_some());
        let seconds = self.created.move_seconds.map_or(SEED_SECONDS, |seconds| seconds.min(SEED_SECONDS));
        let open_by = committed.then(|| at.plus_seconds(seconds));
        if data.open_by != open_by {
            let show = |time: Option<Timestamp>| time.map_or("null".to_owned(), |time| time.to_string());
            return Err(Fault::new(Rules, format!("open_by {}", show(open_by)), show(data.open_by)));
        }
        let seeds = places.map(|_| None);
        self.stage = Stage::Closed(Closed { places: Arc::new(places), seeds, open_by });
        Ok(())
    }

    fn take_seed(&mut self, stamp: Stamp, seat: Seat, data: &SeedOpened, due: Option<Timestamp>) -> Result<(), Fault> {
        let game = self.game;
        let Stage::Closed(closed) = &mut self.stage else {
            return Err(Fault::new(Seeds, "seeds only between closed and started", "seed_opened"));
        };
        let commitment = closed.places.get(seat).and_then(|place| place.seed_commitment);
        let Some(commitment) = commitment.filter(|_| closed.seeds[seat].is_none()) else {
            return Err(Fault::new(Seeds, "a seat that owes a seed", format!("seat {seat}")));
        };
        let digest = seed_commitment(game, seat, &data.seed);
        if digest != commitment {
            return Err(Fault::new(
                Seeds,
                format!("a seed that opens {commitment}"),
                format!("one that gives {digest}"),
            ));
        }
        check_in_time(stamp.at, due)?;
        closed.seeds[seat] = Some(data.seed);
        Ok(())
    }

    fn take_started(&mut self, at: Timestamp, seeds: &dyn ServerSeeds) -> Result<Effects, Stop> {
        let Stage::Closed(closed) = &self.stage else { return Err(misplaced("started", "before closed").into()) };
        let draws = Arc::new(DrawInputs { game: self.game, player_seeds: closed.seeds.clone() });
        let seats = closed.places.len();
        let mut chance = Chance::new(&draws, seeds, 0);
        let game = AnyGame::deal(&self.created.options, seats, &mut chance)?;
        let drawn = chance.drawn();
        let facts = chance.into_facts();
        let sealing = Sealing::for_decision(&game, seats);
        self.stage = Stage::Playing(Box::new(Playing {
            places: Arc::clone(&closed.places),
            draws,
            game,
            drawn,
            disclosed: None,
            step: 1,
            asked_at: at,
            sealing,
            last_free_move: BySeat::from_fn(seats, |_| None),
        }));
        Ok(Effects { facts, used_step: None })
    }

    fn take_committed(
        &mut self,
        stamp: Stamp,
        seat: Seat,
        data: &Committed,
        due: Option<Timestamp>,
    ) -> Result<(), Fault> {
        let playing = self.playing("committed")?;
        let owes = playing.to_act().contains(&seat);
        let keyed = playing.places[seat_of_table(&playing.places, seat)?].key.is_some();
        let step = playing.step;
        let Sealing::Committing(bound) = &mut playing.sealing else {
            return Err(Fault::new(Sealed, "no commitment now", "committed"));
        };
        check_step(step, Some(data.step))?;
        if !owes {
            return Err(Fault::new(Sealed, "a commitment by a seat that owes one", format!("one by seat {seat}")));
        }
        if keyed && data.sealed_by == SealedBy::Server {
            return Err(Fault::new(Sealed, "sealing by the client, which has a key", "sealing by the server"));
        }
        check_in_time(stamp.at, due)?;
        bound[seat] = Some(Bound { commitment: data.commitment, by: data.sealed_by });
        playing.all_bound(stamp.at);
        Ok(())
    }

    fn take_opened(
        &mut self,
        stamp: Stamp,
        seat: Seat,
        data: &Opened,
        due: Option<Timestamp>,
        seeds: &dyn ServerSeeds,
    ) -> Result<Effects, Stop> {
        let (game, kind) = (self.game, self.created.kind);
        let playing = self.playing("opened")?;
        let owes = playing.to_act().contains(&seat);
        let step = playing.step;
        let Sealing::Opening { bound, opened, .. } = &mut playing.sealing else {
            return Err(Fault::new(Sealed, "no opening before all are bound", "opened").into());
        };
        check_step(step, Some(data.step))?;
        let Some(bound) = bound.get(seat).copied().flatten().filter(|_| owes) else {
            return Err(Fault::new(Sealed, "an opening by a seat that owes one", format!("one by seat {seat}")).into());
        };
        check_move_form(&data.mv, kind)?;
        let digest = move_commitment(game, seat, step, &data.mv, &data.nonce);
        if digest != bound.commitment {
            let expected = format!("a move and nonce that open {}", bound.commitment);
            return Err(Fault::new(Sealed, expected, format!("ones that give {digest}")).into());
        }
        check_in_time(stamp.at, due)?;
        match playing.game.judge(seat, &data.mv) {
            Ok(()) => {
                opened[seat] = Some(data.mv.clone());
                playing.all_opened(stamp.at, seeds)
            }
            Err(illegal) if bound.by == SealedBy::Server => {
                Err(Fault::new(Rules, "a legal move, since the server sealed it", illegal.to_string()).into())
            }
            // It can't be taken back: the seat forfeits, and the step ends with it.
            Err(_) => playing.rules(stamp.at, seeds, |game, chance| {
                game.forfeit(seat, ForfeitReason::IllegalMove, chance).map(|_| Decided::Yes)
            }),
        }
    }

    fn take_moved(
        &mut self,
        stamp: Stamp,
        seat: Seat,
        data: &Moved,
        due: Option<Timestamp>,
        seeds: &dyn ServerSeeds,
    ) -> Result<Effects, Stop> {
        let kind = self.created.kind;
        let next = self.seq + 1;
        let decision = data.mv.is_decision();
        check_move_form(&data.mv, kind)?;
        let keyed = self.places().get(seat).copied().flatten().is_some_and(|place| place.key.is_some());
        if decision {
            if let Some(after) = data.after {
                return Err(Fault::new(Form, "after null for a decision", after.to_string()).into());
            }
        } else {
            self.check_after(data.after, keyed)?;
        }
        let playing = self.playing("moved")?;
        let seat = seat_of_table(&playing.places, seat)?;
        if decision {
            check_step(playing.step, data.step)?;
            if playing.game.outcome() != Outcome::Turn(seat) {
                return Err(Fault::new(Rules, "a move by the seat whose turn it is", format!("seat {seat}")).into());
            }
            check_in_time(stamp.at, due)?;
        } else if let Some(step) = data.step {
            return Err(Fault::new(Form, "step null for a move that is no decision", step.to_string()).into());
        } else {
            playing.last_free_move[seat] = Some(next);
        }
        let mut illegal = None;
        let effects = playing.rules(stamp.at, seeds, |game, chance| match game.play(seat, &data.mv, chance) {
            Ok(decided) => Ok(decided),
            Err(Refused::Draw(no_draw)) => Err(no_draw),
            Err(Refused::Illegal(why)) => {
                illegal = Some(why);
                Ok(Decided::No)
            }
        })?;
        match illegal {
            Some(why) => Err(Fault::new(Rules, "a legal move", why.to_string()).into()),
            None => Ok(effects),
        }
    }

    fn take_resigned(
        &mut self,
        stamp: Stamp,
        seat: Seat,
        data: &Resigned,
        seeds: &dyn ServerSeeds,
    ) -> Result<Effects, Stop> {
        let keyed = self.places().get(seat).copied().flatten().is_some_and(|place| place.key.is_some());
        self.check_after(data.after, keyed)?;
        let playing = self.playing("resigned")?;
        if !playing.game.is_in(seat) {
            return Err(Fault::new(Form, "a seat that is in the game", format!("seat {seat}")).into());
        }
        playing.rules(stamp.at, seeds, |game, chance| game.forfeit(seat, ForfeitReason::Resigned, chance))
    }

    fn take_timed_out(
        &mut self,
        stamp: Stamp,
        data: &TimedOut,
        due: Option<Timestamp>,
        seeds: &dyn ServerSeeds,
    ) -> Result<Effects, Stop> {
        let playing = self.playing("timed_out")?;
        check_step(playing.step, Some(data.step))?;
        check_late(stamp.at, due)?;
        let owing = playing.to_act();
        if owing.is_empty() || data.seats != owing {
            return Err(Fault::new(Rules, format!("the seats that owe: {owing:?}"), format!("{:?}", data.seats)).into());
        }
        playing.rules(stamp.at, seeds, |game, chance| game.time_out(owing, chance))
    }

    fn take_disclosed(&mut self, data: &Disclosed) -> Result<(), Fault> {
        let anchor = self.created.anchor;
        let playing = self.playing("disclosed")?;
        let due = playing.game.disclosable();
        if data.draw != due {
            return Err(Fault::new(Seeds, format!("draw {due} disclosed, no more and no less"), data.draw.to_string()));
        }
        let (from, earlier) = match &playing.disclosed {
            Some((draw, seed)) => (*draw, *seed.as_bytes()),
            None => (0, *anchor.as_bytes()),
        };
        if !leads_back(&data.seed, data.draw.saturating_sub(from), &earlier) {
            let expected = format!("a seed that leads back to the anchor {anchor}");
            return Err(Fault::new(Seeds, expected, "one that does not"));
        }
        playing.disclosed = Some((data.draw, data.seed));
        Ok(())
    }

    fn take_ended(&mut self, result: &crate::game::GameResult) -> Result<(), Fault> {
        let Stage::Playing(playing) = &self.stage else { return Err(misplaced("ended", "before started")) };
        match playing.game.outcome() {
            Outcome::Over(expected) if expected == result => {}
            Outcome::Over(expected) => {
                let show = |result| String::from_utf8_lossy(&to_jcs(result)).into_owned();
                return Err(Fault::new(Rules, format!("the result {}", show(expected)), show(result)));
            }
            _ => return Err(Fault::new(Rules, "the game to go on", "ended")),
        }
        let over = Over::Ended { playing: playing.as_ref().clone(), result: result.clone() };
        self.stage = Stage::Over(Box::new(over));
        Ok(())
    }

    fn take_voided(&mut self, at: Timestamp, data: &Voided) -> Result<(), Fault> {
        let places = match (&self.stage, data.reason) {
            (Stage::Open(open), VoidReason::Cancelled) => {
                if !data.seats.is_empty() {
                    return Err(Fault::new(Form, "no seats", format!("{:?}", data.seats)));
                }
                open.places.clone()
            }
            (Stage::Closed(closed), VoidReason::SeedMissing) => {
                check_late(at, closed.open_by)?;
                let missing = closed.missing();
                if data.seats != missing {
                    let expected = format!("the seats whose seeds are missing: {missing:?}");
                    return Err(Fault::new(Seeds, expected, format!("{:?}", data.seats)));
                }
                closed.places.map(|place| Some(place.clone()))
            }
            _ => return Err(misplaced("voided", "where the game can't become void for this reason")),
        };
        self.stage = Stage::Over(Box::new(Over::Void(places)));
        Ok(())
    }

    /// `after` is smaller than the event's own number; null only without a key.
    fn check_after(&self, after: Option<u64>, keyed: bool) -> Result<(), Fault> {
        match after {
            Some(after) if after > self.seq => {
                Err(Fault::new(Form, "after to name an earlier event", after.to_string()))
            }
            None if keyed => Err(Fault::new(Form, "after to name an event, since the seat has a key", "null")),
            _ => Ok(()),
        }
    }

    fn playing(&mut self, event_type: &'static str) -> Result<&mut Playing, Fault> {
        match &mut self.stage {
            Stage::Playing(playing) => Ok(playing),
            _ => Err(misplaced(event_type, "where nobody plays")),
        }
    }
}

impl Open {
    fn remember(&mut self, by: Option<crate::keys::Signature>) -> Result<(), Fault> {
        let Some(by) = by else { return Ok(()) };
        if self.signatures.contains(&by) {
            return Err(Fault::new(Question::Chain, "a signature that is new", format!("{by} again")));
        }
        self.signatures.push(by);
        Ok(())
    }
}

impl Sealing {
    /// How a new decision is made.
    fn for_decision(game: &AnyGame, seats: usize) -> Self {
        match game.outcome() {
            Outcome::Sealed(_) => Self::Committing(BySeat::from_fn(seats, |_| None)),
            Outcome::Turn(_) | Outcome::Over(_) => Self::None,
        }
    }
}

impl Playing {
    /// Lets the rules act, and asks for the next decision if this one is over.
    fn rules(
        &mut self,
        at: Timestamp,
        seeds: &dyn ServerSeeds,
        act: impl FnOnce(&mut AnyGame, &mut Chance<'_>) -> Result<Decided, NoDraw>,
    ) -> Result<Effects, Stop> {
        let mut chance = Chance::new(&self.draws, seeds, self.drawn);
        let decided = act(&mut self.game, &mut chance)?;
        self.drawn = chance.drawn();
        let facts = chance.into_facts();
        if decided == Decided::No && !self.is_over() {
            // Somebody left who was not asked, or may have been the last one asked for.
            self.all_bound(at);
            return Ok(Effects { facts, used_step: None });
        }
        let used_step = Some(self.step);
        self.step += 1;
        self.asked_at = at;
        self.sealing = Sealing::for_decision(&self.game, self.places.len());
        Ok(Effects { facts, used_step })
    }

    /// Once every seat that must decide is bound, they open.
    fn all_bound(&mut self, since: Timestamp) {
        let done = self.to_act().is_empty();
        if let Sealing::Committing(bound) = &self.sealing
            && done
        {
            let opened = bound.map(|_| None);
            self.sealing = Sealing::Opening { bound: bound.clone(), opened, since };
        }
    }

    /// Once every seat that must decide has opened, the rules take their moves.
    fn all_opened(&mut self, at: Timestamp, seeds: &dyn ServerSeeds) -> Result<Effects, Stop> {
        if !self.to_act().is_empty() {
            return Ok(Effects::default());
        }
        let Sealing::Opening { opened, .. } = &self.sealing else { return Ok(Effects::default()) };
        let moves: Vec<(Seat, Move)> = opened.iter().filter_map(|(seat, mv)| mv.clone().map(|mv| (seat, mv))).collect();
        let mut illegal = None;
        let effects = self.rules(at, seeds, |game, chance| match game.play_sealed(&moves, chance) {
            Ok(decided) => Ok(decided),
            Err(Refused::Draw(no_draw)) => Err(no_draw),
            Err(Refused::Illegal(why)) => {
                illegal = Some(why);
                Ok(Decided::No)
            }
        })?;
        match illegal {
            Some(why) => Err(Fault::new(Rules, "legal moves", why.to_string()).into()),
            None => Ok(effects),
        }
    }
}

fn none((): ()) -> Effects {
    Effects::default()
}

fn misplaced(event_type: &str, how: &str) -> Fault {
    Fault::new(Form, "an event that may stand here", format!("{event_type} {how}"))
}

fn seat_of_table(places: &BySeat<Place>, seat: Seat) -> Result<Seat, Fault> {
    match places.get(seat) {
        Some(_) => Ok(seat),
        None => Err(Fault::new(Form, "a seat of this table", format!("seat {seat}"))),
    }
}

fn check_step(expected: u32, found: Option<u32>) -> Result<(), Fault> {
    if found == Some(expected) {
        return Ok(());
    }
    let found = found.map_or("null".to_owned(), |step| step.to_string());
    Err(Fault::new(Rules, format!("step {expected}"), found))
}

fn check_in_time(at: Timestamp, due: Option<Timestamp>) -> Result<(), Fault> {
    match due {
        Some(due) if at > due => {
            Err(Fault::new(Rules, format!("nothing later than the deadline {due}"), at.to_string()))
        }
        _ => Ok(()),
    }
}

fn check_late(at: Timestamp, due: Option<Timestamp>) -> Result<(), Fault> {
    match due {
        Some(due) if at > due => Ok(()),
        Some(due) => Err(Fault::new(Rules, format!("a time later than the deadline {due}"), at.to_string())),
        None => Err(Fault::new(Rules, "no time-out where nothing is due", at.to_string())),
    }
}

fn check_move_form(mv: &Move, kind: crate::games::Kind) -> Result<(), Fault> {
    if mv.kind() != kind {
        return Err(Fault::new(Form, format!("a move of {}", kind.name()), format!("one of {}", mv.kind().name())));
    }
    let length = to_jcs(mv).len();
    if length > MAX_MOVE_BYTES {
        return Err(Fault::new(Form, format!("a move of at most {MAX_MOVE_BYTES} bytes"), format!("{length} bytes")));
    }
    Ok(())
}

fn check_created(created: &Created) -> Result<(), Fault> {
    let (least, most) = created.kind.seats();
    let seats = created.seats;
    if created.protocol != PROTOCOL {
        return Err(Fault::new(Form, format!("protocol {PROTOCOL}"), created.protocol.to_string()));
    }
    if created.chain != CHAIN_LENGTH {
        return Err(Fault::new(Form, format!("a chain of {CHAIN_LENGTH}"), created.chain.to_string()));
    }
    if seats.min != least || seats.max < least || seats.max > most {
        return Err(Fault::new(Rules, format!("{least} to {most} seats"), format!("{} to {}", seats.min, seats.max)));
    }
    if let Some(seconds) = created.move_seconds.filter(|seconds| !MOVE_SECONDS.contains(seconds)) {
        return Err(Fault::new(Form, "move_seconds of 10 to 604800, or null", seconds.to_string()));
    }
    if let Err(illegal) = created.options.fits(usize::from(seats.max)) {
        return Err(Fault::new(Rules, "options that fit the table", illegal.to_string()));
    }
    match created.kind.rules(created.rules.version) {
        Some(rules) if rules.hash() == created.rules.text => Ok(()),
        Some(rules) => {
            Err(Fault::new(Rules, format!("the rules text {}", rules.hash()), created.rules.text.to_string()))
        }
        None => Err(Fault::new(Rules, "rules in a version that is known", created.rules.version.to_string())),
    }
}
