//! TH-G1, TH-G2, TH-1, TH-2, TH-8: where a card may be laid.

use croupier::cards::Rank;
use croupier::games::tau_heed_kept::{AceLinks, grows};
use serde_json::json;

use super::{Stacked, pass, place, three_of_the_example};

const RANKS: &str = "A23456789TJQK";

fn rank(letter: char) -> Rank {
    Rank::ALL[RANKS.find(letter).unwrap()]
}

/// The hand cards other than faces that may grow on a card of the table.
pub const TABLE: [(char, &str); 13] = [
    ('A', "A237"),
    ('2', "A4"),
    ('3', "A569"),
    ('4', "268"),
    ('5', "37T"),
    ('6', "348"),
    ('7', "A59"),
    ('8', "46T"),
    ('9', "37"),
    ('T', "58"),
    ('J', "9"),
    ('Q', "A6T"),
    ('K', ""),
];

#[test]
fn th_2_the_whole_table_of_who_grows_on_whom() {
    for (table, hands) in TABLE {
        for hand in RANKS.chars() {
            let expected = "JQK".contains(hand) || hands.contains(hand);
            assert_eq!(grows(rank(hand), rank(table), AceLinks::Algebraic), expected, "{hand} on {table}");
        }
    }
}

#[test]
fn th_2_listed_takes_away_three_links_and_no_other() {
    let mut missing = Vec::new();
    for table in RANKS.chars() {
        for hand in RANKS.chars() {
            let [algebraic, listed] =
                [AceLinks::Algebraic, AceLinks::Listed].map(|links| grows(rank(hand), rank(table), links));
            match (algebraic, listed) {
                (true, false) => missing.push((hand, table)),
                (same, other) => assert_eq!(same, other),
            }
        }
    }
    assert_eq!(missing, [('A', 'A'), ('2', 'A'), ('A', '2')]);
}

#[test]
fn th_1_th_2_the_arithmetic_gives_the_table() {
    // Told in another way than in the code: all results of the operations, in thirds of nothing, doubled to stay whole.
    let values = |letter| match letter {
        'A' => vec![1, 14],
        letter => vec![RANKS.find(letter).unwrap() as i64 + 1],
    };
    for (table, hands) in TABLE {
        for hand in RANKS.chars().filter(|hand| !"JQK".contains(*hand)) {
            let reached = values(hand).into_iter().flat_map(|a| {
                let root = (1..=14).find(|root| root * root == a).map(|root| 2 * root);
                [Some(2 * (a + 2)), Some(2 * (a - 2)), Some(2 * (a * 2)), Some(a), Some(2 * a * a), root]
            });
            let reached: Vec<i64> = reached.flatten().collect();
            let grows = values(table).iter().any(|b| reached.contains(&(2 * b)));
            assert_eq!(grows, hands.contains(hand), "{hand} on {table}");
        }
    }
}

#[test]
fn th_2_each_entry_of_the_table_at_the_table() {
    // The first card is the table card, the one drawn next the hand card.
    for links in ["algebraic", "listed"] {
        for (table, hands) in TABLE {
            for hand in RANKS.chars() {
                let deck = format!("{table}C {hand}D 2S");
                let game = Stacked::new(json!({"ace_links": links}), &[&deck]);
                let gone = links == "listed" && ["AA", "A2", "2A"].contains(&&*format!("{hand}{table}"));
                let expected = ("JQK".contains(hand) || hands.contains(hand)) && !gone;
                let cells = game.cells(&format!("{hand}D"));
                assert_eq!(cells, if expected { vec![(-1, 0), (1, 0)] } else { vec![] }, "{hand} on {table}, {links}");
                if !expected {
                    assert_eq!(game.clause(place(&format!("{hand}D"), 1, 0)), "TH-2");
                }
            }
        }
    }
}

