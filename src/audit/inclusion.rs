//! Question 6: start and end of a game are in the log of logs.

use super::{Auditor, LogProof, Proof};
use crate::checkpoint::Checkpoint;
use crate::event::{Body, Event};
use crate::keys::{Jwk, KeyUse};
use crate::merkle::{game_over_entry, game_started_entry, leaf_hash, verify_inclusion};
use crate::table::{Fault, Question, Table};

/// The entry that the log of logs must have for an event, if any.
pub fn entry_of(events: &[Event], event: &Event) -> Option<String> {
    let anchor = events.first().and_then(|first| match &first.body {
        Body::Created(created) => Some(created.anchor),
        _ => None,
    })?;
    match &event.body {
        Body::Started(_) => Some(game_started_entry(event.game, event.seq, &event.hash, &anchor)),
        Body::Ended(_) => Some(game_over_entry(event.game, event.seq, &event.hash)),
        Body::Voided(voided) if voided.reason == crate::event::VoidReason::SeedMissing => {
            Some(game_over_entry(event.game, event.seq, &event.hash))
        }
        _ => None,
    }
}

/// Checks what the file says of the log of logs. What it does not say is not yet, and not a fault.
pub(super) fn check(
    auditor: &mut Auditor<'_>,
    events: &[Event],
    table: Option<&Table>,
    log: Option<&LogProof>,
    keys: &[Jwk],
) {
    let (Some(log), Some(_), Some(last)) = (log, table, events.last()) else { return };
    let fault = |expected: &str, found: String| Fault::new(Question::LogOfLogs, expected, found);
    let checkpoint_keys = keys.iter().filter(|jwk| jwk.croupier_use == KeyUse::Checkpoint);
    let opened = checkpoint_keys.map(|jwk| Checkpoint::open(&log.checkpoint, &jwk.x)).find(Result::is_ok);
    let Some(Ok(checkpoint)) = opened else {
        let found = "one that no published checkpoint key has signed".to_owned();
        auditor.fault(last.seq, fault("a checkpoint with a good signature", found));
        return;
    };
    let entries: Vec<(u64, String)> =
        events.iter().filter_map(|event| Some((event.seq, entry_of(events, event)?))).collect();
    for proof in &log.proofs {
        let Some((seq, entry)) = entries.iter().find(|(_, entry)| *entry == proof.entry) else {
            auditor.fault(last.seq, fault("proofs for entries of this game", proof.entry.clone()));
            return;
        };
        if !is_included(&checkpoint, proof, entry) {
            auditor.fault(*seq, fault("a proof that leads to the checkpoint's root", "one that does not".to_owned()));
            return;
        }
    }
    let proved = |entry: &str| log.proofs.iter().any(|proof| proof.entry == entry);
    auditor.counts.entries = entries.iter().filter(|(_, entry)| proved(entry)).count();
}

fn is_included(checkpoint: &Checkpoint, proof: &Proof, entry: &str) -> bool {
    let leaf = leaf_hash(entry.as_bytes());
    verify_inclusion(&checkpoint.root, checkpoint.size, &leaf, proof.index, &proof.hashes)
}
