//! Creating games and finding them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::app::{Guest, TestApp, spawn_app};
use crate::clients::Table;
use crate::http::{self, Answer};
use crate::story::fresh_uuid;

fn create(app: &TestApp, who: &Guest, key: &str, body: &Value) -> Answer {
    let bearer = format!("Bearer {}", who.token);
    let headers = [("Authorization", &*bearer), ("Content-Type", "application/json"), ("Idempotency-Key", key)];
    http::call(app.address, "POST", "/v1/games", &headers, body.to_string().as_bytes())
}

fn fresh_key() -> String {
    fresh_uuid().to_string()
}

fn code(answer: &Answer) -> (u16, String) {
    (answer.status, answer.code())
}

fn migraine() -> Value {
    json!({ "kind": "migraine", "seats": 2 })
}

/// The ids of the games that a query finds, page after page.
fn listed(app: &TestApp, who: Option<&Guest>, query: &str) -> Vec<String> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let token = who.map(|guest| guest.token.as_str());
        let answer = app.call("GET", &format!("/v1/games?{query}{cursor}"), token, None);
        assert_eq!(answer.status, 200, "{query}{cursor}: {}", answer.text());
        let page = answer.json();
        found.extend(page["games"].as_array().unwrap().iter().map(|game| game["game"].as_str().unwrap().to_owned()));
        let Some(next) = page["next"].as_str() else { return found };
        cursor = format!("&cursor={next}");
    }
}

#[test]
fn ana_creates_one_game_however_often_she_sends_it() {
    let app = spawn_app();
    let (ana, ben, key) = (app.guest("Ana"), app.guest("Ben"), fresh_key());
    let first = create(&app, &ana, &key, &migraine());
    assert_eq!(first.status, 201);
    let receipt = first.json();
    let game = receipt["view"]["game"].as_str().unwrap();
    assert_eq!(first.header("location"), Some(&*format!("/v1/games/{game}")));
    assert_eq!((&receipt["events"][0]["type"], receipt["events"].as_array().unwrap().len()), (&json!("created"), 1));
    assert_eq!(receipt["events"][0]["data"]["host"], ana.id);
    assert_eq!((&receipt["view"]["seat"], &receipt["view"]["status"]), (&json!(null), &json!("open")));
    // Again, in another order and spacing, in another spelling of the key.
    let bearer = format!("Bearer {}", ana.token);
    let other_key = key.to_uppercase();
    let headers = [("Authorization", &*bearer), ("Content-Type", "application/json"), ("Idempotency-Key", &other_key)];
    for body in ["{\"kind\":\"migraine\",\"seats\":2}", "{ \"seats\": 2,\n\"kind\": \"migraine\" }"] {
        let again = http::call(app.address, "POST", "/v1/games", &headers, body.as_bytes());
        assert_eq!((again.status, again.header("location")), (200, first.header("location")));
        assert_eq!(again.json(), receipt);
    }
    // The same key for something else is a mistake, also where it would mean the same.
    for body in [json!({ "kind": "migraine", "seats": 2, "visibility": "unlisted" }), extended(&migraine())] {
        assert_eq!(code(&create(&app, &ana, &key, &body)), (422, "idempotency_key_reused".to_owned()));
    }
    // What can't be a game at all takes no key.
    let (wrong, key_2) = (json!({ "kind": "migraine", "seats": 3 }), fresh_key());
    assert_eq!(code(&create(&app, &ana, &key_2, &wrong)), (422, "invalid_options".to_owned()));
    assert_eq!(create(&app, &ana, &key_2, &migraine()).status, 201);
    // Ben's key is his own, whatever it is.
    let his = create(&app, &ben, &key, &migraine());
    assert!(his.status == 201 && his.json()["view"]["game"] != game);
    assert_eq!(listed(&app, None, "").len(), 3);
    // The game goes on meanwhile: the receipt is the old one, the view is new.
    ana.post(&app, &format!("/v1/games/{game}/seats"), &json!({}));
    let again = create(&app, &ana, &key, &migraine()).json();
    assert_eq!((&again["events"], &again["view"]["seq"]), (&receipt["events"], &json!(1)));
}

fn extended(body: &Value) -> Value {
    let mut body = body.clone();
    body["visibility"] = json!("public");
    body
}

#[test]
fn a_key_is_kept_for_a_day() {
    let app = spawn_app();
    let (ana, key) = (app.guest("Ana"), fresh_key());
    let game = |answer: &Answer| answer.json()["view"]["game"].as_str().unwrap().to_owned();
    let first = game(&create(&app, &ana, &key, &migraine()));
    app.clock.advance(24 * 3600);
    let again = create(&app, &ana, &key, &migraine());
    assert_eq!((again.status, game(&again)), (200, first.clone()));
    app.clock.advance_millis(1);
    app.until("the key is forgotten", || {
        let keys = crate::support::query(&app.database().owner_url, "SELECT count(*) FROM idempotency_keys");
        keys == ["0"]
    });
    let second = create(&app, &ana, &key, &json!({ "kind": "migraine", "seats": 2, "move_seconds": 60 }));
    assert!(second.status == 201 && game(&second) != first);
}

