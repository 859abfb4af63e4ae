//! Front ends that follow games as they happen, on any instance.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::RcvBuf;
use serde_json::{Value, json};

use crate::app::{TestApp, spawn_app};
use crate::clients::{Client, Table};
use crate::conformance::DOCUMENT;
use crate::json_schema::check_value;
use crate::load::load;
use crate::sse::{Message, Stream};
use crate::support::{block_on, query, raw, sql};

fn path(table: &Table) -> String {
    format!("/v1/games/{}/events", table.game)
}

/// A message is one that the document promises.
fn check(schema: &str, message: &Message) {
    check_value(&DOCUMENT, &DOCUMENT["components"]["schemas"][schema], &message.data).unwrap();
}

/// Plays so many moves: whoever is to act makes the first that is legal, on either instance.
fn play(apps: &[&TestApp], table: &Table, moves: usize) {
    let public = |app: &TestApp| app.get(&format!("/v1/games/{}/view", table.game)).json();
    for i in 0..moves {
        let app = apps[i % apps.len()];
        let view = public(app);
        let Some(seat) = view["to_act"][0].as_u64() else { return };
        let client = table.both()[seat as usize];
        let mv = table.first_legal(app, client);
        client.make(app, &client.make_move(&table.game, view["step"].as_u64().unwrap(), &mv));
    }
}

/// The game is over: Ben gives up.
fn end(app: &TestApp, table: &Table) {
    table.ben.make(app, &table.ben.resign(app, &table.game));
}

fn events(messages: &[Message]) -> Vec<Value> {
    messages.iter().map(|message| message.data["event"].clone()).collect()
}

#[test]
fn a_front_end_follows_a_game_to_its_end_on_any_instance() {
    let app = spawn_app();
    let other = app.another();
    let table = Table::new(&app);
    let mut here = Stream::sse(app.address, &path(&table), None, None);
    let mut elsewhere = Stream::ndjson(other.address, &path(&table), Some(&table.ana.guest.token));
    assert_eq!((here.status, here.header("content-type")), (200, Some("text/event-stream")));
    assert_eq!(here.header("cache-control"), Some("no-store"));
    assert_eq!((elsewhere.status, elsewhere.header("content-type")), (200, Some("application/x-ndjson")));
    table.deal(&app);
    play(&[&app, &other], &table, 6);
    end(&other, &table);
    let log = table.events(&app);

    let told = here.rest();
    for (seq, message) in told.iter().enumerate() {
        assert_eq!(message.id, Some(seq.to_string()));
        check("EventMessage", message);
        assert_eq!(message.data.as_object().unwrap().len(), 1, "no view was asked for");
    }
    assert_eq!(events(&told), log, "each event, once, in order, and the stream ends with the game");
    assert_eq!(events(&elsewhere.rest()), log);

    // Whoever comes when it is over gets all of it, or the rest of it, or is told that there is none.
    assert_eq!(events(&Stream::sse(other.address, &path(&table), None, None).rest()), log);
    let newest = log.len() as u64 - 1;
    for (query, last) in [(format!("?after={}", newest - 2), None), (String::new(), Some(newest - 2))] {
        let mut rest = Stream::sse(app.address, &format!("{}{query}", path(&table)), None, last);
        assert_eq!(events(&rest.rest()), log[log.len() - 2..]);
    }
    assert_eq!(Stream::sse(app.address, &path(&table), None, Some(newest)).status, 204);
}

#[test]
fn a_front_end_that_is_cut_off_resumes_elsewhere_without_a_gap_or_a_repeat() {
    let app = spawn_app();
    let other = app.another();
    let table = Table::new(&app);
    let apps = [&app, &other];
    let mut seen = Vec::new();
    for round in 0..6 {
        let last = seen.len().checked_sub(1).map(|last| last as u64);
        // `Last-Event-ID` goes before `after`, which a browser repeats as it was at first.
        let path = format!("{}?after=0", path(&table));
        let path = if last.is_some() { path } else { self::path(&table) };
        let mut stream = Stream::sse(apps[round % 2].address, &path, None, last);
        let before = table.events(&app).len() - seen.len();
        play(&apps, &table, 2);
        seen.extend(events(&stream.take(before + 1)));
    }
    end(&app, &table);
    let last = seen.len() as u64 - 1;
    seen.extend(events(&Stream::sse(other.address, &path(&table), None, Some(last)).rest()));
    assert_eq!(seen, table.events(&app));
}

