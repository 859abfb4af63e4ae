//! TH-5 to TH-7, TH-13, RU-4, RU-9, RU-10: decks, turns and steps, at a table.

use croupier::draw::{Numbers, draw_seed};
use croupier::event::Event;
use croupier::game::{Game, Viewer};
use croupier::games::Kind;
use croupier::games::tau_heed_kept::Rules;
use croupier::seed_chain::ServerSeeds;
use croupier::table::Refusal;
use serde_json::{Value, json};

use super::{Stacked, forfeit, pass, place, turn};
use crate::support::{House, Player, Rng, Setup, data, facts, facts_of, mv, seat, types};

/// A table of so many players, some with seeds.
pub fn table(seats: usize, options: Value) -> (House, Vec<Player>) {
    let places = u8::try_from(seats).unwrap();
    let setup = Setup { kind: Kind::TauHeedKept, options, places, ..Setup::migraine() };
    let players: Vec<Player> = (0..seats)
        .map(|number| if number % 2 == 0 { Player::new(number).with_seed() } else { Player::new(number) })
        .collect();
    (House::playing(&setup, &players), players)
}

pub fn plays(house: &mut House, players: &[Player], value: Value) -> Vec<Event> {
    let player = &players[house.table.to_act()[0].index()];
    house.plays(player, &mv(value))
}

pub fn state(house: &House, viewer: Option<usize>) -> Value {
    serde_json::to_value(house.table.view(viewer.map(seat)).state.unwrap()).unwrap()
}

fn open_state(house: &House) -> Value {
    serde_json::to_value(house.table.open_view(None).state.unwrap()).unwrap()
}

/// The 52 cards before a shuffle, written out as the rules text does it.
fn pack() -> Vec<String> {
    "CDHS".chars().flat_map(|suit| "A23456789TJQK".chars().map(move |rank| format!("{rank}{suit}"))).collect()
}

#[test]
fn th_5_one_to_eight_players() {
    assert_eq!(Kind::TauHeedKept.seats(), (1, 8));
    let options = Kind::TauHeedKept.read_options(json!({})).unwrap();
    for seats in 0..=20 {
        match options.fits(seats) {
            Ok(()) => assert!((1..=8).contains(&seats)),
            Err(illegal) => assert!(illegal.clause == "TH-5" && !(1..=8).contains(&seats)),
        }
    }
}

#[test]
fn th_5_ru_4_draw_k_shuffles_the_deck_of_seat_k_minus_1() {
    for seats in [1, 2, 5, 8] {
        let (house, players) = table(seats, json!({}));
        let state = open_state(&house);
        let player_seeds: Vec<_> = players.iter().map(|player| player.seed).collect();
        for number in 0..seats {
            let draw = number as u32 + 1;
            let server_seed = house.secrets.seed(draw).unwrap();
            let mut deck = pack();
            Numbers::new(draw_seed(house.table.game(), draw, &server_seed, &player_seeds)).shuffle(&mut deck);
            let left: Vec<String> = serde_json::from_value(state["decks"][number]["cards"].clone()).unwrap();
            let gone = 52 - left.len();
            assert_eq!(left, deck[gone..], "seat {number} of {seats}: element 0 is the top");
            if number == 0 {
                assert_eq!(state["table"][0]["card"], deck[0].as_str(), "TH-6: the top card lies on the table");
            } else {
                assert_eq!(gone, usize::from(number == 1));
            }
        }
        let draws = facts_of(&house.events, "draw");
        let expected = (1..=seats).map(|draw| json!({"type": "draw", "draw": draw, "purpose": "deck"}));
        assert_eq!(draws, expected.collect::<Vec<_>>());
    }
}

