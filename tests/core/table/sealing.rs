//! Sealed steps: who binds when, what is opened when and in which order, and what can't be taken back.

use croupier::event::{Event, SealedBy};
use croupier::games::Move;
use croupier::hex32::Nonce;
use croupier::table::{Awaits, Command, MAX_MOVE_BYTES, Refusal, Status};
use serde_json::json;

use crate::support::{House, Player, Rng, Setup, data, mv, seat, text, types};

/// A table at its first sealed step, the hostile discards.
fn table(players: &[Player; 2]) -> House {
    let mut house = House::playing(&Setup::migraine(), players);
    house.plays(&players[1], &mv(json!({"type": "cut", "depth": 0})));
    house
}

fn players() -> [Player; 2] {
    [Player::new(0), Player::new(1)]
}

fn nonce(number: u64) -> Nonce {
    Rng::new(100 + number).nonce()
}

/// A legal move of a seat.
fn choice(house: &House, player: &Player) -> Move {
    house.legal(player.seat)[0].clone()
}

/// The seats of these events, with their types.
fn who(events: &[Event]) -> Vec<String> {
    let actor = |event: &Event| crate::support::text(&event.actor);
    events.iter().map(|event| format!("{} {}", actor(event), event.body.event_type())).collect()
}

#[test]
fn both_sealed_by_the_server_open_with_the_last_commitment_in_seat_order() {
    for first in [0, 1] {
        let players = players();
        let mut house = table(&players);
        let moves = [0, 1].map(|i| choice(&house, &players[i]));
        let events = house.plays(&players[first], &moves[first]);
        assert_eq!(who(&events), [format!("{first} committed")]);
        assert_eq!(data(&events[0])["sealed_by"], "server");
        let last = 1 - first;
        let events = house.plays(&players[last], &moves[last]);
        assert_eq!(who(&events), [&format!("{last} committed"), "0 opened", "1 opened"]);
        assert!(house.secrets.sealed.is_empty(), "what is opened is no secret any more");
    }
}

#[test]
fn the_server_keeps_move_and_nonce_secret_until_the_opening() {
    let players = players();
    let mut house = table(&players);
    let chosen = choice(&house, &players[0]);
    let events = house.plays(&players[0], &chosen);
    let sealed = house.secrets.sealed[&seat(0)].clone();
    assert_eq!((sealed.step, &sealed.mv), (2, &chosen));
    let commitment = croupier::commitment::move_commitment(house.table.game(), seat(0), 2, &chosen, &sealed.nonce);
    assert_eq!(data(&events[0])["commitment"], json!(commitment));
    assert!(!text(&events).contains(&text(&sealed.nonce)));
    let events = house.plays(&players[1], &choice(&house, &players[1]));
    assert_eq!(data(&events[1])["nonce"], json!(sealed.nonce));
}

#[test]
fn both_sealed_by_their_clients_open_in_any_order_once_both_are_bound() {
    for first_bound in [0, 1] {
        for first_open in [0, 1] {
            let players = players();
            let mut house = table(&players);
            let moves = [0, 1].map(|i| choice(&house, &players[i]));
            for i in [first_bound, 1 - first_bound] {
                assert_eq!(house.table.view(None).awaits, Some(Awaits::Commitment));
                let events = house.send(&players[i].commit(&house, &moves[i], &nonce(i as u64)));
                assert_eq!(who(&events), [format!("{i} committed")]);
                assert_eq!(data(&events[0])["sealed_by"], "client");
            }
            assert_eq!(house.table.view(None).awaits, Some(Awaits::Opening));
            assert_eq!(house.table.to_act(), [seat(0), seat(1)]);
            assert!(house.legal(seat(0)).is_empty(), "now there is nothing to choose any more");
            let step = house.step();
            let last = 1 - first_open;
            let events = house.send(&players[first_open].open(&house, &moves[first_open], &nonce(first_open as u64)));
            assert_eq!(who(&events), [format!("{first_open} opened")]);
            assert_eq!(data(&events[0])["facts"], json!([]));
            assert_eq!(house.table.to_act(), [seat(last)]);
            assert_eq!(house.step(), step);
            let events = house.send(&players[last].open(&house, &moves[last], &nonce(last as u64)));
            assert_eq!(who(&events), [format!("{last} opened")]);
            assert_eq!(data(&events[0])["facts"][0]["type"], "hostile_discards");
            assert_eq!(house.step(), step + 1);
        }
    }
}

