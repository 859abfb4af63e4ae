//! The audit of one game, from its file and the published keys alone (protocol, An audit).
//!
//! The server and the offline auditor run this same code. It trusts nothing that the file says.

use std::collections::BTreeMap;

use crate::event::{Body, Event};
use crate::game::Draw;
use crate::games::{CommonFact, Fact};
use crate::keys::{Begun, Jwk, KeyId, KeyUse, PreparedKey};
use crate::replay::disclosed;
use crate::seed_chain::Disclosed;
use crate::table::{Fault, Question, Stop, Table};

mod bundle;
mod chain;
mod inclusion;
mod kept;
mod onward;
mod receipts;
mod report;

pub use bundle::{Bundle, LogProof, MAX_BUNDLE_BYTES, NotABundle, Proof};
pub use inclusion::entry_of;
pub use kept::{ConsistencyProof, Fork, KeptCheckpoints, Seen};
pub use receipts::{Kept, Receipt};
pub use report::{Answer, Found, KeySource, Report, Verdict};

/// Audits a game. `trusted` are the keys that the auditor got apart from the file; without them the file's own are
/// taken, which prove nothing about their owner.
pub fn audit(bundle: &Bundle, trusted: Option<&[Jwk]>) -> Report {
    match trusted {
        Some(keys) => audit_with(bundle, &TrustedKeys::new(keys)),
        None => audit_by(bundle, &TrustedKeys::new(&bundle.keys), false),
    }
}

/// Audits a game, by keys that were got apart from the file. They may serve for many games.
pub fn audit_with(bundle: &Bundle, trusted: &TrustedKeys) -> Report {
    audit_by(bundle, trusted, true)
}

fn audit_by(bundle: &Bundle, keys: &TrustedKeys, apart: bool) -> Report {
    let mut auditor = Auditor::new(keys);
    let events = &bundle.events;
    auditor.check_form(bundle);
    chain::check(&mut auditor, events, &bundle.hashes);
    auditor.check_keys(events, &bundle.keys);
    let table = auditor.replay(events);
    auditor.go_on(events);
    if auditor.fault_of(Question::Form).is_none() {
        inclusion::check(&mut auditor, events, bundle.log.as_ref());
    }
    auditor.drop_what_has_no_form();
    report::report(auditor, events, table, apart, bundle)
}

/// Published keys by what they are for and by their ids, ready to verify.
pub struct TrustedKeys {
    by_id: BTreeMap<(KeyUse, KeyId), (Jwk, PreparedKey)>,
}

/// How many keys of a list are prepared for many signatures. Whoever writes a file may name keys without end.
const MANY_KEYS: usize = 64;

impl TrustedKeys {
    /// Takes a list of published keys.
    pub fn new(list: &[Jwk]) -> Self {
        let mut by_id = BTreeMap::new();
        for jwk in list {
            // The id is computed and not read: a file could name another key by it.
            let key = (jwk.croupier_use, jwk.x.id());
            by_id.entry(key).or_insert_with(|| (jwk.clone(), PreparedKey::new(jwk.x)));
        }
        Self { by_id }
    }

    fn get(&self, usage: KeyUse, id: KeyId) -> Option<&Jwk> {
        self.by_id.get(&(usage, id)).map(|(jwk, _)| jwk)
    }

    fn of_use(&self, usage: KeyUse) -> impl Iterator<Item = &PreparedKey> {
        let keys = self.by_id.values().filter(move |(jwk, _)| jwk.croupier_use == usage);
        keys.map(|(_, key)| key)
    }

    /// Begins to verify the server's signature on an event. `None` if it is wrong already.
    fn begin(&self, event: &Event) -> Option<Begun> {
        let (hash, signature) = (event.hash.as_bytes(), &event.signature.value);
        let (_, key) = self.by_id.get(&(KeyUse::Event, event.signature.key))?;
        if self.by_id.len() <= MANY_KEYS { key.begin(hash, signature) } else { key.begin_once(hash, signature) }
    }
}

/// What was looked at, and what was found wrong.
struct Auditor<'a> {
    keys: &'a TrustedKeys,
    /// The first fault that answers each question with no.
    faults: Vec<(u64, Fault)>,
    counts: Counts,
    /// Where the table could not go on, and why.
    stopped: Option<(u64, Halt)>,
    /// Whether the log came to its end.
    over: bool,
}

/// Why the table could not go on.
enum Halt {
    /// The event is wrong.
    Fault,
    /// It needs this draw, which is not disclosed.
    Undisclosed(u32),
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
    fn new(keys: &'a TrustedKeys) -> Self {
        Self { keys, faults: Vec::new(), counts: Counts::default(), stopped: None, over: false }
    }

    /// Notes a fault, if no earlier one of its question is known.
    fn fault(&mut self, seq: u64, fault: Fault) {
        match self.faults.iter_mut().find(|(_, known)| known.question == fault.question) {
            None => self.faults.push((seq, fault)),
            Some(known) if known.0 > seq => *known = (seq, fault),
            Some(_) => {}
        }
    }

