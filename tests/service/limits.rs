//! How often, how much at once, and who is believed about where it comes from.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::app::{Guest, Setup, TestApp};
use crate::clients::{Client, Table};
use crate::conformance::operations;
use crate::http::{self, Answer};
use crate::sse::Stream;

fn code(answer: &Answer) -> (u16, String) {
    (answer.status, answer.code())
}

fn limited(answer: &Answer) -> bool {
    answer.status == 429 && answer.code() == "rate_limited"
}

/// Asks as somebody whose address a proxy tells.
fn from(app: &TestApp, forwarded: &str, method: &str, path: &str, body: &Value) -> Answer {
    let headers = [("X-Forwarded-For", forwarded), ("Content-Type", "application/json")];
    let body = if body.is_null() { String::new() } else { body.to_string() };
    http::call(app.address, method, path, &headers, body.as_bytes())
}

fn view(app: &TestApp, table: &Table, who: Option<&Guest>) -> Answer {
    app.call("GET", &format!("/v1/games/{}/view", table.game), who.map(|guest| guest.token.as_str()), None)
}

#[test]
fn a_player_has_so_many_requests_and_is_told_how_many_are_left() {
    let app = Setup::with(&[("--limit-reads", "3:off"), ("--limit-moves", "2:off")]).spawn();
    let (ana, ben) = (app.guest("Ana"), app.guest("Ben"));
    for (left, whole) in [(2, 20), (1, 40), (0, 60)] {
        let answer = ana.get(&app, "/v1/players/me");
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("ratelimit-policy"), Some("\"reads\";q=3;w=60"));
        assert_eq!(answer.header("ratelimit"), Some(&*format!("\"reads\";r={left};t={whole}")));
    }
    let refused = ana.get(&app, "/v1/players/me");
    assert_eq!(code(&refused), (429, "rate_limited".to_owned()));
    assert_eq!(refused.header("ratelimit-policy"), Some("\"reads\";q=3;w=60"));
    assert_eq!(refused.header("ratelimit"), Some("\"reads\";r=0;t=60"));
    let seconds = refused.header("retry-after").unwrap().parse::<u64>().unwrap();
    assert!((10..=20).contains(&seconds), "{seconds}");
    // Others are counted apart, and so is what else she does; whoever has no token is no player.
    assert_eq!(ben.get(&app, "/v1/players/me").status, 200);
    assert_eq!(ana.get(&app, "/v1/games").status, 200);
    let open = app.get("/v1/rules");
    assert_eq!((open.status, open.header("ratelimit"), open.header("ratelimit-policy")), (200, None, None));
    // Another instance counts for itself.
    assert_eq!(ana.get(&app.another(), "/v1/players/me").status, 200);
}

#[test]
fn polling_never_blocks_a_move() {
    let off = [("--limit-lobby", "1:1"), ("--limit-reads", "6:6"), ("--limit-audits", "1:1")];
    let app = Setup::with(&[&off[..], &[("--limit-moves", "100:100")]].concat()).spawn();
    let table = Table::new(&app);
    while !limited(&view(&app, &table, Some(&table.ben.guest))) {}
    while !limited(&table.ben.guest.get(&app, "/v1/games")) {}
    let cut = table.ben.make_move(&table.game, 1, &json!({ "type": "cut", "depth": 3 }));
    let answer = table.ben.send(&app, &cut);
    assert_eq!((answer.status, answer.header("ratelimit-policy")), (201, Some("\"moves\";q=100;w=60")));
}

#[test]
fn an_address_is_counted_before_anything_else_is_done() {
    let app = Setup::with(&[("--limit-sign-up", "off:2"), ("--limit-reads", "off:3")]).spawn();
    let headers = [("Content-Type", "application/json")];
    for name in ["Ana", "Ben"] {
        assert_eq!(app.guest(name).name, name);
    }
    // Not even the body is read.
    let refused = http::call(app.address, "POST", "/v1/players", &headers, b"{");
    assert!(limited(&refused));
    assert_eq!(refused.header("ratelimit-policy"), Some("\"sign_up-address\";q=2;w=60"));
    // Whoever asks for what is not there, with what is no token, or writes the address in another way, is counted too.
    assert_eq!(code(&app.get("/nowhere")), (404, "not_found".to_owned()));
    assert_eq!(code(&app.call("GET", "/v1/players/me", Some("x"), None)), (401, "token_invalid".to_owned()));
    assert_eq!(http::send(app.address, "GET", "/v1/%72ules", &[], b"").status, 200);
    assert!(limited(&http::send(app.address, "GET", "/v1/%72ules", &[], b"")));
    assert!(limited(&app.get("/v1/rules")));
    assert!(limited(&http::send(app.address, "POST", "/v1/%70layers", &headers, b"{\"name\":\"Cid\"}")));
    assert!(limited(&http::send(app.address, "POST", "//v1/players", &headers, b"")));
    // That it lives is told always.
    assert!((0..20).all(|_| app.get("/livez").status == 200));
}

