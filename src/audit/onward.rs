//! What of a log can be told without the rules of its game: forms and places, seeds, sealed moves.
//!
//! The table judges all of this too, and better, since it knows who has to decide. But it stops at the first event that
//! it can't take: one that is wrong, or one that needs a draw which is still undisclosed. From there on this goes on.

use std::collections::BTreeMap;

use crate::commitment::{move_commitment, seed_commitment};
use crate::event::{
    Actor, Body, Closed, Committed, Created, Disclosed, Event, Left, Moved, Opened, Resigned, SealedBy, Seated, Voided,
};
use crate::game::Draw;
use crate::games::{CommonFact, Fact};
use crate::hex32::Hash;
use crate::ids::PlayerId;
use crate::seat::{BySeat, Seat};
use crate::seed_chain::leads_back;
use crate::table::{Fault, Question, Status, check_move_form, may_stand};

use Question::{Form, Rules, Sealed, Seeds};

/// Who sits at a place, as far as the protocol asks.
struct Sitter {
    player: PlayerId,
    commitment: Option<Hash>,
    opened: bool,
    keyed: bool,
}

/// A step whose moves are sealed.
#[derive(Default)]
struct Step {
    /// What each seat is bound to, by whom, and whether it is opened.
    bound: BTreeMap<Seat, (Hash, SealedBy, bool)>,
    opening: bool,
    over: bool,
}

impl Step {
    /// The first seat whose move the server sealed and has yet to open.
    fn owed_by_server(&self) -> Option<Seat> {
        let owed = |(seat, (_, by, opened)): (&Seat, &(Hash, SealedBy, bool))| {
            (*by == SealedBy::Server && !opened).then_some(*seat)
        };
        if self.over { None } else { self.bound.iter().find_map(owed) }
    }
}

/// A log as far as it was walked along.
struct Walk<'a> {
    created: &'a Created,
    status: Status,
    seats: BySeat<Option<Sitter>>,
    /// The last draw that the log tells of.
    drawn: u32,
    /// The last draw that was disclosed, with its seed or, before the first, the anchor.
    disclosed: (u32, [u8; 32]),
    steps: BTreeMap<u32, Step>,
    /// The step of which the server is just opening what it sealed.
    opening: Option<u32>,
    /// The questions that are answered with no already: of each only the first fault counts.
    failed: Vec<Question>,
}

/// Walks along all events and judges those after `stop`. What is wrong goes to `fault`, up to the first event that has
/// no place. Says whether the log came to its end.
pub(super) fn walk(events: &[Event], stop: u64, mut fault: impl FnMut(u64, Fault)) -> bool {
    let Some(Event { body: Body::Created(created), .. }) = events.first() else { return false };
    let mut walk = Walk {
        created,
        status: Status::Open,
        seats: BySeat::from_fn(usize::from(created.seats.max), |_| None),
        drawn: 0,
        disclosed: (0, *created.anchor.as_bytes()),
        steps: BTreeMap::new(),
        opening: None,
        failed: Vec::new(),
    };
    for (seq, (before, event)) in (1..).zip(events.iter().zip(&events[1..])) {
        if seq > stop {
            if let Err(misplaced) = walk.place(seq, event) {
                fault(seq, misplaced);
                return false;
            }
            for found in walk.judge(event, before) {
                walk.failed.push(found.question);
                fault(seq, found);
            }
        }
        walk.take(event);
    }
    matches!(walk.status, Status::Ended | Status::Voided)
}

/// The first draw that has not the next number. That much can be told before it is disclosed.
pub(super) fn misnumbered(events: &[Event]) -> Option<(u64, Fault)> {
    let mut next = 1;
    for (seq, event) in (0..).zip(events) {
        for number in draws_of(event) {
            if number != next {
                let expected = format!("draw {next} as the next one");
                return Some((seq, Fault::new(Question::Draws, expected, format!("draw {number}"))));
            }
            next += 1;
        }
    }
    None
}

