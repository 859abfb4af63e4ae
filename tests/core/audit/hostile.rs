//! Files that were made to break an auditor: it answers, or refuses, within bounds.

use std::time::{Duration, Instant};

use croupier::audit::{Bundle, MAX_BUNDLE_BYTES, Verdict, audit};
use croupier::canonical::{parse, to_jcs};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::forging::{bundle, reseal};
use super::recorded::{all, audited};
use super::recording::keys;
use crate::fuzz::audit_anything;

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ -~]{0,8}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{0,8}", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// The places of all values in a value.
fn places(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| places(item, format!("{path}/{i}"), found))
        }
        Value::Object(fields) => fields.iter().for_each(|(name, item)| places(item, format!("{path}/{name}"), found)),
        _ => {}
    }
    found.push(path);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        audit_anything(&bytes);
    }

    #[test]
    fn any_values(events in prop::collection::vec(any_json(), 0..5), log in any_json()) {
        audit_anything(&to_jcs(&json!({"events": events, "keys": [], "log": log})));
    }

    /// Anything at any place of a recorded game, with the chain and the signatures as they were or made anew.
    #[test]
    fn anything_in_a_game(game in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(),
                          place in any::<prop::sample::Index>(), value in any_json(), anew in any::<bool>()) {
        let games = all();
        let game = game.get(&games);
        let mut events = game.events();
        let at = at.index(events.len());
        let mut paths = Vec::new();
        places(&events[at], String::new(), &mut paths);
        *events[at].pointer_mut(place.get(&paths[..]).as_str()).unwrap() = value;
        if anew && events.iter().all(|event| event.is_object() && event["data"].is_object()) {
            reseal(&mut events);
        }
        let whole: Value = parse(&game.text()).unwrap();
        audit_anything(&to_jcs(&json!({"events": events, "keys": whole["keys"], "log": whole["log"]})));
    }

    /// One game's beginning with another's rest, sealed anew.
    #[test]
    fn two_games_in_one(first in any::<prop::sample::Index>(), second in any::<prop::sample::Index>(),
                        cut in any::<prop::sample::Index>(), on in any::<prop::sample::Index>()) {
        let games = all();
        let (first, second) = (first.get(&games).events(), second.get(&games).events());
        let (game, cut, on) = (first[0]["game"].clone(), cut.index(first.len()), on.index(second.len()));
        let mut events = [&first[..cut + 1], &second[on..]].concat();
        events.iter_mut().for_each(|event| event["game"] = game.clone());
        reseal(&mut events);
        audit_anything(&to_jcs(&bundle(&events)));
    }
}

/// Reads and audits within a time that is far more than it takes.
fn in_time(name: &str, bytes: &[u8]) {
    let start = Instant::now();
    assert!(bytes.len() <= MAX_BUNDLE_BYTES, "{name}");
    assert_ne!(audit_anything(bytes), Some(Verdict::Yes), "{name}");
    assert!(start.elapsed() < Duration::from_secs(120), "{name} took {:?}", start.elapsed());
}

#[test]
fn sizes_without_measure() {
    let around = |events: &str| format!("{{\"events\":[{events}],\"keys\":[],\"log\":null}}");
    let many = |part: &str, bytes: usize| vec![part; bytes / (part.len() + 1)].join(",");
    assert!(Bundle::read(&vec![b' '; MAX_BUNDLE_BYTES + 1]).is_err());
    for part in ["0", "{}", "[]", "\"\"", "{\"a\":0}", "{\"data\":{\"a\":{}}}"] {
        in_time(part, around(&many(part, 4 << 20)).as_bytes());
    }
    in_time("deep", around(&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000))).as_bytes());
    in_time("deep objects", around(&"{\"a\":".repeat(100_000)).as_bytes());
    in_time("a huge number", around(&"9".repeat(1 << 20)).as_bytes());
    in_time("a huge text", around(&format!("\"{}\"", "a".repeat(1 << 20))).as_bytes());
    for number in ["9007199254740991", "9007199254740992", "1e400", "-0", "1.0", "-1", "18446744073709551616"] {
        in_time(number, around(number).as_bytes());
    }
}

#[test]
fn many_keys_and_many_proofs() {
    let game = all().into_iter().find(|game| game.name.ends_with("whole")).unwrap();
    let mut whole: Value = parse(&game.text()).unwrap();
    let key = whole["keys"][0].clone();
    whole["keys"] = json!(vec![key; 3000]);
    let proof = whole["log"]["proofs"][0].clone();
    whole["log"]["proofs"] = json!(vec![proof; 3000]);
    in_time("keys and proofs", &to_jcs(&whole));
}

#[test]
fn numbers_that_no_honest_server_writes() {
    let all = all();
    let game = all.iter().find(|game| game.name == "migraine-seeded").unwrap();
    let huge = [json!(0), json!(255), json!(256), json!(4096), json!(4097), json!(u32::MAX), json!((1_i64 << 53) - 1)];
    let mut tried = 0;
    for at in 0..game.events().len() {
        let mut paths = Vec::new();
        places(&game.events()[at], String::new(), &mut paths);
        for path in paths {
            for value in &huge {
                let mut events = game.events();
                let place = events[at].pointer_mut(&path).unwrap();
                if !place.is_number() || place == value || path == "/seq" {
                    continue;
                }
                *place = value.clone();
                tried += 1;
                if tried % 7 == 0 {
                    reseal(&mut events);
                    assert_ne!(audited(&bundle(&events)).verdict, Verdict::Yes, "{path} of {at} is {value}");
                }
            }
        }
    }
    assert!(tried > 100);
}

/// What a file can't say in two ways: names twice, numbers that are no integers.
#[test]
fn what_no_reader_mends() {
    let game = all().into_iter().find(|game| game.name == "migraine-seeded").unwrap();
    let text = String::from_utf8(game.text()).unwrap();
    for (from, to) in [
        ("\"seq\":3", "\"seq\":3,\"seq\":3"),
        ("\"seq\":3", "\"seq\":3.0"),
        ("\"seq\":3", "\"seq\":3e0"),
        ("\"seq\":0", "\"seq\":-0"),
        ("\"log\":", "\"log\":null,\"log\":"),
        ("\"log\":", "\"more\":null,\"log\":"),
        ("player 0", "player \\ud800"),
        ("player 0", "player \u{ffff}"),
    ] {
        assert!(text.contains(from), "{from}");
        assert!(Bundle::read(text.replacen(from, to, 1).as_bytes()).is_err(), "{to}");
    }
    // The same JSON with spaces is the same file.
    let spaced = text.replace(",\"", " ,\n\t\"");
    assert_eq!(audit(&Bundle::read(spaced.as_bytes()).unwrap(), Some(&keys())).verdict, Verdict::Yes);
}
