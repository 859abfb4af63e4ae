//! What somebody can do who holds all of the server's keys: seal any events, and log them.

use croupier::canonical::digest;
use croupier::checkpoint::Checkpoint;
use croupier::keys::{Jwk, KeyUse, SigningKey};
use croupier::merkle::{inclusion_proof, key_entry, leaf_hash, root};
use croupier::timestamp::Timestamp;
use serde_json::{Value, json};

use crate::support::{bytes, moment, read};

/// When the first event key gave way to the second, within the recorded games.
fn rotation() -> Timestamp {
    moment(12_000)
}

pub fn old_key() -> SigningKey {
    SigningKey::new(&bytes("event key before"))
}

pub fn new_key() -> SigningKey {
    SigningKey::new(&bytes("event key after"))
}

pub fn checkpoint_key() -> SigningKey {
    SigningKey::new(&bytes("checkpoint key"))
}

/// The published keys.
pub fn jwks() -> Vec<Jwk> {
    vec![
        Jwk::new(old_key().public(), KeyUse::Event, Some(moment(-1000)), Some(rotation())),
        Jwk::new(new_key().public(), KeyUse::Event, Some(rotation()), None),
        Jwk::new(checkpoint_key().public(), KeyUse::Checkpoint, Some(moment(-1000)), None),
    ]
}

/// The hash of an event as it stands there, written out from the protocol's page.
fn hash_of(event: &Value) -> Value {
    let field = |name: &str| event[name].clone();
    let hashed = json!({
        "kind": "croupier/v1/event", "game": field("game"), "seq": field("seq"), "prev": field("prev"),
        "at": field("at"), "actor": field("actor"), "type": field("type"), "data": field("data"),
    });
    json!(digest(&hashed))
}

/// Chains events anew and signs them with the key of their time.
pub fn reseal(events: &mut [Value]) {
    let mut prev = json!("00".repeat(32));
    for (seq, event) in events.iter_mut().enumerate() {
        event["seq"] = json!(seq);
        event["prev"] = prev;
        sign(event);
        prev = event["hash"].clone();
    }
}

/// Hashes one event anew, as it is, and signs it.
pub fn sign(event: &mut Value) {
    let old = event["at"].as_str().and_then(|at| at.parse::<Timestamp>().ok()).is_some_and(|at| at < rotation());
    sign_with(event, &if old { old_key() } else { new_key() });
}

pub fn sign_with(event: &mut Value, key: &SigningKey) {
    event["hash"] = hash_of(event);
    let hash: croupier::hex32::Hash = read(event["hash"].clone());
    event["signature"] = json!({"key": key.public().id(), "value": key.sign(hash.as_bytes())});
}

/// The bundle that goes with these events.
pub fn bundle(events: &[Value]) -> Value {
    let log = log_of(events);
    let named: Vec<&Value> = events.iter().map(|event| &event["signature"]["key"]).collect();
    let keys: Vec<Jwk> = jwks()
        .into_iter()
        .filter(|jwk| match jwk.croupier_use {
            KeyUse::Checkpoint => !log.is_null(),
            _ => named.contains(&&json!(jwk.kid)),
        })
        .collect();
    json!({"events": events, "keys": keys, "log": log})
}

/// The entries that the protocol asks for, written out from its page.
fn entries(events: &[Value]) -> Vec<String> {
    let Some(first) = events.first() else { return Vec::new() };
    let tag = digest(&json!({"kind": "croupier/v1/game-id", "game": first["game"]}));
    let entry = |event: &Value| {
        let (seq, hash) = (&event["seq"], &event["hash"]);
        let entry = match event["type"].as_str()? {
            "started" => json!({"kind": "croupier/v1/game-started", "game": tag, "seq": seq, "hash": hash,
                "anchor": first["data"]["anchor"]}),
            "ended" => json!({"kind": "croupier/v1/game-over", "game": tag, "seq": seq, "hash": hash}),
            "voided" if event["data"]["reason"] == "seed_missing" => {
                json!({"kind": "croupier/v1/game-over", "game": tag, "seq": seq, "hash": hash})
            }
            _ => return None,
        };
        Some(crate::support::text(&entry))
    };
    events.iter().filter_map(entry).collect()
}

/// A small log of logs around this game's entries; null if it has none.
pub fn log_of(events: &[Value]) -> Value {
    let own = entries(events);
    if own.is_empty() {
        return Value::Null;
    }
    let other = |number: usize| format!("{{\"kind\":\"an entry of another game\",\"number\":{number}}}");
    let mut all: Vec<String> = jwks().iter().map(|jwk| key_entry(jwk.croupier_use, &jwk.x)).collect();
    for (number, entry) in own.iter().enumerate() {
        all.extend([other(2 * number), entry.clone(), other(2 * number + 1)]);
    }
    let leaves: Vec<_> = all.iter().map(|entry| leaf_hash(entry.as_bytes())).collect();
    let checkpoint =
        Checkpoint { origin: "croupier.example/log".to_owned(), size: leaves.len() as u64, root: root(&leaves) };
    let proof = |entry: &String| {
        let index = all.iter().position(|other| other == entry).unwrap();
        json!({"entry": entry, "index": index, "hashes": inclusion_proof(&leaves, index).unwrap()})
    };
    json!({
        "checkpoint": checkpoint.sign(&checkpoint_key()),
        "proofs": own.iter().map(proof).collect::<Vec<_>>(),
    })
}
