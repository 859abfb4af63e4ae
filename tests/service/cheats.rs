//! A player with two accounts and curl: what is out of turn, out of time or somebody else's is refused with its reason,
//! and changes nothing.

use serde_json::{Value, json};

use crate::app::{TestApp, spawn_app};
use crate::clients::{Client, Table, Write, two};
use crate::support::contents;

/// Sends what must be refused: the status and the code are these, and no row of the database is another one after it.
fn refused(app: &TestApp, who: &Client, write: &Write, status: u16, code: &str) -> Value {
    let before = contents(&app.database().owner_url);
    let answer = who.send(app, write);
    assert_eq!((answer.status, answer.code().as_str()), (status, code), "{write:?}: {}", answer.text());
    assert_eq!(contents(&app.database().owner_url), before, "{write:?} changed something");
    answer.json()
}

fn cut(depth: u32) -> Value {
    json!({ "type": "cut", "depth": depth })
}

/// A table of Migraine at which each sits in its own way.
fn table(app: &TestApp, ways: impl Fn([Client; 2]) -> [Client; 2]) -> Table {
    let [ana, ben] = ways(two(app));
    Table::of(app, &json!({ "kind": "migraine", "options": { "first_dealer": 0 }, "seats": 2 }), ana, ben)
}

#[test]
fn who_is_not_to_decide_decides_nothing() {
    let app = spawn_app();
    let [ana, ben] = two(&app);
    let game = ana.guest.create(&app, &json!({ "kind": "migraine", "options": { "first_dealer": 0 }, "seats": 2 }));
    refused(&app, &ana, &ana.make_move(&game, 1, &cut(0)), 403, "not_seated");
    ana.make(&app, &ana.sit(&app, &game));
    refused(&app, &ana, &ana.make_move(&game, 1, &cut(0)), 409, "not_started");
    refused(&app, &ana, &ana.resign(&app, &game), 409, "not_started");
    ben.make(&app, &ben.sit(&app, &game));
    let third = Client::new(app.guest("A third"), 0);
    refused(&app, &third, &third.sit(&app, &game), 409, "table_closed");
    // Ana deals, so Ben cuts: she can't, neither as herself nor as him.
    let told = refused(&app, &ana, &ana.make_move(&game, 1, &cut(0)), 409, "not_your_turn");
    assert!(told["legal"].as_array().is_none_or(Vec::is_empty), "{told}");
    let as_ben = Write::new("POST", format!("/v1/games/{game}/moves"), json!({ "step": 1, "move": cut(0), "seat": 1 }));
    refused(&app, &ana, &as_ben, 422, "invalid_body");
    refused(&app, &third, &ben.make_move(&game, 1, &cut(0)), 403, "not_seated");
    for write in [ben.commit(&game, 1, &cut(0)), ben.open(&game, 1, &cut(0))] {
        refused(&app, &ben, &write, 409, "not_sealed");
    }
    // What is illegal names the clause, and what would be legal.
    let told = refused(&app, &ben, &ben.make_move(&game, 1, &cut(16)), 422, "illegal_move");
    assert_eq!(told["clause"].as_str().unwrap().split('-').next(), Some("MI"), "{told}");
    assert_eq!(told["legal"], ben.view(&app, &game)["legal"]);
    for (step, after) in [(Value::Null, json!(3)), (Value::Null, Value::Null)] {
        let body = json!({ "step": step, "after": after, "move": cut(0) });
        refused(&app, &ben, &Write::new("POST", format!("/v1/games/{game}/moves"), body), 422, "invalid_step");
    }
    let body = json!({ "step": 1, "after": 2, "move": cut(0) });
    refused(&app, &ben, &Write::new("POST", format!("/v1/games/{game}/moves"), body), 422, "invalid_after");
    ben.make(&app, &ben.resign(&app, &game));
    for write in [ana.make_move(&game, 2, &cut(0)), ana.resign(&app, &game)] {
        refused(&app, &ana, &write, 409, "game_over");
    }
}

