//! Verifiers made by others accept our checkpoints and proofs, and nothing that was changed.
//!
//! These are the crates `signed_note` and `tlog_tiles` of Cloudflare's azul, ported from the Go packages
//! `sumdb/note` and `sumdb/tlog` that the C2SP specifications come from: the nearest to a reference there is in Rust,
//! under the BSD licence, and small.

use serde_json::Value;
use signed_note::{Note, NoteError, StandardVerifier, VerifierList};
use tlog_tiles::tlog::{Hash, check_record, check_tree, record_hash};

use crate::app::{TestApp, spawn_app};
use crate::log_routes::{Table, wait_for};

/// A checkpoint as their code reads it, under the key as we publish it.
fn open(note: &str, keys: &str) -> Result<tlog_tiles::Checkpoint, NoteError> {
    let verifiers = keys.lines().map(|key| Box::new(StandardVerifier::new(key).unwrap()) as _).collect();
    let note = Note::from_bytes(note.as_bytes())?;
    let (good, _) = note.verify(&VerifierList::new(verifiers))?;
    assert_eq!(good.len(), 1);
    let checkpoint = tlog_tiles::Checkpoint::from_bytes(note.text()).unwrap();
    assert_eq!((checkpoint.extension(), checkpoint.origin()), ("", good[0].name()));
    Ok(checkpoint)
}

fn hashes(hashes: &Value) -> Vec<Hash> {
    let hash = |text: &Value| {
        let hash: croupier::hex32::Hash = text.as_str().unwrap().parse().unwrap();
        Hash(*hash.as_bytes())
    };
    hashes.as_array().unwrap().iter().map(hash).collect()
}

fn newest(app: &TestApp) -> tlog_tiles::Checkpoint {
    open(&app.get("/v1/log/checkpoint").text(), &app.get("/v1/log/key").text()).unwrap()
}

#[test]
fn they_accept_what_we_prove_and_nothing_else() {
    let app = spawn_app();
    let table = Table::seated(&app);
    let game = table.play(&app);
    let early = wait_for("a checkpoint over both entries", || {
        let proof = app.get(&format!("/v1/log/inclusion?game={game}")).json();
        (proof["proofs"].as_array()?.len() == 2).then_some(proof)
    });
    let keys = app.get("/v1/log/key").text();
    let note = early["checkpoint"].as_str().unwrap();
    let checkpoint = open(note, &keys).unwrap();
    for proof in early["proofs"].as_array().unwrap() {
        let (entry, index) = (proof["entry"].as_str().unwrap(), proof["index"].as_u64().unwrap());
        let good = |hashes: &[Hash], index: u64, entry: &str| {
            let leaf = record_hash(entry.as_bytes());
            check_record(&hashes.to_vec(), checkpoint.size(), *checkpoint.hash(), index, leaf).is_ok()
        };
        let mut hashes = hashes(&proof["hashes"]);
        assert!(good(&hashes, index, entry));
        assert!(!good(&hashes, index ^ 1, entry) && !good(&hashes, index, &entry.replace("seq", "Seq")));
        hashes[0].0[5] ^= 1;
        assert!(!good(&hashes, index, entry));
    }
    assert!(open(&note.replace('\n', "\n\n"), &keys).is_err());
    assert!(open(&note.replace(&format!("\n{}\n", checkpoint.size()), "\n77\n"), &keys).is_err());

    // The log goes on, and each size leads to each larger one.
    for _ in 0..3 {
        table.play(&app);
    }
    let size = checkpoint.size() + 6;
    wait_for("a checkpoint over the new entries", || (newest(&app).size() == size).then_some(()));
    let checkpoint = newest(&app);
    let page = app.get("/v1/log/entries").json();
    let leaves = page["entries"].as_array().unwrap().iter().map(|entry| entry["entry"].as_str().unwrap().to_owned());
    let leaves: Vec<croupier::hex32::Hash> =
        leaves.map(|entry| croupier::hex32::Hash::new(record_hash(entry.as_bytes()).0)).collect();
    let root = |size: u64| Hash(*croupier::merkle::root(&leaves[..size as usize]).as_bytes());
    assert_eq!(root(size), *checkpoint.hash());
    for to in 1..=size {
        for from in 1..=to {
            let proof = app.get(&format!("/v1/log/consistency?from={from}&to={to}")).json();
            let mut hashes = hashes(&proof["hashes"]);
            check_tree(&hashes, to, root(to), from, root(from)).unwrap();
            if let Some(first) = hashes.first_mut() {
                first.0[0] ^= 1;
                assert!(check_tree(&hashes, to, root(to), from, root(from)).is_err());
            }
        }
    }
}