#[test]
fn th_2_the_clarifications_of_the_author() {
    let on = |table: char| -> String {
        RANKS.chars().filter(|hand| grows(rank(*hand), rank(table), AceLinks::Listed)).collect()
    };
    assert_eq!(on('3'), "A569JQK");
    assert_eq!(on('J'), "9JQK");
    assert_eq!(on('Q'), "A6TJQK");
    assert_eq!(on('K'), "JQK");
    assert_eq!(on('A'), "37JQK");
    let onto: String = RANKS.chars().filter(|table| grows(Rank::Three, rank(*table), AceLinks::Listed)).collect();
    assert_eq!(onto, "A569", "3 = 1 + 2, 5 - 2, 6 ÷ 2, √9");
    assert!(grows(Rank::Jack, Rank::Ten, AceLinks::Algebraic) && !grows(Rank::Ten, Rank::Jack, AceLinks::Algebraic));
    assert!(!grows(Rank::Eight, Rank::Three, AceLinks::Algebraic), "2³ does not count");
}

#[test]
fn th_g1_the_first_card_lies_upright_at_the_origin_and_neighbours_at_right_angles() {
    let mut game = Stacked::sides(&["KC QC JC KD QD JD 2C 3C"]);
    for (card, x, y) in [("QC", -1, 0), ("JC", -1, -1), ("KD", -2, -1), ("QD", -2, -2), ("JD", -1, 1)] {
        game.play(place(card, x, y));
    }
    let lie = |x: i64, y: i64| if (x + y).rem_euclid(2) == 0 { "upright" } else { "sideways" };
    let state = game.public();
    let table = state["table"].as_array().unwrap();
    assert_eq!(table.len(), 6);
    for card in table {
        let (x, y) = (card["x"].as_i64().unwrap(), card["y"].as_i64().unwrap());
        assert_eq!(card["orientation"], lie(x, y), "{x} {y}");
    }
    assert_eq!(lie(-1, 0), "sideways", "-1 is odd");
    assert_eq!(lie(-2, -1), "sideways");
    let origin = table.iter().find(|card| card["x"] == 0 && card["y"] == 0).unwrap();
    assert_eq!((&origin["card"], &origin["orientation"]), (&json!("KC"), &json!("upright")));
}

#[test]
fn th_g2_a_card_grows_over_its_two_long_sides() {
    let mut game = Stacked::sides(&["KC QC JC KD QD"]);
    assert_eq!(game.cells("QC"), [(-1, 0), (1, 0)], "upright: left and right");
    game.play(place("QC", 1, 0));
    assert_eq!(game.cells("JC"), [(-1, 0), (1, -1), (1, 1)], "sideways: below and above");
    game.play(place("JC", 1, 1));
    assert_eq!(game.cells("KD"), [(-1, 0), (0, 1), (1, -1), (2, 1)], "an open side is one with an empty cell");
}

#[test]
fn th_8_with_growth_any_a_card_grows_over_all_four_edges() {
    let mut game = Stacked::any(&["KC QC JC KD QD"]);
    assert_eq!(game.cells("QC"), [(-1, 0), (0, -1), (0, 1), (1, 0)]);
    game.play(place("QC", 0, 1));
    assert_eq!(game.cells("JC"), [(-1, 0), (-1, 1), (0, -1), (0, 2), (1, 0), (1, 1)]);
    assert_eq!(game.public()["growth"], "any");
}

#[test]
fn th_8_the_refusals_of_the_worked_example() {
    // A 5 above an upright 3: it has no side there.
    let game = Stacked::sides(&["3C 5D KS"]);
    assert_eq!(game.clause(place("5D", 0, 1)), "TH-8");
    assert_eq!(game.clause(place("5D", 0, -1)), "TH-8");
    assert_eq!(game.cells("5D"), [(-1, 0), (1, 0)]);
    let any = Stacked::any(&["3C 5D KS"]);
    assert_eq!(any.cells("5D").len(), 4, "with growth any it may lie there");
    // An 8 on a 3, a 10 on a king.
    assert_eq!(Stacked::sides(&["3C 8D KS"]).clause(place("8D", 1, 0)), "TH-2");
    assert_eq!(Stacked::sides(&["KC TD KS"]).clause(place("TD", 1, 0)), "TH-2");
    // Any cell not next to a card; an occupied cell.
    for (x, y) in [(2, 0), (1, 1), (-1, -1), (7, 7), (-300, 12)] {
        assert_eq!(game.clause(place("5D", x, y)), "TH-8", "{x} {y}");
    }
    assert_eq!(game.clause(place("5D", 0, 0)), "TH-8");
}