#[test]
fn what_the_server_sealed_opens_before_what_a_client_sealed() {
    for client in [0, 1] {
        for client_first in [true, false] {
            let players = players();
            let mut house = table(&players);
            let server = 1 - client;
            let moves = [0, 1].map(|i| choice(&house, &players[i]));
            let commit = players[client].commit(&house, &moves[client], &nonce(1));
            let plain = players[server].decide(&house, &moves[server]);
            let (first, last) = if client_first { (commit, plain) } else { (plain, commit) };
            house.send(&first);
            let events = house.send(&last);
            let last_bound = if client_first { server } else { client };
            assert_eq!(who(&events), [format!("{last_bound} committed"), format!("{server} opened")]);
            assert_eq!(house.table.to_act(), [seat(client)]);
            assert_eq!(
                house.refusal(&players[server].open(&house, &moves[server], &nonce(2))),
                Refusal::AlreadyDecided
            );
            let events = house.send(&players[client].open(&house, &moves[client], &nonce(1)));
            assert_eq!(who(&events), [format!("{client} opened")]);
            assert_eq!(data(&events[0])["facts"][0]["type"], "hostile_discards");
        }
    }
}

#[test]
fn nothing_opens_before_all_are_bound() {
    let players = players();
    let mut house = table(&players);
    let chosen = choice(&house, &players[0]);
    assert_eq!(house.refusal(&players[0].open(&house, &chosen, &nonce(1))), Refusal::NotAllCommitted);
    house.send(&players[0].commit(&house, &chosen, &nonce(1)));
    assert_eq!(house.refusal(&players[0].open(&house, &chosen, &nonce(1))), Refusal::NotAllCommitted);
}

#[test]
fn a_choice_is_final() {
    let players = players();
    let mut house = table(&players);
    let (chosen, other) = (choice(&house, &players[0]), house.legal(seat(0))[1].clone());
    house.send(&players[0].commit(&house, &chosen, &nonce(1)));
    assert_eq!(house.refusal(&players[0].commit(&house, &other, &nonce(2))), Refusal::AlreadyDecided);
    assert_eq!(house.refusal(&players[0].decide(&house, &other)), Refusal::AlreadyDecided);
    house.plays(&players[1], &choice(&house, &players[1]));
    // All are bound now, and one opening is missing.
    assert_eq!(house.refusal(&players[0].commit(&house, &other, &nonce(2))), Refusal::AlreadyDecided);
    assert_eq!(house.refusal(&players[0].decide(&house, &other)), Refusal::AlreadyDecided);
}

#[test]
fn an_opening_that_does_not_open_is_refused_and_time_goes_on() {
    let players = players();
    let mut house = table(&players);
    let (chosen, other) = (choice(&house, &players[0]), house.legal(seat(0))[1].clone());
    house.send(&players[0].commit(&house, &chosen, &nonce(1)));
    house.plays(&players[1], &choice(&house, &players[1]));
    let due = house.table.due_at();
    house.wait(1000);
    for (mv, nonce) in [(&chosen, nonce(2)), (&other, nonce(1))] {
        assert_eq!(house.refusal(&players[0].open(&house, mv, &nonce)), Refusal::CommitmentMismatch);
    }
    assert_eq!(house.table.due_at(), due);
    house.wait_until_due(1);
    let events = house.send(&players[1].call_timeout());
    assert_eq!(data(&events[0])["seats"], json!([0]));
    assert_eq!(data(&events[0])["facts"], json!([{"type": "forfeit", "seat": 0, "reason": "timed_out"}]));
}

#[test]
fn a_set_opens_in_the_order_in_which_it_was_committed_to() {
    let players = players();
    let mut house = table(&players);
    for player in &players {
        house.plays(player, &choice(&house, player));
    }
    let pair = |cards: [&str; 2]| mv(json!({"type": "pensive_discard", "cards": cards}));
    let legal = serde_json::to_value(&house.legal(seat(0))[0]).unwrap();
    let [low, high] = [0, 1].map(|i| legal["cards"][i].as_str().unwrap().to_owned());
    let (sent, turned) = (pair([&high, &low]), pair([&low, &high]));
    house.send(&players[0].commit(&house, &sent, &nonce(1)));
    house.plays(&players[1], &choice(&house, &players[1]));
    assert_eq!(house.refusal(&players[0].open(&house, &turned, &nonce(1))), Refusal::CommitmentMismatch);
    house.send(&players[0].open(&house, &sent, &nonce(1)));
}

