//! Moves and options as JSON, the views' shape, and the rules text (RU-2, RU-7).

use croupier::cards::Card;
use croupier::game::Purpose;
use croupier::games::generals::{Fact, Move as GeneralsMove, Options};
use croupier::games::{CommonFact, Kind, Move};
use serde_json::{Value, json};

use super::{War, attack};
use crate::support::{read, seat};

#[test]
fn ru_2_a_move_has_exactly_its_fields_with_their_types() {
    let far = (1_i64 << 53) - 1;
    for right in [
        json!({"type": "attack", "target": 2, "slots": [0, 1]}),
        json!({"type": "attack", "target": -far, "slots": []}),
        json!({"type": "attack", "target": 0, "slots": [far, -1, 0, 7, 7]}),
        json!({"type": "defend", "slots": [1]}),
        json!({"type": "defend", "slots": [2, 1, 0]}),
        json!({"type": "pick", "slot": 3}),
        json!({"type": "pick", "slot": -far}),
        json!({"type": "pick", "slot": null}),
        json!({"type": "shuffle_hand"}),
    ] {
        let read = Kind::Generals.read_move(right.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), right);
        assert_eq!(Move::read(right).unwrap(), read);
    }
    for wrong in [
        json!({"type": "attack", "slots": [0]}),
        json!({"type": "attack", "target": 1}),
        json!({"type": "attack", "target": "1", "slots": [0]}),
        json!({"type": "attack", "target": null, "slots": [0]}),
        json!({"type": "attack", "target": [1], "slots": [0]}),
        json!({"type": "attack", "target": true, "slots": [0]}),
        json!({"type": "attack", "target": 1, "slots": 0}),
        json!({"type": "attack", "target": 1, "slots": ["0"]}),
        json!({"type": "attack", "target": 1, "slots": [null]}),
        json!({"type": "attack", "target": 1, "slots": [[0]]}),
        json!({"type": "attack", "target": 1, "slots": [true]}),
        json!({"type": "attack", "target": 1, "slots": null}),
        json!({"type": "attack", "target": 1, "slots": {"0": 0}}),
        json!({"type": "attack", "target": 1, "slots": [0], "card": "QS"}),
        json!({"type": "attack", "target": 1, "cards": ["QS"]}),
        json!({"type": "Attack", "target": 1, "slots": [0]}),
        json!({"type": "defend"}),
        json!({"type": "defend", "slots": [0], "target": 1}),
        json!({"type": "pick"}),
        json!({"type": "pick", "slot": "random"}),
        json!({"type": "pick", "slot": [3]}),
        json!({"type": "pick", "slot": 3, "slots": [3]}),
        json!({"type": "shuffle_hand", "seat": 0}),
        json!({"type": "shuffle_hand", "slots": []}),
        json!({"type": "shuffle-hand"}),
        json!({"type": "pass"}),
        json!({"type": "cut", "depth": 0}),
        json!(["shuffle_hand"]),
        json!("shuffle_hand"),
        json!(null),
        json!({}),
    ] {
        assert!(Kind::Generals.read_move(wrong.clone()).is_err(), "{wrong}");
    }
}

#[test]
fn ru_7_options_have_their_defaults_and_limits() {
    let read = |value: Value| Kind::Generals.read_options(value);
    let written = |value: Value| serde_json::to_value(read(value).unwrap()).unwrap();
    let defaults = json!({"decks": null, "jokers": 2, "hand": 4, "dealer": null});
    assert_eq!(written(json!({})), defaults);
    assert_eq!(written(defaults.clone()), defaults);
    for (name, least, most) in [("decks", 1, 4), ("jokers", 2, 4), ("hand", 4, 8), ("dealer", 0, 19)] {
        for value in [least, most] {
            assert_eq!(written(json!({name: value}))[name], value);
        }
        for value in [least - 1, most + 1, -1, 256 + least, (1_i64 << 53) - 1] {
            assert!(read(json!({name: value})).is_err(), "{name} {value}");
        }
        for value in [json!("2"), json!(true), json!([2]), json!({})] {
            assert!(read(json!({name: value})).is_err(), "{name} {value}");
        }
        let nullable = ["decks", "dealer"].contains(&name);
        assert_eq!(read(json!({name: null})).is_ok(), nullable, "{name}");
    }
    for wrong in [json!({"deck": 1}), json!({"hand": 4, "Hand": 4}), json!([]), json!(null), json!("{}")] {
        assert!(read(wrong.clone()).is_err(), "{wrong}");
    }
}

