//! Sitting down, getting up, closing, calling off.

use croupier::event::PlayerRef;
use croupier::table::{Awaits, Command, Refusal, Status};
use serde_json::json;

use crate::support::{House, Player, Setup, data, player_id, seat, types};

fn house() -> House {
    House::new(&Setup::migraine())
}

/// Sits down anywhere.
fn anywhere(player: &Player) -> Command {
    let player = PlayerRef { id: player.id, name: player.name.clone() };
    Command::Sit { player, seat: None, seed_commitment: None, key: None, after: None, by: None }
}

#[test]
fn a_new_game_is_open_and_its_first_event_says_what_was_agreed() {
    let setup = Setup::migraine();
    let house = House::new(&setup);
    assert_eq!(house.table.status(), Status::Open);
    assert_eq!(house.table.view(None).awaits, Some(Awaits::Seats));
    assert_eq!(types(&house.events), ["created"]);
    let event = &house.events[0];
    assert_eq!((event.seq, event.prev), (0, croupier::hex32::Hash::ZERO));
    let created = data(event);
    assert_eq!(created["protocol"], 1);
    assert_eq!(created["chain"], 4096);
    assert_eq!(created["seats"], json!({"min": 2, "max": 2}));
    assert_eq!(created["options"], json!({"target": 15, "first_dealer": 0}));
    assert_eq!(created["move_seconds"], json!(null));
}

#[test]
fn a_game_that_could_not_start_is_not_created() {
    for places in [0, 1, 3, 20] {
        let setup = Setup { places, ..Setup::migraine() };
        let chain = croupier::seed_chain::SeedChain::new(&setup.root);
        let created = setup.created(&chain);
        let result = croupier::table::Table::open_new(crate::support::game_id(1), created, crate::support::moment(0));
        assert!(matches!(result, Err(Refusal::CantStart(_))), "{places} places");
    }
}

#[test]
fn a_player_sits_down_on_the_seat_it_names_or_on_the_first_that_is_free() {
    let mut house = house();
    let events = house.send(&Player::new(1).sit(&house));
    assert_eq!(types(&events), ["seated"]);
    assert_eq!(events[0].actor, croupier::event::Actor::Seat(seat(1)));
    assert_eq!(
        data(&events[0]),
        json!({
            "player": {"id": player_id(1), "name": "player 1"},
            "seed_commitment": null, "key": null, "after": null, "by": null,
        })
    );
    let events = house.send(&anywhere(&Player::new(7)));
    assert_eq!(events[0].actor, croupier::event::Actor::Seat(seat(0)));
}

#[test]
fn a_seat_is_one_players_and_a_player_has_one_seat() {
    let mut house = house();
    house.send(&Player::new(0).sit(&house));
    assert_eq!(house.refusal(&Player::new(5).on(0).sit(&house)), Refusal::SeatTaken);
    assert_eq!(house.refusal(&Player::new(0).on(1).sit(&house)), Refusal::AlreadySeated(seat(0)));
    assert_eq!(house.refusal(&anywhere(&Player::new(0))), Refusal::AlreadySeated(seat(0)));
    assert_eq!(house.refusal(&Player::new(5).on(2).sit(&house)), Refusal::NoSuchSeat);
    assert_eq!(house.refusal(&Player::new(5).on(19).sit(&house)), Refusal::NoSuchSeat);
}

#[test]
fn a_commitment_or_a_key_is_bound_to_a_seat_so_the_seat_is_named() {
    let house = house();
    for player in [Player::new(0).with_key(), Player::new(0).with_seed()] {
        let mut command = player.sit(&house);
        if let Command::Sit { seat, .. } = &mut command {
            *seat = None;
        }
        assert_eq!(house.refusal(&command), Refusal::SeatNotNamed);
    }
}

#[test]
fn who_gets_up_leaves_the_seat_free_and_may_sit_down_again() {
    let mut house = house();
    let ana = Player::new(0);
    house.send(&ana.sit(&house));
    let events = house.send(&ana.get_up(&house));
    assert_eq!(types(&events), ["left"]);
    assert_eq!(data(&events[0]), json!({"after": null, "by": null}));
    assert_eq!(house.table.seat_of(ana.id), None);
    assert_eq!(house.refusal(&ana.get_up(&house)), Refusal::NotSeated);
    house.send(&Player::new(4).on(0).sit(&house));
    house.send(&ana.on(1).sit(&house));
    assert_eq!(house.table.status(), Status::Playing);
}

