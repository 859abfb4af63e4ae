//! WF-1 to WF-6: the world, its borders, its towns, its enemies, and the hero in it.

use croupier::games::fatetst_rpg::{Direction, Enemy, Place, numbers};
use serde_json::{Value, json};

use super::{buy, clause, flee, meet, plays, rest, run, state, strike, walk};

#[test]
fn wf_1_the_map_has_four_borders() {
    let next = |x, y, direction| Place { x, y }.next(direction);
    assert_eq!(next(4, 254, Direction::N), None);
    assert_eq!(next(4, 0, Direction::S), None);
    assert_eq!(next(8, 9, Direction::E), None);
    assert_eq!(next(0, 9, Direction::W), None);
    assert_eq!(next(4, 253, Direction::N), Some(Place { x: 4, y: 254 }));
    assert_eq!(next(7, 9, Direction::E), Some(Place { x: 8, y: 9 }));
    let (house, player) = run(1);
    assert_eq!(clause(&house, &player, &walk("s", 1)), "WF-1");
    assert_eq!(clause(&house, &player, &walk("s", 25)), "WF-1");
    for wrong in [0, -1, 26, 256, (1 << 53) - 1] {
        assert_eq!(clause(&house, &player, &walk("n", wrong)), "WF-4", "{wrong}");
    }
    for wrong in ["", "N", "north", "ne"] {
        assert_eq!(clause(&house, &player, &walk(wrong, 1)), "WF-4", "{wrong}");
    }
}

#[test]
fn wf_4_a_later_edge_stops_a_walk() {
    // A run in which no enemy is met on the way to the eastern edge.
    let (house, player) = (0..200)
        .find_map(|number| {
            let (mut house, player) = run(number);
            let told = plays(&mut house, &player, &walk("e", 25));
            (told[0]["stopped_by"] == "edge").then_some((house, player))
        })
        .unwrap();
    let state = state(&house);
    assert_eq!((&state["hero"]["place"], &state["steps"]), (&json!({"x": 8, "y": 0}), &json!(4)));
    assert_eq!(clause(&house, &player, &walk("e", 1)), "WF-1");
    assert!(house.legal(player.seat).iter().all(|mv| *mv != walk("s", 1)));
    assert_eq!(house.legal(player.seat).len(), 2 * 25, "north and west");
}

#[test]
fn wf_1_the_five_towns_are_alike_but_for_where_they_stand() {
    let towns: Vec<Place> = (0..255).map(|y| Place { x: 4, y }).filter(|place| place.is_town()).collect();
    assert_eq!(towns.iter().map(|place| place.y).collect::<Vec<_>>(), [0, 50, 100, 150, 200]);
    let all = (0..9).flat_map(|x| (0..255).map(move |y| Place { x, y }));
    assert_eq!(all.filter(|place| place.is_town()).count(), 5, "and nowhere else");
    let (house, player) = run(1);
    let shown = state(&house);
    assert_eq!((&shown["width"], &shown["height"]), (&json!(9), &json!(255)));
    assert_eq!(shown["towns"].as_array().unwrap().len(), 5);
    // Prices hang on what was bought, on nothing else.
    assert_eq!(shown["town"], json!({"rest": 0, "weapon": 10, "armour": 10}));
    assert!(house.legal(player.seat).contains(&rest()));
}

#[test]
fn wf_5_enemies_grow_with_y_alone() {
    let enemies: Vec<Enemy> = (0..255).map(|y| Enemy::in_row(y, 0)).collect();
    assert!(enemies.is_sorted_by_key(|enemy| (enemy.tier, enemy.hp, enemy.attack, enemy.size)));
    let figures = |y: i64| {
        let Enemy { tier, hp, attack, size, .. } = Enemy::in_row(y, 3);
        [tier, hp, attack, size, numbers::enemy_gold(tier), numbers::enemy_xp(tier)]
    };
    assert_eq!(figures(0), [1, 6, 2, 1, 2, 1]);
    assert_eq!(figures(14), figures(0));
    assert_eq!(figures(15), [2, 9, 3, 1, 4, 2]);
    assert_eq!(figures(45), [4, 15, 5, 2, 8, 4]);
    assert_eq!(figures(254), [17, 54, 18, 5, 34, 17]);
    for colour in 0..6 {
        assert_eq!(Enemy { colour: 0, ..Enemy::in_row(99, colour) }, Enemy::in_row(99, 0), "a colour means nothing");
    }
}

