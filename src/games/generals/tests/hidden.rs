//! What nobody may learn (GE-9, GE-12, RU-5, RU-11): in two worlds that differ only there, all views are the same.

use super::*;

fn viewers(players: usize) -> Vec<Viewer> {
    std::iter::once(Viewer::Public).chain(Seat::all(players).map(Viewer::Seat)).collect()
}

/// Plays the same in two worlds, and lets one viewer compare what it sees, may do and is told.
fn compare(viewer: Viewer, worlds: [[&str; 4]; 2], line: &[(usize, Move)]) {
    let mut positions = worlds.map(|[a, b, c, deck]| Position::new(&[a, b, c], deck));
    let same = |positions: &[Position; 2]| {
        let [one, two] = positions;
        assert_eq!(one.view(viewer), two.view(viewer));
        if let Viewer::Seat(seat) = viewer {
            assert_eq!(one.game.legal(seat), two.game.legal(seat));
        }
    };
    same(&positions);
    for (number, mv) in line {
        let [one, two] = positions.each_mut().map(|position| position.plays(*number, mv));
        assert_eq!(one, two, "what the log tells");
        same(&positions);
    }
}

#[test]
fn ge_9_before_the_answer_nobody_but_the_attacker_sees_the_attack() {
    let worlds = [["9S 2D X1", "AH 3C", "4H 5S", "6H"], ["2C 9D 7S", "AH 3C", "4H 5S", "6H"]];
    for number in [1, 2] {
        compare(Viewer::Seat(seat(number)), worlds, &[(0, attack(1, &[0]))]);
        compare(Viewer::Seat(seat(number)), worlds, &[(0, attack(1, &[2]))]);
    }
    compare(Viewer::Public, worlds, &[(0, attack(1, &[1]))]);
    let mut position = Position::new(&["9S 2D TS", "AH 3C", "4H 5S"], "6H");
    position.plays(0, &attack(1, &[2, 0]));
    for viewer in viewers(3) {
        let view = position.view(viewer);
        let seen = if viewer == Viewer::Seat(seat(0)) { json!(["9S", "TS"]) } else { Value::Null };
        let laid = json!({
            "attacker": 0, "target": 1, "attack_slots": [0, 2], "attack": seen, "answer_slots": null, "answer": null,
        });
        assert_eq!(view["attack"], laid, "which slots, so how many, and who is attacked");
        assert_eq!(view["phase"], "defend");
        // RU-10: what was laid is in its owner's hand still.
        assert_eq!(view["hands"][0]["size"], 3);
    }
    assert_eq!(position.view(Viewer::Everything)["attack"]["attack"], json!(["9S", "TS"]));
}

#[test]
fn ge_12_the_attacker_sees_no_slot_that_it_does_not_pick() {
    let worlds = [["9S X1", "AH 3C 7D", "4H 5S", "6H 2C"], ["9S X1", "AH 3C 8S", "4D KS", "X2 6D"]];
    let line = [(0, attack(1, &[1])), (1, defend(&[0])), (0, pick(1))];
    compare(Viewer::Seat(seat(0)), worlds, &line);
    let worlds = [["9S X1", "AH 3C 7D", "4H 5S", "6H 2C"], ["8S X1", "AH 3C 7D", "4D KS", "X2 6D"]];
    compare(Viewer::Seat(seat(1)), worlds, &line);
}

#[test]
fn ge_12a_a_shuffle_shows_that_it_happened_and_not_how() {
    // The same cards in another order: who does not hold them can't tell, before or after.
    let worlds = [["9S 2D 4D", "AH 3C", "4H 5S", "6H"], ["4D 9S 2D", "AH 3C", "4H 5S", "6H"]];
    for viewer in [Viewer::Public, Viewer::Seat(seat(1)), Viewer::Seat(seat(2))] {
        compare(viewer, worlds, &[(0, shuffle_hand()), (1, shuffle_hand())]);
    }
}

#[test]
fn ge_15_nobody_sees_what_another_draws_or_what_the_deck_holds() {
    let worlds = [["9S 2D", "AH 3C", "4H 5S 6S", "6C 7H 8H 9H"], ["9S 2D", "AH 3C", "4H 5S 6S", "6C 3D X1 9H"]];
    let line = [
        (0, attack(1, &[1])),
        (1, defend(&[0])),
        (1, attack(2, &[1])),
        (2, defend(&[1])),
        (2, attack(1, &[1])),
        (1, defend(&[0])),
    ];
    compare(Viewer::Seat(seat(0)), worlds, &line);
    compare(Viewer::Public, worlds, &line);
}

#[test]
fn ge_13_destroyed_cards_were_public_but_no_view_shows_the_deck() {
    let mut position = Position::new(&["9S 2D", "AH 3C", "4H 5S"], "6H 7H");
    position.battle(0, 1, &[1], &[0]);
    for viewer in viewers(3) {
        assert_eq!(position.view(viewer)["deck"], json!({"size": 3, "cards": null}));
        assert_eq!(position.view(viewer)["last_battle"]["destroyed"], json!(["2D"]));
    }
    assert_eq!(position.view(Viewer::Everything)["deck"], json!({"size": 3, "cards": ["6H", "7H", "2D"]}));
}

#[test]
fn ge_17_a_row_that_goes_under_the_deck_is_not_shown() {
    let mut worlds = [["9S 2D", "AH 3C", "4H 5S"], ["9S 2D", "AH 3C", "KC X1"]].map(|hands| {
        let mut position = Position::new(&hands, "6H");
        let told = position.forfeits(2).1;
        (position, told)
    });
    assert_eq!(worlds[0].1, worlds[1].1);
    for viewer in viewers(2) {
        let [one, two] = worlds.each_mut().map(|(position, _)| position.view(viewer));
        assert_eq!(one, two);
    }
}

#[test]
fn ru_5_each_sees_the_own_row_and_the_lengths_of_the_others() {
    let position = Position::new(&["9S 2D X1", "AH 3C", "4H 5S 6S 7S"], "6H");
    let rows = ["9S 2D X1", "AH 3C", "4H 5S 6S 7S"];
    for viewer in viewers(3) {
        let view = position.view(viewer);
        for (number, row) in rows.iter().enumerate() {
            let hand = &view["hands"][number];
            assert_eq!(hand["size"], faces(row).len());
            if viewer.sees(seat(number)) {
                assert_eq!(texts(&hand["cards"]), *row);
            } else {
                assert_eq!(hand["cards"], Value::Null);
            }
        }
    }
    for (number, row) in rows.iter().enumerate() {
        assert_eq!(texts(&position.view(Viewer::Everything)["hands"][number]["cards"]), *row);
    }
}

#[test]
fn ru_11_after_the_end_the_views_of_the_players_open_no_further() {
    let mut position = Position::new(&["9S 2D", "3C"], "6H 7H");
    position.battle(0, 1, &[0], &[0]);
    assert_eq!(position.result()["reason"], "last_standing");
    for viewer in [Viewer::Public, Viewer::Seat(seat(1))] {
        let view = position.view(viewer);
        assert_eq!(view["hands"], json!([{"size": 2, "cards": null}, {"size": 0, "cards": view["hands"][1]["cards"]}]));
        assert_eq!(view["deck"], json!({"size": 3, "cards": null}));
    }
    let view = position.view(Viewer::Everything);
    assert_eq!(texts(&view["hands"][0]["cards"]), "9S 2D");
    assert_eq!(texts(&view["deck"]["cards"]), "6H 7H 3C");
}
