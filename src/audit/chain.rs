//! Question 1: the chain runs on, and every hash and signature is good.

use std::collections::BTreeSet;

use super::{Auditor, Counts};
use crate::commitment::command_digest;
use crate::event::{Actor, Body, Event};
use crate::hex32::Hash;
use crate::ids::GameId;
use crate::keys::{Begun, KeyUse, PreparedKey, Signature};
use crate::seat::{BySeat, MAX_SEATS, Seat};
use crate::table::{Fault, Question};

/// How many signatures are settled at once. More would save no time, and this bounds the memory.
const AT_ONCE: usize = 128;

/// A fault in the chain.
pub(super) fn fault(expected: impl Into<String>, found: impl Into<String>) -> Fault {
    Fault::new(Question::Chain, expected, found)
}

/// Checks the chain up to the first event that is wrong. `hashes` are over the events as they were sent.
pub(super) fn check(auditor: &mut Auditor<'_>, events: &[Event], hashes: &[Hash]) {
    let Some(first) = events.first() else { return };
    let mut signatures = Signatures::default();
    let mut players = Players::default();
    let mut before = None;
    for (seq, (event, hash)) in (0..).zip(events.iter().zip(hashes)) {
        let checked = check_link(first.game, seq, before, event, hash)
            .and_then(|()| check_signature(auditor, seq, event, &mut signatures))
            .and_then(|()| players.check(seq, event, &mut signatures));
        // What was begun stands before what is wrong here: so if one of those is not good, it is the first.
        let settled = if checked.is_err() || signatures.begun.len() >= AT_ONCE {
            signatures.settle(&mut auditor.counts)
        } else {
            Ok(())
        };
        if let Err((seq, fault)) = settled.and(checked.map_err(|fault| (seq, fault))) {
            auditor.counts.events = usize::try_from(seq).map_or(events.len(), |seq| seq + 1);
            return auditor.fault(seq, fault);
        }
        before = Some(event);
    }
    auditor.counts.events = events.len();
    if let Err((seq, fault)) = signatures.settle(&mut auditor.counts) {
        auditor.counts.events = usize::try_from(seq).map_or(events.len(), |seq| seq + 1);
        auditor.fault(seq, fault);
    }
}

/// Signatures that are begun, in the order of the log, each with its event and, if it is a player's, the seat.
#[derive(Default)]
struct Signatures {
    begun: Vec<Begun>,
    of: Vec<(u64, Option<Seat>)>,
}

impl Signatures {
    fn add(&mut self, seq: u64, seat: Option<Seat>, begun: Option<Begun>) -> Result<(), Fault> {
        self.begun.push(begun.ok_or_else(|| not_good(seat))?);
        self.of.push((seq, seat));
        Ok(())
    }

    /// Finishes all that were begun, and counts up to the first that is not good.
    fn settle(&mut self, counts: &mut Counts) -> Result<(), (u64, Fault)> {
        let verdicts = Begun::settle(&self.begun);
        self.begun.clear();
        for ((seq, seat), good) in self.of.drain(..).zip(verdicts) {
            match seat {
                _ if !good => return Err((seq, not_good(seat))),
                Some(_) => counts.player_signatures += 1,
                None => counts.signatures += 1,
            }
        }
        Ok(())
    }
}

fn not_good(seat: Option<Seat>) -> Fault {
    match seat {
        Some(seat) => fault(format!("an event that the key of seat {seat} has signed"), "one that is not"),
        None => fault("a good signature over the event's hash", "one that is not"),
    }
}

fn check_link(game: GameId, seq: u64, before: Option<&Event>, event: &Event, hash: &Hash) -> Result<(), Fault> {
    let prev = before.map_or(Hash::ZERO, |before| before.hash);
    if event.game != game {
        return Err(fault(format!("an event of the game {game}"), format!("one of {}", event.game)));
    }
    if event.seq != seq {
        return Err(fault(format!("seq {seq}"), event.seq.to_string()));
    }
    if event.prev != prev {
        return Err(fault(format!("prev {prev}"), event.prev.to_string()));
    }
    if let Some(before) = before.filter(|before| event.at < before.at) {
        return Err(fault(format!("a time not before {}", before.at), event.at.to_string()));
    }
    if event.hash != *hash {
        return Err(fault(format!("the hash {hash}"), event.hash.to_string()));
    }
    Ok(())
}

fn check_signature(auditor: &Auditor<'_>, seq: u64, event: &Event, signatures: &mut Signatures) -> Result<(), Fault> {
    let Some(jwk) = auditor.keys.get(KeyUse::Event, event.signature.key) else {
        let found = format!("the key {}, which is not among them", event.signature.key);
        return Err(fault("a signature by one of the server's event keys", found));
    };
    if !jwk.signs_at(event.at) {
        return Err(fault("a signature by a key in its period", format!("one of {}", event.at)));
    }
    signatures.add(seq, None, auditor.keys.begin(event))
}

/// Players' own keys, as they sit down and get up, and their signatures.
struct Players {
    keys: BySeat<Option<PreparedKey>>,
    seen: BTreeSet<Signature>,
}

impl Default for Players {
    fn default() -> Self {
        Self { keys: BySeat::from_fn(usize::from(MAX_SEATS), |_| None), seen: BTreeSet::new() }
    }
}

impl Players {
    fn check(&mut self, seq: u64, event: &Event, signatures: &mut Signatures) -> Result<(), Fault> {
        let Actor::Seat(seat) = event.actor else { return Ok(()) };
        if let Body::Seated(seated) = &event.body {
            self.keys[seat] = seated.key.map(PreparedKey::new);
        }
        let Some((command, by)) = event.body.command() else { return Ok(()) };
        match (self.keys[seat].as_ref(), by) {
            (None, None) => {}
            (None, Some(_)) => {
                let expected = format!("an event without a player's signature, since seat {seat} has no key");
                return Err(fault(expected, "one that has one"));
            }
            (Some(_), None) => return Err(not_good(Some(seat))),
            (Some(key), Some(by)) => {
                let digest = command_digest(event.game, seat, event.body.event_type(), &command);
                signatures.add(seq, Some(seat), key.begin(digest.as_bytes(), &by))?;
                if !self.seen.insert(by) {
                    return Err(fault("a player's signature that is new", format!("{by} again")));
                }
            }
        }
        if matches!(event.body, Body::Left(_)) {
            self.keys[seat] = None;
        }
        Ok(())
    }
}