#[test]
fn th_8_coordinates_from_outside_may_be_any_integers() {
    let game = Stacked::sides(&["3C 5D KS"]);
    let far = (1i64 << 53) - 1;
    for number in [far, -far, i64::from(i16::MAX), i64::from(i16::MIN), i64::from(i32::MAX), 1 << 16, (1 << 16) + 1] {
        for (x, y) in [(number, 0), (0, number), (number, number), (1, number), (number, -number)] {
            assert_eq!(game.clause(place("5D", x, y)), "TH-8", "{x} {y}");
        }
    }
}

#[test]
fn th_8_one_parent_is_enough_and_other_neighbours_do_not_matter() {
    // The cell (1, 0) gets two parents: the 6 at (0, 0) and the king at (2, 0). A 3 fits the 6 alone.
    let mut game = Stacked::any(&["6C KC QC JC 3D 2C 2S"]);
    for (card, x, y) in [("KC", 0, 1), ("QC", 1, 1), ("JC", 2, 1)] {
        game.play(place(card, x, y));
    }
    assert!(game.cells("3D").contains(&(1, 0)), "beside it lie a queen and an empty cell");
    assert!(!game.cells("3D").contains(&(2, 0)), "only the jack is there");
    game.play(place("3D", 1, 0));
    assert_eq!(game.card_at(1, 0).as_deref(), Some("3D"));
}

#[test]
fn th_8_only_an_own_hand_card_can_be_placed() {
    let game = Stacked::sides(&["KC QC JC", "KD QD JD"]);
    assert_eq!((game.turn(), game.hand(1)), (1, vec!["KD".to_owned()]));
    for card in ["QC", "KC", "JD", "QD", "2C", "X1", "", "kd", "KDD", "♠A"] {
        assert_eq!(game.clause(place(card, 1, 0)), "TH-8", "{card}");
    }
    let answers: Vec<String> = ["QC", "QD", "2S", "nothing"]
        .into_iter()
        .map(|card| {
            use croupier::game::Game;
            game.rules.judge(crate::support::seat(1), &crate::support::read(place(card, 1, 0))).unwrap_err().to_string()
        })
        .collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]), "the answer tells where no card is");
}

#[test]
fn edge_after_a_first_king_only_faces_can_follow() {
    let game = Stacked::sides(&["KC 2C 2H", "AD 2D", "3D JS", "TD 2S"]);
    let mut game = game.all(&[pass(), pass(), pass()]);
    assert_eq!(game.turn(), 0);
    assert_eq!(game.legal(0), [pass()]);
    game.play(pass());
    game.play(pass());
    assert_eq!(game.cells("JS"), [(-1, 0), (1, 0)]);
    assert!(game.cells("3D").is_empty());
}

#[test]
fn legal_placements_come_by_hand_then_column_then_row_and_the_pass_last() {
    let game = three_of_the_example("6C 3H 5D TS KS 2S").all(&[pass()]);
    let listed = game.legal(0);
    let expected: Vec<_> = [(-1, 0), (0, 1), (1, -1), (2, 1)].map(|(x, y)| ("KS", x, y)).to_vec();
    let expected = [("TS", 0, 1), ("TS", 2, 1)].into_iter().chain(expected);
    let mut expected: Vec<_> = expected.map(|(card, x, y)| place(card, x, y)).collect();
    expected.push(pass());
    assert_eq!(listed, expected);
}
