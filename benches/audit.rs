//! How many events an auditor checks in a second, and where its time goes.
//!
//! `cargo bench --no-default-features --bench audit` audits the recorded games again and again, on one core. The aim is
//! 20,000 events a second, signatures and all.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a benchmark that can't go on has failed")]

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use croupier::audit::{Bundle, TrustedKeys, Verdict, audit_with};
use croupier::canonical::{members_to_jcs, parse, parse_as};
use croupier::commitment::command_digest;
use croupier::event::{Actor, Body, Event};
use croupier::keys::{Begun, Jwk, KeyUse, PreparedKey, Verifies};
use croupier::replay::{disclosed, replay};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Jwk>,
}

/// How long a round lasts at least.
const ROUND: Duration = Duration::from_millis(20);
/// How many rounds there are of each part. The fastest counts: others are those that something else disturbed.
const ROUNDS: usize = 80;

/// The time that this process has had on a processor, where the system tells it: other work on the same machine does not
/// count then. Else the time on the wall.
fn spent(start: Instant) -> Duration {
    let told = fs::read_to_string("/proc/self/schedstat").ok();
    let nanos = told.and_then(|text| text.split(' ').next()?.parse().ok());
    nanos.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// How long this takes for one event, of so many.
fn per_event(events: usize, work: impl Fn()) -> Duration {
    let start = Instant::now();
    let round = |_| {
        let (before, mut times) = (spent(start), 0);
        while spent(start) - before < ROUND {
            work();
            times += 1;
        }
        (spent(start) - before) / (times * events as u32)
    };
    (0..ROUNDS).map(round).min().unwrap()
}

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bundles");
    let keys: Vec<Jwk> = parse_as::<KeySet>(&fs::read(folder.join("keys.json")).unwrap()).unwrap().keys;
    let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let texts: Vec<Vec<u8>> =
        names.into_iter().filter(|name| !name.ends_with("keys.json")).map(|name| fs::read(name).unwrap()).collect();
    let values: Vec<Vec<Value>> =
        texts.iter().map(|text| parse(text).unwrap()["events"].as_array().unwrap().clone()).collect();
    let games: Vec<Vec<Event>> =
        values.iter().map(|events| events.iter().map(|event| Event::read(event).unwrap()).collect()).collect();
    let events = games.iter().map(Vec::len).sum();

    let trusted = TrustedKeys::new(&keys);
    let whole = per_event(events, || {
        for text in &texts {
            let report = audit_with(&Bundle::read(text).unwrap(), &trusted);
            assert_eq!(report.verdict, Verdict::Yes);
        }
    });
    println!("{} games, {events} events: {:.0} events a second", texts.len(), 1.0 / whole.as_secs_f64());
    let show = |part: &str, took: Duration| {
        let share = 100.0 * took.as_secs_f64() / whole.as_secs_f64();
        println!("{part:28} {:7.2} µs an event {share:5.1} %", took.as_secs_f64() * 1e6);
    };
    show("all", whole);
    show("reading the JSON", per_event(events, || texts.iter().for_each(|text| drop(black_box(parse(text).unwrap())))));
    let read = per_event(events, || {
        values.iter().flatten().for_each(|event| drop(black_box(Event::read(event).unwrap())));
    });
    show("reading the events' form", read);
    let hash = per_event(events, || {
        for value in values.iter().flatten() {
            let hashed = value.as_object().unwrap().iter().filter(|(name, _)| *name != "hash" && *name != "signature");
            black_box(Sha256::digest(members_to_jcs(hashed.map(|(name, value)| (name.as_str(), value)))));
        }
    });
    show("hashes", hash);
    let server = keys.iter().filter(|jwk| jwk.croupier_use == KeyUse::Event);
    let server: Vec<PreparedKey> = server.map(|jwk| PreparedKey::new(jwk.x)).collect();
    let signed = per_event(events, || {
        for events in &games {
            let begin = |event: &Event| {
                let key = &server[usize::from(event.signature.key != server[0].key().id())];
                key.begin(event.hash.as_bytes(), &event.signature.value).unwrap()
            };
            settle(events.iter().map(begin).collect());
        }
    });
    show("the server's signatures", signed);
    show("players' signatures", per_event(events, || games.iter().for_each(|events| players(events))));
    let replayed = per_event(events, || {
        games.iter().for_each(|events| drop(black_box(replay(events, &disclosed(events)).unwrap())));
    });
    show("rules, draws, commitments", replayed);
}

fn settle(begun: Vec<Begun>) {
    assert!(Begun::settle(&begun).into_iter().all(|good| good));
}

fn players(events: &[Event]) {
    let mut keys: Vec<Option<PreparedKey>> = (0..20).map(|_| None).collect();
    let mut begun = Vec::new();
    for event in events {
        let Actor::Seat(seat) = event.actor else { continue };
        if let Body::Seated(seated) = &event.body {
            keys[seat.index()] = seated.key.map(PreparedKey::new);
        }
        let Some((command, Some(by))) = event.body.command() else { continue };
        let digest = command_digest(event.game, seat, event.body.event_type(), &command);
        begun.push(keys[seat.index()].as_ref().unwrap().begin(digest.as_bytes(), &by).unwrap());
    }
    settle(begun);
}
