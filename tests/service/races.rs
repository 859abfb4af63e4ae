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