#[test]
fn a_sealed_move_is_bound_blind_and_opened_as_it_was() {
    let app = spawn_app();
    let table = table(&app, |[ana, ben]| [ana.sealing(), ben.sealing()]);
    let ([ana, ben], game) = (table.both(), &table.game);
    table.deal(&app);
    let [own, other] = [0, 1].map(|index| ana.view(&app, game)["legal"][index].clone());
    let his = table.first_legal(&app, ben);
    ana.make(&app, &ana.commit(game, 2, &own));
    // Bound is bound, also if the server were to seal; and nothing opens before all are bound.
    refused(&app, ana, &ana.commit(game, 2, &other), 409, "already_decided");
    refused(&app, ana, &ana.make_move(game, 2, &other), 409, "already_decided");
    refused(&app, ana, &ana.make_move(game, 2, &own), 409, "already_decided");
    refused(&app, ana, &ana.open(game, 2, &own), 409, "opening_too_early");
    // Ben may copy Ana's commitment, and is never able to open it: not even with her move and her nonce.
    let copy = ana.commit(game, 2, &own);
    ben.make(&app, &copy);
    refused(&app, ben, &ben.commit(game, 2, &his), 409, "already_decided");
    refused(&app, ana, &ana.open(game, 2, &other), 422, "commitment_mismatch");
    refused(&app, ana, &ana.open(game, 3, &own), 409, "wrong_step");
    let opening = ana.open(game, 2, &own);
    let mut wrong = opening.clone();
    wrong.body.as_mut().unwrap()["nonce"] = json!("5".repeat(64));
    refused(&app, ana, &wrong, 422, "commitment_mismatch");
    refused(&app, ben, &opening, 422, "commitment_mismatch");
    ana.make(&app, &opening);
    refused(&app, ben, &opening, 422, "commitment_mismatch");
    refused(&app, ben, &ben.open(game, 2, &his), 422, "commitment_mismatch");
    refused(&app, ana, &ana.open(game, 2, &other), 409, "already_decided");
    let third = Client::new(app.guest("A third"), 1);
    refused(&app, &third, &opening, 403, "not_seated");
    // He runs out of time, and that is his loss.
    app.clock.advance(24 * 3600 + 1);
    app.until("the time-out", || ana.view(&app, game)["status"] == "ended");
    let result = ana.view(&app, game)["result"].clone();
    assert_eq!((&result["winners"], &result["reason"]), (&json!([0]), &json!("forfeit")));
}

#[test]
fn who_signs_seals_and_nobody_speaks_for_a_seat_with_a_key() {
    let app = spawn_app();
    let table = table(&app, |[ana, ben]| [ana.with_key(), ben]);
    let ([ana, ben], game) = (table.both(), &table.game);
    table.deal(&app);
    let own = table.first_legal(&app, ana);
    refused(&app, ana, &ana.make_move(game, 2, &own), 422, "seal_yourself");
    // The token alone is not enough, nor is somebody else's signature, nor one over something else.
    let good = ana.commit(game, 2, &own);
    let stranger = Client { key: Some([7; 32]), ..ana.clone() };
    let other = ana.commit(game, 3, &own).body.unwrap()["by"].clone();
    for by in [Value::Null, stranger.commit(game, 2, &own).body.unwrap()["by"].clone(), other] {
        let mut forged = good.clone();
        forged.body.as_mut().unwrap()["by"] = by;
        refused(&app, ana, &forged, 422, "invalid_signature");
    }
    let mut signed = ben.make_move(game, 2, &table.first_legal(&app, ben));
    signed.body.as_mut().unwrap()["by"] = good.body.as_ref().unwrap()["by"].clone();
    refused(&app, ben, &signed, 422, "invalid_signature");
    ana.make(&app, &good);
    let unsigned = Write::new("POST", format!("/v1/games/{game}/resignation"), json!({}));
    refused(&app, ana, &unsigned, 422, "invalid_after");
}

#[test]
fn who_has_given_up_is_out_and_a_full_table_is_full() {
    let app = spawn_app();
    let host = app.guest("The host");
    let game = host.create(&app, &json!({ "kind": "generals", "options": { "dealer": 0 }, "seats": 3 }));
    let seats: Vec<Client> = (0..3).map(|seat| Client::new(app.guest(&format!("Seat {seat}")), seat)).collect();
    for client in &seats {
        client.make(&app, &client.sit(&app, &game));
    }
    let attack =
        seats[1].view(&app, &game)["legal"].as_array().unwrap().iter().find(|mv| mv["type"] == "attack").cloned();
    seats[1].make(&app, &seats[1].resign(&app, &game));
    let attack = attack.unwrap_or(json!({ "type": "attack", "target": 0, "slots": [0] }));
    for step in [1, 2] {
        refused(&app, &seats[1], &seats[1].make_move(&game, step, &attack), 409, "out_of_game");
    }
    // It sees no more than the public does.
    let (mut own, public) = (seats[1].view(&app, &game), app.get(&format!("/v1/games/{game}/view")).json());
    own["seat"] = Value::Null;
    assert_eq!(own, public);
    let anywhere = Write::new("POST", format!("/v1/games/{game}/seats"), json!({}));
    let third = Client::new(app.guest("A third"), 0);
    refused(&app, &third, &anywhere, 409, "table_closed");
}
