//! Deadlines, by a clock that the tests move (protocol, Time).

use serde_json::{Value, json};

use crate::app::{Setup, TestApp, spawn_app};
use crate::clients::{Client, Table, call_timeout, two};

/// A service that looks for time-outs so seldom that it never does while a test runs.
fn patient() -> TestApp {
    Setup { sweep_seconds: 3600, ..Setup::default() }.spawn()
}

fn cut() -> Value {
    json!({ "type": "cut", "depth": 0 })
}

fn count(types: &[String], name: &str) -> usize {
    types.iter().filter(|one| *one == name).count()
}

#[test]
fn a_move_at_the_deadline_is_in_time() {
    let app = patient();
    let table = Table::timed(&app, 60);
    app.clock.advance(60);
    table.deal(&app);
    assert_eq!(count(&table.types(&app), "timed_out"), 0);
}

#[test]
fn a_late_move_is_refused_and_the_time_out_is_logged_in_its_place() {
    let app = patient();
    let table = Table::timed(&app, 60);
    app.clock.advance_millis(60_001);
    let answer = table.ben.send(&app, &table.ben.make_move(&table.game, 1, &cut()));
    assert_eq!((answer.status, answer.code().as_str()), (409, "too_late"));
    let types = table.types(&app);
    assert_eq!(count(&types, "moved"), 0);
    assert_eq!(types[types.len() - 3..], ["timed_out", "disclosed", "ended"]);
    let view = table.ana.view(&app, &table.game);
    assert_eq!(view["result"], json!({ "winners": [0], "scores": [0, 0], "reason": "forfeit" }));
}

#[test]
fn a_seat_calls_a_time_out_once_it_is_due_and_may_repeat_the_call() {
    let app = patient();
    let table = Table::timed(&app, 60);
    let call = call_timeout(&table.game);
    app.clock.advance(60);
    let early = table.ana.send(&app, &call);
    assert_eq!((early.status, early.code().as_str()), (409, "nothing_overdue"));
    app.clock.advance_millis(1);
    let first = table.ana.make(&app, &call).json();
    assert_eq!(first["events"][0]["type"], "timed_out");
    assert_eq!(first["events"][0]["data"]["seats"], json!([1]));
    let again = table.ben.send(&app, &call);
    assert_eq!(again.status, 200);
    assert_eq!(again.json()["events"][0], first["events"][0]);
    let stranger = Client::new(app.guest("a stranger"), 0).send(&app, &call);
    assert_eq!((stranger.status, stranger.code().as_str()), (403, "not_seated"));
}

#[test]
fn two_instances_sweep_and_one_of_them_logs_the_time_out() {
    let app = spawn_app();
    let other = app.another();
    let tables: Vec<Table> = (0..5).map(|_| Table::timed(&app, 10)).collect();
    // The first sweep after the move finds the deadline moved on.
    tables[0].deal(&app);
    app.clock.advance(11);
    for table in &tables {
        app.until("the time-out", || count(&table.types(&app), "timed_out") > 0);
        assert_eq!(count(&table.types(&other), "timed_out"), 1);
    }
}

#[test]
fn a_game_whose_seed_is_missing_is_void_and_names_the_seat() {
    let app = patient();
    let [ana, ben] = two(&app);
    let (ana, ben) = (ana.with_seed(), ben.with_seed());
    let game = ana.guest.create(&app, &json!({ "kind": "migraine", "seats": 2 }));
    let early = ana.send(&app, &ana.open_seed(&game));
    assert_eq!((early.status, early.code().as_str()), (403, "not_seated"));
    ana.make(&app, &ana.sit(&app, &game));
    let early = ana.send(&app, &ana.open_seed(&game));
    assert_eq!((early.status, early.code().as_str()), (409, "seed_too_early"));
    ben.make(&app, &ben.sit(&app, &game));
    ana.make(&app, &ana.open_seed(&game));
    app.clock.advance_millis(600_001);
    let late = ben.send(&app, &ben.open_seed(&game));
    assert_eq!((late.status, late.code().as_str()), (409, "too_late"));
    let events = app.get(&format!("/v1/games/{game}/events")).json();
    let last = events["events"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["type"], "voided");
    assert_eq!(last["data"], json!({ "reason": "seed_missing", "seats": [1] }));
    assert_eq!(ana.view(&app, &game)["status"], "voided");
}

#[test]
fn openings_have_a_deadline_of_their_own() {
    let app = patient();
    let [ana, ben] = two(&app);
    let body = json!({ "kind": "migraine", "options": { "first_dealer": 0 }, "seats": 2, "move_seconds": 60 });
    let table = Table::of(&app, &body, ana.sealing(), ben.sealing());
    table.deal(&app);
    let chosen = table.both().map(|client| table.first_legal(&app, client));
    app.clock.advance(60);
    for (client, mv) in table.both().into_iter().zip(&chosen) {
        client.make(&app, &client.commit(&table.game, 2, mv));
    }
    app.clock.advance(60);
    table.ana.make(&app, &table.ana.open(&table.game, 2, &chosen[0]));
    app.clock.advance_millis(1);
    let late = table.ben.send(&app, &table.ben.open(&table.game, 2, &chosen[1]));
    assert_eq!((late.status, late.code().as_str()), (409, "too_late"));
    let events = table.events(&app);
    let timed_out = events.iter().find(|event| event["type"] == "timed_out").unwrap();
    assert_eq!(timed_out["data"]["seats"], json!([1]));
}

#[test]
fn giving_up_is_never_late_and_time_never_goes_back() {
    let app = patient();
    let table = Table::timed(&app, 60);
    app.clock.advance_millis(-3_600_000);
    table.deal(&app);
    app.clock.advance(7_200);
    table.ben.make(&app, &table.ben.resign(&app, &table.game));
    let events = table.events(&app);
    assert!(events.windows(2).all(|pair| pair[0]["at"].as_str() <= pair[1]["at"].as_str()));
    assert_eq!(events.iter().filter(|event| event["type"] == "resigned").count(), 1);
}

#[test]
fn an_open_table_where_nobody_sits_is_cancelled_after_a_day() {
    let app = spawn_app();
    let [ana, _] = two(&app);
    let game = ana.guest.create(&app, &json!({ "kind": "migraine", "seats": 2 }));
    app.clock.advance(24 * 3600 + 1);
    app.until("the void", || app.get(&format!("/v1/games/{game}")).json()["status"] == "voided");
}
