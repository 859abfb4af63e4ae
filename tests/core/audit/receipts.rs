//! What a player has kept convicts a server that shows another log.

use croupier::audit::{Bundle, Kept, Receipt, TrustedKeys, Verdict};
use croupier::games::Kind;
use serde_json::{Value, json};

use super::forging::{bundle, reseal};
use super::recording::{Game, games, keys};

fn game() -> &'static Game {
    games(Kind::Migraine).iter().find(|game| game.name == "migraine-whole").unwrap()
}

/// As a write is answered.
fn receipt(events: &[Value]) -> Result<Receipt, String> {
    let text = json!({"events": events, "view": {"seq": 1}, "nonce": null}).to_string();
    Receipt::read(text.as_bytes(), &TrustedKeys::new(&keys()))
}

fn held(events: &[Value], log: &[Value]) -> Option<Kept> {
    let bundle = Bundle::read(bundle(log).to_string().as_bytes()).unwrap();
    receipt(events).unwrap().compare(&bundle, &TrustedKeys::new(&keys()))
}

#[test]
fn every_event_of_an_honest_log_stands_there_as_it_was_answered() {
    let events = game().events();
    for (seq, event) in (0..).zip(&events) {
        assert_eq!(held(std::slice::from_ref(event), &events), Some(Kept::Stands(seq, seq)));
    }
    assert_eq!(held(&events[2..5], &events), Some(Kept::Stands(2, 4)));
    // Of a game that went on since the file was fetched it can't be told.
    let newest = events.len() as u64 - 1;
    let behind = held(&events[newest as usize..], &events[..4]).unwrap();
    assert_eq!((&behind, behind.verdict()), (&Kept::Behind(Some(3)), Verdict::NotYet));
}

#[test]
fn another_log_that_the_server_has_signed_convicts_it() {
    let events = game().events();
    let at = events.iter().position(|event| event["type"] == "moved" || event["type"] == "committed").unwrap();
    let mut another = events.clone();
    // A millisecond is enough, there and in all that follows.
    for event in &mut another[at..] {
        event["at"] = super::forgeries::later(&event["at"], 1);
    }
    reseal(&mut another);
    for seq in at..events.len() {
        let found = held(&events[seq..=seq], &another).unwrap();
        assert!(matches!(found, Kept::Another { seq: named, both_signed: true, .. } if named == seq as u64), "{found}");
        assert_eq!(found.verdict(), Verdict::No);
        assert!(found.to_string().contains("together they convict it"), "{found}");
    }
    assert_eq!(held(&events[..at], &another).unwrap().verdict(), Verdict::Yes, "what came before is the same");
    // An acknowledged end that was taken back, and another put in its place.
    let mut shorter = events.clone();
    shorter.remove(events.len() - 2);
    reseal(&mut shorter);
    let cut = held(&events[events.len() - 1..], &shorter).unwrap();
    assert_eq!(cut, Kept::CutOff { over: events.len() as u64 - 2, seq: events.len() as u64 - 1 });
    assert_eq!(cut.verdict(), Verdict::No);
}

#[test]
fn what_the_server_has_not_signed_convicts_nobody() {
    let events = game().events();
    // A file that somebody else has changed.
    let mut changed = events.clone();
    changed[3]["at"] = super::forgeries::later(&changed[3]["at"], 1);
    let found = held(&events[3..4], &changed).unwrap();
    assert!(matches!(found, Kept::Another { seq: 3, both_signed: false, .. }), "{found}");
    // A receipt that the player has changed.
    assert!(receipt(&changed[3..4]).unwrap_err().contains("proves nothing"));
    let mut hashed = changed.clone();
    hashed[3]["hash"] = events[4]["hash"].clone();
    assert!(receipt(&hashed[3..4]).unwrap_err().contains("proves nothing"));
    // A game of somebody else's.
    let other = games(Kind::Generals)[0].events();
    assert_eq!(held(&other[..1], &events), None);
    assert!(receipt(&[events[0].clone(), other[1].clone()]).unwrap_err().contains("several games"));
    assert!(receipt(&[]).is_err() && receipt(&[json!({})]).is_err());
    for text in ["", "[]", "{}", "{\"events\":0}", "{\"events\":[null]}", "\u{0}"] {
        assert!(Receipt::read(text.as_bytes(), &TrustedKeys::new(&keys())).is_err(), "{text}");
    }
    // Signed, but by nobody who is known.
    let text = json!({ "events": &events[..1] }).to_string();
    assert!(Receipt::read(text.as_bytes(), &TrustedKeys::new(&[])).is_err());
}
