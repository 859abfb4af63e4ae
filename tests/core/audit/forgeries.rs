//! Logs that somebody changed who holds all of the server's keys and signed them anew: the chain is whole and every
//! signature of the server good, so what tells is what the protocol had bound the server to.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use croupier::games::{Fact, Kind};
use croupier::seed_chain::ServerSeeds;
use serde_json::{Value, json};

use super::forging::{bundle, reseal};
use super::recorded::{audited, faults};
use super::recording::{Game, games};

mod of_migraine;

/// A forged log, and where it must be found out.
pub struct Forgery {
    pub name: String,
    pub bundle: Value,
    /// The question that is answered with no, and the event that is named.
    pub at: (u8, u64),
}

/// A game that is changed again and again.
pub struct Forged<'a> {
    pub game: &'a Game,
    pub list: Vec<Forgery>,
}

impl<'a> Forged<'a> {
    pub fn new(game: &'a Game) -> Self {
        Self { game, list: Vec::new() }
    }

    pub fn events(&self) -> Vec<Value> {
        self.game.events()
    }

    /// The place of the nth event of a type, if there is one.
    pub fn find(&self, event_type: &str, nth: usize) -> Option<usize> {
        let events = self.events();
        (0..events.len()).filter(|at| events[*at]["type"] == event_type).nth(nth)
    }

    #[track_caller]
    pub fn place(&self, event_type: &str, nth: usize) -> usize {
        self.find(event_type, nth).unwrap_or_else(|| panic!("{} has no {event_type} {nth}", self.game.name))
    }

    /// A log that is sealed anew after a change.
    pub fn log(&mut self, name: &str, question: u8, at: usize, change: impl FnOnce(&mut Vec<Value>)) {
        let mut events = self.events();
        change(&mut events);
        reseal(&mut events);
        self.add(name, bundle(&events), question, at);
    }

    pub fn add(&mut self, name: &str, bundle: Value, question: u8, at: usize) {
        let name = format!("{}: {name}", self.game.name);
        self.list.push(Forgery { name, bundle, at: (question, at as u64) });
    }

    /// One field of one event that is another one.
    pub fn field(&mut self, event_type: &str, nth: usize, path: &str, value: Value, question: u8) {
        let at = self.place(event_type, nth);
        self.log(&format!("{event_type} {nth} with {path} {value}"), question, at, |events| {
            let place = events[at].pointer_mut(path).unwrap_or_else(|| panic!("no {path}"));
            assert_ne!(*place, value, "{path} is that already");
            *place = value;
        });
    }
}

/// A moment so many milliseconds after another.
pub fn later(at: &Value, millis: i64) -> Value {
    let at: croupier::timestamp::Timestamp = at.as_str().unwrap().parse().unwrap();
    json!(croupier::timestamp::Timestamp::from_millis(at.millis() + millis).unwrap())
}

/// All events that bear this event's time, which is an append's.
pub fn append_of(events: &[Value], at: usize) -> std::ops::Range<usize> {
    let same = |other: &usize| events[*other]["at"] == events[at]["at"];
    let first = (0..=at).rev().take_while(same).last().unwrap();
    let end = (at..events.len()).take_while(same).last().unwrap() + 1;
    first..end
}

/// What can be forged in every game.
fn everywhere(forged: &mut Forged) {
    created(forged);
    seats(forged);
    forms(forged);
    if let Some(started) = forged.find("started", 0) {
        after_the_start(forged, started);
    }
    for (nth, event_type) in ["moved", "committed", "opened"].into_iter().enumerate() {
        if let Some(at) = forged.find(event_type, 0) {
            let step = forged.events()[at]["data"]["step"].clone();
            if step.is_number() {
                forged.field(event_type, 0, "/data/step", json!(step.as_u64().unwrap() + 1 + nth as u64), 5);
            }
            forged.field(event_type, 0, "/actor", json!("server"), 0);
            forged.field(event_type, 0, "/actor", json!(19), 0);
        }
    }
}

fn created(forged: &mut Forged) {
    forged.field("created", 0, "/data/rules/text", json!("0f".repeat(32)), 5);
    forged.field("created", 0, "/data/rules/version", json!(77), 5);
    forged.field("created", 0, "/data/protocol", json!(2), 0);
    forged.field("created", 0, "/data/chain", json!(4095), 0);
    forged.field("created", 0, "/data/options", json!({"unknown": 1}), 0);
    forged.field("created", 0, "/actor", json!(0), 0);
    let anchor = json!("0f".repeat(32));
    match forged.find("disclosed", 0) {
        Some(at) => forged.log("another anchor", 2, at, |events| events[0]["data"]["anchor"] = anchor),
        None => assert!(forged.find("started", 0).is_none()),
    }
}