#[test]
fn of_many_requests_with_one_key_at_once_one_makes_a_game() {
    let app = spawn_app();
    let (other, ana) = (app.another(), app.guest("Ana"));
    for _ in 0..5 {
        let key = fresh_key();
        let answers = std::thread::scope(|scope| {
            let ask = |number: usize| {
                let (app, ana, key) = (if number % 2 == 0 { &app } else { &other }, &ana, &key);
                scope.spawn(move || create(app, ana, key, &migraine()))
            };
            let asked = (0..8).map(ask).collect::<Vec<_>>();
            asked.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        let made = answers.iter().filter(|answer| answer.status == 201).count();
        assert!(made == 1 && answers.iter().all(|answer| answer.status <= 201), "{answers:?}");
        assert!(answers.iter().all(|answer| answer.json() == answers[0].json()));
    }
    assert_eq!(listed(&app, None, "").len(), 5);
}

#[test]
fn options_have_their_defaults_and_limits() {
    let app = spawn_app();
    let ana = app.guest("Ana");
    let with = |name: &str, value: Value| {
        let mut body = migraine();
        body[name] = value;
        create(&app, &ana, &fresh_key(), &body)
    };
    for (options, chosen) in [
        (json!({}), json!({ "target": 15, "first_dealer": null })),
        (json!({ "target": 1, "first_dealer": 0 }), json!({ "target": 1, "first_dealer": 0 })),
        (json!({ "target": 100, "first_dealer": 1 }), json!({ "target": 100, "first_dealer": 1 })),
        (json!({ "first_dealer": null }), json!({ "target": 15, "first_dealer": null })),
    ] {
        let answer = with("options", options);
        assert_eq!((answer.status, &answer.json()["events"][0]["data"]["options"]), (201, &chosen));
    }
    for options in [
        json!({ "target": 0 }),
        json!({ "target": 101 }),
        json!({ "target": -1 }),
        json!({ "target": null }),
        json!({ "target": "15" }),
        json!({ "target": true }),
        json!({ "first_dealer": 2 }),
        json!({ "first_dealer": -1 }),
        json!({ "first_dealer": false }),
        json!({ "Target": 15 }),
        json!({ "dealer": 0 }),
    ] {
        assert_eq!(code(&with("options", options.clone())), (422, "invalid_options".to_owned()), "{options}");
    }
    for seats in [0, 1, 3, 255] {
        assert_eq!(code(&with("seats", json!(seats))), (422, "invalid_options".to_owned()), "{seats}");
    }
    for seconds in [0, 1, 9, 604_801, 4_294_967_295_u64] {
        assert_eq!(code(&with("move_seconds", json!(seconds))), (422, "invalid_options".to_owned()), "{seconds}");
    }
    for seconds in [json!(10), json!(604_800), json!(null)] {
        let answer = with("move_seconds", seconds.clone());
        assert_eq!((answer.status, &answer.json()["events"][0]["data"]["move_seconds"]), (201, &seconds));
    }
    assert_eq!(code(&with("kind", json!("poker"))), (422, "invalid_body".to_owned()));
}

#[test]
fn every_game_of_the_house_has_its_seats_and_its_rules() {
    let app = spawn_app();
    let ana = app.guest("Ana");
    let rules = app.get("/v1/rules").json()["rules"].as_array().unwrap().clone();
    assert!(!rules.is_empty());
    for rule in rules {
        let kind = rule["kind"].as_str().unwrap();
        let least = rule["seats"]["min"].as_u64().unwrap();
        let most = rule["seats"]["max"].as_u64().unwrap();
        let create = |seats: u64| create(&app, &ana, &fresh_key(), &json!({ "kind": kind, "seats": seats }));
        assert_eq!(code(&create(least - 1)), (422, "invalid_options".to_owned()), "{kind}");
        assert_eq!(code(&create(most + 1)), (422, "invalid_options".to_owned()), "{kind}");
        for seats in [least, most] {
            let answer = create(seats);
            assert_eq!(answer.status, 201, "{kind} {seats}: {}", answer.text());
            let created = answer.json()["events"][0]["data"].clone();
            assert_eq!(created["seats"], json!({ "min": least, "max": seats }));
            // `created` names the text that is published.
            let published = app.get(&format!("/v1/rules/{kind}")).json();
            let version = published["versions"].as_array().unwrap().last().unwrap().clone();
            assert_eq!(created["rules"], json!({ "version": version["version"], "text": version["sha256"] }));
            let hash = crate::clients::hex(&crate::clients::bytes(version["text"].as_str().unwrap()));
            assert_eq!(version["sha256"], hash);
        }
    }
}

#[test]
fn the_lobby_pages_without_gaps_or_repeats() {
    let app = spawn_app();
    let ana = app.guest("Ana");
    // Some at the very same moment, some at others.
    let mut games = Vec::new();
    for number in 0..23 {
        games.push(ana.create(&app, &migraine()));
        app.clock.advance_millis(i64::from(number % 5 == 0));
    }
    let expected = listed(&app, None, "limit=100");
    assert_eq!(expected.iter().collect::<BTreeSet<_>>(), games.iter().collect());
    for limit in [1, 2, 7, 22, 23, 24] {
        assert_eq!(listed(&app, None, &format!("limit={limit}")), expected, "{limit}");
    }
    assert_eq!(app.get("/v1/games").json()["games"].as_array().unwrap().len(), 20);
    // What comes meanwhile does not move what was there.
    let first = app.get("/v1/games?limit=10").json();
    app.clock.advance_millis(1);
    let new = ana.create(&app, &migraine());
    assert_eq!(ana.get(&app, &format!("/v1/games/{}", expected[15])).status, 200);
    app.call("DELETE", &format!("/v1/games/{}", expected[15]), Some(&ana.token), None);
    let rest = app.get(&format!("/v1/games?limit=100&cursor={}", first["next"].as_str().unwrap())).json();
    let ids = |page: &Value| {
        page["games"]
            .as_array()
            .unwrap()
            .iter()
            .map(|game| game["game"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!([ids(&first), ids(&rest)].concat(), expected);
    assert_eq!(listed(&app, None, "limit=3")[0], new);
    // A cursor goes with a filter, too.
    assert_eq!(listed(&app, None, "limit=3&status=voided"), [expected[15].clone()]);
    assert_eq!(listed(&app, None, "limit=3&status=open").len(), 23);
}

#[test]
fn games_are_found_by_kind_status_and_player_and_unlisted_ones_by_their_own_alone() {
    let app = spawn_app();
    let table = Table::new(&app);
    let (ana, ben, stranger) = (&table.ana.guest, &table.ben.guest, app.guest("a stranger"));
    let open = ben.create(&app, &migraine());
    let hidden = ana.create(&app, &json!({ "kind": "migraine", "seats": 2, "visibility": "unlisted" }));
    for (query, found) in [
        ("kind=migraine", vec![&open, &table.game]),
        ("status=playing", vec![&table.game]),
        ("status=open", vec![&open]),
        ("status=ended", vec![]),
        (&format!("player={}", ana.id), vec![&table.game]),
        (&format!("player={}&status=playing&kind=migraine", ben.id), vec![&table.game]),
        (&format!("player={}&status=open", ben.id), vec![]),
        (&format!("player={}", stranger.id), vec![]),
        ("player=01980000-0000-7000-8000-000000000000", vec![]),
    ] {
        let expected = found.into_iter().collect::<BTreeSet<_>>();
        assert_eq!(listed(&app, None, query).iter().collect::<BTreeSet<_>>(), expected, "{query}");
    }
    // The host alone has no seat: it stands in no list. Whoever knows its id may look and sit down.
    assert!(!listed(&app, Some(ana), &format!("player={}", ana.id)).contains(&hidden));
    assert_eq!(app.get(&format!("/v1/games/{hidden}")).json()["visibility"], "unlisted");
    assert_eq!(stranger.post(&app, &format!("/v1/games/{hidden}/seats"), &json!({})).status, 201);
    let own = format!("player={}", stranger.id);
    assert_eq!(listed(&app, Some(&stranger), &own), std::slice::from_ref(&hidden));
    for (who, query) in [(None, &*own), (Some(ana), &own), (Some(&stranger), ""), (Some(&stranger), "status=open")] {
        assert!(!listed(&app, who, query).contains(&hidden), "{query}");
    }
    // Who got up is no longer in it.
    app.call("DELETE", &format!("/v1/games/{hidden}/seats/me"), Some(&stranger.token), None);
    assert_eq!(listed(&app, Some(&stranger), &own), Vec::<String>::new());
    // The list tells who sits where, and nothing else of the game.
    let listed = &app.get("/v1/games?status=playing").json()["games"][0];
    let detail = app.get(&format!("/v1/games/{}", table.game)).json();
    for field in listed.as_object().unwrap().keys().filter(|field| *field != "players") {
        assert_eq!(listed[field], detail[field], "{field}");
    }
    let players = json!([
        { "seat": 0, "player": { "id": ana.id, "name": ana.name } },
        { "seat": 1, "player": { "id": ben.id, "name": ben.name } },
    ]);
    assert_eq!(listed["players"], players);
}
