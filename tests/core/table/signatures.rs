//! Seats with a key: everything they send is signed by it, nothing is done in their name.

use croupier::event::{Actor, Body};
use croupier::games::Move;
use croupier::keys::Signature;
use croupier::table::{Command, Refusal};
use serde_json::json;

use crate::support::{House, Player, Rng, Setup, data, game_id, mv, types};

fn cut() -> Move {
    mv(json!({"type": "cut", "depth": 0}))
}

/// Both have a key and a seed; the table has closed.
fn closed() -> (House, [Player; 2]) {
    let players = [0, 1].map(|number| Player::new(number).with_key().with_seed());
    (House::seated(&Setup::migraine(), &players), players)
}

fn playing() -> (House, [Player; 2]) {
    let (mut house, players) = closed();
    players.iter().for_each(|player| drop(house.send(&player.open_seed(&house))));
    (house, players)
}

/// The same command with another signature, or none.
fn with_by(command: &Command, new: Option<Signature>) -> Command {
    let mut command = command.clone();
    match &mut command {
        Command::Sit { by, .. }
        | Command::GetUp { by, .. }
        | Command::OpenSeed { by, .. }
        | Command::Move { by, .. }
        | Command::Commit { by, .. }
        | Command::Open { by, .. }
        | Command::Resign { by, .. } => *by = new,
        Command::Start { .. } | Command::Cancel { .. } | Command::CallTimeout { .. } => panic!("unsigned"),
    }
    command
}

fn by_of(command: &Command) -> Option<Signature> {
    match command {
        Command::Sit { by, .. }
        | Command::GetUp { by, .. }
        | Command::OpenSeed { by, .. }
        | Command::Move { by, .. }
        | Command::Commit { by, .. }
        | Command::Open { by, .. }
        | Command::Resign { by, .. } => *by,
        _ => None,
    }
}

/// Takes a keyed seat through every kind of command that it can send, and shows each to `check` first.
fn every_command(mut check: impl FnMut(&House, &Player, &Command)) {
    let player = Player::new(1).with_key().with_seed();
    let other = Player::new(0).with_key();
    let mut house = House::new(&Setup::migraine());
    let mut send = |house: &mut House, command: Command| {
        check(house, &player, &command);
        house.send(&command);
    };
    let command = player.sit(&house);
    send(&mut house, command);
    let command = player.get_up(&house);
    send(&mut house, command);
    house.send(&player.sit(&house));
    house.send(&other.sit(&house));
    let command = player.open_seed(&house);
    send(&mut house, command);
    let command = player.decide(&house, &cut());
    send(&mut house, command);
    let nonce = Rng::new(3).nonce();
    let moves = [&other, &player].map(|player| house.legal(player.seat)[0].clone());
    house.send(&other.commit(&house, &moves[0], &nonce));
    let command = player.commit(&house, &moves[1], &nonce);
    send(&mut house, command);
    let command = player.open(&house, &moves[1], &nonce);
    send(&mut house, command);
    let command = player.resign(&house);
    send(&mut house, command);
}

#[test]
fn every_event_of_a_keyed_seat_bears_its_signature() {
    let mut kinds = 0;
    every_command(|house, player, command| {
        let event = house.ask(command).unwrap().bodies.remove(0);
        let (Actor::Seat(seat), body) = event else { panic!("not the seat's") };
        let key = player.key().unwrap().public();
        assert!(body.is_signed_by(house.table.game(), seat, Some(&key)));
        assert!(!body.is_signed_by(house.table.game(), Player::new(0).seat, Some(&key)), "another seat");
        assert!(!body.is_signed_by(game_id(2), seat, Some(&key)), "another game");
        assert!(!body.is_signed_by(house.table.game(), seat, None), "as if the seat had no key");
        kinds += 1;
    });
    assert_eq!(kinds, 7);
}

#[test]
fn a_missing_or_wrong_signature_is_refused() {
    every_command(|house, player, command| {
        let strange = Player::new(5).with_key().key().unwrap().sign(b"something");
        let own = player.key().unwrap().sign(b"something");
        for by in [None, Some(strange), Some(own)] {
            let refusal = house.refusal(&with_by(command, by));
            assert!(matches!(refusal, Refusal::Signature(_)), "{command:?}: {refusal}");
        }
    });
}

#[test]
fn a_signature_is_good_for_its_own_command_only() {
    let mut signatures: Vec<Signature> = Vec::new();
    every_command(|house, _, command| {
        for other in &signatures {
            let refusal = house.refusal(&with_by(command, Some(*other)));
            assert!(matches!(refusal, Refusal::Signature(_)), "{command:?}");
        }
        signatures.push(by_of(command).unwrap());
    });
    assert_eq!(signatures.len(), 7);
}

