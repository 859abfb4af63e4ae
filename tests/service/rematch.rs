//! Playing again.

use serde_json::{Value, json};

use crate::app::{Guest, TestApp, spawn_app};
use crate::clients::{Table, two};
use crate::http::Answer;

fn rematch(app: &TestApp, who: &Guest, game: &str) -> Answer {
    app.call("POST", &format!("/v1/games/{game}/rematch"), Some(&who.token), None)
}

fn code(answer: &Answer) -> (u16, String) {
    (answer.status, answer.code())
}

fn game_of(answer: &Answer) -> String {
    answer.json()["view"]["game"].as_str().unwrap().to_owned()
}

fn resign(app: &TestApp, table: &Table) {
    table.ana.make(app, &table.ana.resign(app, &table.game));
}

#[test]
fn whoever_asks_first_is_host_of_the_one_next_game() {
    let app = spawn_app();
    let other = app.another();
    let body = json!({
        "kind": "migraine", "options": { "target": 7, "first_dealer": 1 }, "seats": 2, "visibility": "unlisted",
        "move_seconds": 77,
    });
    let [ana, ben] = two(&app);
    let table = Table::of(&app, &body, ana, ben);
    let (ana, ben) = (&table.ana.guest, &table.ben.guest);
    assert_eq!(code(&rematch(&app, ana, &table.game)), (409, "not_over".to_owned()));
    resign(&app, &table);
    assert_eq!(code(&rematch(&app, &app.guest("a stranger"), &table.game)), (403, "not_seated".to_owned()));
    assert_eq!(app.get(&format!("/v1/games/{}", table.game)).json()["rematch"], json!(null));

    let first = rematch(&app, ben, &table.game);
    assert_eq!(first.status, 201);
    let next = game_of(&first);
    assert_eq!(first.header("location"), Some(&*format!("/v1/games/{next}")));
    let created = &first.json()["events"][0]["data"];
    assert_eq!(created["options"], json!({ "target": 7, "first_dealer": 1 }));
    assert_eq!((&created["host"], &created["move_seconds"]), (&json!(ben.id), &json!(77)));
    let anchor =
        |game: &str| app.get(&format!("/v1/games/{game}/events")).json()["events"][0]["data"]["anchor"].clone();
    assert_ne!(anchor(&next), anchor(&table.game));
    for (instance, who) in [(&app, ana), (&other, ana), (&other, ben)] {
        let again = rematch(instance, who, &table.game);
        assert_eq!((again.status, game_of(&again)), (200, next.clone()));
        assert_eq!(again.json()["events"], first.json()["events"]);
    }
    let detail = app.get(&format!("/v1/games/{next}")).json();
    assert_eq!(
        (&detail["visibility"], &detail["players"], &detail["status"]),
        (&json!("unlisted"), &json!([]), &json!("open"))
    );
    assert_eq!(app.get(&format!("/v1/games/{}", table.game)).json()["rematch"], json!(next));
    // It is a game like others, with a rematch of its own.
    for client in table.both() {
        client.make(&app, &client.sit(&app, &next));
    }
    assert_eq!(code(&rematch(&app, ana, &next)), (409, "not_over".to_owned()));
    ana.post(&app, &format!("/v1/games/{next}/resignation"), &json!({}));
    let third = game_of(&rematch(&app, ana, &next));
    assert!(third != next && third != table.game);
}

#[test]
fn of_many_who_ask_at_once_all_get_the_same_game() {
    let app = spawn_app();
    let other = app.another();
    for _ in 0..4 {
        let table = Table::new(&app);
        resign(&app, &table);
        let answers = std::thread::scope(|scope| {
            let ask = |number: usize| {
                let app = if number % 2 == 0 { &app } else { &other };
                let client = table.both()[number / 2 % 2];
                let game = &table.game;
                scope.spawn(move || (client.guest.id.clone(), rematch(app, &client.guest, game)))
            };
            let asked = (0..12).map(ask).collect::<Vec<_>>();
            asked.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        let first = answers.iter().filter(|(_, answer)| answer.status == 201).collect::<Vec<_>>();
        let [(asker, first)] = &first[..] else { panic!("{answers:?}") };
        assert_eq!(first.json()["events"][0]["data"]["host"], **asker);
        assert!(answers.iter().all(|(_, answer)| game_of(answer) == game_of(first)), "{answers:?}");
        assert!(answers.iter().all(|(_, answer)| answer.json()["events"] == first.json()["events"]));
        let listed = app.get(&format!("/v1/games/{}", table.game)).json();
        assert_eq!(listed["rematch"], game_of(first));
    }
    let games: Value = app.get("/v1/games?limit=100").json();
    assert_eq!(games["games"].as_array().unwrap().len(), 8);
}

#[test]
fn a_void_game_is_played_again_by_who_sat_there() {
    let app = spawn_app();
    let [ana, ben] = two(&app);
    // Ben never opens his seed.
    let ben = ben.with_seed();
    let game = ana.guest.create(&app, &json!({ "kind": "migraine", "seats": 2, "move_seconds": 10 }));
    for client in [&ana, &ben] {
        client.make(&app, &client.sit(&app, &game));
    }
    assert_eq!(code(&rematch(&app, &ana.guest, &game)), (409, "not_over".to_owned()));
    app.clock.advance(11);
    app.until("the game is void", || app.get(&format!("/v1/games/{game}")).json()["status"] == "voided");
    let next = rematch(&app, &ana.guest, &game);
    assert_eq!((next.status, game_of(&rematch(&app, &ben.guest, &game))), (201, game_of(&next)));

    // A game that was called off is void, too; its host alone did not play in it.
    let called_off = ana.guest.create(&app, &json!({ "kind": "migraine", "seats": 2 }));
    ben.make(&app, &ben.sit(&app, &called_off));
    app.call("DELETE", &format!("/v1/games/{called_off}"), Some(&ana.guest.token), None);
    assert_eq!(code(&rematch(&app, &ana.guest, &called_off)), (403, "not_seated".to_owned()));
    assert_eq!(rematch(&app, &ben.guest, &called_off).status, 201);
}
