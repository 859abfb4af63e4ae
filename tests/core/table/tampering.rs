//! A log that was tampered with: the table refuses the first event that may not stand there, and says which of an
//! auditor's questions it answers with no.
//!
//! The hash chain and the signatures are not the table's: here they are what they may be.

use croupier::canonical::{parse_as, to_jcs};
use croupier::event::{Body, Event};
use croupier::games::Move;
use croupier::replay::replay;
use croupier::table::{Question, Stop};
use serde_json::{Value, json};

use crate::support::{House, Player, Rng, Setup, moment, mv, seat, types};

use Question::{Draws, Form, Rules, Sealed, Seeds};

fn cut() -> Move {
    mv(json!({"type": "cut", "depth": 0}))
}

fn choice(house: &House, player: &Player) -> Move {
    house.legal(player.seat)[0].clone()
}

/// A match by lot with two seeds; one hostile discard is sealed by its client, all else by the server. After its first
/// round the dealer resigns.
fn played() -> House {
    let players = [Player::new(0).with_seed(), Player::new(1).with_seed()];
    let mut house = House::new(&Setup { options: json!({}), move_seconds: Some(60), ..Setup::migraine() });
    for command in [&players[1], &players[0]].map(|player| player.sit(&house)) {
        house.send(&command);
    }
    players.iter().for_each(|player| drop(house.send(&player.open_seed(&house))));
    let pone = &players[house.table.to_act()[0].index()];
    house.plays(pone, &cut());
    let nonce = Rng::new(1).nonce();
    let chosen = choice(&house, &players[0]);
    house.send(&players[0].commit(&house, &chosen, &nonce));
    house.plays(&players[1], &choice(&house, &players[1]));
    house.send(&players[0].open(&house, &chosen, &nonce));
    players.iter().for_each(|player| drop(house.plays(player, &choice(&house, player))));
    for _ in 0..2 {
        let player = &players[house.table.to_act()[0].index()];
        house.plays(player, &choice(&house, player));
    }
    house.send(&players[0].resign(&house));
    house
}

/// A match in which both seats are late for the hostile discards.
fn timed_out() -> House {
    let players = [Player::new(0), Player::new(1)];
    let mut house = House::playing(&Setup { move_seconds: Some(60), ..Setup::migraine() }, &players);
    house.plays(&players[1], &cut());
    house.wait_until_due(1);
    house.send(&players[0].call_timeout());
    house
}

/// A game whose seats withheld their seeds.
fn void() -> House {
    let players = [Player::new(0).with_seed(), Player::new(1).with_seed()];
    let mut house = House::seated(&Setup::migraine(), &players);
    house.wait_until_due(1);
    house.send(&players[0].call_timeout());
    house
}

/// A match whose seats have keys, at its first sealed step.
fn keyed() -> House {
    let players = [Player::new(0).with_key(), Player::new(1).with_key()];
    let mut house = House::new(&Setup::migraine());
    house.send(&players[0].sit(&house));
    house.send(&players[0].get_up(&house));
    house.wait(5);
    house.send(&players[0].sit(&house));
    house.send(&players[1].sit(&house));
    house.plays(&players[1], &cut());
    house.send(&players[0].commit(&house, &choice(&house, &players[0]), &Rng::new(1).nonce()));
    house.send(&players[1].resign(&house));
    house
}

/// The place of the nth event of a type, counted from 0.
#[track_caller]
fn place(house: &House, event_type: &str, nth: usize) -> usize {
    let is = |(_, event): &(usize, &Event)| event.body.event_type() == event_type;
    let found = house.events.iter().enumerate().filter(is).nth(nth);
    found.unwrap_or_else(|| panic!("no {event_type} {nth} among {:?}", types(&house.events))).0
}

fn changed(event: &Event, changes: &[(&str, Value)]) -> Event {
    let mut value = serde_json::to_value(event).unwrap();
    for (path, new) in changes {
        let place = value.pointer_mut(path).unwrap_or_else(|| panic!("{event:?} has no {path}"));
        assert_ne!(place, new, "{path} is that already");
        *place = new.clone();
    }
    parse_as(&to_jcs(&value)).unwrap_or_else(|why| panic!("{value}: {why}"))
}