#[test]
fn th_6_player_1_lays_the_first_card_and_player_2_has_the_next_turn() {
    for seats in [1, 2, 8] {
        let (house, _) = table(seats, json!({}));
        let state = state(&house, None);
        let next = usize::from(seats > 1);
        let card = &state["table"][0]["card"];
        let first = json!([{"x": 0, "y": 0, "orientation": "upright", "owner": 0, "card": card}]);
        assert_eq!(state["table"], first);
        assert_eq!(state["turn"], json!({"seat": next, "drew": true}));
        let deck = if seats == 1 { 50 } else { 51 };
        let started = facts(&house.events);
        assert_eq!(
            started[seats..],
            [json!({"type": "tau_first_card", "seat": 0, "card": card}), turn(next, true, deck)]
        );
        assert_eq!(house.table.to_act(), [seat(next)]);
        assert_eq!(house.step(), 1);
    }
}

#[test]
fn th_7_a_card_is_drawn_then_one_placement_or_a_pass_and_the_turn_goes_on() {
    let mut game = Stacked::sides(&["KC 2C 3C", "QC JC", "KD 4D"]);
    assert_eq!(game.hand(1), ["QC"]);
    assert_eq!(game.play(place("QC", 1, 0)), [turn(2, true, 1)], "one placement is the turn");
    assert_eq!(game.play(pass()), [turn(0, true, 1)], "who could place may pass");
    assert_eq!((game.hand(0), game.hand(1), game.hand(2)), (vec!["2C".into()], vec![], vec!["KD".into()]));
    assert_eq!(game.legal(0), [pass()], "nothing fits, so it must");
    assert_eq!(game.play(pass()), [turn(1, true, 0)]);
    assert_eq!(game.hand(1), ["JC"]);
    assert_eq!(game.public()["last_pass"], json!({"seat": 0, "automatic": false}));
}

#[test]
fn th_7_nobody_moves_on_anothers_turn() {
    let game = Stacked::sides(&["KC QC JC", "KD QD JD", "KS QS JS"]);
    for number in [0, 2] {
        assert_eq!(game.clause_for(number, pass()), "TH-7");
        assert_eq!(game.clause_for(number, place("KS", 1, 0)), "TH-7");
        assert!(game.legal(number).is_empty());
    }
    let (house, players) = table(3, json!({}));
    assert!(matches!(
        house.refusal(&players[0].decide(&house, &mv(pass()))),
        Refusal::Illegal(_) | Refusal::NotYourTurn
    ));
}

#[test]
fn edge_51_draws_for_player_1_and_52_for_the_others() {
    for seats in [1, 2, 3, 8] {
        let (mut house, players) = table(seats, json!({}));
        while !house.table.is_over() {
            plays(&mut house, &players, pass());
        }
        let mut drawn = vec![0; seats];
        for fact in facts_of(&house.events, "tau_turn") {
            let number = fact["seat"].as_u64().unwrap() as usize;
            drawn[number] += usize::from(fact["drew"].as_bool().unwrap());
            let first = usize::from(number == 0);
            assert_eq!(fact["deck"], 52 - first - drawn[number]);
        }
        let mut expected = vec![52; seats];
        expected[0] = 51;
        assert_eq!(drawn, expected);
        let state = open_state(&house);
        for number in 0..seats {
            assert_eq!(state["hands"][number]["size"], expected[number]);
        }
    }
}

#[test]
fn th_13_a_game_of_passes_alone_ends_after_one_round_without_decks() {
    let (mut house, players) = table(4, json!({}));
    let mut decisions = 0;
    while !house.table.is_over() {
        plays(&mut house, &players, pass());
        decisions += 1;
    }
    // 51 rounds, then the three that have a card left to draw; the last of those passes starts the count. Passes that
    // nobody is asked for are none.
    let automatic = facts_of(&house.events, "tau_automatic_pass").len();
    assert_eq!(decisions + automatic, 51 * 4 + 2 + 4);
    assert_eq!(house.table.result().unwrap().winners.len(), 4, "nobody has a corner");
}