#[test]
fn each_event_comes_with_what_the_caller_sees_after_it() {
    let app = spawn_app();
    let other = app.another();
    let table = Table::new(&app);
    let path = format!("{}?view=true", path(&table));
    let tokens = [Some(&*table.ana.guest.token), Some(&*table.ben.guest.token), None];
    let look = |token: Option<&str>| app.call("GET", &format!("/v1/games/{}/view", table.game), token, None).json();
    let mut streams: Vec<Stream> = tokens
        .iter()
        .zip([&app, &other, &other])
        .map(|(token, app)| Stream::ndjson(app.address, &path, *token))
        .collect();
    let mut seen = vec![tokens.map(look)];
    table.deal(&app);
    for _ in 0..8 {
        seen.push(tokens.map(look));
        play(&[&app], &table, 1);
    }
    seen.push(tokens.map(look));
    end(&app, &table);
    seen.push(tokens.map(look));
    let log = table.events(&app);
    for (viewer, stream) in streams.iter_mut().enumerate() {
        let told = stream.rest();
        assert_eq!(events(&told), log);
        for message in &told {
            check("EventMessage", message);
            assert_eq!(message.data["view"]["seq"], message.data["event"]["seq"]);
        }
        // Where somebody looked, it is what it saw.
        for view in seen.iter().map(|views| &views[viewer]) {
            let seq = view["seq"].as_u64().unwrap() as usize;
            assert_eq!(&told[seq].data["view"], view);
        }
        // And so it is for one who comes later, in the middle.
        let mut late = Stream::sse(app.address, &path, tokens[viewer], Some(9));
        assert_eq!(
            late.rest().iter().map(|message| &message.data).collect::<Vec<_>>(),
            told[10..].iter().map(|message| &message.data).collect::<Vec<_>>()
        );
    }
}

#[test]
fn who_reads_slowly_misses_nothing() {
    let app = spawn_app();
    let table = Table::of(&app, &json!({ "kind": "spite_and_malice", "seats": 2 }), seated(&app, 0), seated(&app, 1));
    let mut stream = Stream::sse(app.address, &path(&table), None, None);
    play(&[&app], &table, 120);
    end(&app, &table);
    assert_eq!(events(&stream.rest()), table.events(&app));
}

fn seated(app: &TestApp, seat: usize) -> Client {
    Client::new(app.guest(&format!("player {seat}")), seat)
}

#[test]
fn what_no_instance_told_of_is_found_all_the_same() {
    let app = spawn_app();
    let other = app.another();
    let table = Table::new(&app);
    let before = table.events(&app).len();
    let mut stream = Stream::sse(other.address, &path(&table), None, None);
    stream.take(before);
    // The connections over which instances tell each other are cut, again and again.
    let database = app.database();
    let cut =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ILIKE 'LISTEN%' OR query = 'SELECT 1'";
    for _ in 0..3 {
        block_on(async { sql(&database.outside().await, cut).await.unwrap() });
        play(&[&app], &table, 1);
    }
    let count = table.events(&app).len() - before;
    assert_eq!(events(&stream.take(count)), table.events(&app)[before..]);
    // Somebody appends and dies before telling anybody: this row comes from nowhere.
    let owner = &database.owner_url;
    block_on(async {
        let sneak = "INSERT INTO events SELECT game_id, seq + 1, hash, at, actor, type, data, hash, key, signature \
                     FROM events ORDER BY seq DESC LIMIT 1";
        sql(&raw(owner).await, sneak).await.unwrap();
    });
    let begin = Instant::now();
    assert_eq!(stream.next().unwrap().data["event"]["seq"].as_u64().unwrap() as usize, before + count);
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}

