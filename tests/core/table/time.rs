//! Deadlines: what is due when, what is late, and what the log says about it.

use croupier::games::Move;
use croupier::table::{Command, Refusal, Status};
use croupier::timestamp::Timestamp;
use serde_json::json;

use crate::support::{House, Player, Rng, Setup, data, moment, mv, seat, types};

const DAY: i64 = 24 * 3600 * 1000;

fn players() -> [Player; 2] {
    [Player::new(0), Player::new(1)]
}

fn table(move_seconds: Option<u32>) -> House {
    House::playing(&Setup { move_seconds, ..Setup::migraine() }, &players())
}

/// How long a decision and an opening may take.
const ALLOWED: [(Option<u32>, i64, i64); 3] =
    [(None, 30 * DAY, DAY), (Some(10), 10_000, 10_000), (Some(604_800), 7 * DAY, 7 * DAY)];

fn cut() -> Move {
    mv(json!({"type": "cut", "depth": 0}))
}

fn choice(house: &House, number: usize) -> Move {
    house.legal(seat(number))[0].clone()
}

fn after(at: Timestamp, millis: i64) -> Option<Timestamp> {
    Some(Timestamp::from_millis(at.millis() + millis).unwrap())
}

#[test]
fn a_decision_is_made_at_its_deadline_but_not_a_millisecond_later() {
    let [_, pone] = players();
    for (move_seconds, decision, _) in ALLOWED {
        let mut house = table(move_seconds);
        assert_eq!(house.table.due_at(), Some(moment(decision)));
        house.wait_until_due(0);
        assert_eq!(house.refusal(&pone.call_timeout()), Refusal::NothingOverdue);
        assert!(house.ask(&pone.decide(&house, &cut())).is_ok());
        house.wait(1);
        assert_eq!(house.refusal(&pone.decide(&house, &cut())), Refusal::TooLate);
        let events = house.send(&pone.call_timeout());
        assert_eq!(types(&events), ["timed_out", "disclosed", "ended"]);
        assert_eq!(data(&events[0])["step"], 1);
        assert_eq!(data(&events[0])["seats"], json!([1]));
        assert!(events.iter().all(|event| event.at == moment(decision + 1)));
    }
}

#[test]
fn a_commitment_is_made_at_the_decisions_deadline_but_not_a_millisecond_later() {
    let [dealer, pone] = players();
    for (move_seconds, decision, _) in ALLOWED {
        let mut house = table(move_seconds);
        house.wait(2000);
        house.plays(&pone, &cut());
        let asked = house.now;
        assert_eq!(house.table.due_at(), after(asked, decision), "due from the event that finished the one before");
        house.wait(3000);
        house.plays(&dealer, &choice(&house, 0));
        assert_eq!(house.table.due_at(), after(asked, decision), "the other's commitment does not move it");
        house.wait_until_due(0);
        let commit = pone.commit(&house, &choice(&house, 1), &Rng::new(1).nonce());
        let plain = pone.decide(&house, &choice(&house, 1));
        assert!(house.ask(&commit).is_ok() && house.ask(&plain).is_ok());
        house.wait(1);
        assert_eq!(house.refusal(&commit), Refusal::TooLate);
        assert_eq!(house.refusal(&plain), Refusal::TooLate);
        let events = house.send(&dealer.call_timeout());
        assert_eq!(data(&events[0])["seats"], json!([1]), "exactly the seats that still owe");
    }
}

#[test]
fn an_opening_has_a_deadline_of_its_own_after_the_steps_last_commitment() {
    let [dealer, pone] = players();
    let nonce = Rng::new(1).nonce();
    for (move_seconds, decision, opening) in ALLOWED {
        let mut house = table(move_seconds);
        house.plays(&pone, &cut());
        let moves = [choice(&house, 0), choice(&house, 1)];
        house.wait(1000);
        house.send(&dealer.commit(&house, &moves[0], &nonce));
        assert_eq!(house.table.due_at(), Some(moment(decision)));
        house.wait_until_due(0);
        house.send(&pone.commit(&house, &moves[1], &nonce));
        let bound = house.now;
        assert_eq!(house.table.due_at(), after(bound, opening));
        house.wait(2000);
        house.send(&pone.open(&house, &moves[1], &nonce));
        assert_eq!(house.table.due_at(), after(bound, opening), "the other's opening does not move it");
        house.wait_until_due(0);
        assert_eq!(house.refusal(&pone.call_timeout()), Refusal::NothingOverdue);
        assert!(house.ask(&dealer.open(&house, &moves[0], &nonce)).is_ok());
        house.wait(1);
        assert_eq!(house.refusal(&dealer.open(&house, &moves[0], &nonce)), Refusal::TooLate);
        let events = house.send(&Command::CallTimeout { player: None });
        assert_eq!(types(&events), ["timed_out", "disclosed", "ended"]);
        assert_eq!(data(&events[0])["seats"], json!([0]));
    }
}