#[test]
fn wf_2_wf_6_what_may_be_done_where() {
    let (mut house, player) = run(3);
    let hero = state(&house)["hero"].clone();
    let start = json!({
        "place": {"x": 4, "y": 0}, "town": 0, "hp": 20, "max_hp": 20, "attack": 4, "weapons": 0, "armour": 0, "gold": 0,
        "xp": 0, "level": 1,
    });
    assert_eq!(hero, start);
    assert_eq!(clause(&house, &player, &strike()), "WF-6");
    assert_eq!(clause(&house, &player, &flee()), "WF-6");
    assert_eq!(clause(&house, &player, &buy("weapon")), "WF-6", "no gold");
    assert_eq!(clause(&house, &player, &buy("armor")), "WF-6");
    // A rest is free for who has less than it costs.
    let told = plays(&mut house, &player, &rest());
    assert_eq!(told, [json!({"type": "hero_rested", "cost": 0, "hp": 20, "gold": 0})]);
    assert_eq!(state(&house)["steps"], json!(1));
    let met = meet(&mut house, &player);
    assert_eq!(met.last().unwrap()["type"], "enemy_met");
    assert_eq!(house.legal(player.seat), [strike(), flee()]);
    for wrong in [walk("n", 1), rest(), buy("weapon")] {
        assert_eq!(clause(&house, &player, &wrong), "WF-6");
    }
}

/// Fights in the first rows until the hero has so much gold.
fn earn(house: &mut crate::support::House, player: &crate::support::Player, gold: i64) {
    while state(house)["hero"]["gold"].as_i64().unwrap() < gold {
        if state(house)["enemy"].is_null() {
            meet(house, player);
        }
        while !state(house)["enemy"].is_null() {
            plays(house, player, &strike());
        }
    }
}

#[test]
fn wf_6_weapons_and_armours_get_dearer() {
    let (mut house, player) = run(5);
    earn(&mut house, &player, 45);
    while !state(&house)["town"].is_object() {
        let told = plays(&mut house, &player, &walk("s", 25));
        if told.last().unwrap()["type"] == "enemy_met" {
            while !state(&house)["enemy"].is_null() {
                plays(&mut house, &player, &strike());
            }
        }
    }
    let gold = state(&house)["hero"]["gold"].as_i64().unwrap();
    let attack = state(&house)["hero"]["attack"].as_i64().unwrap();
    let bought = |told: Vec<Value>| (told[0]["price"].as_i64().unwrap(), told[0]["gold"].as_i64().unwrap());
    assert_eq!(bought(plays(&mut house, &player, &buy("weapon"))), (10, gold - 10));
    assert_eq!(bought(plays(&mut house, &player, &buy("armour"))), (10, gold - 20), "each has a price of its own");
    assert_eq!(bought(plays(&mut house, &player, &buy("weapon"))), (20, gold - 40));
    let hero = state(&house)["hero"].clone();
    assert_eq!((&hero["attack"], &hero["weapons"], &hero["armour"]), (&json!(attack + 2), &json!(2), &json!(1)));
    assert_eq!(state(&house)["town"]["weapon"], json!(30));
    if gold - 40 < 30 {
        assert_eq!(clause(&house, &player, &buy("weapon")), "WF-6");
    }
}

#[test]
fn wf_6_who_is_struck_down_wakes_in_the_town_with_half_the_gold() {
    let (mut house, player) = run(7);
    earn(&mut house, &player, 7);
    let before = house.table.at();
    let woke = loop {
        let gold = state(&house)["hero"]["gold"].as_i64().unwrap();
        if state(&house)["enemy"].is_null() {
            meet(&mut house, &player);
            continue;
        }
        house.wait(1_000);
        let told = plays(&mut house, &player, &flee());
        if let Some(woke) = told.iter().find(|fact| fact["type"] == "hero_woke") {
            assert_eq!(woke["gold"], json!(gold / 2));
            break woke.clone();
        }
    };
    assert_eq!((&woke["place"], &woke["hp"]), (&json!({"x": 4, "y": 0}), &state(&house)["hero"]["max_hp"]));
    assert!(state(&house)["enemy"].is_null() && state(&house)["town"].is_object());
    assert!(house.table.at() > before, "the clock goes on");
}