#[test]
fn an_event_that_was_announced_and_never_came_holds_nobody_up() {
    let app = spawn_app();
    let table = Table::new(&app);
    let before = table.events(&app).len();
    let mut stream = Stream::sse(app.address, &path(&table), None, None);
    stream.take(before);
    // As from an instance whose database has lost what it told of.
    let (instance, game) = (crate::story::fresh_uuid().simple().to_string(), table.game.replace('-', ""));
    let notice = format!("SELECT pg_notify('croupier', '{instance} {game}:{}')", before + 400);
    block_on(async { sql(&raw(&app.database().owner_url).await, &notice).await.unwrap() });
    play(&[&app], &table, 1);
    end(&app, &table);
    assert_eq!(events(&stream.rest()), table.events(&app)[before..]);
}

#[test]
fn ana_hears_of_all_her_games_over_one_connection() {
    let app = spawn_app();
    let other = app.another();
    let old = Table::new(&app);
    let ana = old.ana.guest.clone();
    let mut stream = Stream::sse(other.address, "/v1/events", Some(&ana.token), None);
    let mut lines = Stream::ndjson(app.address, "/v1/events", Some(&ana.token));
    assert_eq!(stream.header("content-type"), Some("text/event-stream"));
    let snapshot = stream.next().unwrap();
    assert_eq!(snapshot.name.as_deref(), Some("snapshot"));
    let seq = old.events(&app).len() - 1;
    let own =
        json!({ "game": old.game, "kind": "migraine", "seat": 0, "seq": seq, "status": "playing", "to_act": [1] });
    assert_eq!(snapshot.data, json!({ "type": "snapshot", "games": [own] }));

    // The old game comes to her, and she sits down at a new one.
    old.deal(&app);
    let turn = stream.next().unwrap();
    assert_eq!((&turn.data["type"], &turn.data["game"]), (&json!("your_turn"), &json!(old.game)));
    assert_eq!((&turn.data["step"], &turn.data["awaits"]), (&json!(2), &json!("commitment")));
    let again = Client::new(ana.clone(), 0);
    let new = Table::of(&app, &json!({ "kind": "spite_and_malice", "seats": 2 }), again, seated(&app, 1));
    let told = stream.take(3);
    let names: Vec<_> = told.iter().map(|message| message.name.clone().unwrap()).collect();
    assert_eq!(&names[..2], ["seat_taken", "seat_taken"], "{told:?}");
    assert!(names[2] == "game_started" && told.iter().all(|message| message.data["game"] == new.game), "{told:?}");
    end(&other, &new);
    let mut rest = vec![stream.next().unwrap()];
    while rest.last().unwrap().data["type"] != "game_ended" {
        rest.push(stream.next().unwrap());
    }
    let ended = &rest.last().unwrap().data;
    assert_eq!((&ended["game"], &ended["status"]), (&json!(new.game), &json!("ended")));
    assert_eq!(ended["result"]["winners"], json!([0]));

    // On the instance where it all happened she is told the same.
    let mut same = vec![lines.next().unwrap()];
    while same.last().unwrap().data["type"] != "game_ended" {
        same.push(lines.next().unwrap());
    }
    for message in told.iter().chain(&rest).chain(&same).chain([&snapshot, &turn]) {
        check("News", message);
    }
    let types = |messages: &[Message]| messages.iter().map(|message| message.data["type"].clone()).collect::<Vec<_>>();
    assert_eq!(types(&same)[..5], ["snapshot", "your_turn", "seat_taken", "seat_taken", "game_started"]);
    // A new connection begins with a new snapshot.
    let snapshot = Stream::ndjson(other.address, "/v1/events", Some(&ana.token)).next().unwrap();
    assert_eq!(snapshot.data["games"].as_array().unwrap().len(), 1);
}

#[test]
fn a_stream_ends_with_the_token_it_was_opened_with() {
    let app = spawn_app();
    let other = app.another();
    let table = Table::new(&app);
    let token = Some(&*table.ana.guest.token);
    let mut mine = Stream::sse(other.address, "/v1/events", token, None);
    let mut game = Stream::ndjson(other.address, &format!("{}?view=true", path(&table)), token);
    let mut ben = Stream::ndjson(other.address, &path(&table), Some(&table.ben.guest.token));
    app.call("DELETE", "/v1/tokens", token, None);
    mine.ends_within(Duration::from_secs(5));
    game.ends_within(Duration::from_secs(1));
    // Ben's goes on.
    let before = table.events(&app).len();
    table.deal(&app);
    ben.take(before + 1);
}