/// The question that a log answers with no, at the event at this place.
#[track_caller]
fn blame(house: &House, events: &[Event], at: usize) -> Question {
    match replay(events, &house.secrets) {
        Ok(_) => panic!("{:?} was taken at {at}", events[at]),
        Err(error) => match error.stop {
            Stop::Fault(fault) => {
                assert_eq!(error.seq, at as u64, "{fault}");
                fault.question
            }
            Stop::Undisclosed(draw) => panic!("draw {draw}"),
        },
    }
}

/// What an event's change makes of the log.
#[track_caller]
fn blame_change(house: &House, event_type: &str, nth: usize, changes: &[(&str, Value)]) -> Question {
    let mut events = house.events.clone();
    let at = place(house, event_type, nth);
    events[at] = changed(&events[at], changes);
    blame(house, &events, at)
}

#[test]
fn an_untouched_log_is_taken() {
    for house in [played(), timed_out(), void(), keyed()] {
        assert!(replay(&house.events, &house.secrets).is_ok());
    }
    assert_eq!(
        types(&played().events).join(" "),
        "created seated seated closed seed_opened seed_opened started disclosed moved committed committed opened opened \
         committed committed opened opened moved moved disclosed resigned disclosed ended"
    );
}

#[test]
fn what_is_agreed_at_the_beginning() {
    let house = played();
    let change = |path: &str, value: Value| blame_change(&house, "created", 0, &[(path, value)]);
    assert_eq!(change("/data/protocol", json!(2)), Form);
    assert_eq!(change("/data/chain", json!(4095)), Form);
    assert_eq!(change("/data/seats/min", json!(1)), Rules);
    assert_eq!(change("/data/seats/max", json!(3)), Rules);
    assert_eq!(change("/data/move_seconds", json!(9)), Form);
    assert_eq!(change("/data/move_seconds", json!(604_801)), Form);
    assert_eq!(change("/data/rules/version", json!(2)), Rules);
    assert_eq!(change("/data/rules/version", json!(0)), Rules);
    assert_eq!(change("/data/rules/text", json!("00".repeat(32))), Rules);
    assert_eq!(change("/actor", json!(0)), Form);
    assert_eq!(change("/seq", json!(1)), Form);
    assert_eq!(blame(&house, &house.events[1..], 0), Form);
    assert!(replay(&[], &house.secrets).is_err());
}

#[test]
fn who_sits_where() {
    let house = played();
    let seated = |changes: &[(&str, Value)]| blame_change(&house, "seated", 1, changes);
    assert_eq!(seated(&[("/actor", json!(1))]), Form);
    assert_eq!(seated(&[("/actor", json!(2))]), Form);
    assert_eq!(seated(&[("/actor", json!("server"))]), Form);
    assert_eq!(seated(&[("/data/player/id", json!(Player::new(1).id))]), Form);
    assert_eq!(seated(&[("/data/after", json!(2))]), Form);
    let house = keyed();
    assert_eq!(blame_change(&house, "seated", 0, &[("/data/after", json!(null))]), Form);
    assert_eq!(blame_change(&house, "left", 0, &[("/data/after", json!(null))]), Form);
    assert_eq!(blame_change(&house, "left", 0, &[("/data/after", json!(2))]), Form);
    assert_eq!(blame_change(&house, "left", 0, &[("/actor", json!(1))]), Form);
    let by = serde_json::to_value(&house.events[1]).unwrap()["data"]["by"].clone();
    assert_eq!(
        blame_change(&house, "seated", 1, &[("/data/by", by)]),
        Question::Chain,
        "a signature for the second time"
    );
}

