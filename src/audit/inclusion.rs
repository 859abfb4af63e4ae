//! Question 6: start and end of a game are in the log of logs.

use std::collections::BTreeSet;

use super::{Auditor, LogProof, Proof};
use crate::checkpoint::{Checkpoint, NotACheckpoint};
use crate::event::{Body, Event};
use crate::keys::KeyUse;
use crate::merkle::{game_over_entry, game_started_entry, leaf_hash, verify_inclusion};
use crate::table::{Fault, Question};

/// The entry that the log of logs must have for an event, if any.
pub fn entry_of(events: &[Event], event: &Event) -> Option<String> {
    if !needs_entry(event) {
        return None;
    }
    let anchor = events.first().and_then(|first| match &first.body {
        Body::Created(created) => Some(created.anchor),
        _ => None,
    })?;
    match &event.body {
        Body::Started(_) => Some(game_started_entry(event.game, event.seq, &event.hash, &anchor)),
        _ => Some(game_over_entry(event.game, event.seq, &event.hash)),
    }
}

/// Whether the log of logs must have an entry for an event.
pub(super) fn needs_entry(event: &Event) -> bool {
    match &event.body {
        Body::Started(_) | Body::Ended(_) => true,
        Body::Voided(voided) => voided.reason == crate::event::VoidReason::SeedMissing,
        _ => false,
    }
}

/// Checks what the file says of the log of logs. What it does not say is not yet, and not a fault.
pub(super) fn check(auditor: &mut Auditor<'_>, events: &[Event], log: Option<&LogProof>) {
    let (Some(log), Some(end)) = (log, (events.len() as u64).checked_sub(1)) else { return };
    let entries: Vec<(u64, String)> =
        (0..).zip(events).filter_map(|(seq, event)| Some((seq, entry_of(events, event)?))).collect();
    let first = entries.first().map_or(end, |(seq, _)| *seq);
    let fault = |expected: &str, found: String| Fault::new(Question::LogOfLogs, expected, found);
    let checkpoint = match signed(auditor, &log.checkpoint) {
        Ok(checkpoint) => checkpoint,
        Err(why) => return auditor.fault(first, fault("a checkpoint with a good signature of the log's key", why)),
    };
    let mut proved = BTreeSet::new();
    for proof in &log.proofs {
        let Some((seq, entry)) = entries.iter().find(|(_, entry)| *entry == proof.entry) else {
            // An event that the proofs do not tell of, or else one that the file has not.
            let told = |entry: &str| log.proofs.iter().any(|proof| proof.entry == entry);
            let untold = entries.iter().find(|(_, entry)| !told(entry)).map_or(end, |(seq, _)| *seq);
            let expected = "proofs for entries of this game, as its events make them";
            return auditor.fault(untold, fault(expected, proof.entry.clone()));
        };
        if !is_included(&checkpoint, proof, entry) {
            let found = format!("one for place {} that does not", proof.index);
            return auditor.fault(*seq, fault("a proof that leads to the checkpoint's root", found));
        }
        if !proved.insert(*seq) {
            return auditor.fault(*seq, fault("one proof an entry", "a second one".to_owned()));
        }
    }
    auditor.counts.entries = proved.len();
}

/// The checkpoint, if a published key has signed it.
fn signed(auditor: &Auditor<'_>, note: &str) -> Result<Checkpoint, String> {
    let mut why = NotACheckpoint::NotSigned;
    for key in auditor.keys.of_use(KeyUse::Checkpoint) {
        match Checkpoint::open(note, key) {
            Ok(checkpoint) => return Ok(checkpoint),
            Err(NotACheckpoint::NotSigned) => {}
            // No other key will do.
            Err(error) => {
                why = error;
                break;
            }
        }
    }
    Err(format!("one of which this is to be said: {why}"))
}

fn is_included(checkpoint: &Checkpoint, proof: &Proof, entry: &str) -> bool {
    let leaf = leaf_hash(entry.as_bytes());
    verify_inclusion(&checkpoint.root, checkpoint.size, &leaf, proof.index, &proof.hashes)
}