/// There is always something left to tell to who reads slowly; what was told ends all the same, and takes no more memory.
#[test]
fn a_stream_that_is_behind_ends_with_its_token_too() {
    let app = spawn_app();
    let whole = ["--kind=tau_heed_kept", "--seats=8", "--games=1", "--total-games=1", "--address", &app.url];
    assert!(load(&whole).wait_with_output().unwrap().status.success());
    let game = query(&app.database().owner_url, "SELECT game_id::text FROM games").remove(0);
    let ana = app.guest("Ana");
    let mut stream = TcpStream::connect(app.address).unwrap();
    // Little room, so that most is still to be told.
    setsockopt(&stream, RcvBuf, &(64 * 1024)).unwrap();
    let head = format!(
        "GET /v1/games/{game}/events?view=true HTTP/1.1\r\nHost: localhost\r\nAccept: application/x-ndjson\r\n\
         Authorization: Bearer {}\r\n\r\n",
        ana.token
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut told = Vec::new();
    let mut some = [0; 4096];
    let mut read = |told: &mut Vec<u8>| {
        let count = stream.read(&mut some).unwrap();
        told.extend_from_slice(&some[..count]);
        count > 0
    };
    read(&mut told);
    assert_eq!(app.call("DELETE", "/v1/tokens", Some(&ana.token), None).status, 204);
    let ended = Instant::now();
    while ended.elapsed() < Duration::from_secs(6) && read(&mut told) {
        sleep(Duration::from_millis(50));
    }
    while read(&mut told) {}
    let told = String::from_utf8(told).unwrap();
    assert!(told.starts_with("HTTP/1.1 200") && told.contains("\"type\":\"started\""), "{told}");
    assert!(!told.contains("\"type\":\"ended\""), "it went on to the end: {} bytes", told.len());
}

#[test]
fn an_instance_that_stops_sends_its_watchers_elsewhere() {
    let app = spawn_app();
    let table = Table::new(&app);
    let other = app.another();
    let mut streams: Vec<Stream> = (0..5).map(|_| Stream::sse(other.address, &path(&table), None, None)).collect();
    let begin = Instant::now();
    other.stop();
    for stream in &mut streams {
        assert_eq!(stream.rest().len(), table.events(&app).len());
        assert_eq!(stream.heartbeats, 1, "a hint to come again");
    }
    drop(other);
    assert!(begin.elapsed() < Duration::from_secs(8), "{:?}", begin.elapsed());
}

#[test]
fn what_is_no_stream_is_refused() {
    let app = spawn_app();
    let table = Table::new(&app);
    let sse = [("Accept", "text/event-stream")];
    let call = |path: &str, headers: &[(&str, &str)]| {
        let answer = crate::http::call(app.address, "GET", path, headers, b"");
        (answer.status, answer.code())
    };
    let (invalid, game) = ("invalid_parameter".to_owned(), path(&table));
    assert_eq!(call(&format!("{game}?limit=5"), &sse), (400, invalid.clone()));
    assert_eq!(call(&format!("{game}?view=true"), &[]), (400, invalid.clone()));
    assert_eq!(call(&format!("{game}?view=perhaps"), &sse), (400, invalid.clone()));
    assert_eq!(call(&format!("{game}?after=4000"), &sse), (400, invalid.clone()));
    assert_eq!(call(&game, &[sse[0], ("Last-Event-ID", "first")]), (400, "invalid_header".to_owned()));
    assert_eq!(call(&game, &[sse[0], ("Authorization", "Bearer x")]), (401, "token_invalid".to_owned()));
    assert_eq!(call("/v1/events", &sse), (401, "token_missing".to_owned()));
    let nobody = format!("/v1/games/{}/events", crate::story::fresh_uuid());
    for query in ["", "?view=true", "?after=7"] {
        assert_eq!(call(&format!("{nobody}{query}"), &sse), (404, "unknown_game".to_owned()));
    }
}