#[test]
fn a_forged_address_gains_nothing() {
    let app = Setup::with(&[("--limit-reads", "off:2")]).spawn();
    let ask = |i: u8| from(&app, &format!("203.0.113.{i}"), "GET", "/v1/rules", &Value::Null);
    assert_eq!((0..20).filter(|i| ask(*i).status == 200).count(), 2, "nobody asked for a proxy's word");

    // Behind a proxy that is trusted the last hop counts, whatever the client wrote before it.
    let app = Setup::with(&[("--limit-reads", "off:2"), ("--trusted-proxies", "127.0.0.0/8,10.0.0.0/8")]).spawn();
    let ask = |forwarded: &str| from(&app, forwarded, "GET", "/v1/rules", &Value::Null).status;
    assert_eq!(["203.0.113.1", "203.0.113.1", "203.0.113.1"].map(ask), [200, 200, 429]);
    assert_eq!(["203.0.113.2", "203.0.113.2, 10.0.0.1", "198.51.100.7, 203.0.113.2"].map(ask), [200, 200, 429]);
    assert_eq!((0..20).filter(|i| ask(&format!("6.6.6.{i}, 203.0.113.1")) == 200).count(), 0);
    // A whole /64 of IPv6 is one address.
    assert_eq!(["2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::3"].map(ask), [200, 200, 429, 200]);
}

#[test]
fn guessing_at_a_password_is_bounded_by_name_from_however_many_addresses() {
    let app = Setup::with(&[("--limit-sign-in", "4:3"), ("--trusted-proxies", "127.0.0.1")]).spawn();
    let good = json!({ "name": "Ana", "password": "correct horse" });
    assert_eq!(app.call("POST", "/v1/players", None, Some(&good)).status, 201);
    let guess = |i: usize, name: &str| {
        let body = json!({ "name": name, "password": format!("guess number {i}") });
        code(&from(&app, &format!("203.0.113.{i}"), "POST", "/v1/tokens", &body))
    };
    for i in 0..4 {
        assert_eq!(guess(i, ["Ana", "aNA", " Ana ", "Ａna"][i]), (401, "wrong_credentials".to_owned()));
    }
    assert_eq!(guess(4, "Ana"), (429, "rate_limited".to_owned()));
    // Also for who knows it; and nobody is told so by another name.
    assert_eq!(code(&from(&app, "203.0.113.77", "POST", "/v1/tokens", &good)), (429, "rate_limited".to_owned()));
    assert_eq!(guess(5, "Ben"), (401, "wrong_credentials".to_owned()));
    // One address is bounded over all names.
    let many = |i: usize| {
        let body = json!({ "name": format!("nobody {i}"), "password": "correct horse" });
        from(&app, "198.51.100.1", "POST", "/v1/tokens", &body).status
    };
    assert_eq!([0, 1, 2, 3].map(many), [401, 401, 401, 429]);
}

#[test]
fn after_the_time_that_is_told_it_goes_on() {
    let app = Setup::with(&[("--limit-reads", "60:off")]).spawn();
    let ana = app.guest("Ana");
    let refused = loop {
        let answer = ana.get(&app, "/v1/players/me");
        if answer.status != 200 {
            break answer;
        }
    };
    assert_eq!((code(&refused).1.as_str(), refused.header("retry-after")), ("rate_limited", Some("1")));
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(ana.get(&app, "/v1/players/me").status, 200);
}

#[test]
fn every_operation_says_its_bucket_and_can_refuse() {
    for (method, path, operation) in operations() {
        let responses = operation["responses"].as_object().unwrap();
        if path == "/livez" {
            assert!(operation.get("x-rate-limit-bucket").is_none() && !responses.contains_key("429"));
            continue;
        }
        assert!(operation["x-rate-limit-bucket"].is_string() && responses.contains_key("429"), "{method} {path}");
    }
}