#[test]
fn ru_10_every_decision_is_a_step_and_a_forfeit_out_of_turn_is_none() {
    let (mut house, players) = table(4, json!({}));
    for step in 1..=9 {
        assert_eq!(house.step(), step);
        let player = house.table.to_act()[0];
        assert_eq!(player.index(), step as usize % 4);
        let first = house.legal(player)[0].clone();
        let events = house.plays(&players[player.index()], &first);
        assert_eq!(data(&events[0])["step"], step);
    }
    // Seat 2 has the turn: seat 0 gives up, and nothing is decided by that.
    assert_eq!(house.table.to_act(), [seat(2)]);
    let events = house.send(&players[0].resign(&house));
    assert_eq!(facts(&events), [forfeit(0, "resigned")]);
    assert_eq!((&data(&events[0])["step"], house.step()), (&json!(null), 10));
    // Seat 2 gives up on its turn: its step is used up, and the turn goes to seat 3.
    let events = house.send(&players[2].resign(&house));
    assert_eq!(data(&events[0])["step"], 10);
    assert_eq!(facts(&events)[0], forfeit(2, "resigned"));
    assert_eq!(facts(&events)[1]["seat"], 3);
    assert_eq!((house.table.to_act(), house.step()), (vec![seat(3)], 11));
    // One is left: it wins at once.
    house.wait_until_due(1);
    let events = house.send(&players[1].call_timeout());
    assert_eq!(facts(&events)[0], forfeit(3, "timed_out"));
    assert_eq!(types(&events), ["timed_out", "disclosed", "ended"]);
    assert_eq!(data(&events[1])["draw"], 4, "all draws are disclosed");
    let result = house.table.result().unwrap();
    assert_eq!(serde_json::to_value(result.reason).unwrap(), "forfeit");
    assert_eq!(result.winners, [seat(1)]);
    assert_eq!(house.table.step(), None);
}

#[test]
fn ru_6_no_card_is_lost_and_a_card_is_a_face_and_its_deck() {
    for (seats, options) in [(1, json!({})), (3, json!({"growth": "any"})), (8, json!({"ace_links": "listed"}))] {
        let (mut house, players) = table(seats, options);
        let mut rng = Rng::new(seats as u64);
        let mut resigned = false;
        while !house.table.is_over() {
            let player = house.table.to_act()[0];
            let legal = house.legal(player);
            let mv = rng.pick(&legal).clone();
            house.plays(&players[player.index()], &mv);
            if seats == 8 && house.events.len() == 200 && !resigned {
                let command = players[5].resign(&house);
                house.send(&command);
                resigned = true;
            }
            if rng.once_in(10) || house.table.is_over() {
                check_cards(&open_state(&house), seats);
            }
        }
    }
}

/// Every owner has its 52 cards, over all places.
fn check_cards(state: &Value, seats: usize) {
    for number in 0..seats {
        let mut cards: Vec<String> = Vec::new();
        for pile in ["decks", "hands", "removed"] {
            let pile: Vec<String> = serde_json::from_value(state[pile][number]["cards"].clone()).unwrap();
            cards.extend(pile);
        }
        for list in ["table", "backs"] {
            let own = state[list].as_array().unwrap().iter().filter(|card| card["owner"] == number);
            cards.extend(own.map(|card| card["card"].as_str().unwrap().to_owned()));
        }
        let mut all = pack();
        cards.sort();
        all.sort();
        assert_eq!(cards, all, "the cards of seat {number}");
    }
}

#[test]
fn all_draws_stay_secret_until_the_end() {
    let (mut house, players) = table(2, json!({}));
    for _ in 0..20 {
        plays(&mut house, &players, pass());
    }
    assert!(!types(&house.events).contains(&"disclosed"));
    let events = house.send(&players[0].resign(&house));
    assert_eq!(types(&events), ["resigned", "disclosed", "ended"]);
    assert_eq!(data(&events[1])["draw"], 2);
}

#[test]
fn ru_8_a_game_that_is_stopped_is_nobodys() {
    // It can't come to that: at most eight draws are made. But the table may ask for it of any game.
    let mut game = Stacked::sides(&["KC QC JC", "KD QD JD"]);
    game.rules.stop();
    assert_eq!(game.result(), (vec![], vec![0, 0], "cap".to_owned()));
    assert_eq!(Rules::SEATS, (1, 8));
    assert_eq!(game.state(Viewer::Public)["phase"], "over");
}
