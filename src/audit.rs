//! The audit of one game, from its file and the published keys alone (protocol, An audit).
//!
//! The server and the offline auditor run this same code. It trusts nothing that the file says.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::canonical::to_jcs;
use crate::event::{Actor, Body, Event, event_hash};
use crate::ids::GameId;
use crate::keys::{Jwk, KeyId, KeyUse, PublicKey, Signature};
use crate::replay::disclosed;
use crate::seat::{BySeat, MAX_SEATS, Seat};
use crate::seed_chain::Disclosed;
use crate::table::{Fault, Question, Status, Stop, Table};

mod bundle;
mod inclusion;
mod kept;
mod report;

pub use bundle::{Bundle, LogProof, MAX_BUNDLE_BYTES, NotABundle, Proof};
pub use inclusion::entry_of;
pub use kept::{ConsistencyProof, Fork, KeptCheckpoints, Seen};
pub use report::{Answer, Found, KeySource, Report, Verdict};

/// Audits a game. `trusted` are the keys that the auditor got apart from the file; without them the file's own are
/// taken, which prove nothing about their owner.
pub fn audit(bundle: &Bundle, trusted: Option<&[Jwk]>) -> Report {
    let keys = trusted.unwrap_or(&bundle.keys);
    let mut auditor = Auditor::new(keys);
    let events = auditor.read(&bundle.events);
    auditor.check_chain(&bundle.events, &events);
    let table = auditor.replay(&events);
    inclusion::check(&mut auditor, &events, table.as_ref(), bundle.log.as_ref(), keys);
    report::report(auditor, &events, table, trusted.is_some(), bundle)
}

/// What was looked at, and what was found wrong.
struct Auditor<'a> {
    keys: &'a [Jwk],
    /// The first fault that answers each question with no, by question.
    faults: Vec<Found>,
    counts: Counts,
    /// The first draw that was needed and is not disclosed, and the event that needed it.
    undisclosed: Option<(u64, u32)>,
}

/// How much was done for the answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub events: usize,
    pub signatures: usize,
    pub player_signatures: usize,
    pub seeds: usize,
    pub disclosures: usize,
    pub draws: u32,
    pub sealed: usize,
    pub moves: usize,
    pub facts: usize,
    pub entries: usize,
}

impl<'a> Auditor<'a> {
    fn new(keys: &'a [Jwk]) -> Self {
        Self { keys, faults: Vec::new(), counts: Counts::default(), undisclosed: None }
    }

    /// Notes a fault, if it is the first of its question.
    fn fault(&mut self, seq: u64, fault: Fault) {
        if !self.faults.iter().any(|found| found.question() == fault.question) {
            self.faults.push(Found::new(seq, fault));
        }
    }

    /// Question 0, as far as it is about each event by itself: exactly the form of the table, so that it would be
    /// written back the same. Stops at the first that is not.
    fn read(&mut self, events: &[Value]) -> Vec<Event> {
        let mut read = Vec::with_capacity(events.len());
        for (seq, value) in (0..).zip(events) {
            let event = serde_json::from_value::<Event>(value.clone());
            let fault = match &event {
                Ok(event) if to_jcs(event) == to_jcs(value) => None,
                Ok(_) => Some("fields that are not written as they must be".to_owned()),
                Err(error) => Some(error.to_string()),
            };
            match (event, fault) {
                (Ok(event), None) => read.push(event),
                (_, fault) => {
                    let found = fault.unwrap_or_default();
                    self.fault(seq, Fault::new(Question::Form, "an event of the form of the protocol", found));
                    return read;
                }
            }
        }
        if read.is_empty() {
            self.fault(0, Fault::new(Question::Form, "created as the first event", "no event at all"));
        }
        read
    }

    /// Question 1. The hash is over the data as it was sent.
    fn check_chain(&mut self, values: &[Value], events: &[Event]) {
        let mut players = Players::default();
        let Some(first) = events.first() else { return };
        for (index, (value, event)) in values.iter().zip(events).enumerate() {
            let seq = index as u64;
            let before = index.checked_sub(1).and_then(|before| events.get(before));
            let fault = check_link(first.game, seq, before, event, &value["data"])
                .and_then(|()| self.check_signature(event))
                .and_then(|()| players.check(event, &mut self.counts));
            self.counts.events += 1;
            if let Err(fault) = fault {
                self.fault(seq, fault);
                return;
            }
        }
    }

