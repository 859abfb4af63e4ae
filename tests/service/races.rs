//! Many writers at once, on two instances over one database: each step is won once, nothing acknowledged is missing,
//! and no event's number is skipped.

use std::collections::BTreeSet;
use std::sync::Barrier;

use croupier::event::{Actor, Body, Event};
use serde_json::{Value, json};

use crate::app::{Setup, TestApp};
use crate::clients::{Client, Rng, Table, Write, call_timeout};
use crate::http::Answer;

fn house() -> [TestApp; 2] {
    let app = Setup { workers: 2, connections: 16, ..Setup::default() }.spawn();
    let other = app.another();
    [app, other]
}

/// Sends all of these at once, each on one of the instances.
fn at_once(apps: &[TestApp; 2], writes: &[(&Client, Write)]) -> Vec<Answer> {
    let start = Barrier::new(writes.len());
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..)
            .zip(writes)
            .map(|(number, (client, write))| {
                let (app, start) = (&apps[number % 2], &start);
                scope.spawn(move || {
                    start.wait();
                    client.send(app, write)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// The log is whole, and every acknowledged event stands in it at its place.
fn check(log: &[Value], answers: &[Answer]) {
    for (seq, event) in log.iter().enumerate() {
        assert_eq!(event["seq"], seq);
    }
    for answer in answers {
        assert!(answer.status < 500, "{}", answer.text());
        if answer.status < 300 {
            for event in answer.json()["events"].as_array().unwrap() {
                assert_eq!(*event, log[event["seq"].as_u64().unwrap() as usize], "an acknowledged event is missing");
            }
        }
    }
}

#[test]
fn two_hundred_writers_on_one_step_of_one_game_make_one_move() {
    let apps = house();
    let table = Table::new(&apps[0]);
    let moves: Vec<(&Client, Write)> = (0..200)
        .map(|number| {
            let mv = json!({ "type": "cut", "depth": number % 16 });
            (&table.ben, table.ben.make_move(&table.game, 1, &mv))
        })
        .collect();
    let answers = at_once(&apps, &moves);
    let log = table.events(&apps[0]);
    check(&log, &answers);
    assert_eq!(log.iter().filter(|event| event["type"] == "moved").count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    let repeats = answers.iter().filter(|answer| answer.status == 200).count();
    let refused = answers.iter().filter(|answer| answer.status == 409).count();
    assert_eq!(1 + repeats + refused, 200);
    println!("200 writers on one step: 1 made the move, {repeats} repeated it, {refused} were refused");
}

#[test]
fn both_seats_seal_at_once_and_neither_is_refused() {
    let apps = house();
    let table = Table::new(&apps[0]);
    table.deal(&apps[0]);
    let mut writes = Vec::new();
    for client in table.both() {
        let mv = table.first_legal(&apps[1], client);
        writes.extend((0..20).map(|_| (client, client.make_move(&table.game, 2, &mv))));
    }
    let answers = at_once(&apps, &writes);
    let log = table.events(&apps[0]);
    check(&log, &answers);
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 2);
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 38);
    assert_eq!(log.iter().filter(|event| event["type"] == "opened").count(), 2);
}

#[test]
fn two_hundred_writers_on_many_games_lose_nothing() {
    let apps = house();
    let mut rng = Rng(7);
    let tables: Vec<Table> = (0..40).map(|_| Table::new(&apps[0])).collect();
    for _ in 0..4 {
        let mut writes = Vec::new();
        for table in &tables {
            for client in table.both() {
                let view = client.view(&apps[1], &table.game);
                let legal = view["legal"].as_array().unwrap().clone();
                if legal.is_empty() {
                    continue;
                }
                let write = client.make_move(&table.game, view["step"].as_u64().unwrap(), rng.pick(&legal));
                // Some are sent twice.
                writes.extend(std::iter::repeat_n((client, write), 1 + (rng.next() % 3) as usize));
            }
        }
        writes.truncate(200);
        let answers = at_once(&apps, &writes);
        let refused: Vec<&Answer> = answers.iter().filter(|answer| answer.status >= 300).collect();
        assert!(refused.is_empty(), "nobody is in anybody's way: {refused:?}");
        for (table, app) in tables.iter().zip(apps.iter().cycle()) {
            let own: Vec<Answer> = writes
                .iter()
                .zip(&answers)
                .filter(|((_, write), _)| write.path.contains(&table.game))
                .map(|(_, answer)| answer.clone())
                .collect();
            check(&table.events(app), &own);
        }
    }
}

#[test]
fn one_seat_is_taken_once() {
    let apps = house();
    let host = Client::new(apps[0].guest("the host"), 0);
    let game = host.guest.create(&apps[0], &json!({ "kind": "generals", "seats": 20 }));
    let guests: Vec<Client> = (0..40).map(|i| Client::new(apps[i % 2].guest(&format!("guest {i}")), 3)).collect();
    let writes: Vec<(&Client, Write)> = guests.iter().map(|guest| (guest, guest.sit(&apps[0], &game))).collect();
    let answers = at_once(&apps, &writes);
    let events = apps[0].get(&format!("/v1/games/{game}/events")).json()["events"].as_array().unwrap().clone();
    check(&events, &answers);
    let seats: BTreeSet<u64> = events.iter().filter_map(|event| event["actor"].as_u64()).collect();
    assert_eq!((seats, events.len()), (BTreeSet::from([3]), 2));
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    assert!(answers.iter().all(|answer| answer.status == 201 || answer.code() == "seat_taken"));
}

#[test]
fn a_resignation_a_move_and_a_time_out_at_once_have_one_outcome() {
    let apps = house();
    for _ in 0..5 {
        let table = Table::timed(&apps[0], 60);
        apps[0].clock.advance(60);
        let [ana, ben] = table.both();
        let writes = vec![
            (ben, ben.make_move(&table.game, 1, &json!({ "type": "cut", "depth": 3 }))),
            (ana, ana.resign(&apps[0], &table.game)),
            (ben, ben.resign(&apps[0], &table.game)),
            (ana, call_timeout(&table.game)),
        ];
        let answers = at_once(&apps, &writes);
        let log = table.events(&apps[1]);
        check(&log, &answers);
        assert_eq!(log.iter().filter(|event| event["type"] == "ended").count(), 1);
        let views = [ana.view(&apps[0], &table.game), ana.view(&apps[1], &table.game)];
        assert_eq!(views[0], views[1]);
    }
}

#[test]
fn sitting_getting_up_starting_and_calling_off_at_once_leave_one_story() {
    let apps = house();
    let mut stages = BTreeSet::new();
    for round in 0..8 {
        let host = Client::new(apps[0].guest(&format!("the host {round}")), 0);
        let game = host.guest.create(&apps[0], &json!({ "kind": "generals", "options": { "dealer": 0 }, "seats": 3 }));
        let guests: Vec<Client> =
            (0..3).map(|seat| Client::new(apps[0].guest(&format!("guest {round} {seat}")), seat)).collect();
        guests[0].make(&apps[0], &guests[0].sit(&apps[0], &game));
        guests[1].make(&apps[0], &guests[1].sit(&apps[0], &game));
        let mut writes = vec![(&host, Write::new("POST", format!("/v1/games/{game}/start"), Value::Null))];
        for guest in &guests {
            writes.extend([(guest, guest.get_up(&apps[0], &game)), (guest, guest.sit(&apps[1], &game))]);
        }
        if round % 2 == 0 {
            writes.push((&host, Write::new("DELETE", format!("/v1/games/{game}"), Value::Null)));
        }
        // Another one is first each time.
        writes.rotate_left(round % 4);
        let answers = at_once(&apps, &writes);
        let log = apps[1].get(&format!("/v1/games/{game}/events")).json()["events"].as_array().unwrap().clone();
        check(&log, &answers);
        // An auditor takes every event where it stands: nobody sat twice, on two seats, or after the table closed.
        let events: Vec<Event> = log.iter().map(|event| serde_json::from_value(event.clone()).unwrap()).collect();
        let types: Vec<&str> = log.iter().map(|event| event["type"].as_str().unwrap()).collect();
        let view = apps[0].get(&format!("/v1/games/{game}/view")).json();
        stages.insert(view["status"].as_str().unwrap().to_owned());
        let audit = apps[0].get(&format!("/v1/games/{game}/audit")).json();
        assert!(!audit.to_string().contains("\"no\""), "{types:?} {audit}");
        assert_eq!(view["seq"], log.len() as u64 - 1);
        let mut seats = [None; 3];
        for event in &events {
            match &event.body {
                Body::Seated(seated) => {
                    assert!(!seats.contains(&Some(seated.player.id)), "{types:?}");
                    assert_eq!(seats[seat_of(event)].replace(seated.player.id), None, "{types:?}");
                }
                Body::Left(_) => assert!(seats[seat_of(event)].take().is_some(), "{types:?}"),
                Body::Closed(closed) => {
                    let taken = seats.iter().take_while(|seat| seat.is_some()).count();
                    assert_eq!((taken, seats.iter().flatten().count()), (closed.seats.into(), taken), "{types:?}");
                }
                _ => {}
            }
        }
    }
    println!("it came to {stages:?}");
}

fn seat_of(event: &Event) -> usize {
    let Actor::Seat(seat) = event.actor else { panic!("{event:?}") };
    seat.index()
}

#[test]
fn two_openings_at_once_start_the_game_once_and_open_the_step_once() {
    let apps = house();
    for _ in 0..3 {
        let [ana, ben] = crate::clients::two(&apps[0]).map(|client| client.with_seed().sealing());
        let body = json!({ "kind": "migraine", "options": { "first_dealer": 0 }, "seats": 2 });
        let game = ana.guest.create(&apps[0], &body);
        for client in [&ana, &ben] {
            client.make(&apps[0], &client.sit(&apps[0], &game));
        }
        let table = Table { game, ana, ben };
        let both = table.both();
        // Each seed many times over, on both instances.
        let seeds: Vec<(&Client, Write)> =
            (0..12).map(|i| both[i / 2 % 2]).map(|client| (client, client.open_seed(&table.game))).collect();
        let answers = at_once(&apps, &seeds);
        let log = table.events(&apps[1]);
        check(&log, &answers);
        let count = |log: &[Value], name: &str| log.iter().filter(|event| event["type"] == name).count();
        assert_eq!((count(&log, "seed_opened"), count(&log, "started")), (2, 1));
        assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 2);
        assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 10);

        table.deal(&apps[0]);
        let moves = both.map(|client| table.first_legal(&apps[1], client));
        for (client, mv) in both.iter().zip(&moves) {
            client.make(&apps[0], &client.commit(&table.game, 2, mv));
        }
        let openings: Vec<(&Client, Write)> =
            (0..12).map(|i| i / 2 % 2).map(|i| (both[i], both[i].open(&table.game, 2, &moves[i]))).collect();
        let answers = at_once(&apps, &openings);
        let log = table.events(&apps[1]);
        check(&log, &answers);
        assert_eq!(count(&log, "opened"), 2);
        assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 2);
        assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 10);
        let views = [both[0].view(&apps[0], &table.game), both[0].view(&apps[1], &table.game)];
        assert_eq!((&views[0], &views[0]["step"]), (&views[1], &json!(3)));
    }
}