fn seats(forged: &mut Forged) {
    let last = forged.events().len() - 1;
    let Some(closed) = forged.find("closed", 0) else { return };
    let seated = forged.events()[1].clone();
    assert_eq!(seated["type"], "seated");
    let left = forged.events()[2].clone();
    for (name, event) in [("a seat taken", &seated), ("a seat left", &left)] {
        let mut event = event.clone();
        event["at"] = forged.events()[closed]["at"].clone();
        forged.log(&format!("{name} after closed"), 0, closed + 1, |events| events.insert(closed + 1, event));
    }
    let others = if forged.events()[closed]["data"]["seats"] == 1 { 2 } else { 1 };
    forged.field("closed", 0, "/data/seats", json!(others), 0);
    let open_by = &forged.events()[closed]["data"]["open_by"];
    if open_by.is_string() {
        let other = later(open_by, 1000);
        forged.field("closed", 0, "/data/open_by", other, 5);
    } else {
        let other = later(&forged.events()[closed]["at"], 60_000);
        forged.field("closed", 0, "/data/open_by", other, 5);
    }
    if let Some(opened) = forged.find("seed_opened", 0) {
        forged.field("seed_opened", 0, "/data/seed", json!("0f".repeat(32)), 2);
        forged.log("a seed opened before closed", 0, closed, |events| {
            let mut early = events.remove(opened);
            early["at"] = events[closed]["at"].clone();
            events.insert(closed, early);
        });
        if forged.events()[last]["type"] == "ended" {
            let started = forged.place("started", 0);
            forged.log("a seed that was never opened", 2, started - 1, |events| drop(events.remove(opened)));
        }
    }
    if forged.events()[last]["type"] == "voided" {
        forged.log("a void that is called early", 5, last, |events| {
            events[last]["at"] = later(&events[last]["at"], -1);
        });
        forged.field("voided", 0, "/data/seats", json!([1]), 2);
        forged.field("voided", 0, "/data/reason", json!("cancelled"), 0);
    }
}

/// What has not the form.
fn forms(forged: &mut Forged) {
    let last = forged.events().len() - 1;
    for at in [0, last / 2, last] {
        let data_field =
            |name: &'static str, value: Value| move |events: &mut Vec<Value>| events[at]["data"][name] = value;
        forged.log("a field beyond the table", 0, at, data_field("note", json!(null)));
        forged.log("a field beyond the event", 0, at, |events| events[at]["note"] = json!(1));
        forged.log("a field that is missing", 0, at, |events| {
            let data = events[at]["data"].as_object_mut().unwrap();
            let name = data.keys().next().unwrap().clone();
            data.remove(&name);
        });
        forged.log("another form of time", 0, at, |events| {
            events[at]["at"] = json!(events[at]["at"].as_str().unwrap().replace('Z', "+00:00"));
        });
        forged.log("a type that is none", 0, at, |events| events[at]["type"] = json!("dealt"));
        let mut events = forged.events();
        let hash = events[at]["hash"].as_str().unwrap().to_uppercase();
        events[at]["hash"] = json!(hash);
        forged.add("upper-case hex", bundle(&events), 0, at);
    }
    forged.log("time that runs back", 1, last, |events| events[last]["at"] = json!("2025-12-31T23:59:59.999Z"));
    let events = forged.events();
    let append = append_of(&events, last);
    if append.len() > 1 {
        // What follows at once bears the same time.
        let at = append.end - 1;
        forged.log("an append with two times", 5, at, |events| events[at]["at"] = later(&events[at]["at"], 1));
    }
    let again = events[1].clone();
    forged.log("an event after the end", 0, last + 1, |events| {
        let at = events[last]["at"].clone();
        events.push(again);
        events[last + 1]["at"] = at;
    });
}

fn after_the_start(forged: &mut Forged, started: usize) {
    let last = forged.events().len() - 1;
    let voided = json!({"reason": "seed_missing", "seats": [0]});
    forged.log("a void after the start", 0, started + 1, |events| {
        let mut event = events[started].clone();
        event["type"] = json!("voided");
        event["data"] = voided;
        events.insert(started + 1, event);
    });
    if forged.find("seed_opened", 0).is_none() {
        // Nobody opened a seed: there is nothing to choose for a server that wants another deal, but the chain.
        assert_eq!(forged.events()[started - 1]["type"], "closed");
    }
    cards(forged);
    disclosures(forged, last);
    if let Some(late) = forged.find("timed_out", 0) {
        let append = append_of(&forged.events(), late);
        forged.log("a time-out that is called early", 5, late, |events| {
            let due = later(&events[late]["at"], -1);
            append.for_each(|at| events[at]["at"] = due.clone());
        });
        forged.field("timed_out", 0, "/data/seats", json!([]), 5);
        forged.field("timed_out", 0, "/data/step", json!(40), 5);
    }
    if let Some(at) = forged.find("resigned", 0) {
        let step = &forged.events()[at]["data"]["step"];
        let other = if step.is_null() { json!(1) } else { json!(null) };
        forged.field("resigned", 0, "/data/step", other, 5);
    }
    result(forged, last);
}