    fn check_signature(&mut self, event: &Event) -> Result<(), Fault> {
        let key = find_key(self.keys, event.signature.key, KeyUse::Event);
        let Some(jwk) = key else {
            let found = format!("the key {}, which is not among them", event.signature.key);
            return Err(chain("a signature by one of the server's event keys", found));
        };
        if !jwk.signs_at(event.at) {
            return Err(chain("a signature by a key in its period", format!("one of {}", event.at)));
        }
        if !jwk.x.verifies(event.hash.as_bytes(), &event.signature.value) {
            return Err(chain("a good signature over the event's hash", "one that is not"));
        }
        self.counts.signatures += 1;
        Ok(())
    }

    /// Questions 2 to 5, and 0 as far as it is about where an event stands.
    fn replay(&mut self, events: &[Event]) -> Option<Table> {
        let (first, rest) = events.split_first()?;
        let mut table = match Table::begin(first) {
            Ok(table) => table,
            Err(fault) => {
                self.fault(0, fault);
                return None;
            }
        };
        let seeds: Disclosed = disclosed(events);
        for (seq, event) in (1..).zip(rest) {
            match table.evolve(event, &seeds) {
                Ok(()) => self.count(event, &table),
                Err(Stop::Fault(fault)) => {
                    self.fault(seq, fault);
                    return None;
                }
                Err(Stop::Undisclosed(draw)) => {
                    self.undisclosed = Some((seq, draw));
                    return None;
                }
            }
        }
        Some(table)
    }

    fn count(&mut self, event: &Event, table: &Table) {
        let counts = &mut self.counts;
        counts.facts += event.body.facts().len();
        counts.draws = table.draws_made();
        match &event.body {
            Body::SeedOpened(_) => counts.seeds += 1,
            Body::Disclosed(_) => counts.disclosures += 1,
            Body::Opened(_) => counts.sealed += 1,
            Body::Moved(_) => counts.moves += 1,
            _ => {}
        }
    }
}

fn chain(expected: impl Into<String>, found: impl Into<String>) -> Fault {
    Fault::new(Question::Chain, expected, found)
}

fn find_key(keys: &[Jwk], id: KeyId, usage: KeyUse) -> Option<&Jwk> {
    // The id is computed and not read: a file could name another key by it.
    keys.iter().find(|jwk| jwk.croupier_use == usage && jwk.x.id() == id)
}

fn check_link(game: GameId, seq: u64, before: Option<&Event>, event: &Event, data: &Value) -> Result<(), Fault> {
    let prev = before.map_or(crate::hex32::Hash::ZERO, |before| before.hash);
    if event.game != game {
        return Err(chain(format!("an event of the game {game}"), format!("one of {}", event.game)));
    }
    if event.seq != seq {
        return Err(chain(format!("seq {seq}"), event.seq.to_string()));
    }
    if event.prev != prev {
        return Err(chain(format!("prev {prev}"), event.prev.to_string()));
    }
    if let Some(before) = before.filter(|before| event.at < before.at) {
        return Err(chain(format!("a time not before {}", before.at), event.at.to_string()));
    }
    let hash = event_hash(game, seq, &prev, event.at, event.actor, event.body.event_type(), data);
    if event.hash != hash {
        return Err(chain(format!("the hash {hash}"), event.hash.to_string()));
    }
    Ok(())
}

/// Players' own keys, as they sit down and get up, and their signatures.
struct Players {
    keys: BySeat<Option<PublicKey>>,
    seen: BTreeSet<Signature>,
}

impl Default for Players {
    fn default() -> Self {
        Self { keys: BySeat::from_fn(usize::from(MAX_SEATS), |_| None), seen: BTreeSet::new() }
    }
}

impl Players {
    fn check(&mut self, event: &Event, counts: &mut Counts) -> Result<(), Fault> {
        let Actor::Seat(seat) = event.actor else { return Ok(()) };
        if let Body::Seated(seated) = &event.body {
            self.keys[seat] = seated.key;
        }
        let key = self.keys[seat];
        if !event.body.is_signed_by(event.game, seat, key.as_ref()) {
            return Err(chain(signed_as(seat, key.is_some()), "one that is not"));
        }
        if let Some((_, Some(by))) = event.body.command() {
            if !self.seen.insert(by) {
                return Err(chain("a player's signature that is new", format!("{by} again")));
            }
            counts.player_signatures += 1;
        }
        if matches!(event.body, Body::Left(_)) {
            self.keys[seat] = None;
        }
        Ok(())
    }
}

fn signed_as(seat: Seat, has_key: bool) -> String {
    if has_key {
        format!("an event that the key of seat {seat} has signed")
    } else {
        format!("an event without a player's signature, since seat {seat} has no key")
    }
}

/// Whether the game is over, by its last event.
fn is_over(table: Option<&Table>) -> bool {
    table.is_some_and(|table| matches!(table.status(), Status::Ended | Status::Voided))
}
