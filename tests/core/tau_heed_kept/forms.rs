//! RU-2, RU-7, and the rules text: the forms of moves, options and facts.

use croupier::game::{Game, Purpose};
use croupier::games::tau_heed_kept::{Fact, Move as TauMove, Options, Rules};
use croupier::games::{CommonFact, Kind, Move};
use serde_json::{Value, json};

use super::{Stacked, place, place_in_order};

#[test]
fn ru_2_a_move_has_exactly_its_fields_with_their_types() {
    let far = (1i64 << 53) - 1;
    for right in [
        place("3H", 1, 0),
        place("", -1, 0),
        place("anything", far, -far),
        place_in_order("3H", 1, 0, &[]),
        place_in_order("3H", 1, 0, &[[0, 0], [0, -1]]),
        place_in_order("3H", 1, 0, &[[far, -far]; 9]),
        json!({"type": "pass"}),
    ] {
        let read = Kind::TauHeedKept.read_move(right.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), right);
        assert_eq!(Move::read(right).unwrap(), read);
        assert_eq!(read.canonical(), read);
        assert!(read.is_decision());
    }
    let with_corners = |corners: Value| json!({"type": "place", "card": "3H", "x": 1, "y": 0, "corners": corners});
    for wrong in [
        json!({"type": "place"}),
        json!({"type": "place", "card": "3H", "x": 1}),
        json!({"type": "place", "card": "3H", "y": 1}),
        json!({"type": "place", "x": 1, "y": 0}),
        json!({"card": "3H", "x": 1, "y": 0}),
        json!({"type": "place", "card": 3, "x": 1, "y": 0}),
        json!({"type": "place", "card": null, "x": 1, "y": 0}),
        json!({"type": "place", "card": ["3H"], "x": 1, "y": 0}),
        json!({"type": "place", "card": {"Card": "3H"}, "x": 1, "y": 0}),
        json!({"type": "place", "card": "3H", "x": "1", "y": 0}),
        json!({"type": "place", "card": "3H", "x": true, "y": 0}),
        json!({"type": "place", "card": "3H", "x": null, "y": 0}),
        json!({"type": "place", "card": "3H", "x": [1], "y": 0}),
        json!({"type": "place", "card": "3H", "x": 1, "y": 0, "z": 0}),
        json!({"type": "place", "card": "3H", "cell": [1, 0]}),
        json!({"type": "Place", "card": "3H", "x": 1, "y": 0}),
        with_corners(json!(null)),
        with_corners(json!([0, 0])),
        with_corners(json!([[0]])),
        with_corners(json!([[]])),
        with_corners(json!([[0, 0, 0]])),
        with_corners(json!([[0, "0"]])),
        with_corners(json!([[0, null]])),
        with_corners(json!([[0, true]])),
        with_corners(json!([null])),
        with_corners(json!([{"x": 0, "y": 0}])),
        with_corners(json!({"0": [0, 0]})),
        with_corners(json!("lower left")),
        json!({"type": "pass", "card": "3H"}),
        json!({"type": "pass", "corners": []}),
        json!({"type": ["pass"]}),
        json!({"pass": null}),
        json!("pass"),
        json!(["pass"]),
        json!(null),
    ] {
        assert!(Kind::TauHeedKept.read_move(wrong.clone()).is_err(), "{wrong}");
        assert!(Move::read(wrong.clone()).is_err(), "{wrong}");
    }
}

#[test]
fn ru_2_corners_may_be_left_out_and_lists_hold_placements_without() {
    let game = Stacked::sides(&["KC QC JC"]);
    assert!(game.legal(0).iter().all(|mv| mv.get("corners").is_none()));
    let [without, empty, all] = [
        place("QC", 1, 0),
        place_in_order("QC", 1, 0, &[]),
        place_in_order("QC", 1, 0, &[[1, 0], [1, -1], [0, 0], [0, -1]]),
    ]
    .map(crate::support::mv);
    assert!(without != empty && empty != all && without != all, "they are different moves");
    for (mv, value) in [(&without, place("QC", 1, 0)), (&empty, place_in_order("QC", 1, 0, &[]))] {
        assert!(game.rules.judge(crate::support::seat(0), &crate::support::read(value)).is_ok(), "{mv:?}");
    }
}

