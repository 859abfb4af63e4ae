//! A database that goes away under a service that runs: nobody is told that something happened which did not, nothing
//! that was acknowledged is lost, and nobody has to start the service anew.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::app::{Setup, TestApp};
use crate::clients::{Client, Table, Write};
use crate::http::Answer;
use crate::sse::Stream;
use crate::support::{block_on, sql};

/// Lets nobody into the database, and ends who is in it; or lets the service in again.
pub fn let_in(app: &TestApp, open: bool) {
    let database = app.database();
    block_on(async {
        let outside = database.outside().await;
        let allow = format!("ALTER DATABASE {} ALLOW_CONNECTIONS {open}", database.name());
        sql(&outside, &allow).await.unwrap();
        if !open {
            database.end_sessions().await;
        }
    });
}

fn assert_away(answer: &Answer, what: &str) {
    assert_eq!((answer.status, answer.code().as_str()), (503, "unavailable"), "{what}: {}", answer.text());
    let seconds = answer.header("retry-after").and_then(|value| value.parse::<u32>().ok());
    assert!(seconds.is_some_and(|seconds| (1..=60).contains(&seconds)), "{what}: {:?}", answer.headers);
    let text = answer.text().to_lowercase();
    assert!(!["postgres", "sql", "connection", "database croupier"].iter().any(|word| text.contains(word)), "{text}");
}

#[test]
fn a_service_whose_database_is_away_says_so_and_recovers_by_itself() {
    let app = Setup { sweep_seconds: 1, ..Setup::default() }.spawn();
    let table = Table::new(&app);
    let first = table.deal(&app).json();
    let [ana, ben] = table.both();
    let moves = [ana, ben].map(|client| {
        let mv = table.first_legal(&app, client);
        (client, client.make_move(&table.game, 2, &mv))
    });
    ana.make(&app, &moves[0].1);
    let log = table.events(&app);

    let_in(&app, false);
    app.until("word that the database is away", || app.get("/readyz").status == 503);
    assert_eq!(app.get("/livez").status, 200);
    assert_eq!(app.get("/openapi.json").status, 200);
    assert_away(&app.get("/readyz"), "/readyz");
    let game = format!("/v1/games/{}", table.game);
    for path in ["", "/view", "/events", "/bundle", "/audit"] {
        assert_away(&app.get(&format!("{game}{path}")), path);
    }
    for last in [None, Some(0), Some(log.len() as u64 - 1)] {
        assert_eq!(Stream::sse(app.address, &format!("{game}/events"), None, last).status, 503, "a stream");
    }
    assert_away(&app.get("/v1/games"), "the lobby");
    let write = |what: &str, write: &Write| assert_away(&ben.send(&app, write), what);
    for _ in 0..3 {
        write("a move", &moves[1].1);
    }
    write("giving up", &ben.resign(&app, &table.game));
    let body = json!({ "name": "Somebody", "password": "correct horse" });
    for path in ["/v1/players", "/v1/tokens"] {
        assert_away(&app.call("POST", path, None, Some(&body)), path);
    }
    // What is refused without asking the database is refused as ever.
    assert_eq!(app.call("GET", &format!("{game}/view"), Some("no token"), None).code(), "token_invalid");
    assert_eq!(app.get("/v1/games/none").code(), "invalid_parameter");

    let_in(&app, true);
    app.until("that it is ready again", || app.get("/readyz").status == 200);
    assert_eq!(table.events(&app), log, "what was answered with 503 was not done, and what was acknowledged stands");
    assert_eq!(log[first["events"][0]["seq"].as_u64().unwrap() as usize], first["events"][0]);
    let made = ben.make(&app, &moves[1].1).json();
    for (client, write) in &moves {
        assert_eq!(client.send(&app, write).status, 200, "a repeat");
    }
    assert_eq!(ben.send(&app, &moves[1].1).json()["events"][0], made["events"][0]);
    assert_eq!(table.events(&app).iter().filter(|event| event["type"] == "committed").count(), 2);
    assert_eq!(app.call("POST", "/v1/players", None, Some(&body)).status, 201);
    ana.make(&app, &ana.resign(&app, &table.game));
}

/// Moves until it is told that a move is made, and counts how often it was told to come again.
fn insist(app: &TestApp, client: &Client, write: &Write, again: &AtomicUsize) -> Value {
    for _ in 0..200 {
        let answer = client.send(app, write);
        match answer.status {
            200 | 201 => return answer.json()["events"][0].clone(),
            503 => {
                assert_away(&answer, &write.path);
                again.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(10));
            }
            _ => panic!("{write:?}: {}", answer.text()),
        }
    }
    panic!("{write:?} never gets through")
}

/// What a player writes next, if it is asked for something.
fn next(app: &TestApp, client: &Client, game: &str) -> Option<Write> {
    let answer = client.guest.get(app, &format!("/v1/games/{game}/view"));
    // A look is asked again by the caller.
    let view = if answer.status == 200 { answer.json() } else { return None };
    let mv = view["legal"].as_array().unwrap().first()?.clone();
    Some(client.make_move(game, view["step"].as_u64()?, &mv))
}

#[test]
fn sessions_that_end_in_the_middle_of_load_lose_nothing() {
    let app = Setup { workers: 2, connections: 8, ..Setup::default() }.spawn();
    let tables: Vec<Table> = (0..6).map(|_| Table::new(&app)).collect();
    let (over, again) = (AtomicBool::new(false), AtomicUsize::new(0));
    let start = Barrier::new(tables.len() + 1);
    let made = std::thread::scope(|scope| {
        let players = tables.iter().map(|table| {
            let (app, again, start) = (&app, &again, &start);
            scope.spawn(move || {
                start.wait();
                let mut made = Vec::new();
                for client in table.both().into_iter().cycle().take(400) {
                    if made.len() == 20 {
                        break;
                    }
                    if let Some(write) = next(app, client, &table.game) {
                        made.push(insist(app, client, &write, again));
                    }
                }
                made
            })
        });
        let players = players.collect::<Vec<_>>();
        let (app, over, start) = (&app, &over, &start);
        let enemy = scope.spawn(move || {
            start.wait();
            let mut ended = 0;
            while !over.load(Ordering::Relaxed) {
                ended += block_on(app.database().end_one_session());
                std::thread::sleep(Duration::from_millis(15));
            }
            ended
        });
        let made = players.into_iter().map(|player| player.join().unwrap()).collect::<Vec<_>>();
        over.store(true, Ordering::Relaxed);
        let ended = enemy.join().unwrap();
        println!("{ended} sessions ended; {} requests had to come again", again.load(Ordering::Relaxed));
        assert!(ended >= 5, "only {ended} sessions were ended");
        made
    });
    app.until("that it is ready", || app.get("/readyz").status == 200);
    for (table, made) in tables.iter().zip(made) {
        assert_eq!(made.len(), 20, "the game went on");
        let log = table.events(&app);
        for (seq, event) in log.iter().enumerate() {
            assert_eq!(event["seq"], seq);
        }
        for event in &made {
            assert_eq!(*event, log[event["seq"].as_u64().unwrap() as usize], "an acknowledged event is missing");
        }
        // Each decision of a seat stands there once, however often it was sent.
        let decisions = |event: &&Value| ["committed", "moved"].contains(&event["type"].as_str().unwrap());
        let mut steps: Vec<String> =
            log.iter().filter(decisions).map(|event| format!("{} {}", event["actor"], event["data"]["step"])).collect();
        assert_eq!(steps.len(), 20);
        steps.sort();
        steps.dedup();
        assert_eq!(steps.len(), 20, "a decision was made twice");
    }
}