#[test]
fn no_signature_occurs_twice_in_a_game() {
    let mut house = House::new(&Setup::migraine());
    let player = Player::new(1).with_key();
    // Sat down knowing event 0, got up knowing event 0: both could be sent once more.
    let (sit, get_up) = (player.sit(&house), player.get_up(&house));
    house.send(&sit);
    house.send(&get_up);
    assert!(matches!(house.refusal(&sit), Refusal::Signature(_)), "sitting down again");
    house.send(&player.sit(&house));
    assert!(matches!(house.refusal(&get_up), Refusal::Signature(_)), "getting up again");
    house.send(&player.get_up(&house));
    house.send(&player.sit(&house));
    assert_eq!(types(&house.events), ["created", "seated", "left", "seated", "left", "seated"]);
}

#[test]
fn a_seat_without_a_key_bears_no_signature() {
    let players = [Player::new(0), Player::new(1)];
    let house = House::playing(&Setup::migraine(), &players);
    let by = Player::new(1).with_key().key().unwrap().sign(b"something");
    let command = with_by(&players[1].decide(&house, &cut()), Some(by));
    assert!(matches!(house.refusal(&command), Refusal::Signature(_)));
    let command = with_by(&players[0].resign(&house), Some(by));
    assert!(matches!(house.refusal(&command), Refusal::Signature(_)));
}

#[test]
fn the_server_seals_nothing_for_a_seat_with_a_key() {
    let (mut house, [dealer, pone]) = playing();
    house.plays(&pone, &cut());
    for player in [&dealer, &pone] {
        let chosen = house.legal(player.seat)[0].clone();
        assert_eq!(house.refusal(&player.decide(&house, &chosen)), Refusal::SealYourself);
    }
    assert!(house.secrets.sealed.is_empty());
}

#[test]
fn what_has_no_step_says_which_event_its_sender_knew_last() {
    let mut house = House::new(&Setup::migraine());
    let player = Player::new(1).with_key();
    let with_after = |command: &Command, new: Option<u64>| {
        let mut command = command.clone();
        match &mut command {
            Command::Sit { after, .. } | Command::GetUp { after, .. } | Command::Resign { after, .. } => *after = new,
            _ => panic!("this has no after"),
        }
        command
    };
    let check = |house: &House, command: &Command| {
        assert!(matches!(house.refusal(&with_after(command, None)), Refusal::AfterForm(_)), "null with a key");
        let newest = house.table.seq();
        for after in [newest + 1, u64::MAX] {
            assert!(matches!(house.refusal(&with_after(command, Some(after))), Refusal::AfterForm(_)), "the future");
        }
    };
    check(&house, &player.sit(&house));
    house.send(&player.sit(&house));
    check(&house, &player.get_up(&house));
    house.send(&Player::new(0).sit(&house));
    check(&house, &player.resign(&house));
    let events = house.send(&player.resign(&house));
    assert_eq!(data(&events[0])["after"], house.events.len() as u64 - 4);
    let Body::Resigned(resigned) = &events[0].body else { panic!("not resigned") };
    assert!(resigned.after.unwrap() < events[0].seq);
}

#[test]
fn without_a_key_after_is_what_the_sender_gave_and_may_be_nothing() {
    for after in [None, Some(0), Some(1)] {
        let mut house = House::playing(&Setup::migraine(), &[Player::new(0), Player::new(1)]);
        let events = house.send(&Command::Resign { player: Player::new(0).id, after, by: None });
        assert_eq!(data(&events[0])["after"], json!(after));
    }
}

#[test]
fn a_decision_has_a_step_and_no_after() {
    let players = [Player::new(0), Player::new(1)];
    let house = House::playing(&Setup::migraine(), &players);
    let command = |step, after| Command::Move { player: players[1].id, step, after, mv: cut(), by: None };
    assert!(matches!(house.refusal(&command(None, None)), Refusal::StepForm(_)));
    assert!(matches!(house.refusal(&command(None, Some(1))), Refusal::StepForm(_)));
    assert!(matches!(house.refusal(&command(Some(1), Some(1))), Refusal::AfterForm(_)));
    assert!(house.ask(&command(Some(1), None)).is_ok());
}

#[test]
fn a_seed_is_opened_under_the_seats_own_signature() {
    let (house, players) = closed();
    let command = with_by(&players[0].open_seed(&house), None);
    assert!(matches!(house.refusal(&command), Refusal::Signature(_)));
    assert!(house.ask(&players[0].open_seed(&house)).is_ok());
}