    fn fault_of(&self, question: Question) -> Option<&(u64, Fault)> {
        self.faults.iter().find(|(_, fault)| fault.question == question)
    }

    /// From the first event on that has no form or no place, nothing else is answered.
    fn drop_what_has_no_form(&mut self) {
        if let Some((seq, _)) = self.fault_of(Question::Form) {
            let first = *seq;
            self.faults.retain(|(seq, fault)| fault.question == Question::Form || *seq < first);
        }
    }

    /// Question 0, as far as it is about each event by itself: exactly the form of the table, so that it would be
    /// written back the same.
    fn check_form(&mut self, bundle: &Bundle) {
        if let Some(why) = &bundle.malformed {
            let expected = "an event of the form of the protocol";
            self.fault(bundle.events.len() as u64, Fault::new(Question::Form, expected, why.to_string()));
        } else if bundle.events.is_empty() {
            self.fault(0, Fault::new(Question::Form, "created as the first event", "no event at all"));
        }
    }

    /// The keys in the file are of no weight beside those that were got apart, but may not say otherwise. Only that a
    /// key was retired may one of them not know yet.
    fn check_keys(&mut self, events: &[Event], in_file: &[Jwk]) {
        let differs = |jwk: &&Jwk| {
            let same = |known: &Jwk| {
                let until = |one: &Jwk, other: &Jwk| one.not_after.is_none() || one.not_after == other.not_after;
                known.croupier_use == jwk.croupier_use
                    && known.not_before == jwk.not_before
                    && (until(known, jwk) || until(jwk, known))
            };
            let known: Vec<&Jwk> = USES.iter().filter_map(|usage| self.keys.get(*usage, jwk.x.id())).collect();
            !known.is_empty() && !known.into_iter().any(same)
        };
        if let Some(jwk) = in_file.iter().find(differs) {
            let named = events.iter().position(|event| event.signature.key == jwk.x.id());
            let seq = named.unwrap_or(events.len().saturating_sub(1)) as u64;
            self.fault(
                seq,
                chain::fault(format!("the key {} as it is published", jwk.x.id()), "another use or period of it"),
            );
        }
    }

    /// Questions 2 to 5, and 0 as far as it is about where an event stands.
    fn replay(&mut self, events: &[Event]) -> Option<Table> {
        let (first, rest) = events.split_first()?;
        let mut table = match Table::begin(first) {
            Ok(table) => table,
            Err(fault) => return self.stop(0, fault.into()),
        };
        let seeds: Disclosed = disclosed(events);
        for (seq, event) in (1..).zip(rest) {
            match table.advance(event, &seeds) {
                Ok(None) => {}
                // The rules go on as they are, whatever the log tells of them; but nobody could move by cards that were
                // not dealt.
                Ok(Some(fault)) if fault.question == Question::Rules => self.fault(seq, fault),
                Ok(Some(fault)) => return self.stop(seq, fault.into()),
                Err(Stop::Undisclosed(draw)) if !tells_of(event, draw) => {
                    let expected = format!("draw {draw} among the facts");
                    return self.stop(seq, Fault::new(Question::Draws, expected, "no such draw").into());
                }
                Err(stop) => return self.stop(seq, stop),
            }
            self.count(event, &table);
        }
        self.over = table.is_over();
        Some(table)
    }

    fn stop(&mut self, seq: u64, stop: Stop) -> Option<Table> {
        let halt = match stop {
            Stop::Undisclosed(draw) => Halt::Undisclosed(draw),
            Stop::Fault(fault) => {
                self.fault(seq, fault);
                Halt::Fault
            }
        };
        self.stopped = Some((seq, halt));
        None
    }

    /// Questions 0, 2 and 4 from where the table could not go on.
    fn go_on(&mut self, events: &[Event]) {
        let Some((stop, halt)) = &self.stopped else { return };
        let stop = *stop;
        let misnumbered = matches!(halt, Halt::Undisclosed(_)).then(|| onward::misnumbered(events));
        if self.fault_of(Question::Form).is_some_and(|(seq, _)| *seq <= stop) {
            return;
        }
        let mut found = Vec::from_iter(misnumbered.flatten());
        self.over = onward::walk(events, stop, |seq, fault| found.push((seq, fault)));
        found.into_iter().for_each(|(seq, fault)| self.fault(seq, fault));
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

/// Whether an event's facts tell of this draw.
fn tells_of(event: &Event, number: u32) -> bool {
    let is = |fact: &Fact| matches!(fact, Fact::Common(CommonFact::Draw(Draw { draw, .. })) if *draw == number);
    event.body.facts().iter().any(is)
}

const USES: [KeyUse; 3] = [KeyUse::Event, KeyUse::Token, KeyUse::Checkpoint];
