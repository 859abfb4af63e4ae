//! Sitting down, getting up, calling off, starting, and seeds.

use serde_json::{Value, json};

use crate::app::{Guest, TestApp, spawn_app};
use crate::clients::{Client, Table, two};
use crate::http::Answer;

fn code(answer: &Answer) -> (u16, String) {
    (answer.status, answer.code())
}

fn sit(app: &TestApp, who: &Guest, game: &str, body: &Value) -> Answer {
    who.post(app, &format!("/v1/games/{game}/seats"), body)
}

fn delete(app: &TestApp, who: &Guest, path: &str) -> Answer {
    app.call("DELETE", path, Some(&who.token), None)
}

fn start(app: &TestApp, who: &Guest, game: &str) -> Answer {
    app.call("POST", &format!("/v1/games/{game}/start"), Some(&who.token), None)
}

fn types(answer: &Answer) -> Vec<String> {
    let receipt = answer.json();
    receipt["events"].as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

/// A table with more places than players.
fn large(app: &TestApp, host: &Guest) -> String {
    host.create(app, &json!({ "kind": "tau_heed_kept", "seats": 4 }))
}

#[test]
fn ana_has_one_seat_however_often_she_sits_down() {
    let app = spawn_app();
    let [ana, ben] = two(&app).map(|client| client.guest);
    let game = large(&app, &ana);
    let first = sit(&app, &ana, &game, &json!({ "seat": 2 }));
    assert_eq!((first.status, types(&first)), (201, vec!["seated".to_owned()]));
    assert_eq!(first.json()["view"]["seat"], 2);
    for body in [json!({ "seat": 2 }), json!({}), json!({ "seat": null, "seed_commitment": null }), json!(null)] {
        let again = sit(&app, &ana, &game, &body);
        assert_eq!((again.status, again.json()), (200, first.json()), "{body}");
    }
    let bare = app.call("POST", &format!("/v1/games/{game}/seats"), Some(&ana.token), None);
    assert_eq!((bare.status, bare.json()), (200, first.json()));
    // Another seat, or another commitment, is no repeat.
    for body in [json!({ "seat": 0 }), json!({ "seat": 2, "seed_commitment": "0f".repeat(32) })] {
        assert_eq!(code(&sit(&app, &ana, &game, &body)), (409, "already_seated".to_owned()), "{body}");
    }
    // Ben gets the first free seat, and not hers.
    assert_eq!(code(&sit(&app, &ben, &game, &json!({ "seat": 2 }))), (409, "seat_taken".to_owned()));
    assert_eq!(code(&sit(&app, &ben, &game, &json!({ "seat": 4 }))), (422, "no_such_seat".to_owned()));
    assert_eq!(code(&sit(&app, &ben, &game, &json!({ "seat": 20 }))), (422, "invalid_body".to_owned()));
    assert_eq!(sit(&app, &ben, &game, &json!({})).json()["view"]["seat"], 0);
    // A commitment is bound to a seat, and so is a key.
    let cleo = app.guest("Cleo");
    for body in
        [json!({ "seed_commitment": "0f".repeat(32) }), json!({ "key": "25tNVFtxPwJg81Dvs3uWNzodRA6TcqW19TS9dU21XlA" })]
    {
        assert_eq!(code(&sit(&app, &cleo, &game, &body)), (422, "seat_not_named".to_owned()), "{body}");
    }
    // One who gave nothing to check by sends nothing that would be checked.
    let by = "L04talY4pEs7xnd_wcQ6FSP9Xec9GqF7RPaLv_QrpEj3XktICZi4tnd7Ljb5SH8f7F-UeVc-39MZo9z8a6j_CA";
    assert_eq!(code(&sit(&app, &cleo, &game, &json!({ "by": by }))), (422, "invalid_signature".to_owned()));
    assert_eq!(code(&sit(&app, &cleo, &game, &json!({ "after": 3 }))), (422, "invalid_after".to_owned()));
    assert_eq!(app.get(&format!("/v1/games/{game}")).json()["seq"], 2);
}

#[test]
fn ana_gets_up_and_sits_down_elsewhere() {
    let app = spawn_app();
    let ana = app.guest("Ana");
    let game = large(&app, &ana);
    let me = format!("/v1/games/{game}/seats/me");
    assert_eq!(code(&delete(&app, &ana, &me)), (403, "not_seated".to_owned()));
    sit(&app, &ana, &game, &json!({ "seat": 1 }));
    let first = delete(&app, &ana, &me);
    assert_eq!(
        (first.status, types(&first), &first.json()["view"]["seat"]),
        (201, vec!["left".to_owned()], &json!(null))
    );
    let again = delete(&app, &ana, &me);
    assert_eq!((again.status, again.json()), (200, first.json()));
    assert_eq!(app.get(&format!("/v1/games/{game}")).json()["players"], json!([]));
    let back = sit(&app, &ana, &game, &json!({ "seat": 1, "after": 2 }));
    assert_eq!((back.status, &back.json()["events"][0]["seq"]), (201, &json!(3)));
    assert_eq!(
        delete(&app, &ana, &format!("{me}?after=3")).json()["events"][0]["data"],
        json!({ "after": 3, "by": null })
    );
}

#[test]
fn a_seat_with_a_key_signs_sitting_and_getting_up() {
    let app = spawn_app();
    let [ana, ben] = two(&app);
    let ana = ana.with_key();
    let game = ben.guest.create(&app, &json!({ "kind": "migraine", "seats": 2 }));
    let write = ana.sit(&app, &game);
    let body = write.body.clone().unwrap();
    let with = |field: &str, value: Value| {
        let mut body = body.clone();
        body[field] = value;
        code(&sit(&app, &ana.guest, &game, &body))
    };
    assert_eq!(with("by", json!(null)), (422, "invalid_signature".to_owned()));
    assert_eq!(with("seat", json!(1)), (422, "invalid_signature".to_owned()));
    assert_eq!(with("seed_commitment", json!("0f".repeat(32))), (422, "invalid_signature".to_owned()));
    assert_eq!(with("after", json!(null)), (422, "invalid_after".to_owned()));
    assert_eq!(with("after", json!(1)), (422, "invalid_after".to_owned()));
    // A key of small order, and one that is no point in its one spelling.
    assert_eq!(with("key", json!("AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")), (422, "invalid_body".to_owned()));
    assert_eq!(with("key", json!("7v______________________________________38")), (422, "invalid_body".to_owned()));
    let seated = ana.make(&app, &write).json()["events"][0]["data"].clone();
    assert_eq!((&seated["by"], &seated["key"], &seated["after"]), (&body["by"], &body["key"], &json!(0)));
    assert_eq!(ana.send(&app, &write).status, 200);

    let me = format!("/v1/games/{game}/seats/me");
    assert_eq!(code(&delete(&app, &ana.guest, &me)), (422, "invalid_after".to_owned()));
    assert_eq!(code(&delete(&app, &ana.guest, &format!("{me}?after=1"))), (422, "invalid_signature".to_owned()));
    let get_up = ana.get_up(&app, &game);
    ana.make(&app, &get_up);
    assert_eq!(ana.send(&app, &get_up).status, 200);
    // What was signed once can't be used again by whoever has seen it: the log is public.
    assert_eq!(code(&ana.send(&app, &write)), (422, "invalid_signature".to_owned()));
    ana.make(&app, &ana.sit(&app, &game));
}

#[test]
fn a_table_closes_when_it_is_full_and_nobody_moves_then() {
    let app = spawn_app();
    let [ana, ben] = two(&app);
    let game = ana.guest.create(&app, &json!({ "kind": "migraine", "seats": 2 }));
    ana.make(&app, &ana.sit(&app, &game));
    assert_eq!(code(&start(&app, &ana.guest, &game)), (409, "cannot_start".to_owned()));
    let full = ben.make(&app, &ben.sit(&app, &game));
    assert_eq!(types(&full), ["seated", "closed", "started", "disclosed"], "who deals first was drawn and is told");
    let times = full.json()["events"].as_array().unwrap().iter().map(|event| event["at"].clone()).collect::<Vec<_>>();
    assert!(times.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(full.json()["view"]["status"], "playing");
    let cleo = app.guest("Cleo");
    assert_eq!(code(&sit(&app, &cleo, &game, &json!({}))), (409, "table_closed".to_owned()));
    let path = format!("/v1/games/{game}");
    assert_eq!(code(&delete(&app, &ana.guest, &format!("{path}/seats/me"))), (409, "table_closed".to_owned()));
    assert_eq!(code(&delete(&app, &ana.guest, &path)), (409, "table_closed".to_owned()));
    // Ana wanted it to start, and so it has.
    let started = start(&app, &ana.guest, &game);
    assert_eq!((started.status, types(&started)), (200, vec!["closed".to_owned()]));
    assert_eq!(code(&start(&app, &ben.guest, &game)), (403, "not_host".to_owned()));
    // What they once did stays done.
    assert_eq!(ana.send(&app, &ana.sit(&app, &game)).status, 200);
}

#[test]
fn the_host_starts_when_there_are_enough_without_a_gap() {
    let app = spawn_app();
    let [host, ana, ben] = ["the host", "Ana", "Ben"].map(|name| app.guest(name));
    let game = large(&app, &host);
    assert_eq!(code(&start(&app, &host, &game)), (409, "cannot_start".to_owned()));
    sit(&app, &ana, &game, &json!({ "seat": 0 }));
    assert_eq!(code(&start(&app, &ana, &game)), (403, "not_host".to_owned()));
    sit(&app, &ben, &game, &json!({ "seat": 2 }));
    assert_eq!(code(&start(&app, &host, &game)), (409, "cannot_start".to_owned()), "seat 1 is free");
    delete(&app, &ben, &format!("/v1/games/{game}/seats/me"));
    sit(&app, &ben, &game, &json!({ "seat": 1 }));
    let first = start(&app, &host, &game);
    assert_eq!((first.status, types(&first)), (201, vec!["closed".to_owned(), "started".to_owned()]));
    assert_eq!(first.json()["events"][0]["data"], json!({ "seats": 2, "open_by": null }));
    assert_eq!(first.json()["view"]["seat"], json!(null), "the host only watches");
    let again = start(&app, &host, &game);
    assert_eq!((again.status, &again.json()["events"][0]), (200, &first.json()["events"][0]));
}

#[test]
fn the_host_calls_a_game_off_before_it_closed() {
    let app = spawn_app();
    let [ana, ben] = two(&app);
    let game = ana.guest.create(&app, &json!({ "kind": "migraine", "seats": 2 }));
    let path = format!("/v1/games/{game}");
    ben.make(&app, &ben.sit(&app, &game));
    let first = delete(&app, &ana.guest, &path);
    assert_eq!(first.json()["events"][0]["data"], json!({ "reason": "cancelled", "seats": [] }));
    let view = first.json()["view"].clone();
    assert_eq!((first.status, &view["status"], &view["awaits"]), (201, &json!("voided"), &json!(null)));
    let again = delete(&app, &ana.guest, &path);
    assert_eq!((again.status, again.json()), (200, first.json()));
    let detail = app.get(&path).json();
    assert_eq!((&detail["status"], &detail["result"], &detail["seq"]), (&json!("voided"), &json!(null), &json!(2)));
    for answer in [
        sit(&app, &ana.guest, &game, &json!({})),
        delete(&app, &ben.guest, &format!("{path}/seats/me")),
        start(&app, &ana.guest, &game),
        ben.guest.post(&app, &format!("{path}/resignation"), &json!({})),
    ] {
        assert_eq!(code(&answer), (409, "game_over".to_owned()));
    }
    for query in ["?at=0", "?open=true"] {
        assert_eq!(code(&app.get(&format!("{path}/view{query}"))), (409, "not_over".to_owned()));
    }
}

#[test]
fn seeds_are_opened_once_the_table_has_closed() {
    let app = spawn_app();
    let [ana, ben] = two(&app);
    let (ana, ben) = (ana.with_seed(), ben.with_seed());
    let game = ana.guest.create(&app, &json!({ "kind": "migraine", "seats": 2 }));
    ana.make(&app, &ana.sit(&app, &game));
    assert_eq!(code(&ana.send(&app, &ana.open_seed(&game))), (409, "seed_too_early".to_owned()));
    let full = ben.make(&app, &ben.sit(&app, &game));
    assert_eq!(types(&full), ["seated", "closed"]);
    assert_eq!((&full.json()["view"]["awaits"], &full.json()["view"]["to_act"]), (&json!("seed"), &json!([0, 1])));
    let other = Client { seed: Some([1; 32]), ..ana.clone() };
    assert_eq!(code(&ana.send(&app, &other.open_seed(&game))), (422, "seed_mismatch".to_owned()));
    assert_eq!(code(&ana.send(&app, &ben.open_seed(&game))), (422, "seed_mismatch".to_owned()));
    let first = ana.make(&app, &ana.open_seed(&game));
    assert_eq!((types(&first), &first.json()["view"]["to_act"]), (vec!["seed_opened".to_owned()], &json!([1])));
    let again = ana.send(&app, &ana.open_seed(&game));
    assert_eq!((again.status, again.json()), (200, first.json()));
    assert_eq!(code(&ana.send(&app, &other.open_seed(&game))), (409, "seed_already_opened".to_owned()));
    let detail = app.get(&format!("/v1/games/{game}")).json();
    assert_eq!(
        (&detail["players"][0]["seed_opened"], &detail["players"][1]["seed_opened"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(types(&ben.make(&app, &ben.open_seed(&game))), ["seed_opened", "started", "disclosed"]);
    assert_eq!(ana.send(&app, &ana.open_seed(&game)).status, 200);
    assert_eq!(code(&ana.send(&app, &other.open_seed(&game))), (409, "seed_already_opened".to_owned()));
    // Who committed to none has none to open.
    let table = Table::new(&app);
    let write = Client { seed: Some([1; 32]), ..table.ana.clone() }.open_seed(&table.game);
    assert_eq!(code(&table.ana.send(&app, &write)), (422, "no_seed_committed".to_owned()));
}