#[test]
fn who_bound_itself_and_does_not_open_is_late_even_if_that_is_everybody() {
    let [dealer, pone] = players();
    let nonce = Rng::new(1).nonce();
    let mut house = table(Some(60));
    house.plays(&pone, &cut());
    for player in players() {
        house.send(&player.commit(&house, &choice(&house, player.seat.index()), &nonce));
    }
    house.wait_until_due(1);
    let events = house.send(&dealer.call_timeout());
    assert_eq!(data(&events[0])["seats"], json!([0, 1]));
    assert_eq!(data(&events[2])["result"], json!({"winners": [], "scores": [0, 0], "reason": "forfeit"}));
}

#[test]
fn the_next_decision_is_due_from_the_opening_that_finished_the_one_before() {
    let [dealer, pone] = players();
    let mut house = table(Some(60));
    house.plays(&pone, &cut());
    house.wait(100);
    house.plays(&pone, &choice(&house, 1));
    house.wait(200);
    house.plays(&dealer, &choice(&house, 0));
    assert_eq!(house.table.due_at(), Some(moment(60_300)));
}

#[test]
fn a_time_out_is_called_by_any_seat_or_found_by_the_server_but_not_by_strangers() {
    let mut house = table(Some(10));
    house.wait_until_due(1);
    assert_eq!(house.refusal(&Player::new(9).call_timeout()), Refusal::NotSeated);
    for player in [None, Some(players()[0].id), Some(players()[1].id)] {
        assert!(house.ask(&Command::CallTimeout { player }).is_ok());
    }
    house.send(&Command::CallTimeout { player: None });
    assert_eq!(house.refusal(&players()[0].call_timeout()), Refusal::Over);
    assert_eq!(house.table.due_at(), None);
    assert_eq!(house.table.step(), None);
}

#[test]
fn an_open_table_waits_forever() {
    let mut house = House::seated(&Setup { move_seconds: Some(10), ..Setup::migraine() }, &[Player::new(0)]);
    assert_eq!(house.table.due_at(), None);
    house.wait(1000 * DAY);
    assert_eq!(house.refusal(&Player::new(0).call_timeout()), Refusal::NothingOverdue);
    assert_eq!(house.refusal(&Command::CallTimeout { player: None }), Refusal::NothingOverdue);
}

#[test]
fn a_resignation_is_never_late() {
    for (late, winner) in [(0, 1), (1, 0)] {
        let mut house = table(Some(10));
        house.wait_until_due(5000);
        let events = house.send(&players()[late].resign(&house));
        assert_eq!(types(&events), ["resigned", "disclosed", "ended"]);
        assert_eq!(data(&events[2])["result"]["winners"], json!([winner]));
    }
}

#[test]
fn the_log_never_goes_back_in_time() {
    let [_, pone] = players();
    let mut house = table(Some(60));
    house.wait(20_000);
    house.plays(&pone, &cut());
    // The clock is set back: an event bears the time of the one before, and is judged by it.
    house.now = moment(5000);
    let events = house.plays(&pone, &choice(&house, 1));
    assert_eq!(events[0].at, moment(20_000));
    house.now = moment(80_001);
    assert_eq!(house.refusal(&players()[0].decide(&house, &choice(&house, 0))), Refusal::TooLate);
    house.send(&pone.call_timeout());
    house.now = moment(0);
    assert_eq!(house.table.status(), Status::Ended);
}

#[test]
fn no_deadline_falls_before_the_moment_that_the_table_names() {
    let [dealer, pone] = players();
    let mut house = table(None);
    house.plays(&pone, &cut());
    house.wait(29 * DAY);
    let promised = house.table.no_deadline_before(house.now).unwrap();
    let nonce = Rng::new(1).nonce();
    let moves = [choice(&house, 0), choice(&house, 1)];
    house.send(&dealer.commit(&house, &moves[0], &nonce));
    house.send(&pone.commit(&house, &moves[1], &nonce));
    assert!(house.table.due_at().unwrap() >= promised);
    assert_eq!(promised, moment(30 * DAY), "the opening's deadline and the decision's are the same here");
    house.send(&pone.resign(&house));
    assert_eq!(house.table.no_deadline_before(house.now), None);
}
