//! Players' seeds: committed on sitting down, opened once the table closed.

use croupier::hex32::PlayerSeed;
use croupier::table::{Awaits, Command, Refusal, Status};
use serde_json::json;

use crate::support::{House, Player, Setup, data, moment, seat, types};

/// Both players contribute a seed; the table has closed.
fn closed() -> (House, [Player; 2]) {
    let players = [Player::new(0).with_seed(), Player::new(1).with_seed()];
    (House::seated(&Setup::migraine(), &players), players)
}

#[test]
fn the_closed_event_says_until_when_seeds_must_be_opened() {
    // Ten minutes, or move_seconds if that is shorter.
    for (move_seconds, millis) in [(None, 600_000), (Some(10), 10_000), (Some(599), 599_000), (Some(604_800), 600_000)]
    {
        let setup = Setup { move_seconds, ..Setup::migraine() };
        let house = House::seated(&setup, &[Player::new(0), Player::new(1).with_seed()]);
        assert_eq!(house.table.status(), Status::Closed);
        let closed = house.events.last().unwrap();
        assert_eq!(data(closed), json!({"seats": 2, "open_by": moment(millis)}));
        assert_eq!(house.table.due_at(), Some(moment(millis)));
        assert_eq!(house.table.to_act(), [seat(1)], "only who committed owes a seed");
        assert_eq!(house.table.view(None).awaits, Some(Awaits::Seed));
    }
}

#[test]
fn the_append_that_holds_the_last_seed_starts_the_game() {
    let (mut house, [ana, bo]) = closed();
    assert_eq!(types(&house.send(&bo.open_seed(&house))), ["seed_opened"]);
    assert_eq!(house.table.to_act(), [seat(0)]);
    house.wait(5);
    let events = house.send(&ana.open_seed(&house));
    assert_eq!(types(&events), ["seed_opened", "started"]);
    assert!(events.iter().all(|event| event.at == moment(5)));
    assert_eq!(house.table.seeds_opened(), [seat(0), seat(1)]);
}

#[test]
fn a_seed_is_refused_before_closed() {
    let player = Player::new(0).with_seed();
    let house = House::seated(&Setup::migraine(), std::slice::from_ref(&player));
    assert_eq!(house.refusal(&player.open_seed(&house)), Refusal::NotClosed);
}

#[test]
fn a_seed_that_does_not_open_the_commitment_is_refused() {
    let (mut house, [ana, bo]) = closed();
    let other = PlayerSeed::new([7; 32]);
    let wrong = |player: &Player, seed| Command::OpenSeed { player: player.id, seed, by: None };
    assert_eq!(house.refusal(&wrong(&ana, other)), Refusal::SeedMismatch);
    assert_eq!(house.refusal(&wrong(&ana, bo.seed.unwrap())), Refusal::SeedMismatch, "the other's");
    house.send(&ana.open_seed(&house));
    for seed in [ana.seed.unwrap(), other] {
        assert_eq!(house.refusal(&wrong(&ana, seed)), Refusal::SeedAlreadyOpened);
    }
}

#[test]
fn who_committed_to_no_seed_opens_none() {
    let ana = Player::new(0);
    let mut house = House::seated(&Setup::migraine(), &[ana.clone(), Player::new(1).with_seed()]);
    let command = Command::OpenSeed { player: ana.id, seed: PlayerSeed::new([1; 32]), by: None };
    assert_eq!(house.refusal(&command), Refusal::NoSeedCommitted);
    house.send(&Player::new(1).with_seed().open_seed(&house));
    assert_eq!(house.table.status(), Status::Playing);
    assert_eq!(house.refusal(&command), Refusal::NoSeedCommitted);
    assert_eq!(house.refusal(&Player::new(1).with_seed().open_seed(&house)), Refusal::SeedAlreadyOpened);
    assert_eq!(house.table.seeds_opened(), [seat(1)]);
}

#[test]
fn a_seed_comes_at_its_deadline_but_not_a_millisecond_later() {
    let (mut house, [ana, bo]) = closed();
    house.wait_until_due(0);
    assert_eq!(house.refusal(&ana.call_timeout()), Refusal::NothingOverdue);
    house.send(&ana.open_seed(&house));
    house.wait(1);
    assert_eq!(house.refusal(&bo.open_seed(&house)), Refusal::TooLate);
    let events = house.send(&ana.call_timeout());
    assert_eq!(types(&events), ["voided"]);
    assert_eq!(data(&events[0]), json!({"reason": "seed_missing", "seats": [1]}));
    assert_eq!(house.table.status(), Status::Voided);
    assert_eq!(house.refusal(&bo.open_seed(&house)), Refusal::Over);
    assert_eq!(house.refusal(&bo.call_timeout()), Refusal::Over);
}

#[test]
fn a_void_names_every_seat_that_withheld_its_seed() {
    let (mut house, _) = closed();
    house.wait_until_due(1);
    let events = house.send(&Command::CallTimeout { player: None });
    assert_eq!(data(&events[0]), json!({"reason": "seed_missing", "seats": [0, 1]}));
    assert_eq!(house.table.result(), None);
    assert_eq!(house.table.places().iter().filter(|(_, place)| place.is_some()).count(), 2);
}

#[test]
fn the_seeds_are_part_of_every_draw() {
    let middle = |players: [Player; 2]| {
        let mut house = House::playing(&Setup::migraine(), &players);
        let cut = crate::support::mv(json!({"type": "cut", "depth": 0}));
        house.plays(&players[1], &cut);
        serde_json::to_value(house.view(seat(1)).state).unwrap()["hands"][1].clone()
    };
    let without = middle([Player::new(0), Player::new(1)]);
    let with = middle([Player::new(0).with_seed(), Player::new(1)]);
    let with_another = middle([Player::new(0).with_this_seed([3; 32]), Player::new(1)]);
    let from_the_other = middle([Player::new(0), Player::new(1).with_this_seed([3; 32])]);
    let all = [without, with, with_another, from_the_other];
    for (i, one) in all.iter().enumerate() {
        assert!(all[i + 1..].iter().all(|other| one != other));
    }
}