/// Plays on until the next move may be the one that wins: the last declaration of a round. Who makes it, and what.
fn last_declaration<'a>(apps: &[TestApp; 2], table: &'a Table, rng: &mut Rng) -> Option<(&'a Client, u64, Value)> {
    loop {
        let view = apps[0].get(&format!("/v1/games/{}/view", table.game)).json();
        let seat = view["to_act"][0].as_u64()?;
        let client = table.both()[seat as usize];
        let step = view["step"].as_u64().unwrap();
        let legal = client.view(&apps[0], &table.game)["legal"].as_array().unwrap().clone();
        let mv = rng.pick(&legal).clone();
        let log = table.events(&apps[0]);
        let declared = mv["type"] == "declare" && log.last().unwrap()["data"]["move"]["type"] == "declare";
        if declared {
            return Some((client, step, mv));
        }
        client.make(&apps[0], &client.make_move(&table.game, step, &mv));
    }
}

#[test]
fn a_resignation_and_the_winning_move_at_once_have_one_outcome() {
    let apps = house();
    let mut rng = Rng(11);
    let (mut won, mut resigned) = (0, 0);
    // Few rounds are won by two points: it goes on until one is.
    for round in 0..300 {
        if won > 0 && resigned > 0 {
            break;
        }
        let [ana, ben] = crate::clients::two(&apps[0]);
        let body = json!({ "kind": "migraine", "options": { "first_dealer": 0, "target": 1 }, "seats": 2 });
        let table = Table::of(&apps[0], &body, ana, ben);
        let Some((client, step, mv)) = last_declaration(&apps, &table, &mut rng) else { panic!("it goes on") };
        let other = table.both()[1 - client.seat];
        let mut writes = vec![
            (client, client.make_move(&table.game, step, &mv)),
            (other, other.resign(&apps[0], &table.game)),
            (client, client.make_move(&table.game, step, &mv)),
            (other, other.resign(&apps[0], &table.game)),
        ];
        writes.rotate_left(if resigned == 0 { round % 4 } else { 0 });
        let answers = at_once(&apps, &writes);
        let log = table.events(&apps[1]);
        check(&log, &answers);
        let ends: Vec<&Value> = log.iter().filter(|event| event["type"] == "ended").collect();
        let views = [client.view(&apps[0], &table.game), client.view(&apps[1], &table.game)];
        assert_eq!(views[0], views[1]);
        // Of both kinds of writes the first is new, and its repeat says the same.
        let of = |path: &str| {
            let mut found: Vec<u16> = writes
                .iter()
                .zip(&answers)
                .filter(|((_, write), _)| write.path.ends_with(path))
                .map(|(_, answer)| answer.status)
                .collect();
            found.sort_unstable();
            found
        };
        let moved = log.iter().any(|event| event["actor"] == client.seat && event["data"]["step"] == step);
        match (moved, of("/moves").as_slice(), of("/resignation").as_slice()) {
            // The move won, and there was nothing left to give up.
            (true, [200, 201], [409, 409]) => won += 1,
            // It was over before the move.
            (false, [409, 409], [200, 201]) => resigned += 1,
            // The move did not win, and the other gave up after it.
            (true, [200, 201], [200, 201]) => {}
            other => panic!("{other:?}: {log:?}"),
        }
        assert_eq!(ends.len(), 1, "{log:?}");
    }
    println!("the winning move was first {won} times, the resignation {resigned} times");
    assert!(won > 0, "no move won");
}

