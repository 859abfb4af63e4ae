//! Recorded games with one change, by somebody who holds no key: every event taken away, swapped, repeated, put in or
//! changed, and a changed byte at every place of the file.
//!
//! A sample by default; `MUTATE_ALL=1 cargo test --release --no-default-features --test core audit` tries all.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use croupier::audit::{Bundle, TrustedKeys, Verdict, audit_with};
use croupier::canonical::{parse, to_jcs};
use serde_json::{Value, json};

use super::recorded::{all, audited, faults};
use super::recording::{Game, keys};

/// One in so many, unless all are asked for.
fn stride(sample: usize) -> usize {
    if std::env::var_os("MUTATE_ALL").is_some() { 1 } else { sample }
}

/// A changed file, and the event that has to be named.
pub struct Mutation {
    pub name: String,
    pub bundle: Value,
    pub at: u64,
}

/// What may become of an event as a whole.
enum Change {
    Removed,
    Swapped,
    Cut,
    Repeated,
    PutIn,
}

/// All changes of whole events, or one in so many of them.
pub fn of_events(game: &Game, strangers: &[Value], sample: usize) -> Vec<Mutation> {
    let whole: Value = parse(&game.text()).unwrap();
    let events = game.events();
    let last = events.len() - 1;
    let started = events.iter().any(|event| event["type"] == "started");
    let mut changes = Vec::new();
    for at in 0..events.len() {
        if at < last {
            changes.extend([(Change::Removed, at), (Change::Swapped, at)]);
        } else if started {
            changes.push((Change::Cut, at));
        }
        changes.extend([(Change::Repeated, at), (Change::PutIn, at)]);
    }
    let changed = |(change, at): (Change, usize)| {
        let (before, rest) = events.split_at(at);
        let (name, at, events) = match change {
            Change::Removed => ("removed", at, [before, &rest[1..]].concat()),
            Change::Swapped => {
                let mut swapped = events.clone();
                swapped.swap(at, at + 1);
                ("swapped", at, swapped)
            }
            // The log of logs tells of an end that the file has not.
            Change::Cut => ("cut", at - 1, before.to_vec()),
            Change::Repeated => ("repeated", at + 1, [&events[..=at], rest].concat()),
            Change::PutIn => {
                let stranger = &strangers[at % strangers.len()];
                // Another game's first event in front begins a log of that game, in which this one's own is out of place.
                let named = if at == 0 && stranger["type"] == "created" { 1 } else { at };
                ("put in", named, [before, std::slice::from_ref(stranger), rest].concat())
            }
        };
        let mut bundle = whole.clone();
        bundle["events"] = json!(events);
        Mutation { name: format!("{}: {name} {at}", game.name), bundle, at: at as u64 }
    };
    changes.into_iter().step_by(sample).map(changed).collect()
}

/// The places of all values in a value that hold no others.
fn leaves(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(i, item)| leaves(item, format!("{path}/{i}"), found));
        }
        Value::Object(fields) => fields.iter().for_each(|(name, item)| leaves(item, format!("{path}/{name}"), found)),
        _ => found.push(path),
    }
}

/// Another value of the same sort.
fn other(value: &Value) -> Value {
    match value {
        Value::Null => json!(0),
        Value::Bool(value) => json!(!value),
        Value::Number(number) => json!(number.as_i64().unwrap() + 1),
        Value::String(text) => {
            let at = text.len() / 2;
            let middle = if text[at..].starts_with('1') { "2" } else { "1" };
            json!(format!("{}{middle}{}", &text[..at], text.get(at + 1..).unwrap_or_default()))
        }
        _ => json!("1"),
    }
}

