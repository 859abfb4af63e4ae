//! RU-2, RU-5, RU-7: forms of moves, facts and options; the rules text.

use croupier::game::{Game, Purpose};
use croupier::games::fatetst_rpg::{Fact, Move as FatetstMove, Options, Rules};
use croupier::games::{CommonFact, Kind};
use serde_json::{Value, json};

use super::{run, state};
use crate::support::{facts, read};

#[test]
fn ru_7_there_are_no_options() {
    let options = Kind::FatetstRpg.read_options(json!({})).unwrap();
    assert_eq!(serde_json::to_value(options).unwrap(), json!({}));
    for wrong in [json!({"level": 2}), json!({"seats": 1}), json!([]), json!(null)] {
        assert!(Kind::FatetstRpg.read_options(wrong.clone()).is_err(), "{wrong}");
    }
    assert_eq!(Kind::FatetstRpg.seats(), (1, 1));
    let options: Options = read(json!({}));
    assert!(Rules::fits(&options, 1).is_ok() && Rules::fits(&options, 2).is_err() && Rules::fits(&options, 0).is_err());
}

#[test]
fn ru_2_the_form_of_moves() {
    for right in [
        json!({"type": "walk", "direction": "sideways", "tiles": -1}),
        json!({"type": "buy", "item": "anything"}),
        json!({"type": "rest"}),
    ] {
        assert!(Kind::FatetstRpg.read_move(right).is_ok());
    }
    for wrong in [
        json!({"type": "walk"}),
        json!({"type": "walk", "direction": "n"}),
        json!({"type": "walk", "tiles": 1}),
        json!({"type": "walk", "direction": null, "tiles": 1}),
        json!({"type": "walk", "direction": "n", "tiles": "1"}),
        json!({"type": "walk", "direction": "n", "tiles": 1, "at": "2026-01-01T00:00:00.000Z"}),
        json!({"type": "strike", "direction": "n"}),
        json!({"type": "rest", "gold": 5}),
        json!({"type": "buy"}),
        json!({"type": "buy", "item": 1}),
        json!({"type": "stand"}),
        json!({}),
        json!(null),
    ] {
        assert!(Kind::FatetstRpg.read_move(wrong.clone()).is_err(), "{wrong}");
    }
}

#[test]
fn ru_5_the_tree_is_hidden() {
    let (house, _) = run(1);
    assert_eq!(state(&house)["tree"], json!(null));
    let open = serde_json::to_value(house.table.open_view(None).state.unwrap()).unwrap();
    assert!((0..9).contains(&open["tree"].as_i64().unwrap()));
    let draws =
        [json!({"type": "draw", "draw": 1, "purpose": "tree"}), json!({"type": "draw", "draw": 2, "purpose": "run"})];
    assert_eq!(facts(&house.events), draws);
}

#[test]
fn the_rules_text_names_every_clause_move_fact_purpose_and_reason() {
    let rules = Kind::FatetstRpg.rules(1).unwrap().text;
    let cell = |name: &str| format!("\n| `{name}` |");
    let word = |value: Value| cell(value.as_str().unwrap());
    let mut names: Vec<String> = FatetstMove::TYPES.iter().map(|name| format!("\"type\":\"{name}\"")).collect();
    names.extend(Fact::TYPES.iter().chain(CommonFact::TYPES).map(|name| cell(name)));
    names.extend([Purpose::Tree, Purpose::Run].map(|purpose| word(serde_json::to_value(purpose).unwrap())));
    names.extend(Rules::REASONS.iter().map(|reason| word(serde_json::to_value(reason).unwrap())));
    names.extend((1..=9).map(|n| format!("\n**WF-{n} ")));
    names.extend([2, 3, 4, 5, 7, 8, 9, 10, 11].map(|n| format!("\n**RU-{n} ")));
    for name in names {
        assert!(rules.contains(&name), "{name:?}");
    }
}