#[test]
fn a_time_out_and_the_move_at_the_deadline_have_one_outcome() {
    let apps = house();
    let (mut moved, mut late) = (0, 0);
    for round in 0..12 {
        let table = Table::timed(&apps[0], 60);
        let due = table.ben.view(&apps[0], &table.game)["due_at"].as_str().unwrap().to_owned();
        apps[0].clock.set(&due);
        apps[0].clock.advance_millis(-1);
        let cut = json!({ "type": "cut", "depth": 3 });
        let mut writes = Vec::new();
        for _ in 0..4 {
            writes.push((&table.ben, table.ben.make_move(&table.game, 1, &cut)));
            writes.push((&table.ana, call_timeout(&table.game)));
        }
        writes.rotate_left(round % 2);
        // The deadline comes while they are under way.
        let answers = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_micros(700 * round as u64));
                apps[0].clock.advance_millis(2);
            });
            at_once(&apps, &writes)
        });
        let log = table.events(&apps[1]);
        check(&log, &answers);
        let has = |name: &str| log.iter().filter(|event| event["type"] == name).count();
        let views = [table.ana.view(&apps[0], &table.game), table.ana.view(&apps[1], &table.game)];
        assert_eq!(views[0], views[1]);
        let acknowledged = writes
            .iter()
            .zip(&answers)
            .any(|((_, write), answer)| write.path.ends_with("/moves") && answer.status < 300);
        match (has("moved"), has("timed_out")) {
            (1, 0) => {
                assert!(acknowledged);
                moved += 1;
            }
            (0, 1) => {
                assert!(!acknowledged, "a move was acknowledged that is not in the log");
                late += 1;
            }
            other => panic!("{other:?}: {log:?}"),
        }
    }
    println!("the move was in time {moved} times, and late {late} times");
}

