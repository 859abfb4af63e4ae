//! A game in which nobody has to decide, over HTTP: Random Chess.

use serde_json::{Value, json};

use crate::app::spawn_app;

#[test]
fn nobody_owes_anything_and_whoever_sits_may_go_on() {
    let app = spawn_app();
    let [ana, ben] = ["Ana", "Ben"].map(|name| app.guest(name));
    let body = json!({ "kind": "random_chess", "options": { "variant": "hecatomb" }, "seats": 2, "move_seconds": 10 });
    let game = ana.create(&app, &body);
    let path = |rest: &str| format!("/v1/games/{game}{rest}");
    for guest in [&ana, &ben] {
        assert_eq!(app.call("POST", &path("/seats"), Some(&guest.token), Some(&json!({}))).status, 201);
    }
    let view = app.call("GET", &path("/view"), Some(&ana.token), None).json();
    for nothing in ["awaits", "step", "due_at", "result"] {
        assert_eq!(view[nothing], json!(null), "{nothing}");
    }
    assert_eq!((&view["status"], &view["to_act"]), (&json!("playing"), &json!([])));
    assert_eq!(view["legal"].as_array().unwrap().len(), 200);
    assert_eq!(app.get(&path("/view")).json()["legal"], json!([]), "the public only watches");

    // Nothing is ever late, however long nobody comes.
    app.clock.advance(6 * 24 * 3600);
    let late = app.call("POST", &path("/timeout"), Some(&ben.token), None);
    assert_eq!((late.status, late.code()), (409, "nothing_overdue".to_owned()));

    let advance = |plies: i64, after: &Value| json!({ "step": null, "after": after, "move": { "type": "advance", "plies": plies } });
    let first = app.call("POST", &path("/moves"), Some(&ben.token), Some(&advance(7, &view["seq"])));
    assert_eq!(first.status, 201);
    let receipt = first.json();
    let types: Vec<&str> =
        receipt["events"].as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["moved", "disclosed"], "one event for all plies");
    assert_eq!(receipt["events"][0]["data"]["facts"].as_array().unwrap().len(), 14);
    assert_eq!(receipt["view"]["state"]["moves"].as_array().unwrap().len(), 7);
    // The same request once more makes nothing new.
    let again = app.call("POST", &path("/moves"), Some(&ben.token), Some(&advance(7, &view["seq"])));
    assert_eq!((again.status, &again.json()["events"][0]), (200, &receipt["events"][0]));
    let wrong = app.call("POST", &path("/moves"), Some(&ben.token), Some(&advance(201, &view["seq"])));
    assert_eq!((wrong.status, &wrong.json()["clause"]), (422, &json!("RC-8")));
    let report = app.get(&path("/audit")).json();
    assert_eq!(report["verdict"], json!("not_yet"), "{report}");

    // Whoever leaves is out, and the other goes on to the end.
    assert_eq!(app.call("POST", &path("/resignation"), Some(&ben.token), Some(&json!({}))).status, 201);
    let mut after = app.get(&path("/view")).json()["seq"].clone();
    loop {
        let answer = app.call("POST", &path("/moves"), Some(&ana.token), Some(&advance(200, &after))).json();
        after = answer["view"]["seq"].clone();
        if answer["view"]["status"] == "ended" {
            assert_eq!(answer["view"]["result"]["winners"], json!([]));
            break;
        }
    }
    let report = app.get(&path("/audit")).json();
    assert_ne!(report["verdict"], json!("no"), "{report}");
}
