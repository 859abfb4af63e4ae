//! Forgeries that are about keys: the server's own, and the players', which the server does not hold.

use croupier::event::Event;
use croupier::keys::SigningKey;
use serde_json::{Value, json};

use super::forgeries::Forged;
use super::forging::{bundle, checkpoint_key, log_of, new_key, old_key, sign_with};
use crate::support::{bytes, read};

pub fn forge(forged: &mut Forged) {
    let last = forged.events().len() - 1;
    let wrong = [
        ("a key that is not published", SigningKey::new(&bytes("nobody's")), last),
        ("the checkpoint key", checkpoint_key(), last),
        ("a key before its period", new_key(), 1),
        ("a key after its period", old_key(), last),
    ];
    for (name, key, at) in wrong {
        let mut events = forged.events();
        sign_with(&mut events[at], &key);
        if events == forged.events() {
            // A game that is over before the key's period is.
            continue;
        }
        let mut all = bundle(&events);
        all["keys"] = bundle(&forged.events())["keys"].clone();
        forged.add(&format!("signed with {name}"), all, 1, at);
    }
    log_of_logs(forged);
    players(forged);
}

fn log_of_logs(forged: &mut Forged) {
    let events = forged.events();
    let started = forged.place("started", 0);
    let log = log_of(&events);
    type Change = (&'static str, usize, &'static dyn Fn(&mut Value));
    let changes: [Change; 6] = [
        ("another root", started, &|log| {
            let note = log["checkpoint"].as_str().unwrap().to_owned();
            log["checkpoint"] = json!(note.replacen("\n9\n", "\n10\n", 1).replacen("\n8\n", "\n9\n", 1));
        }),
        ("no signature", started, &|log| log["checkpoint"] = json!("croupier.example/log\n9\nAAAA\n\n")),
        ("a proof for another place", started, &|log| log["proofs"][0]["index"] = json!(0)),
        ("a proof that is cut short", started, &|log| {
            log["proofs"][0]["hashes"].as_array_mut().unwrap().pop();
        }),
        ("a proof twice", started, &|log| {
            let proof = log["proofs"][0].clone();
            log["proofs"].as_array_mut().unwrap().push(proof);
        }),
        ("an entry of another game", started, &|log| {
            let other = log["proofs"][0]["entry"].as_str().unwrap().replace("\"seq\":", "\"seq\":1");
            log["proofs"][0]["entry"] = json!(other);
        }),
    ];
    for (name, at, change) in changes {
        let mut all = bundle(&events);
        let mut log = log.clone();
        change(&mut log);
        assert_ne!(log, all["log"], "{name}");
        all["log"] = log;
        forged.add(&format!("the log of logs: {name}"), all, 6, at);
    }
}

/// What a server writes in the name of seats with a key, and of seats without.
fn players(forged: &mut Forged) {
    let events = forged.events();
    let by: Vec<usize> = (0..events.len()).filter(|at| events[*at]["data"]["by"].is_string()).collect();
    let none: Vec<usize> =
        (0..events.len()).filter(|at| events[*at]["data"].get("by").is_some_and(Value::is_null)).collect();
    let first = events[by[0]]["data"]["by"].clone();
    for at in by.iter().copied().skip(1) {
        forged.log("a player's signature left out", 1, at, |events| events[at]["data"]["by"] = json!(null));
        let reused = first.clone();
        forged.log("a player's signature of something else", 1, at, |events| events[at]["data"]["by"] = reused);
        let event: Event = read(events[at].clone());
        let (command, _) = event.body.command().unwrap();
        let croupier::event::Actor::Seat(seat) = event.actor else { unreachable!() };
        let digest = croupier::commitment::command_digest(event.game, seat, event.body.event_type(), &command);
        let forger = SigningKey::new(&bytes("the server's")).sign(digest.as_bytes());
        forged.log("a player's signature by another key", 1, at, |events| events[at]["data"]["by"] = json!(forger));
    }
    for at in none {
        let signature = first.clone();
        forged.log("a signature for a seat without a key", 1, at, |events| events[at]["data"]["by"] = signature);
    }
    if let Some(committed) = by.iter().copied().find(|at| events[*at]["type"] == "committed") {
        forged.log("sealed by the server for a seat with a key", 4, committed, |events| {
            events[committed]["data"]["sealed_by"] = json!("server");
        });
    }
}