#[test]
fn a_player_hosts_so_many_open_games_and_no_more() {
    let app = Setup { workers: 2, ..Setup::with(&[("--max-open-games", "3")]) }.spawn();
    let (ana, ben) = (app.guest("Ana"), app.guest("Ben"));
    let body = json!({ "kind": "migraine", "seats": 2 });
    let try_to = |who: &Guest| {
        let (bearer, key) = (format!("Bearer {}", who.token), crate::story::fresh_uuid().to_string());
        let headers =
            [("Authorization", &*bearer), ("Content-Type", "application/json"), ("Idempotency-Key", key.as_str())];
        http::call(app.address, "POST", "/v1/games", &headers, body.to_string().as_bytes())
    };
    // However many are asked for at the same moment.
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..12).map(|_| scope.spawn(|| try_to(&ana))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let made = answers.iter().filter(|answer| answer.status == 201).collect::<Vec<_>>();
    assert!((1..=3).contains(&made.len()), "{}", made.len());
    let game = made[0].json()["view"]["game"].as_str().unwrap().to_owned();
    (made.len()..3).for_each(|_| assert_eq!(try_to(&ana).status, 201));
    assert!(answers.iter().all(|answer| answer.status == 201 || answer.code() == "too_many_games"));
    assert_eq!(code(&try_to(&ana)), (409, "too_many_games".to_owned()));
    ben.create(&app, &body);
    // One that is no longer open makes room for another.
    assert_eq!(app.call("DELETE", &format!("/v1/games/{game}"), Some(&ana.token), None).status, 201);
    ana.create(&app, &body);
    assert_eq!(code(&try_to(&ana)), (409, "too_many_games".to_owned()));
}

#[test]
fn a_player_sits_at_so_many_games_and_no_more() {
    let app = Setup { workers: 2, ..Setup::with(&[("--max-seats", "2")]) }.spawn();
    let ana = Client::new(app.guest("Ana"), 0);
    let host = app.guest("the host");
    let games: Vec<String> = (0..6).map(|_| host.create(&app, &json!({ "kind": "migraine", "seats": 2 }))).collect();
    let sit = |game: &String| ana.send(&app, &ana.sit(&app, game));
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let threads: Vec<_> = games.iter().map(|game| scope.spawn(|| sit(game))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let sat: Vec<&String> =
        games.iter().zip(&answers).filter(|(_, it)| it.status == 201).map(|(game, _)| game).collect();
    assert!((1..=2).contains(&sat.len()), "{}", sat.len());
    assert!(answers.iter().all(|answer| answer.status == 201 || answer.code() == "too_many_seats"));
    games.iter().take(6).for_each(|game| drop(sit(game)));
    let refused = games.iter().find(|game| code_or_ok(&sit(game)) == "too_many_seats").unwrap();
    // Where she sits already she is told so again.
    assert_eq!(sit(sat[0]).status, 200);
    // Getting up makes room, and so does an end.
    ana.make(&app, &ana.get_up(&app, sat[0]));
    assert_eq!(sit(refused).status, 201);
    assert_eq!(code_or_ok(&sit(sat[0])), "too_many_seats");
    assert_eq!(app.call("DELETE", &format!("/v1/games/{refused}"), Some(&host.token), None).status, 201);
    assert_eq!(sit(sat[0]).status, 201);
}

fn code_or_ok(answer: &Answer) -> String {
    if answer.status < 300 { "ok".to_owned() } else { answer.code() }
}

#[test]
fn so_many_streams_are_open_at_once_and_each_is_given_back() {
    let app = Setup::with(&[("--max-streams", "2"), ("--max-address-streams", "3")]).spawn();
    let table = Table::new(&app);
    let path = format!("/v1/games/{}/events", table.game);
    let token = Some(table.ana.guest.token.as_str());
    let (first, mine) =
        (Stream::sse(app.address, &path, token, None), Stream::ndjson(app.address, "/v1/events", token));
    assert_eq!((first.status, mine.status), (200, 200));
    let refused = Stream::sse(app.address, &path, token, None);
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("10")));
    // One without a token is nobody's, but has an address.
    let third = Stream::sse(app.address, &path, None, None);
    assert_eq!(third.status, 200);
    assert_eq!(Stream::sse(app.address, &path, None, None).status, 429);
    let answer = http::call(app.address, "GET", &path, &[("Accept", "text/event-stream")], b"");
    assert_eq!(code(&answer), (429, "too_many_streams".to_owned()));
    drop(first);
    let begin = Instant::now();
    while Stream::sse(app.address, &path, token, None).status != 200 {
        // Long before a heartbeat could not be written.
        assert!(begin.elapsed() < Duration::from_secs(5), "a stream that was closed is not given back");
        std::thread::sleep(Duration::from_millis(50));
    }
    // A page of the log is no stream.
    assert_eq!(app.get(&path).status, 200);
}