#[test]
fn ru_5_ru_11_a_view_shows_every_pile_by_name_whose_turn_it_is_and_the_options() {
    let game = War::new(3, json!({"decks": 2, "hand": 5}), 31);
    let hand = |cards: Value| json!({"size": 5, "cards": cards});
    assert_eq!(
        game.state(1),
        json!({
            "kind": "generals",
            "options": {"decks": 2, "jokers": 2, "hand": 5, "dealer": 2},
            "decks": 2,
            "dealer": 2,
            "round": 1,
            "phase": "attack",
            "turn": 0,
            "to_come": [1, 2],
            "attack": null,
            "hands": [hand(json!(null)), hand(json!(game.hand(1))), hand(json!(null))],
            "standings": ["in", "in", "in"],
            "may_shuffle": [true, true, true],
            "deck": {"size": 93, "cards": null},
            "last_battle": null,
            "last_passes": [],
            "last_draws": null,
        })
    );
    // The kind comes first.
    let text = serde_json::to_string(&game.house.view(seat(0)).state).unwrap();
    assert!(text.starts_with("{\"kind\":\"generals\""));
}

#[test]
fn ru_2_a_list_of_legal_moves_is_in_a_fixed_order() {
    let game = War::first(3, &json!({"hand": 8}), |game| game.house.legal(seat(0)).len() > 25);
    let legal = game.house.legal(seat(0));
    let (attacks, rest) = legal.split_at(legal.len() - 1);
    assert_eq!(rest, [super::shuffle_hand()]);
    let key = |mv: &Move| {
        let value = json!(mv);
        let slots: Vec<u64> = value["slots"].as_array().unwrap().iter().map(|slot| slot.as_u64().unwrap()).collect();
        (value["target"].as_u64().unwrap(), slots.len(), slots)
    };
    assert!(attacks.iter().map(key).is_sorted());
    assert!(attacks.contains(&attack(1, &[key(&attacks[0]).2[0] as usize])));
    assert_eq!(game.house.clone().legal(seat(0)), legal);
}

#[test]
fn the_rules_text_names_every_clause_move_fact_option_purpose_and_reason() {
    let rules = Kind::Generals.rules(1).unwrap().text;
    let mut names: Vec<String> = GeneralsMove::TYPES.iter().map(|name| format!("\"type\":\"{name}\"")).collect();
    let cell = |name: &str| format!("\n| `{name}` |");
    names.extend(Fact::TYPES.iter().chain(CommonFact::TYPES).map(|name| cell(name)));
    let options: Options = read(json!({}));
    let options = serde_json::to_value(&options).unwrap();
    names.extend(options.as_object().unwrap().keys().map(|name| cell(name)));
    for purpose in [Purpose::FirstDealer, Purpose::Deal, Purpose::Round] {
        names.push(cell(serde_json::to_value(purpose).unwrap().as_str().unwrap()));
    }
    for reason in Kind::Generals.reasons() {
        names.push(cell(serde_json::to_value(reason).unwrap().as_str().unwrap()));
    }
    names.extend((1..=17).map(|n| format!("\n**GE-{n} ")));
    names.push("\n**GE-12a ".to_owned());
    names.extend((1..=11).map(|n| format!("\n**RU-{n} ")));
    for name in names {
        assert!(rules.contains(&name), "{name:?}");
    }
    let deck: Vec<String> = Card::full_deck().map(|card| card.to_string()).collect();
    let words: Vec<&str> = rules.split_whitespace().collect();
    assert!(words.windows(52).any(|window| window == deck), "the order of the deck");
}