#[test]
fn how_the_table_closes() {
    let house = played();
    let closed = |changes: &[(&str, Value)]| blame_change(&house, "closed", 0, changes);
    assert_eq!(closed(&[("/data/seats", json!(1))]), Form);
    assert_eq!(closed(&[("/data/seats", json!(3))]), Form);
    assert_eq!(closed(&[("/data/open_by", json!(moment(600_000)))]), Rules);
    assert_eq!(closed(&[("/data/open_by", json!(null))]), Rules);
    assert_eq!(closed(&[("/at", json!(moment(1)))]), Rules, "a full table closes in the same append");
    assert_eq!(closed(&[("/actor", json!(0))]), Form);
    let at = place(&house, "seated", 1);
    let early = [&house.events[..at], &house.events[at + 1..]].concat();
    assert_eq!(blame(&house, &early, at), Form, "closed with a gap");
}

#[test]
fn the_players_seeds() {
    let house = played();
    let seed = |nth: usize, changes: &[(&str, Value)]| blame_change(&house, "seed_opened", nth, changes);
    assert_eq!(seed(0, &[("/data/seed", json!("11".repeat(32)))]), Seeds);
    assert_eq!(seed(0, &[("/actor", json!(1))]), Seeds, "it opens no commitment of that seat");
    assert_eq!(seed(1, &[("/actor", json!(0))]), Seeds, "a second one");
    assert_eq!(seed(0, &[("/actor", json!(5))]), Form, "no such seat");
    assert_eq!(seed(0, &[("/at", json!(moment(60_001)))]), Rules, "too late");
    // Started while a seed is missing.
    let at = place(&house, "seed_opened", 1);
    let without = [&house.events[..at], &house.events[at + 1..]].concat();
    assert_eq!(blame(&house, &without, at), Seeds);
}

#[test]
fn what_the_start_deals() {
    let house = played();
    let started = |changes: &[(&str, Value)]| blame_change(&house, "started", 0, changes);
    let facts = serde_json::to_value(&house.events[place(&house, "started", 0)]).unwrap()["data"]["facts"].clone();
    let dealer = facts[1]["dealer"].as_u64().unwrap();
    assert_eq!(started(&[("/data/facts/1/dealer", json!(1 - dealer))]), Draws, "the lot");
    assert_eq!(started(&[("/data/facts/2/draw", json!(3))]), Draws);
    assert_eq!(started(&[("/data/facts/2/purpose", json!("first_dealer"))]), Draws);
    assert_eq!(started(&[("/data/facts/3/round", json!(2))]), Rules);
    assert_eq!(started(&[("/data/facts", json!([]))]), Draws);
    assert_eq!(started(&[("/at", json!(moment(1)))]), Rules, "with the last seed");
}

#[test]
fn what_the_server_discloses() {
    let house = played();
    let chain = |draw: u32| json!(croupier::seed_chain::ServerSeeds::seed(&house.secrets, draw));
    let disclosed = |nth: usize, changes: &[(&str, Value)]| blame_change(&house, "disclosed", nth, changes);
    for nth in 0..3 {
        assert_eq!(disclosed(nth, &[("/data/seed", json!("11".repeat(32)))]), Seeds);
        assert_eq!(disclosed(nth, &[("/at", json!(moment(1)))]), Rules, "in the same append");
        let at = place(&house, "disclosed", nth);
        let without = [&house.events[..at], &house.events[at + 1..]].concat();
        assert_eq!(blame(&house, &without, at), Seeds, "a fault of the event in its place");
        // A disclosure that nothing asks for.
        let twice = [&house.events[..=at], &house.events[at..]].concat();
        assert_eq!(blame(&house, &twice, at + 1), Seeds);
    }
    // Too much, with the right seed: the deal that is still a secret.
    assert_eq!(disclosed(0, &[("/data/draw", json!(2)), ("/data/seed", chain(2))]), Seeds);
    // Too little.
    assert_eq!(disclosed(1, &[("/data/draw", json!(1)), ("/data/seed", chain(1))]), Seeds);
    assert_eq!(disclosed(2, &[("/data/draw", json!(4)), ("/data/seed", chain(4))]), Seeds);
}

