//! Writes are safe to repeat: the log is asked for what a command made the first time.

use croupier::event::Event;
use croupier::games::Move;
use croupier::table::{Command, find_repeat};
use serde_json::json;

use crate::support::{House, Player, Rng, Setup, mv, player_id, seat};

fn cut(depth: i64) -> Move {
    mv(json!({"type": "cut", "depth": depth}))
}

/// What the log holds for a command, where the table thinks it worth a look.
fn repeat<'a>(house: &'a House, command: &Command) -> Option<&'a Event> {
    let found = find_repeat(&house.events, command);
    assert!(found.is_none() || house.table.may_repeat(command), "{command:?} was found, but would not be looked for");
    found
}

/// Sends a command; from then on it is found as the event that it made, also when more has happened.
#[track_caller]
fn sent(house: &mut House, command: &Command) -> u64 {
    assert_eq!(repeat(house, command), None, "before it was sent");
    let event = house.send(command).remove(0);
    found(house, command, event.seq);
    event.seq
}

#[track_caller]
fn found(house: &House, command: &Command, seq: u64) {
    assert_eq!(repeat(house, command).map(|event| event.seq), Some(seq), "{command:?}");
}

#[track_caller]
fn lost(house: &House, command: &Command) {
    assert_eq!(repeat(house, command).map(|event| event.seq), None, "{command:?}");
}

#[test]
fn sitting_down_and_getting_up() {
    let mut house = House::new(&Setup::migraine());
    let ana = Player::new(0);
    let sit = ana.sit(&house);
    let first = sent(&mut house, &sit);
    found(&house, &sit, first);
    lost(&house, &ana.clone().on(1).sit(&house));
    lost(&house, &ana.clone().with_seed().sit(&house));
    lost(&house, &Player::new(3).on(0).sit(&house));
    let get_up = ana.get_up(&house);
    let left = sent(&mut house, &get_up);
    // Sitting down once more is no repeat, since the player got up in between.
    assert!(!house.table.may_repeat(&sit));
    // Somebody else takes the seat; the player has still got up from it.
    house.send(&Player::new(3).on(0).sit(&house));
    found(&house, &get_up, left);
    let elsewhere = ana.on(1).sit(&house);
    let again = sent(&mut house, &elsewhere);
    found(&house, &elsewhere, again);
    lost(&house, &sit);
}

#[test]
fn sitting_down_anywhere_finds_the_seat_that_was_got() {
    let mut house = House::new(&Setup::migraine());
    let ana = Player::new(0).on(1);
    house.send(&ana.sit(&house));
    let mut anywhere = ana.sit(&house);
    if let Command::Sit { seat, .. } = &mut anywhere {
        *seat = None;
    }
    found(&house, &anywhere, 1);
}

#[test]
fn starting_and_calling_off() {
    let host = player_id(0);
    let mut house = House::playing(&Setup::migraine(), &[Player::new(0), Player::new(1)]);
    found(&house, &Command::Start { player: host }, 3);
    house.send(&Player::new(1).resign(&house));
    found(&house, &Command::Start { player: host }, 3);
    lost(&house, &Command::Cancel { player: Some(host) });
    let mut house = House::new(&Setup::migraine());
    sent(&mut house, &Command::Cancel { player: Some(host) });
}

#[test]
fn opening_a_seed() {
    let players = [Player::new(0).with_seed(), Player::new(1).with_seed()];
    let mut house = House::seated(&Setup::migraine(), &players);
    let command = players[0].open_seed(&house);
    let seq = sent(&mut house, &command);
    house.send(&players[1].open_seed(&house));
    found(&house, &command, seq);
    lost(&house, &players[0].clone().with_this_seed([9; 32]).open_seed(&house));
}

#[test]
fn a_move_in_the_open() {
    let players = [Player::new(0), Player::new(1)];
    let mut house = House::playing(&Setup::migraine(), &players);
    let command = players[1].decide(&house, &cut(4));
    let seq = sent(&mut house, &command);
    lost(&house, &players[1].decide_at(&house, 1, &cut(5)));
    lost(&house, &players[0].decide_at(&house, 1, &cut(4)));
    lost(&house, &players[1].decide_at(&house, 2, &cut(4)));
    house.send(&players[0].resign(&house));
    found(&house, &command, seq);
}

