//! From an event to the table after it.

use std::sync::Arc;

use super::{Fault, Follow, MAX_MOVE_BYTES, MOVE_SECONDS, Open, Place, Playing, Question, Stage, Table};
use crate::canonical::{jcs_length, to_jcs};
use crate::event::{Actor, Body, Created, Event, PROTOCOL, Resigned};
use crate::game::NoDraw;
use crate::games::{Fact, Move};
use crate::ids::GameId;
use crate::seat::{BySeat, Seat};
use crate::seed_chain::{CHAIN_LENGTH, ServerSeeds};
use crate::timestamp::Timestamp;

use Question::{Draws, Form, Rules, Sealed, Seeds};

mod playing;
mod seating;

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
        self.advance(event, seeds)?.map_or(Ok(()), |fault| Err(fault.into()))
    }

    /// As [`Table::evolve`], but goes on where the event may stand and only tells something else than what follows
    /// from it by the rules: then the table is as the rules have it, and the fault is given back.
    ///
    /// # Errors
    ///
    /// As [`Table::evolve`].
    pub fn advance(&mut self, event: &Event, seeds: &dyn ServerSeeds) -> Result<Option<Fault>, Stop> {
        let stamp = Stamp { at: event.at, actor: event.actor };
        let effects = self.take(stamp, &event.body, seeds)?;
        if effects.facts != event.body.facts() {
            return Ok(Some(facts_differ(&effects.facts, event.body.facts())));
        }
        if let Body::Resigned(Resigned { step, .. }) = &event.body
            && *step != effects.used_step
        {
            let show = |step: Option<u32>| step.map_or("null".to_owned(), |step| step.to_string());
            let expected = format!("resigned with step {}", show(effects.used_step));
            return Ok(Some(Fault::new(Rules, expected, format!("step {}", show(*step)))));
        }
        Ok(None)
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

    /// `after` is smaller than the event's own number; null only without a key.
    pub(super) fn check_after(&self, after: Option<u64>, keyed: bool) -> Result<(), Fault> {
        match after {
            Some(after) if after > self.seq => {
                Err(Fault::new(Form, "after to name an earlier event", after.to_string()))
            }
            None if keyed => Err(Fault::new(Form, "after to name an event, since the seat has a key", "null")),
            _ => Ok(()),
        }
    }

    pub(super) fn playing(&mut self, event_type: &'static str) -> Result<&mut Playing, Fault> {
        match &mut self.stage {
            Stage::Playing(playing) => Ok(playing),
            _ => Err(misplaced(event_type, "where nobody plays")),
        }
    }
}

/// Where the cards differ the draw does not give what the log shows; all else is the rules. Tells the first fact that
/// differs.
fn facts_differ(expected: &[Fact], found: &[Fact]) -> Fault {
    let drawn = |facts: &[Fact]| -> Vec<_> { facts.iter().map(Fact::drawn).filter(|drawn| !drawn.is_null()).collect() };
    let question = if drawn(expected) == drawn(found) { Rules } else { Draws };
    let at = expected.iter().zip(found).take_while(|(expected, found)| expected == found).count();
    let show = |facts: &[Fact]| match facts.get(at) {
        Some(fact) => format!("as fact {} {}", at + 1, String::from_utf8_lossy(&to_jcs(fact))),
        None => format!("no more than {at} facts"),
    };
    Fault::new(question, show(expected), show(found))
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

pub(crate) fn check_move_form(mv: &Move, kind: crate::games::Kind) -> Result<(), Fault> {
    if mv.kind() != kind {
        return Err(Fault::new(Form, format!("a move of {}", kind.name()), format!("one of {}", mv.kind().name())));
    }
    let length = jcs_length(mv);
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
        Some(rules) if rules.sha256 == created.rules.text => Ok(()),
        Some(rules) => {
            Err(Fault::new(Rules, format!("the rules text {}", rules.sha256), created.rules.text.to_string()))
        }
        None => Err(Fault::new(Rules, "rules in a version that is known", created.rules.version.to_string())),
    }
}