#[test]
fn moves_in_the_open() {
    let house = played();
    let moved = |nth: usize, changes: &[(&str, Value)]| blame_change(&house, "moved", nth, changes);
    let pone = crate::support::actor_seat(&house.events[place(&house, "moved", 0)]).unwrap().index();
    assert_eq!(moved(0, &[("/actor", json!(1 - pone))]), Rules, "out of turn");
    assert_eq!(moved(0, &[("/actor", json!(2))]), Form, "no such seat");
    assert_eq!(moved(0, &[("/actor", json!("server"))]), Form);
    assert_eq!(moved(0, &[("/data/step", json!(2))]), Rules);
    assert_eq!(moved(0, &[("/data/step", json!(null))]), Rules);
    assert_eq!(moved(0, &[("/data/after", json!(1))]), Form);
    assert_eq!(moved(0, &[("/data/move/depth", json!(16))]), Rules, "illegal");
    assert_eq!(moved(0, &[("/data/move", json!({"type": "declare", "declaration": "rank"}))]), Rules);
    assert_eq!(moved(0, &[("/data/move/depth", json!(1))]), Draws, "another cut deals other cards");
    assert_eq!(moved(0, &[("/at", json!(moment(60_001)))]), Rules, "too late");
    let long = json!({"type": "declare", "declaration": "x".repeat(1024)});
    assert_eq!(moved(1, &[("/data/move", long)]), Form);
}

#[test]
fn what_the_rules_made_of_a_move() {
    let house = played();
    let facts = |event_type: &str, nth: usize, path: &str, value: Value| {
        blame_change(&house, event_type, nth, &[(&format!("/data/facts{path}"), value)])
    };
    let scored = crate::support::facts_of(&house.events, "migraine_scored").remove(0);
    let deal = crate::support::facts_of(&house.events, "migraine_deal").remove(0);
    let own = scored["hands"][0].clone();
    // The cards that a draw gave.
    assert_eq!(facts("moved", 0, "/0/middle", scored["sabre"].clone()), Draws);
    assert_eq!(facts("moved", 0, "/0/fields", json!([deal["fields"][1], deal["fields"][0]])), Draws);
    assert_eq!(facts("moved", 2, "/0/sabre", scored["middle"].clone()), Draws);
    assert_eq!(facts("moved", 2, "/0/hands/0", json!([own[1], own[0], own[2]])), Draws);
    assert_eq!(facts("moved", 2, "/1/draw", json!(9)), Draws);
    // What follows from moves and from the rules.
    assert_eq!(facts("moved", 2, "/0/points", json!([7, 7])), Rules);
    assert_eq!(facts("moved", 2, "/0/scores", json!([70, 7])), Rules);
    assert_eq!(facts("moved", 2, "/0/round", json!(2)), Rules);
    assert_eq!(facts("moved", 2, "/2/round", json!(7)), Rules);
    assert_eq!(facts("moved", 1, "", json!([{"type": "forfeit", "seat": 0, "reason": "resigned"}])), Rules);
    let cards = crate::support::facts_of(&house.events, "hostile_discards").remove(0)["cards"].clone();
    assert_eq!(facts("opened", 1, "/0/cards", json!([cards[1], cards[0]])), Rules);
    assert_eq!(facts("opened", 1, "", json!([])), Rules);
    assert_eq!(facts("opened", 0, "", json!([{"type": "hostile_discards", "cards": cards}])), Rules);
    assert_eq!(facts("resigned", 0, "/0/reason", json!("timed_out")), Rules);
}