fn result(forged: &mut Forged, last: usize) {
    let result = forged.events()[last]["data"]["result"].clone();
    let nobody = if result["winners"] == json!([]) { json!([0]) } else { json!([]) };
    forged.field("ended", 0, "/data/result/winners", nobody, 5);
    let scores = result["scores"].as_array().unwrap();
    if let Some(score) = scores.first() {
        forged.field("ended", 0, "/data/result/scores/0", json!(score.as_i64().unwrap() + 1), 5);
    } else {
        forged.field("ended", 0, "/data/result/scores", json!([1, 0]), 5);
    }
    let reason = if result["reason"] == "cap" { "forfeit" } else { "cap" };
    forged.field("ended", 0, "/data/result/reason", json!(reason), 5);
    // The game is stopped as soon as it began; its draws are shown, or not.
    let started = forged.place("started", 0);
    let mut end = forged.events()[last].clone();
    end["at"] = forged.events()[started]["at"].clone();
    let hidden = end.clone();
    let draws = draws_of(&forged.events()[started]);
    // Where nothing was drawn at the start nothing is hidden, and only the rules speak against it.
    let question = if draws.is_empty() { 5 } else { 2 };
    forged.log("an early end", question, started + 1, |events| {
        events.truncate(started + 1);
        events.push(hidden);
    });
    let Some(&draw) = draws.last() else { return };
    let seed = forged.game.house.secrets.seed(draw);
    let at = end["at"].clone();
    let lot_is_shown = forged.events()[started + 1]["type"] == "disclosed";
    let place = started + 1 + usize::from(lot_is_shown);
    forged.log("an early end with all shown", 2, place, |events| {
        events.truncate(place);
        let mut shown = end.clone();
        shown["type"] = json!("disclosed");
        shown["data"] = json!({"draw": draw, "seed": seed});
        shown["at"] = at;
        events.extend([shown, end]);
    });
}

fn draws_of(event: &Value) -> Vec<u32> {
    let facts = event["data"]["facts"].as_array().unwrap().iter();
    facts.filter(|fact| fact["type"] == "draw").map(|fact| fact["draw"].as_u64().unwrap() as u32).collect()
}

/// The texts in a value that are cards.
fn cards_in(value: &Value, path: String, found: &mut Vec<(String, Value)>) {
    match value {
        Value::String(text) if text.parse::<croupier::cards::Face>().is_ok() => found.push((path, value.clone())),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| cards_in(item, format!("{path}/{i}"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, item)| cards_in(item, format!("{path}/{name}"), found));
        }
        _ => {}
    }
}

/// Cards that no draw gave, draws that were not made, and facts that are not those of the rules.
fn cards(forged: &mut Forged) {
    let events = forged.events();
    for at in 0..events.len() {
        let Some(facts) = events[at]["data"]["facts"].as_array().filter(|facts| !facts.is_empty()) else { continue };
        let facts = facts.clone();
        for (nth, fact) in facts.iter().enumerate() {
            let drawn = Fact::read(fact.clone()).unwrap().drawn();
            if fact["type"] == "draw" {
                let other = fact["draw"].as_u64().unwrap() + 1;
                let path = format!("/data/facts/{nth}/draw");
                forged.log("another draw", 3, at, |events| *events[at].pointer_mut(&path).unwrap() = json!(other));
                continue;
            }
            let mut shown = Vec::new();
            cards_in(fact, String::new(), &mut shown);
            let mut swapped = fact.clone();
            let Some((other, card)) = shown.iter().find(|(_, card)| *card != shown[0].1) else { continue };
            *swapped.pointer_mut(&shown[0].0).unwrap() = card.clone();
            *swapped.pointer_mut(other).unwrap() = shown[0].1.clone();
            let Ok(read) = Fact::read(swapped.clone()) else { continue };
            let question = if read.drawn() == drawn { 5 } else { 3 };
            let path = format!("/data/facts/{nth}");
            forged.log("other cards than were dealt or played", question, at, |events| {
                *events[at].pointer_mut(&path).unwrap() = swapped;
            });
        }
        let question = |left: &[Value]| {
            let drawn = |facts: &[Value]| -> Vec<Value> {
                let drawn = facts.iter().map(|fact| Fact::read(fact.clone()).unwrap().drawn());
                drawn.filter(|drawn| !drawn.is_null()).collect()
            };
            if drawn(left) == drawn(&facts) { 5 } else { 3 }
        };
        let mut lists = vec![("a fact is missing", facts[1..].to_vec())];
        lists.push(("a fact twice", [&facts[..], &facts[..1]].concat()));
        if facts.len() > 1 && facts[0] != facts[1] {
            lists.push(("facts in another order", [&facts[1..2], &facts[..1], &facts[2..]].concat()));
        }
        for (name, list) in lists {
            let question = question(&list);
            forged.log(name, question, at, |events| events[at]["data"]["facts"] = json!(list));
        }
    }
}

