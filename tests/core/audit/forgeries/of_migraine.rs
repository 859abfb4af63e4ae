//! What can be forged in a game of Migraine: moves, turns, scores, sealed moves.

use serde_json::json;

use super::{Forged, append_of, later};

pub fn forge(forged: &mut Forged) {
    moves(forged);
    scores(forged);
    sealed(forged);
}

fn moves(forged: &mut Forged) {
    let cut = forged.place("moved", 0);
    let seat = forged.events()[cut]["actor"].as_u64().unwrap();
    forged.field("moved", 0, "/data/move/depth", json!(99), 5);
    forged.field("moved", 0, "/actor", json!(1 - seat), 5);
    forged.field("moved", 0, "/data/after", json!(1), 0);
    forged.field("moved", 0, "/data/step", json!(null), 5);
    forged.field("moved", 0, "/data/move", json!({"type": "cut", "depth": 1, "more": 1}), 0);
    forged.field("moved", 0, "/data/move", json!({"type": "cut", "depth": "1"}), 0);
    forged.field("moved", 0, "/data/move", json!({"type": "declare", "declaration": "rank"}), 5);
    let other = if forged.events()[cut]["data"]["move"]["depth"] == 3 { 4 } else { 3 };
    forged.field("moved", 0, "/data/move/depth", json!(other), 3);
    let long = json!({"type": "declare", "declaration": "x".repeat(1024)});
    forged.field("moved", 1, "/data/move", long, 0);
    let of_another = json!({"type": "play_payoff", "centre": 0});
    forged.field("moved", 0, "/data/move", of_another, 0);
    forged.log("a move after its deadline", 5, cut, |events| {
        for event in &mut events[cut..] {
            event["at"] = later(&event["at"], 61_000);
        }
    });
    let options = forged.events()[0]["data"]["options"].clone();
    let ended = forged.place("ended", 0);
    assert_eq!(options["target"], 2);
    // The game would go on with another deal.
    forged.log("other options", 3, ended - 2, |events| events[0]["data"]["options"]["target"] = json!(50));
}

fn scores(forged: &mut Forged) {
    let events = forged.events();
    let scored = |event: &serde_json::Value| {
        event["data"]["facts"].as_array().and_then(|facts| facts.iter().position(|f| f["type"] == "migraine_scored"))
    };
    let (at, nth) = events.iter().enumerate().find_map(|(at, event)| Some((at, scored(event)?))).unwrap();
    for field in ["points", "scores"] {
        let path = format!("/data/facts/{nth}/{field}/0");
        forged.log("a score that is off by one", 5, at, |events| {
            let score = events[at].pointer_mut(&path).unwrap();
            *score = json!(score.as_i64().unwrap() + 1);
        });
    }
}

fn sealed(forged: &mut Forged) {
    let events = forged.events();
    let opened = forged.place("opened", 0);
    forged.field("opened", 0, "/data/nonce", json!("0f".repeat(32)), 4);
    let card = &events[opened]["data"]["move"]["card"];
    let other = if card == "AS" { json!("KS") } else { json!("AS") };
    forged.field("opened", 0, "/data/move/card", other, 4);
    forged.field("committed", 0, "/data/commitment", json!("0f".repeat(32)), 4 + 100);
    // Fix: where a commitment is another one, it is its opening that tells.
    let mut changed = forged.list.pop().unwrap();
    let seat = &events[forged.place("committed", 0)]["actor"];
    let opening =
        (0..events.len()).find(|at| events[*at]["type"] == "opened" && events[*at]["actor"] == *seat).unwrap();
    changed.at = (4, opening as u64);
    forged.list.push(changed);
    let (first, second) = (forged.place("committed", 0), forged.place("committed", 1));
    forged.log("bound twice", 4, second, |events| {
        events[second] = {
            let mut again = events[first].clone();
            again["at"] = events[second]["at"].clone();
            again
        }
    });
    forged.log("a commitment after another's opening", 4, second, |events| {
        let mut early = events[opening].clone();
        early["at"] = events[second]["at"].clone();
        events.remove(opening);
        events.insert(second, early);
    });
    forged.log("opened twice", 4, opened + 1, |events| {
        let append = append_of(events, opened);
        let mut again = events[opened].clone();
        again["at"] = events[append.end - 1]["at"].clone();
        events.insert(opened + 1, again);
    });
}