#[test]
fn sealed_moves() {
    let house = played();
    let committed = |nth: usize, changes: &[(&str, Value)]| blame_change(&house, "committed", nth, changes);
    assert_eq!(committed(0, &[("/data/step", json!(3))]), Rules);
    assert_eq!(committed(1, &[("/actor", json!(0))]), Sealed, "bound twice");
    assert_eq!(committed(0, &[("/actor", json!(3))]), Form, "no such seat");
    assert_eq!(committed(0, &[("/at", json!(moment(60_001)))]), Rules, "too late");
    let opened = |nth: usize, changes: &[(&str, Value)]| blame_change(&house, "opened", nth, changes);
    for nth in 0..4 {
        assert_eq!(opened(nth, &[("/data/nonce", json!("11".repeat(32)))]), Sealed);
        assert_eq!(opened(nth, &[("/data/step", json!(9))]), Rules);
    }
    let other = |nth: usize| {
        let held = &house.events[place(&house, "opened", nth)];
        if let Body::Opened(opened) = &held.body { text_of_other(&opened.mv) } else { unreachable!() }
    };
    assert_eq!(opened(0, &[("/data/move/card", other(0))]), Sealed, "another card");
    assert_eq!(opened(0, &[("/actor", json!(0))]), Sealed, "the server's openings come first");
    assert_eq!(opened(0, &[("/at", json!(moment(1)))]), Rules, "in the append of the last commitment");
    assert_eq!(opened(1, &[("/at", json!(moment(60_001)))]), Rules, "too late");
    assert_eq!(opened(1, &[("/actor", json!(1))]), Sealed, "opened twice");
    // The server's openings stand in seat order.
    let at = place(&house, "opened", 2);
    let mut swapped = house.events.clone();
    swapped.swap(at, at + 1);
    assert_eq!(blame(&house, &swapped, at), Sealed);
    // Nothing is opened before all are bound.
    let (bound, open) = (place(&house, "committed", 0), place(&house, "opened", 1));
    let early = [&house.events[..=bound], &[house.events[open].clone()]].concat();
    assert_eq!(blame(&house, &early, bound + 1), Sealed);
    // No commitment to an open decision, and no open move where all seal.
    let moved = place(&house, "moved", 0);
    let committed_early = [&house.events[..moved], &[house.events[bound].clone()]].concat();
    assert_eq!(blame(&house, &committed_early, moved), Sealed);
    let mut plain = house.events[moved].clone();
    if let Body::Moved(data) = &mut plain.body {
        data.step = Some(2);
        data.mv = mv(json!({"type": "hostile_discard", "card": "AS"}));
    }
    let plain = [&house.events[..bound], &[plain]].concat();
    assert_eq!(blame(&house, &plain, bound), Rules);
    // The server seals nothing for a seat with a key.
    assert_eq!(blame_change(&keyed(), "committed", 0, &[("/data/sealed_by", json!("server"))]), Sealed);
}

/// Another card than the one in this move.
fn text_of_other(mv: &Move) -> Value {
    let value = serde_json::to_value(mv).unwrap();
    if value["card"] == "AS" { json!("KS") } else { json!("AS") }
}

#[test]
fn an_illegal_move_that_the_server_sealed_is_the_servers_fault() {
    let players = [Player::new(0), Player::new(1)];
    let mut house = House::playing(&Setup::migraine(), &players);
    house.plays(&players[1], &cut());
    let illegal = mv(json!({"type": "hostile_discard", "card": "2C"}));
    for player in &players {
        house.send(&player.commit(&house, &illegal, &Rng::new(1).nonce()));
    }
    house.send(&players[0].open(&house, &illegal, &Rng::new(1).nonce()));
    assert!(replay(&house.events, &house.secrets).is_ok(), "the client's own is a forfeit");
    let mut events = house.events.clone();
    for event in &mut events {
        if let Body::Committed(committed) = &mut event.body {
            committed.sealed_by = croupier::event::SealedBy::Server;
        }
    }
    assert_eq!(blame(&house, &events, place(&house, "opened", 0)), Rules);
}

#[test]
fn forfeits() {
    let house = played();
    let resigned = |changes: &[(&str, Value)]| blame_change(&house, "resigned", 0, changes);
    assert_eq!(resigned(&[("/data/step", json!(null))]), Rules);
    assert_eq!(resigned(&[("/data/step", json!(5))]), Rules);
    assert_eq!(resigned(&[("/data/after", json!(99))]), Form);
    assert_eq!(resigned(&[("/actor", json!(4))]), Form);
    assert_eq!(resigned(&[("/actor", json!("server"))]), Form);
    assert_eq!(blame_change(&keyed(), "resigned", 0, &[("/data/after", json!(null))]), Form);
    let house = timed_out();
    let late = |changes: &[(&str, Value)]| blame_change(&house, "timed_out", 0, changes);
    assert_eq!(late(&[("/data/seats", json!([0]))]), Rules);
    assert_eq!(late(&[("/data/seats", json!([1, 0]))]), Rules, "lists of seats ascend");
    assert_eq!(late(&[("/data/seats", json!([]))]), Rules);
    assert_eq!(late(&[("/data/step", json!(1))]), Rules);
    assert_eq!(late(&[("/at", json!(moment(60_000)))]), Rules, "later than the deadline, not at it");
    assert_eq!(late(&[("/actor", json!(0))]), Form);
}