fn disclosures(forged: &mut Forged, last: usize) {
    let shown: Vec<usize> = (0..=last).filter(|at| forged.events()[*at]["type"] == "disclosed").collect();
    let seed = |game: &Game, draw: u64| json!(game.house.secrets.seed(draw as u32));
    for at in shown.iter().copied() {
        let draw = forged.events()[at]["data"]["draw"].as_u64().unwrap();
        let further = json!({"draw": draw + 1, "seed": seed(forged.game, draw + 1)});
        forged.log("disclosed too far", 2, at, |events| events[at]["data"] = further);
        forged.log("a seed of another chain", 2, at, |events| events[at]["data"]["seed"] = json!("0f".repeat(32)));
        forged.log("disclosed twice", 2, at + 1, |events| events.insert(at + 1, events[at].clone()));
        if draw > 1 {
            let less = json!({"draw": draw - 1, "seed": seed(forged.game, draw - 1)});
            // What is still a secret then is a fault of the end.
            let before = shown.iter().rev().find(|other| **other < at);
            let known = before.map_or(0, |at| forged.events()[*at]["data"]["draw"].as_u64().unwrap());
            let hides = draw - 1 > known && Some(&at) == shown.last();
            forged
                .log("disclosed not far enough", 2, if hides { last } else { at }, |events| events[at]["data"] = less);
        }
    }
    // What names an earlier event in `after` would name another one then.
    if forged.events().iter().all(|event| event["data"].get("after").is_none_or(Value::is_null)) {
        forged.log("never disclosed", 2, last - shown.len(), |events| {
            events.retain(|event| event["type"] != "disclosed");
        });
    }
    // Where draws are no secret once they are made, an end without one has nothing to disclose.
    let drawn = forged.events()[last - 1]["type"] == "disclosed";
    assert!(drawn || forged.game.house.table.draws_made() as u64 == newest(forged, &shown), "the end has to disclose");
    if drawn {
        forged.log("the end before the last disclosure", 2, last - 1, |events| events.swap(last - 1, last));
    }
}

/// The newest draw that is disclosed.
fn newest(forged: &Forged, shown: &[usize]) -> u64 {
    shown.last().map_or(0, |at| forged.events()[*at]["data"]["draw"].as_u64().unwrap())
}

/// All forgeries of all games.
pub fn all() -> &'static [Forgery] {
    // Made once for all tests: every one of them is signed anew from the forged event on.
    static ALL: LazyLock<Vec<Forgery>> = LazyLock::new(|| {
        let mut list = Vec::new();
        for game in Kind::ALL.iter().flat_map(|kind| games(*kind)) {
            let mut forged = Forged::new(game);
            everywhere(&mut forged);
            if game.name == "migraine-seeded" {
                of_migraine::forge(&mut forged);
            }
            if game.name.ends_with("whole") || game.name.ends_with("resigned") {
                super::signing::forge(&mut forged);
            }
            list.append(&mut forged.list);
        }
        list
    });
    &ALL
}

#[test]
fn a_forger_who_holds_every_key_is_found_out() {
    let mut wrong = Vec::new();
    let mut kinds = BTreeSet::new();
    // By default one of each sort in each kind of game.
    let everything = std::env::var_os("MUTATE_ALL").is_some();
    let list: Vec<&Forgery> = all()
        .iter()
        .filter(|forgery| {
            let (game, sort) = forgery.name.split_once(": ").unwrap();
            let kind = game.rsplit_once('-').unwrap().0.to_owned();
            kinds.insert((kind, sort.to_owned())) || everything
        })
        .collect();
    for Forgery { name, bundle, at } in list.iter().copied() {
        let report = audited(bundle);
        let found = faults(&report);
        // A forger can't sign for a seat with a key, so that may be told as well; but nothing that comes earlier.
        if !found.contains(at) || found.iter().any(|(_, seq)| *seq < at.1) {
            wrong.push(format!("{name}: {at:?} expected, found {found:?}"));
        }
    }
    println!("{} forgeries of {} sorts", list.len(), kinds.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), list.len(), wrong[..wrong.len().min(60)].join("\n"));
}