#[test]
fn a_full_table_closes_by_itself_in_the_same_append() {
    let mut house = house();
    house.send(&Player::new(0).sit(&house));
    house.wait(1234);
    let events = house.send(&Player::new(1).sit(&house));
    assert_eq!(types(&events), ["seated", "closed", "started"]);
    assert_eq!(data(&events[1]), json!({"seats": 2, "open_by": null}), "nobody committed to a seed");
    assert!(events.iter().all(|event| event.at == house.now));
}

#[test]
fn nobody_sits_down_or_gets_up_once_the_table_closed() {
    let waiting = House::seated(&Setup::migraine(), &[Player::new(0).with_seed(), Player::new(1)]);
    let playing = House::playing(&Setup::migraine(), &[Player::new(0), Player::new(1)]);
    for house in [waiting, playing] {
        assert_eq!(house.refusal(&Player::new(0).get_up(&house)), Refusal::NotOpen);
        assert_eq!(house.refusal(&anywhere(&Player::new(9))), Refusal::NotOpen);
        assert_eq!(house.refusal(&Command::Cancel { player: Some(player_id(0)) }), Refusal::NotOpen);
        assert_eq!(house.refusal(&Command::Cancel { player: None }), Refusal::NotOpen);
        assert_eq!(house.refusal(&Command::Start { player: player_id(0) }), Refusal::NotOpen);
    }
}

#[test]
fn only_the_host_starts_and_not_with_too_few() {
    let mut house = house();
    let start = |number| Command::Start { player: player_id(number) };
    assert_eq!(house.refusal(&start(1)), Refusal::NotHost);
    assert!(matches!(house.refusal(&start(0)), Refusal::CantStart(why) if why.starts_with("0 of at least 2")));
    house.send(&Player::new(1).sit(&house));
    assert!(matches!(house.refusal(&start(0)), Refusal::CantStart(why) if why.starts_with("1 of at least 2")));
    assert_eq!(house.refusal(&start(1)), Refusal::NotHost, "a seat does not make a host");
}

#[test]
fn the_host_calls_an_open_game_off_and_nobody_else_does() {
    let mut house = house();
    house.send(&Player::new(1).sit(&house));
    assert_eq!(house.refusal(&Command::Cancel { player: Some(player_id(1)) }), Refusal::NotHost);
    assert_eq!(house.refusal(&Command::Cancel { player: None }), Refusal::NothingOverdue, "somebody sits there");
    let events = house.send(&Command::Cancel { player: Some(player_id(0)) });
    assert_eq!(types(&events), ["voided"]);
    assert_eq!(data(&events[0]), json!({"reason": "cancelled", "seats": []}));
    assert_eq!(house.table.status(), Status::Voided);
    assert_eq!(house.table.view(None).awaits, None);
    assert_eq!(house.table.seat_of(player_id(1)), Some(seat(1)), "who sat there can still be told");
    for command in [
        Player::new(0).sit(&house),
        Player::new(1).get_up(&house),
        Command::Start { player: player_id(0) },
        Command::Cancel { player: Some(player_id(0)) },
    ] {
        assert_eq!(house.refusal(&command), Refusal::Over);
    }
}

#[test]
fn the_server_calls_off_a_game_that_everybody_left() {
    let mut house = house();
    house.send(&Player::new(1).sit(&house));
    house.send(&Player::new(1).get_up(&house));
    assert_eq!(types(&house.send(&Command::Cancel { player: None })), ["voided"]);
}

#[test]
fn nothing_is_played_before_the_start() {
    let waiting = House::seated(&Setup::migraine(), &[Player::new(0).with_seed(), Player::new(1)]);
    let open = House::seated(&Setup::migraine(), &[Player::new(1)]);
    for house in [open, waiting] {
        let cut = crate::support::mv(json!({"type": "cut", "depth": 0}));
        let player = Player::new(1);
        assert_eq!(house.refusal(&player.decide_at(&house, 1, &cut)), Refusal::NotStarted);
        assert_eq!(house.refusal(&player.resign(&house)), Refusal::NotStarted);
        assert_eq!(house.table.step(), None);
        assert_eq!(house.legal(seat(1)), []);
    }
}

#[test]
fn who_has_no_seat_does_nothing_in_a_game() {
    let house = House::playing(&Setup::migraine(), &[Player::new(0), Player::new(1)]);
    let stranger = Player::new(8).on(1);
    let cut = crate::support::mv(json!({"type": "cut", "depth": 0}));
    for command in [stranger.decide(&house, &cut), stranger.resign(&house), stranger.call_timeout()] {
        assert_eq!(house.refusal(&command), Refusal::NotSeated);
    }
}