#[test]
fn the_end() {
    let house = played();
    let ended = |changes: &[(&str, Value)]| blame_change(&house, "ended", 0, changes);
    assert_eq!(ended(&[("/data/result/winners", json!([0]))]), Rules);
    assert_eq!(ended(&[("/data/result/scores", json!([0]))]), Rules);
    assert_eq!(ended(&[("/data/result/reason", json!("cap"))]), Rules);
    assert_eq!(ended(&[("/at", json!(moment(1)))]), Rules);
    assert_eq!(ended(&[("/actor", json!(1))]), Form);
    let (at, end) = (place(&house, "moved", 1), place(&house, "ended", 0));
    let early = [&house.events[..at], &[house.events[end].clone()]].concat();
    assert_eq!(blame(&house, &early, at), Rules, "the game goes on");
    let house = void();
    let voided = |changes: &[(&str, Value)]| blame_change(&house, "voided", 0, changes);
    assert_eq!(voided(&[("/data/seats", json!([0]))]), Seeds);
    assert_eq!(voided(&[("/data/seats", json!([]))]), Seeds);
    assert_eq!(voided(&[("/data/reason", json!("cancelled"))]), Form);
    assert_eq!(voided(&[("/at", json!(moment(600_000)))]), Rules, "later than open_by, not at it");
    assert_eq!(voided(&[("/actor", json!(1))]), Form);
}

/// Where each type of event may stand (protocol, The log).
#[test]
fn every_event_has_its_stage_and_its_actor() {
    const OPEN: [&str; 4] = ["seated", "left", "closed", "voided"];
    const CLOSED: [&str; 3] = ["seed_opened", "started", "voided"];
    const PLAYING: [&str; 7] = ["committed", "opened", "moved", "resigned", "timed_out", "disclosed", "ended"];
    let (house, other, keyed) = (played(), timed_out(), keyed());
    let all = [&house.events[..], &other.events, &void().events, &keyed.events].concat();
    let one_of = |event_type: &str| all.iter().find(|event| event.body.event_type() == event_type).unwrap().clone();
    let (closed, started) = (place(&house, "closed", 0), place(&house, "started", 0));
    let over = house.events.len();
    let mut tried = 0;
    // Also in the midst of an append, where something else must follow: the form comes before all else.
    let stages: [(&[&str], std::ops::Range<usize>); 4] = [
        (&OPEN, 1..closed + 1),
        (&CLOSED, closed + 1..started + 1),
        (&PLAYING, started + 1..over),
        (&[], over..over + 1),
    ];
    for (may_stand, places) in stages {
        for at in places {
            for event_type in Body::TYPES.iter().filter(|name| !may_stand.contains(*name)) {
                let events = [&house.events[..at], &[one_of(event_type)]].concat();
                assert_eq!(blame(&house, &events, at), Form, "{event_type} at {at}");
                tried += 1;
            }
            for event_type in may_stand {
                let mut event = one_of(event_type);
                let by_seat = event.body.command().is_some();
                event.actor = match by_seat {
                    true => croupier::event::Actor::Server,
                    false => croupier::event::Actor::Seat(seat(0)),
                };
                let events = [&house.events[..at], &[event]].concat();
                assert_eq!(blame(&house, &events, at), Form, "{event_type} at {at} by the wrong actor");
                tried += 1;
            }
        }
    }
    assert!(tried > 250, "{tried}");
}