#[test]
fn a_start_and_a_leave_at_once_have_one_outcome() {
    let apps = house();
    let (mut started, mut left) = (0, 0);
    for round in 0..10 {
        let [ana, ben] = crate::clients::two(&apps[0]);
        let cid = Client::new(apps[0].guest(&format!("Cid {round}")), 2);
        let game = ana.guest.create(&apps[0], &json!({ "kind": "generals", "options": { "dealer": 0 }, "seats": 4 }));
        for client in [&ana, &ben, &cid] {
            client.make(&apps[0], &client.sit(&apps[0], &game));
        }
        let start = Write::new("POST", format!("/v1/games/{game}/start"), Value::Null);
        let mut writes = vec![
            (&ana, start.clone()),
            (&cid, cid.get_up(&apps[0], &game)),
            (&ana, start),
            (&cid, cid.get_up(&apps[0], &game)),
        ];
        writes.rotate_left(round % 4);
        let answers = at_once(&apps, &writes);
        let log = apps[1].get(&format!("/v1/games/{game}/events")).json()["events"].as_array().unwrap().clone();
        check(&log, &answers);
        let closed = log.iter().find(|event| event["type"] == "closed").expect("two are enough to start");
        let gone = log.iter().any(|event| event["type"] == "left");
        assert_eq!(closed["data"]["seats"], if gone { 2 } else { 3 });
        let status = |path: &str| {
            let of = writes.iter().zip(&answers).filter(|((_, write), _)| write.path.contains(path));
            of.map(|(_, answer)| answer.status).collect::<BTreeSet<_>>()
        };
        assert_eq!(status("/start"), BTreeSet::from([200, 201]));
        assert_eq!(status("/seats/me"), if gone { BTreeSet::from([200, 201]) } else { BTreeSet::from([409]) });
        if gone { left += 1 } else { started += 1 }
    }
    println!("the start was first {started} times, the leave {left} times");
}

#[test]
fn one_key_makes_one_game_however_often_and_wherever_it_comes() {
    let apps = house();
    let ana = apps[0].guest("Ana");
    for _ in 0..3 {
        let (bearer, key) = (format!("Bearer {}", ana.token), crate::story::fresh_uuid().to_string());
        let headers =
            [("Authorization", bearer.as_str()), ("Content-Type", "application/json"), ("Idempotency-Key", &*key)];
        let body = json!({ "kind": "migraine", "seats": 2 }).to_string();
        let create = |i: usize| crate::http::call(apps[i % 2].address, "POST", "/v1/games", &headers, body.as_bytes());
        let answers: Vec<Answer> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..16).map(|i| scope.spawn(move || create(i))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
        assert!(answers.iter().all(|answer| answer.status < 300), "{answers:?}");
        let games: BTreeSet<String> =
            answers.iter().map(|answer| answer.json()["view"]["game"].as_str().unwrap().to_owned()).collect();
        assert_eq!(games.len(), 1);
    }
}