#[test]
fn an_illegal_move_that_opens_its_commitment_forfeits_and_no_other_seat_opens() {
    for illegal in [
        json!({"type": "hostile_discard", "card": "2C"}),
        json!({"type": "pensive_discard", "cards": ["AS"]}),
        json!({"type": "cut", "depth": 3}),
    ] {
        let players = players();
        let mut house = table(&players);
        let illegal = mv(illegal);
        for player in &players {
            // Nobody judges what nobody sees.
            house.send(&player.commit(&house, &illegal, &nonce(1)));
        }
        let events = house.send(&players[1].open(&house, &illegal, &nonce(1)));
        assert_eq!(types(&events), ["opened", "disclosed", "ended"]);
        assert_eq!(data(&events[0])["facts"], json!([{"type": "forfeit", "seat": 1, "reason": "illegal_move"}]));
        assert_eq!(data(&events[2])["result"]["winners"], json!([0]));
        assert_eq!(house.table.status(), Status::Ended);
        let late = Command::Open { player: players[0].id, step: 2, mv: illegal, nonce: nonce(1), by: None };
        assert_eq!(house.refusal(&late), Refusal::Over);
    }
}

#[test]
fn the_server_seals_no_illegal_move() {
    let players = players();
    let house = table(&players);
    let illegal = mv(json!({"type": "hostile_discard", "card": "2C"}));
    let Refusal::Illegal(illegal) = house.refusal(&players[0].decide(&house, &illegal)) else {
        panic!("not refused by the rules")
    };
    assert_eq!(illegal.clause, "MI-5");
}

#[test]
fn a_move_is_at_most_1024_bytes_of_canonical_json() {
    let of_length = |length: usize| {
        let empty = text(&json!({"type": "hostile_discard", "card": ""})).len();
        mv(json!({"type": "hostile_discard", "card": "Q".repeat(length - empty)}))
    };
    for (length, taken) in [(MAX_MOVE_BYTES, true), (MAX_MOVE_BYTES + 1, false)] {
        let players = players();
        let mut house = table(&players);
        let long = of_length(length);
        assert_eq!(text(&long).len(), length);
        let plain = house.refusal(&players[0].decide(&house, &long));
        assert_eq!(matches!(plain, Refusal::MoveForm(_)), !taken, "{plain}");
        house.send(&players[0].commit(&house, &long, &nonce(1)));
        house.plays(&players[1], &choice(&house, &players[1]));
        let opening = players[0].open(&house, &long, &nonce(1));
        if taken {
            assert_eq!(data(&house.send(&opening)[0])["facts"][0]["reason"], "illegal_move");
        } else {
            assert!(matches!(house.refusal(&opening), Refusal::MoveForm(_)));
        }
    }
}

#[test]
fn an_open_decision_has_nothing_to_commit_to_or_to_open() {
    let players = players();
    let house = House::playing(&Setup::migraine(), &players);
    let cut = mv(json!({"type": "cut", "depth": 0}));
    assert_eq!(house.refusal(&players[1].commit(&house, &cut, &nonce(1))), Refusal::NotSealed);
    assert_eq!(house.refusal(&players[1].open(&house, &cut, &nonce(1))), Refusal::NotSealed);
    assert_eq!(house.refusal(&players[0].commit(&house, &cut, &nonce(1))), Refusal::NotYourTurn);
}

#[test]
fn a_commitment_names_the_step_at_hand() {
    let players = players();
    let mut house = table(&players);
    let chosen = choice(&house, &players[0]);
    for step in [0, 1, 3, u32::MAX] {
        let mut command = players[0].commit(&house, &chosen, &nonce(1));
        if let Command::Commit { step: named, .. } = &mut command {
            *named = step;
        }
        assert_eq!(house.refusal(&command), Refusal::WrongStep(2));
        assert_eq!(house.refusal(&players[0].decide_at(&house, step, &chosen)), Refusal::WrongStep(2));
    }
    house.send(&players[0].commit(&house, &chosen, &nonce(1)));
    house.plays(&players[1], &choice(&house, &players[1]));
    let early = Command::Open { player: players[0].id, step: 3, mv: chosen, nonce: nonce(1), by: None };
    assert_eq!(house.refusal(&early), Refusal::WrongStep(2));
}

#[test]
fn a_sealed_move_that_is_never_opened_is_thrown_away() {
    let players = players();
    let mut house = table(&players);
    house.plays(&players[0], &choice(&house, &players[0]));
    assert_eq!(house.secrets.sealed.len(), 1);
    house.send(&players[1].resign(&house));
    assert!(house.secrets.sealed.is_empty());
    assert!(house.events.iter().all(|event| crate::support::sealed_by(event) != Some(SealedBy::Client)));
}