#[test]
fn a_move_that_the_server_sealed_is_found_once_it_is_opened_in_either_order_of_its_cards() {
    let players = [Player::new(0), Player::new(1)];
    let mut house = House::playing(&Setup::migraine(), &players);
    house.plays(&players[1], &cut(0));
    for player in &players {
        house.plays(player, &house.legal(player.seat)[0].clone());
    }
    let legal = serde_json::to_value(&house.legal(seat(0))[3]).unwrap();
    let cards = [legal["cards"][0].clone(), legal["cards"][1].clone()];
    let pair = |first: usize| mv(json!({"type": "pensive_discard", "cards": [cards[first], cards[1 - first]]}));
    let step = house.step();
    let command = players[0].decide(&house, &pair(1));
    let seq = house.send(&command)[0].seq;
    // The log does not tell yet what is in the commitment; the server's secrets do.
    lost(&house, &command);
    assert!(house.table.may_repeat(&command));
    assert_eq!(house.secrets.sealed[&seat(0)].mv.canonical(), pair(0));
    house.plays(&players[1], &house.legal(seat(1))[0].clone());
    for first in [0, 1] {
        found(&house, &players[0].decide_at(&house, step, &pair(first)), seq);
    }
    let other = mv(json!({"type": "pensive_discard", "cards": [cards[0], "2C"]}));
    lost(&house, &players[0].decide_at(&house, step, &other));
}

#[test]
fn a_commitment_and_its_opening_to_the_byte() {
    let players = [Player::new(0).with_key(), Player::new(1)];
    let mut house = House::playing(&Setup::migraine(), &players);
    house.plays(&players[1], &cut(0));
    let moves = [0, 1].map(|number| house.legal(seat(number))[0].clone());
    let [nonce, other] = [1, 2].map(|seed| Rng::new(seed).nonce());
    let commit = players[0].commit(&house, &moves[0], &nonce);
    let committed = sent(&mut house, &commit);
    lost(&house, &players[0].commit(&house, &moves[0], &other));
    lost(&house, &players[1].commit(&house, &moves[0], &nonce));
    house.plays(&players[1], &moves[1]);
    found(&house, &commit, committed);
    let open = players[0].open(&house, &moves[0], &nonce);
    let opened = house.send(&open)[0].seq;
    found(&house, &open, opened);
    found(&house, &commit, committed);
    let wrong = |mv: &Move, nonce| Command::Open { player: players[0].id, step: 2, mv: mv.clone(), nonce, by: None };
    lost(&house, &wrong(&moves[0], other));
    lost(&house, &wrong(&moves[1], nonce));
}

#[test]
fn what_the_server_sealed_is_no_commitment_of_the_clients() {
    let players = [Player::new(0), Player::new(1)];
    let mut house = House::playing(&Setup::migraine(), &players);
    house.plays(&players[1], &cut(0));
    let chosen = house.legal(seat(0))[0].clone();
    house.plays(&players[0], &chosen);
    let nonce = house.secrets.sealed[&seat(0)].nonce;
    lost(&house, &players[0].commit(&house, &chosen, &nonce));
}

#[test]
fn resigning() {
    let players = [Player::new(0), Player::new(1).with_key()];
    let mut house = House::playing(&Setup::migraine(), &players);
    let command = players[1].resign(&house);
    sent(&mut house, &command);
    found(&house, &players[1].resign(&house), 5);
    lost(&house, &players[0].resign(&house));
}

#[test]
fn calling_a_time_out() {
    let players = [Player::new(0), Player::new(1)];
    let mut house = House::playing(&Setup::migraine(), &players);
    lost(&house, &players[0].call_timeout());
    house.wait_until_due(1);
    let seq = sent(&mut house, &players[0].call_timeout());
    found(&house, &players[1].call_timeout(), seq);
    // Of a void too.
    let mut house = House::seated(&Setup::migraine(), &[Player::new(0).with_seed(), Player::new(1)]);
    house.wait_until_due(1);
    let seq = sent(&mut house, &players[0].call_timeout());
    found(&house, &players[1].call_timeout(), seq);
    // The end by a resignation is no time-out.
    let mut house = House::playing(&Setup::migraine(), &players);
    house.send(&players[0].resign(&house));
    lost(&house, &players[1].call_timeout());
}