/// A changed value in every place of every event, or in one of so many.
pub fn of_values(game: &Game, sample: usize) -> Vec<Mutation> {
    let whole: Value = parse(&game.text()).unwrap();
    let mut places = Vec::new();
    for (at, event) in game.events().iter().enumerate() {
        let mut paths = Vec::new();
        leaves(event, String::new(), &mut paths);
        places.extend(paths.into_iter().map(|path| (at, path)));
    }
    let changed = |(at, path): (usize, String)| {
        let mut bundle = whole.clone();
        let place = bundle["events"][at].pointer_mut(&path).unwrap();
        *place = other(place);
        Mutation { name: format!("{}: {path} of {at}", game.name), bundle, at: at as u64 }
    };
    places.into_iter().step_by(sample).map(changed).collect()
}

fn check(mutations: Vec<Mutation>) {
    let mut wrong = Vec::new();
    let count = mutations.len();
    for Mutation { name, bundle, at } in mutations {
        let report = audited(&bundle);
        if faults(&report).iter().map(|(_, seq)| *seq).min() != Some(at) {
            wrong.push(format!("{name}, not found at {at}: {:?}", faults(&report)));
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong[..wrong.len().min(8)].join("\n"));
    println!("{count} changes found");
}

#[test]
fn an_event_that_is_missing_or_does_not_belong_there_is_named() {
    let games = all();
    let strangers: Vec<Value> = games.iter().flat_map(|game| game.events()).collect();
    let list = games.iter().enumerate().flat_map(|(nth, game)| {
        // Events of the next game, so that none is this game's own.
        let others = &strangers[games[..nth].iter().map(|game| game.house.events.len()).sum::<usize>()..];
        let others = [&others[game.house.events.len()..], &strangers[..30]].concat();
        of_events(game, &others, stride(11))
    });
    check(list.collect());
}

#[test]
fn an_event_of_which_anything_is_changed_is_named() {
    check(all().iter().flat_map(|game| of_values(game, stride(149))).collect());
}

/// Where each event stands in the file.
pub fn event_places(game: &Game) -> Vec<Range<usize>> {
    let mut end = "{\"events\":[".len();
    let place = |event: &Value| {
        let start = end;
        end += to_jcs(event).len() + 1;
        start..end - 1
    };
    game.events().iter().map(place).collect()
}

/// The event in whose text this byte is, if any.
pub fn event_at(places: &[Range<usize>], position: usize) -> Option<u64> {
    places.iter().position(|place| place.contains(&position)).map(|at| at as u64)
}

/// The file with one byte changed.
pub fn with_byte(text: &[u8], position: usize) -> Vec<u8> {
    let mut changed = text.to_vec();
    // Another digit for a digit, so that not all is found by its form alone.
    changed[position] = match changed[position] {
        b'0'..=b'8' => changed[position] + 1,
        b'9' => b'0',
        byte => byte ^ [1, 2, 4, 0x20][position % 4],
    };
    changed
}

#[test]
fn a_changed_byte_is_found_wherever_it_is() {
    let (tried, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let keys = TrustedKeys::new(&keys());
    let each_byte = |game: &Game| {
        let (text, places) = (game.text(), event_places(game));
        for position in (0..text.len()).step_by(stride(409)) {
            tried.fetch_add(1, Relaxed);
            let changed = with_byte(&text, position);
            let Ok(bundle) = Bundle::read(&changed) else {
                refused.fetch_add(1, Relaxed);
                continue;
            };
            let report = audit_with(&bundle, &keys);
            let around =
                String::from_utf8_lossy(&changed[position.saturating_sub(40)..(position + 40).min(text.len())]);
            assert!(report.verdict == Verdict::No, "{}, byte {position}: {around}\n{report}", game.name);
            if let Some(at) = event_at(&places, position) {
                let found = faults(&report).iter().map(|(_, seq)| *seq).min();
                assert_eq!(found, Some(at), "{}, byte {position}: {around}\n{report}", game.name);
            }
        }
    };
    let each_byte = &each_byte;
    std::thread::scope(|scope| all().into_iter().for_each(|game| drop(scope.spawn(move || each_byte(game)))));
    let (tried, refused) = (tried.into_inner(), refused.into_inner());
    println!("{tried} bytes changed, {refused} files refused");
    assert!(refused < tried);
}