/// The numbers of the draws that an event tells of.
fn draws_of(event: &Event) -> impl Iterator<Item = u32> {
    event.body.facts().iter().filter_map(|fact| match fact {
        Fact::Common(CommonFact::Draw(Draw { draw, .. })) => Some(*draw),
        _ => None,
    })
}

fn wrong<T>(question: Question, expected: impl Into<String>, found: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::new(question, expected, found))
}

impl Walk<'_> {
    fn sitter(&self, seat: Seat) -> Option<&Sitter> {
        self.seats.get(seat).and_then(Option::as_ref)
    }

    fn missing_seeds(&self) -> Vec<Seat> {
        let owes = |sitter: &Sitter| sitter.commitment.is_some() && !sitter.opened;
        self.seats.iter().filter(|(_, sitter)| sitter.as_ref().is_some_and(owes)).map(|(seat, _)| seat).collect()
    }

    /// Question 0.
    fn place(&self, seq: u64, event: &Event) -> Result<(), Fault> {
        may_stand(self.status, self.seats.len(), event.actor, &event.body)?;
        let (after, decides) = match &event.body {
            Body::Seated(Seated { after, .. }) | Body::Left(Left { after, .. }) => (*after, false),
            Body::Resigned(Resigned { after, .. }) => (*after, false),
            Body::Moved(Moved { after, mv, .. }) => (*after, mv.is_decision()),
            _ => (None, true),
        };
        let keyed = match (&event.body, event.actor) {
            (Body::Seated(seated), _) => seated.key.is_some(),
            (_, Actor::Seat(seat)) => self.sitter(seat).is_some_and(|sitter| sitter.keyed),
            _ => false,
        };
        match after {
            Some(after) if decides => return wrong(Form, "after null for a decision", after.to_string()),
            Some(after) if after >= seq => return wrong(Form, "after to name an earlier event", after.to_string()),
            None if !decides && keyed => {
                return wrong(Form, "after to name an event, since the seat has a key", "null");
            }
            _ => {}
        }
        self.place_by_type(event)
    }

    fn place_by_type(&self, event: &Event) -> Result<(), Fault> {
        let taken = |seat: Seat| self.sitter(seat).is_some();
        match (&event.body, event.actor) {
            (Body::Seated(seated), Actor::Seat(seat)) => {
                if taken(seat) {
                    return wrong(Form, "a free seat", format!("seat {seat}, which is taken"));
                }
                let twice = |sitter: &Sitter| sitter.player == seated.player.id;
                if self.seats.iter().any(|(_, sitter)| sitter.as_ref().is_some_and(twice)) {
                    return wrong(Form, "one seat a player", format!("a second one for {}", seated.player.id));
                }
            }
            (Body::Closed(Closed { seats, open_by }), _) => {
                let gapless = self.seats.iter().take_while(|(_, sitter)| sitter.is_some()).count();
                let all = self.seats.iter().filter(|(_, sitter)| sitter.is_some()).count();
                if all != gapless || usize::from(*seats) != all {
                    let found = format!("{seats} with {all} seats taken");
                    return wrong(Form, "the number of seats, taken from 0 without a gap", found);
                }
                if open_by.is_some() == self.missing_seeds().is_empty() {
                    return wrong(Rules, "open_by just where a seat committed to a seed", format!("{open_by:?}"));
                }
            }
            (Body::Voided(Voided { seats, .. }), _) if self.status == Status::Open && !seats.is_empty() => {
                return wrong(Form, "no seats", format!("{seats:?}"));
            }
            (Body::Moved(Moved { step, mv, .. }), _) => {
                check_move_form(mv, self.created.kind)?;
                if !mv.is_decision() && step.is_some() {
                    return wrong(Form, "step null for a move that is no decision", "a step");
                }
            }
            (Body::Opened(Opened { mv, .. }), _) => check_move_form(mv, self.created.kind)?,
            (_, Actor::Seat(seat)) if !taken(seat) => {
                return wrong(Form, "a seat that is taken", format!("seat {seat}"));
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether a question is not answered with no yet.
    fn asked(&self, question: Question) -> bool {
        !self.failed.contains(&question)
    }

    /// The questions that go on.
    fn judge(&self, event: &Event, before: &Event) -> Vec<Fault> {
        let seeds = if self.asked(Seeds) { self.seeds(event).err() } else { None };
        let sealed = if self.asked(Sealed) { self.sealed(event, before).err() } else { None };
        let times = if self.asked(Rules) { self.times(event, before).err() } else { None };
        [seeds, sealed, times].into_iter().flatten().collect()
    }

    /// Question 2.
    fn seeds(&self, event: &Event) -> Result<(), Fault> {
        match (&event.body, event.actor) {
            (Body::SeedOpened(opened), Actor::Seat(seat)) => {
                let owed = self.sitter(seat).filter(|sitter| !sitter.opened).and_then(|sitter| sitter.commitment);
                let Some(commitment) = owed else {
                    return wrong(Seeds, "a seat that owes a seed", format!("seat {seat}"));
                };
                let digest = seed_commitment(event.game, seat, &opened.seed);
                if digest != commitment {
                    return wrong(Seeds, format!("a seed that opens {commitment}"), format!("one that gives {digest}"));
                }
            }
            (Body::Started(_), _) if !self.missing_seeds().is_empty() => {
                return wrong(Seeds, "every seed opened before started", "one that is missing");
            }
            (Body::Voided(Voided { seats, .. }), _) if self.status == Status::Closed => {
                let missing = self.missing_seeds();
                if *seats != missing {
                    let expected = format!("the seats whose seeds are missing: {missing:?}");
                    return wrong(Seeds, expected, format!("{seats:?}"));
                }
            }
            (Body::Disclosed(data), _) => return self.disclosure(data),
            (Body::Ended(_), _) if self.disclosed.0 < self.drawn => {
                let expected = format!("the seeds of all {} draws disclosed before the end", self.drawn);
                return wrong(Seeds, expected, format!("those of {}", self.disclosed.0));
            }
            _ => {}
        }
        Ok(())
    }

    fn disclosure(&self, data: &Disclosed) -> Result<(), Fault> {
        let (known, earlier) = &self.disclosed;
        if data.draw <= *known || data.draw > self.drawn {
            let expected = format!("a disclosure of a draw from {} to {}", known + 1, self.drawn);
            return wrong(Seeds, expected, format!("one of draw {}", data.draw));
        }
        if !leads_back(&data.seed, data.draw - known, earlier) {
            let expected = format!("a seed that leads back to the anchor {}", self.created.anchor);
            return wrong(Seeds, expected, "one that does not");
        }
        Ok(())
    }

    /// Question 4.
    fn sealed(&self, event: &Event, before: &Event) -> Result<(), Fault> {
        let opening = self.opening.and_then(|step| Some((step, self.steps.get(&step)?.owed_by_server()?)));
        if let Some((step, owed)) = opening {
            let goes_on = matches!(&event.body, Body::Opened(opened) if opened.step == step);
            if !goes_on || event.actor != Actor::Seat(owed) {
                let expected = format!("the opening that the server sealed for seat {owed}");
                return wrong(Sealed, expected, event.body.event_type());
            }
        }
        match (&event.body, event.actor) {
            (Body::Committed(data), Actor::Seat(seat)) => self.commitment(seat, data),
            (Body::Opened(data), Actor::Seat(seat)) => self.opened(event, before, seat, data),
            _ => Ok(()),
        }
    }

    fn commitment(&self, seat: Seat, data: &Committed) -> Result<(), Fault> {
        if data.sealed_by == SealedBy::Server && self.sitter(seat).is_some_and(|sitter| sitter.keyed) {
            return wrong(Sealed, "sealing by the client, which has a key", "sealing by the server");
        }
        match self.steps.get(&data.step) {
            Some(step) if step.opening => wrong(Sealed, "no commitment after an opening", "committed"),
            Some(step) if step.bound.contains_key(&seat) => {
                wrong(Sealed, "one commitment a seat", format!("a second one by seat {seat}"))
            }
            _ => Ok(()),
        }
    }

    fn opened(&self, event: &Event, before: &Event, seat: Seat, data: &Opened) -> Result<(), Fault> {
        let step = self.steps.get(&data.step).filter(|step| !step.over);
        let Some((step, (commitment, _, false))) = step.and_then(|step| Some((step, step.bound.get(&seat)?))) else {
            return wrong(Sealed, "an opening by a seat that owes one", format!("one by seat {seat}"));
        };
        if let Some(owed) = step.owed_by_server() {
            let at_once = matches!(before.body, Body::Committed(_) | Body::Opened(_)) && before.at == event.at;
            if owed != seat || !at_once {
                let expected = format!("the opening that the server sealed for seat {owed}, in the same append");
                return wrong(Sealed, expected, format!("one by seat {seat}"));
            }
        }
        let digest = move_commitment(event.game, seat, data.step, &data.mv, &data.nonce);
        if digest != *commitment {
            let expected = format!("a move and nonce that open {commitment}");
            return wrong(Sealed, expected, format!("ones that give {digest}"));
        }
        Ok(())
    }

    /// Of question 5 what the protocol says by itself: what follows from a request bears its time.
    fn times(&self, event: &Event, before: &Event) -> Result<(), Fault> {
        let follows = matches!(event.body, Body::Started(_) | Body::Disclosed(_) | Body::Ended(_));
        if follows && event.at != before.at {
            let expected = format!("{} at the same time, {}", event.body.event_type(), before.at);
            return wrong(Rules, expected, event.at.to_string());
        }
        Ok(())
    }

    /// Goes past an event, whatever was found of it.
    fn take(&mut self, event: &Event) {
        self.drawn = draws_of(event).fold(self.drawn, u32::max);
        self.opening = None;
        let good = matches!(&event.body, Body::Disclosed(data) if self.asked(Seeds) && self.disclosure(data).is_ok());
        let sitter = match event.actor {
            Actor::Seat(seat) => self.seats.get_mut(seat),
            Actor::Server => None,
        };
        match (&event.body, sitter) {
            (Body::Seated(Seated { player, seed_commitment, key, .. }), Some(sitter)) => {
                let (commitment, keyed) = (*seed_commitment, key.is_some());
                *sitter = Some(Sitter { player: player.id, commitment, opened: false, keyed });
            }
            (Body::Left(_), Some(sitter)) => *sitter = None,
            (Body::SeedOpened(_), Some(Some(sitter))) => sitter.opened = true,
            (Body::Closed(_), _) => {
                self.status = Status::Closed;
                let taken = self.seats.iter().take_while(|(_, sitter)| sitter.is_some()).count();
                self.seats = BySeat::from_fn(taken, |seat| self.seats[seat].take());
            }
            (Body::Started(_), _) => self.status = Status::Playing,
            (Body::Disclosed(data), _) if good => {
                self.disclosed = (data.draw, *data.seed.as_bytes());
            }
            (Body::Ended(_), _) => self.status = Status::Ended,
            (Body::Voided(_), _) => self.status = Status::Voided,
            (Body::Committed(_) | Body::Opened(_), _) => self.take_sealed(event),
            _ => {}
        }
    }

    fn take_sealed(&mut self, event: &Event) {
        match (&event.body, event.actor) {
            (Body::Committed(data), Actor::Seat(seat)) => {
                let bound = &mut self.steps.entry(data.step).or_default().bound;
                bound.entry(seat).or_insert((data.commitment, data.sealed_by, false));
            }
            (Body::Opened(data), Actor::Seat(seat)) => {
                let step = self.steps.entry(data.step).or_default();
                step.opening = true;
                step.over |= !data.facts.is_empty();
                if let Some((_, by, opened)) = step.bound.get_mut(&seat) {
                    *opened = true;
                    self.opening = (*by == SealedBy::Server).then_some(data.step);
                }
            }
            _ => {}
        }
    }
}
