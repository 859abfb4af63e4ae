//! Moves and options as JSON, and the rules text (RU-2, RU-7).

use croupier::cards::{Card, Rank};
use croupier::game::Purpose;
use croupier::games::migraine::{Fact, Move as MigraineMove, Options};
use croupier::games::{CommonFact, Kind, Move, State};
use croupier::seat::Seat;
use serde_json::{Value, json};

use super::Match;
use crate::support::moment;

#[test]
fn ru_2_a_move_has_exactly_its_fields_with_their_types() {
    for right in [
        json!({"type": "cut", "depth": 0}),
        json!({"type": "cut", "depth": -7}),
        json!({"type": "hostile_discard", "card": "anything"}),
        json!({"type": "pensive_discard", "cards": []}),
        json!({"type": "pensive_discard", "cards": ["KD", "AS"]}),
        json!({"type": "declare", "declaration": ""}),
    ] {
        let read = Kind::Migraine.read_move(right.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), right);
        assert_eq!(Move::read(right).unwrap(), read);
    }
    for wrong in [
        json!({"type": "cut"}),
        json!({"depth": 0}),
        json!({"type": "cut", "depth": "0"}),
        json!({"type": "cut", "depth": true}),
        json!({"type": "cut", "depth": null}),
        json!({"type": "cut", "depth": [0]}),
        json!({"type": "cut", "depth": 0, "card": "QS"}),
        json!({"type": "Cut", "depth": 0}),
        json!({"type": "hostile_discard", "card": 1}),
        json!({"type": "hostile_discard", "card": ["QS"]}),
        json!({"type": "hostile_discard", "cards": ["QS"]}),
        json!({"type": "hostile_discard", "card": "QS", "seat": 0}),
        json!({"type": "pensive_discard", "cards": "KD AS"}),
        json!({"type": "pensive_discard", "cards": [1, 2]}),
        json!({"type": "pensive_discard", "cards": {"0": "KD", "1": "AS"}}),
        json!({"type": "declare", "declaration": ["rank"]}),
        json!({"type": "declare", "declaration": {"rank": null}}),
        json!({"type": "declare"}),
        json!({"type": "attack"}),
        json!({"type": ["cut"], "depth": 0}),
        json!(["cut", {"depth": 0}]),
        json!(["cut", 0]),
        json!("cut"),
        json!(null),
        json!(7),
        json!({}),
    ] {
        assert!(Kind::Migraine.read_move(wrong.clone()).is_err(), "{wrong}");
        assert!(Move::read(wrong.clone()).is_err(), "{wrong}");
    }
}

#[test]
fn ru_7_options_have_their_defaults_and_limits() {
    let read = |value: Value| Kind::Migraine.read_options(value);
    let written = |value: Value| serde_json::to_value(read(value).unwrap()).unwrap();
    assert_eq!(written(json!({})), json!({"target": 15, "first_dealer": null}));
    assert_eq!(written(json!({"target": 1, "first_dealer": 1})), json!({"target": 1, "first_dealer": 1}));
    assert_eq!(written(json!({"target": 100, "first_dealer": null})), json!({"target": 100, "first_dealer": null}));
    for wrong in [
        json!({"target": 0}),
        json!({"target": 101}),
        json!({"target": -1}),
        json!({"target": null}),
        json!({"target": "15"}),
        json!({"target": true}),
        json!({"first_dealer": 2}),
        json!({"first_dealer": -1}),
        json!({"first_dealer": "0"}),
        json!({"goal": 15}),
        json!({"target": 15, "Target": 15}),
        json!([15, null]),
        json!([]),
        json!(null),
        json!("{}"),
    ] {
        assert!(read(wrong.clone()).is_err(), "{wrong}");
    }
}

#[test]
fn the_rules_text_names_every_move_fact_option_purpose_and_reason() {
    let rules = Kind::Migraine.rules(1).unwrap().text;
    let mut names: Vec<String> = MigraineMove::TYPES.iter().map(|name| format!("\"type\":\"{name}\"")).collect();
    let cell = |name: &str| format!("\n| `{name}` |");
    names.extend(Fact::TYPES.iter().chain(CommonFact::TYPES).map(|name| cell(name)));
    let options: Options = crate::support::read(json!({}));
    let options = serde_json::to_value(&options).unwrap();
    names.extend(options.as_object().unwrap().keys().map(|name| cell(name)));
    for purpose in [Purpose::FirstDealer, Purpose::Deal] {
        names.push(cell(serde_json::to_value(purpose).unwrap().as_str().unwrap()));
    }
    for reason in Kind::Migraine.reasons() {
        names.push(cell(serde_json::to_value(reason).unwrap().as_str().unwrap()));
    }
    names.extend((1..=9).map(|n| format!("\n**MI-{n} ")));
    names.extend((1..=11).map(|n| format!("\n**RU-{n} ")));
    for name in names {
        assert!(rules.contains(&name), "{name:?}");
    }
    let deck: Vec<String> =
        Card::deck(&[Rank::Ace, Rank::Jack, Rank::Queen, Rank::King]).map(|card| card.to_string()).collect();
    assert!(rules.contains(&deck.join(" ")), "the order of the deck");
}

#[test]
fn a_games_clock_stands_still_in_these_tests_unless_they_move_it() {
    let game = Match::laid();
    assert!(game.house.events.iter().all(|event| event.at == moment(0)));
    assert!(matches!(game.house.view(Seat::FIRST).state, Some(State::Migraine(_))));
}
