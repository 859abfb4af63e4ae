//! Moves, options, and the text of the rules (RU-2, RU-7).

use std::collections::BTreeSet;

use croupier::game::Purpose;
use croupier::games::spite_and_malice::{Fact, Move as SpiteMove, RoundReason};
use croupier::games::{CommonFact, Kind, Move};
use serde_json::{Value, json};

use super::{Match, pack};
use crate::support::{Rng, facts};

// RU-2, RU-7: forms.

#[test]
fn ru_2_a_move_has_exactly_its_fields_with_their_types() {
    for right in [
        json!({"type": "play_payoff", "centre": 0}),
        json!({"type": "play_payoff", "centre": -7}),
        json!({"type": "play_side", "side": 3, "centre": 1}),
        json!({"type": "play_hand", "card": "7S", "centre": 2}),
        json!({"type": "play_hand", "card": "anything", "centre": 2}),
        json!({"type": "discard", "card": "", "side": 99}),
    ] {
        let read = Kind::SpiteAndMalice.read_move(right.clone()).unwrap();
        assert_eq!(json!(read), right);
        assert_eq!(Move::read(right).unwrap(), read);
        assert_eq!(read.canonical(), read);
        assert!(read.is_decision());
    }
    for wrong in [
        json!({"type": "play_payoff"}),
        json!({"type": "play_payoff", "centre": "0"}),
        json!({"type": "play_payoff", "centre": null}),
        json!({"type": "play_payoff", "centre": true}),
        json!({"type": "play_payoff", "centre": [0]}),
        json!({"type": "play_payoff", "centre": 0, "card": "7S"}),
        json!({"type": "play_payoff", "center": 0}),
        json!({"type": "play_payoff", "side": 0}),
        json!({"type": "play_side", "side": 0}),
        json!({"type": "play_side", "side": 0, "side2": 1}),
        json!({"type": "play_side", "side": 0, "centre": 0, "seat": 0}),
        json!({"type": "play_side", "side": 0, "card": "7S", "centre": 0}),
        json!({"type": "play_hand", "card": 7, "centre": 0}),
        json!({"type": "play_hand", "card": ["7S"], "centre": 0}),
        json!({"type": "play_hand", "centre": 0}),
        json!({"type": "discard", "card": "7S"}),
        json!({"type": "discard", "card": null, "side": 0}),
        json!({"type": "discard", "card": "7S", "side": 0, "centre": 0}),
        json!({"type": "Discard", "card": "7S", "side": 0}),
        json!({"type": "play", "card": "7S", "centre": 0}),
        json!({"card": "7S", "side": 0}),
        json!(["discard", "7S", 0]),
        json!("discard"),
        json!(null),
    ] {
        assert!(Kind::SpiteAndMalice.read_move(wrong.clone()).is_err(), "{wrong}");
        assert!(Move::read(wrong.clone()).is_err(), "{wrong}");
    }
    assert!(Kind::Migraine.read_move(json!({"type": "discard", "card": "7S", "side": 0})).is_err());
}

#[test]
fn ru_7_options_have_their_defaults_and_limits() {
    let read = |value: Value| Kind::SpiteAndMalice.read_options(value);
    let written = |value: Value| json!(read(value).unwrap());
    assert_eq!(written(json!({})), json!({"target": 50, "decks": 2, "payoff": 20}));
    for (name, least, most) in [("target", 1, 500), ("decks", 2, 4), ("payoff", 5, 30)] {
        for right in [least, most] {
            assert_eq!(written(json!({name: right}))[name], right);
        }
        for wrong in [
            json!(least - 1),
            json!(most + 1),
            json!(-1),
            json!(256 + least),
            json!((1i64 << 32) + least),
            json!((1i64 << 53) - 1),
            json!(null),
            json!(least.to_string()),
            json!(true),
            json!([least]),
        ] {
            let fits = wrong.as_i64().is_some_and(|value| (least..=most).contains(&value));
            assert_eq!(read(json!({name: wrong})).is_ok(), fits, "{name} {wrong}");
        }
    }
    for wrong in [json!({"goal": 50}), json!({"Target": 50}), json!([50, 2, 20]), json!([]), json!(null), json!("{}")] {
        assert!(read(wrong.clone()).is_err(), "{wrong}");
    }
}

// The rules text.

#[test]
fn the_rules_text_names_every_move_fact_option_purpose_and_reason() {
    let rules = Kind::SpiteAndMalice.rules(1).unwrap().text;
    let mut names: Vec<String> = SpiteMove::TYPES.iter().map(|name| format!("\"type\":\"{name}\"")).collect();
    let cell = |name: &str| format!("\n| `{name}` |");
    names.extend(Fact::TYPES.iter().chain(CommonFact::TYPES).map(|name| cell(name)));
    let options = json!(Kind::SpiteAndMalice.read_options(json!({})).unwrap());
    names.extend(options.as_object().unwrap().keys().map(|name| cell(name)));
    for purpose in [Purpose::Deal, Purpose::FirstTurn, Purpose::Recycle] {
        names.push(cell(json!(purpose).as_str().unwrap()));
    }
    for reason in Kind::SpiteAndMalice.reasons() {
        names.push(cell(json!(reason).as_str().unwrap()));
    }
    for reason in [RoundReason::Payoff, RoundReason::Stock, RoundReason::Cap] {
        names.push(cell(json!(reason).as_str().unwrap()));
    }
    names.extend((1..=16).map(|n| format!("\n**SM-{n} ")));
    names.extend((1..=11).map(|n| format!("\n**RU-{n} ")));
    names.extend(pack(1).chunks(13).map(|suit| suit.join(" ")));
    for name in names {
        assert!(rules.contains(&name), "{name:?}");
    }
}

/// Every field that a fact can have stands in the rules text, in the row of that fact.
#[test]
fn the_rules_text_tells_every_field_of_every_fact() {
    let rules = Kind::SpiteAndMalice.rules(1).unwrap().text;
    let mut seen = BTreeSet::new();
    for root in 0..12 {
        let mut game = Match::new(json!({"payoff": 5, "target": 3}), &format!("fields {root}"));
        let mut rng = Rng::new(root);
        while !game.house.table.is_over() {
            game.play_on(&mut rng);
        }
        for fact in facts(&game.house.events) {
            let name = fact["type"].as_str().unwrap().to_owned();
            let row = rules.lines().find(|line| line.starts_with(&format!("| `{name}` |"))).unwrap();
            for field in fact.as_object().unwrap().keys().filter(|field| *field != "type") {
                assert!(row.contains(&format!("`{field}`")), "{name}: {field}");
            }
            seen.insert(name);
        }
    }
    seen.remove("draw");
    assert_eq!(seen, Fact::TYPES.iter().map(|name| (*name).to_owned()).collect());
}