#[test]
fn ru_7_options_have_their_defaults_and_limits() {
    let read = |value: Value| Kind::TauHeedKept.read_options(value);
    let written = |value: Value| serde_json::to_value(read(value).unwrap()).unwrap();
    assert_eq!(written(json!({})), json!({"growth": "sides", "ace_links": "algebraic"}));
    for growth in ["sides", "any"] {
        assert_eq!(written(json!({"growth": growth})), json!({"growth": growth, "ace_links": "algebraic"}));
        for ace_links in ["algebraic", "listed"] {
            let both = json!({"growth": growth, "ace_links": ace_links});
            assert_eq!(written(both.clone()), both);
        }
    }
    for wrong in [
        json!({"growth": "Sides"}),
        json!({"growth": ""}),
        json!({"growth": "ends"}),
        json!({"growth": null}),
        json!({"growth": true}),
        json!({"growth": ["sides"]}),
        json!({"growth": {"sides": null}}),
        json!({"ace_links": "none"}),
        json!({"ace_links": null}),
        json!({"ace_links": 14}),
        json!({"ace_links": {"listed": null}}),
        json!({"seats": 2}),
        json!({"Growth": "any"}),
        json!(["sides", "algebraic"]),
        json!([]),
        json!(null),
    ] {
        assert!(read(wrong.clone()).is_err(), "{wrong}");
    }
}

#[test]
fn options_are_in_the_view() {
    let game = Stacked::new(json!({"growth": "any", "ace_links": "listed"}), &["KC QC"]);
    let state = game.public();
    assert_eq!(
        (&state["kind"], &state["growth"], &state["ace_links"]),
        (&json!("tau_heed_kept"), &json!("any"), &json!("listed"))
    );
}

#[test]
fn the_rules_text_names_every_move_fact_option_purpose_and_reason() {
    let rules = Kind::TauHeedKept.rules(1).unwrap().text;
    let mut names: Vec<String> = TauMove::TYPES.iter().map(|name| format!("\"type\":\"{name}\"")).collect();
    let cell = |name: &str| format!("\n| `{name}` |");
    names.extend(Fact::TYPES.iter().chain(CommonFact::TYPES).map(|name| cell(name)));
    let options: Options = crate::support::read(json!({}));
    let options = serde_json::to_value(options).unwrap();
    names.extend(options.as_object().unwrap().keys().map(|name| cell(name)));
    names.push(cell(serde_json::to_value(Purpose::Deck).unwrap().as_str().unwrap()));
    for reason in Rules::REASONS {
        names.push(cell(serde_json::to_value(reason).unwrap().as_str().unwrap()));
    }
    names.extend((1..=3).map(|n| format!("\n**TH-G{n} ")));
    names.extend((1..=13).map(|n| format!("\n**TH-{n} ")));
    names.push("\n**TH-12a ".to_owned());
    names.extend((1..=11).map(|n| format!("\n**RU-{n} ")));
    for name in names {
        assert!(rules.contains(&name), "{name:?}");
    }
    let words: Vec<&str> = rules.split_whitespace().collect();
    let deck: Vec<String> = croupier::cards::Card::full_deck().map(|card| card.to_string()).collect();
    assert!(words.windows(52).any(|window| window == deck), "the order of the deck");
}

#[test]
fn facts_are_read_as_they_are_written() {
    let mut game = Stacked::sides(&["6C 5D 2C", "3H TS 2D"]);
    let mut seen = game.facts.clone();
    for mv in [place("3H", 1, 0), place("5D", 1, 1), place("TS", 0, 1), json!({"type": "pass"})] {
        seen.extend(game.play(mv).to_vec());
    }
    for name in Fact::TYPES {
        assert!(seen.iter().any(|fact| fact["type"] == *name), "no {name}");
    }
    for fact in seen {
        let read = croupier::games::Fact::read(fact.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), fact);
        let mut longer = fact.clone();
        longer["more"] = json!(1);
        assert!(croupier::games::Fact::read(longer).is_err());
        let drawn = read.drawn();
        assert_eq!(drawn.is_null(), fact["type"] != "tau_first_card");
    }
}
