use super::{Agreed, Anchors, Conviction, Distrust, Hold, Watch};
use crate::client::OwnSeat;
use crate::event::{Actor, Body, Event, Left, RulesRef, Seated, TimedOut, event_hash};
use crate::games::{Fact, Kind};
use crate::hex32::{Hash, Nonce, PlayerSeed, ServerSeed};
use crate::keys::{Jwk, KeyUse, SigningKey};
use crate::log::{Head, seal};
use crate::table::Question;
use crate::timestamp::Timestamp;

mod house;
mod law;

use house::{House, agreed, at, game_id, keys, player, player_key, seat, server_key, signer};

/// A watch that has seen these events.
fn watch(events: &[Event]) -> Result<Watch, Distrust> {
    let mut watch = Watch::begin(&events[0], &keys(), &agreed(), &mut Anchors::default())?;
    watch.take(&events[1..])?;
    Ok(watch)
}

fn why(events: &[Event]) -> Distrust {
    watch(events).map(drop).unwrap_err()
}

/// An event as a server that lies would sign it.
fn sign(event: &mut Event, key: &SigningKey) {
    let Event { game, seq, prev, at, actor, body, .. } = &*event;
    event.hash = event_hash(*game, *seq, prev, *at, *actor, body.event_type(), body);
    event.signature.key = key.public().id();
    event.signature.value = key.sign(event.hash.as_bytes());
}

/// The same log with a lie in it, the chain mended and everything signed after it.
fn forged(events: &[Event], place: usize, lie: impl FnOnce(&mut Event)) -> Vec<Event> {
    let mut events = events.to_vec();
    lie(&mut events[place]);
    let mut prev = place.checked_sub(1).map_or(Hash::ZERO, |before| events[before].hash);
    for event in &mut events[place..] {
        event.prev = prev;
        sign(event, &server_key());
        prev = event.hash;
    }
    events
}

fn place_of(events: &[Event], event_type: &str) -> usize {
    events.iter().position(|event| event.body.event_type() == event_type).unwrap()
}

#[test]
fn an_honest_game_is_trusted_to_its_end_and_rebuilt() {
    let house = House::ended();
    let mut watch = Watch::begin(&house.events[0], &keys(), &agreed(), &mut Anchors::default()).unwrap();
    for event in &house.events[1..] {
        assert!(!watch.is_rebuilt());
        watch.take(std::slice::from_ref(event)).unwrap();
        watch.keep(std::slice::from_ref(event)).unwrap();
    }
    assert!(watch.is_rebuilt());
    assert_eq!(watch.table().result(), house.table.result());
    assert_eq!(watch.events(), house.events);
    assert_eq!(watch.convict(&house.events), None);
    // All of it once more, as it may come.
    watch.take(&house.events).unwrap();
}

#[test]
fn a_seed_is_opened_between_closed_and_started_only() {
    let open = |house: &House| house.own.open_seed(&house.watch()).map(drop);
    assert_eq!(open(&House::new()), Err(Hold::NotYet("the seat was not taken")));
    let house = House::seated();
    assert_eq!(open(&house), Err(Hold::NotYet("the table is not closed")));
    let before = watch(&house.events[..1]).unwrap();
    assert_eq!(house.own.open_seed(&before), Err(Hold::NotYet("the own seat is not in the log")));
    assert_eq!(open(&House::closed()), Ok(()));
    assert_eq!(open(&House::playing()), Err(Hold::NoMore("the game has started")));
    // Without `closed`, whatever the server says, somebody could still sit down who knows the seed.
    let house = House::closed();
    let not_closed = watch(&house.events[..place_of(&house.events, "closed")]).unwrap();
    assert_eq!(house.own.open_seed(&not_closed), Err(Hold::NotYet("the table is not closed")));
}

#[test]
fn a_seed_is_not_opened_for_a_seat_that_is_another_than_was_taken() {
    let house = House::closed();
    // A keyless seat, so that the server can forge what it sent without being seen at once.
    let mut own = OwnSeat::new(game_id(1), seat(1), player(1), None, Some(PlayerSeed::new([5; 32])));
    let sit = own.sit(1);
    let seated = |change: &dyn Fn(&mut Seated)| {
        forged(&house.events, 2, |event| {
            let Body::Seated(seated) = &mut event.body else { panic!() };
            seated.seed_commitment = sit.seed_commitment;
            change(seated);
        })
    };
    let hold = |events: &[Event]| own.open_seed(&watch(&events[..3]).unwrap()).map(drop);
    assert_eq!(hold(&seated(&|_| ())), Err(Hold::NotYet("the table is not closed")));
    let changes: [&dyn Fn(&mut Seated); 4] = [
        &|seated| seated.seed_commitment = None,
        &|seated| seated.seed_commitment = Some(Hash::new([9; 32])),
        &|seated| seated.player.name = "somebody else".to_owned(),
        &|seated| seated.after = Some(0),
    ];
    for change in changes {
        assert_eq!(hold(&seated(change)), Err(Hold::Distrust(Distrust::Seat { seat: seat(1) })));
    }
    let mut left = seated(&|_| ())[..3].to_vec();
    let body = Body::Left(Left { after: None, by: None });
    left.extend(seal(Head::after(&left[2]), game_id(1), at(3), vec![(Actor::Seat(seat(1)), body)], &signer()));
    // The table is full after `seated`, so nobody may leave; but the client does not need the rules to see it.
    assert!(watch(&left).is_err());
}

#[test]
fn a_move_is_opened_when_all_are_bound_and_never_before() {
    let mut house = House::sealing();
    assert_eq!(house.may_open_move(), Err(Hold::NoMore("no move was sealed")));
    let before = house.watch();
    house.commit();
    assert_eq!(house.own.open_move(&before), Err(Hold::NotYet("the commitment is not in the log")));
    assert_eq!(house.may_open_move(), Err(Hold::NotYet("somebody is not bound yet")));
    house.let_commit();
    assert_eq!(house.may_open_move(), Ok(()));
    house.open();
    house.commit();
    assert_eq!(house.may_open_move(), Err(Hold::NotYet("somebody is not bound yet")));
}

#[test]
fn a_move_is_not_opened_when_the_own_commitment_is_another() {
    let mut house = House::sealing();
    let sealed = house.table.legal(seat(0))[0].clone();
    house.commit();
    house.let_commit();
    let committed = place_of(&house.events, "committed");
    // Signed by the player's key, but over another commitment that it made before.
    let step = house.table.step().unwrap();
    let mut own = OwnSeat::new(game_id(1), seat(0), player(0), Some(player_key()), None);
    let other = own.commit(step, sealed, Nonce::new([77; 32]));
    let forged = forged(&house.events, committed, |event| {
        let Body::Committed(committed) = &mut event.body else { panic!() };
        (committed.commitment, committed.by) = (other.commitment, other.by);
    });
    let distrust = Distrust::Commitment { seat: seat(0), step };
    assert_eq!(house.own.open_move(&watch(&forged).unwrap()), Err(Hold::Distrust(distrust)));
    assert!(house.own.open_move(&house.watch()).is_ok());
}

#[test]
fn a_forfeit_counts_only_where_an_event_stands_for_it() {
    let mut house = House::sealing();
    house.commit();
    let forfeit = serde_json::json!({"type": "forfeit", "seat": 1, "reason": "timed_out"});
    let facts = vec![Fact::read(forfeit).unwrap()];
    // The server claims in passing that seat 1 is out, so that seat 0 opens before seat 1 is bound.
    let cut = place_of(&house.events, "moved");
    let claimed = forged(&house.events, cut, |event| {
        let Body::Moved(moved) = &mut event.body else { panic!() };
        moved.facts.extend(facts.clone());
    });
    assert_eq!(house.own.open_move(&watch(&claimed).unwrap()), Err(Hold::NotYet("somebody is not bound yet")),);
    // A time-out stands in the log for all to see. It also ends the decision.
    let step = house.table.step().unwrap();
    let timed_out = Body::TimedOut(TimedOut { step, seats: vec![seat(1)], facts });
    let head = Head::after(house.events.last().unwrap());
    house.events.extend(seal(head, game_id(1), at(900), vec![(Actor::Server, timed_out)], &signer()));
    assert_eq!(house.may_open_move(), Err(Hold::NoMore("the decision is over")));
}

#[test]
fn every_tampering_is_seen_where_it_is() {
    let events = House::ended().events;
    let mut before = None;
    for (place, event) in events.iter().enumerate() {
        let seq = event.seq;
        let taken = |event: &Event| match &before {
            None => Watch::begin(event, &keys(), &agreed(), &mut Anchors::default()).map(drop).unwrap_err(),
            Some(before) => Watch::clone(before).take(std::slice::from_ref(event)).unwrap_err(),
        };
        let tampered = |change: &dyn Fn(&mut Event)| {
            let mut event = event.clone();
            change(&mut event);
            taken(&event)
        };
        assert_eq!(tampered(&|event| event.hash = Hash::new([9; 32])), Distrust::Hash { seq });
        assert_eq!(tampered(&|event| event.at = at(2_000_000)), Distrust::Hash { seq });
        assert_eq!(tampered(&|event| event.signature.value = server_key().sign(b"else")), Distrust::Signature { seq });
        assert_eq!(tampered(&|event| event.prev = Hash::new([9; 32])), Distrust::Prev { seq });
        let other = SigningKey::new(&[8; 32]);
        let key = other.public().id();
        assert_eq!(tampered(&|event| sign(event, &other)), Distrust::UnknownKey { seq, key });
        let late = |event: &mut Event| {
            event.at = at(1_000_000);
            sign(event, &server_key());
        };
        assert_eq!(tampered(&late), Distrust::KeyPeriod { seq, key: server_key().public().id() });
        if place > 0 {
            assert_eq!(tampered(&|event| event.game = game_id(2)), Distrust::OtherGame { seq });
            let early = |event: &mut Event| {
                event.at = Timestamp::from_millis(events[place - 1].at.millis() - 1).unwrap();
                sign(event, &server_key());
            };
            assert_eq!(tampered(&early), Distrust::Time { seq });
        }
        if let Some(next) = events.get(place + 1).filter(|_| place > 0) {
            assert_eq!(taken(next), Distrust::Seq { expected: seq, found: seq + 1 });
        }
        match &mut before {
            None => before = Some(watch(&events[..1]).unwrap()),
            Some(before) => before.take(std::slice::from_ref(event)).unwrap(),
        }
    }
}

#[test]
fn what_a_key_signs_is_the_players_own() {
    let house = House::ended();
    for (place, event) in house.events.iter().enumerate() {
        let Actor::Seat(actor) = event.actor else { continue };
        if actor == seat(1) || event.body.command().is_none() {
            continue;
        }
        let stripped = forged(&house.events, place, |event| match &mut event.body {
            Body::Seated(seated) => seated.by = None,
            Body::SeedOpened(opened) => opened.by = None,
            Body::Committed(committed) => committed.by = None,
            Body::Opened(opened) => opened.by = None,
            Body::Moved(moved) => moved.by = None,
            other => panic!("{other:?}"),
        });
        assert_eq!(why(&stripped), Distrust::PlayerSignature { seq: event.seq, seat: seat(0) });
    }
}

#[test]
fn a_false_deal_is_found_with_the_disclosure() {
    let house = House::ended();
    let cut = place_of(&house.events, "moved");
    let disclosed = place_of(&house.events, "disclosed");
    let false_deal = forged(&house.events, cut, |event| {
        let Body::Moved(moved) = &mut event.body else { panic!() };
        let mut fact = serde_json::to_value(&moved.facts[0]).unwrap();
        fact["middle"] = fact["fields"][0].take();
        fact["fields"][0] = serde_json::to_value(&moved.facts[0]).unwrap()["middle"].take();
        moved.facts[0] = Fact::read(fact).unwrap();
    });
    assert!(watch(&false_deal[..disclosed]).is_ok(), "nobody can know before");
    let Distrust::Wrong { seq, fault } = why(&false_deal[..=disclosed]) else { panic!() };
    assert_eq!((seq, fault.question), (cut as u64, Question::Draws));
    let false_seed = forged(&house.events, disclosed, |event| {
        let Body::Disclosed(disclosed) = &mut event.body else { panic!() };
        disclosed.seed = ServerSeed::new([9; 32]);
    });
    assert_eq!(why(&false_seed), Distrust::Disclosure { seq: disclosed as u64 });
}

#[test]
fn a_game_is_the_one_that_was_agreed_to_and_its_anchor_is_new() {
    let house = House::new();
    let begin =
        |agreed: &Agreed, anchors: &mut Anchors| Watch::begin(&house.events[0], &keys(), agreed, anchors).map(drop);
    let options = Kind::Migraine.read_options(serde_json::json!({})).unwrap();
    let rules = RulesRef { version: 1, text: Hash::new([9; 32]) };
    for (other, what) in [
        (Agreed { options, ..agreed() }, "options"),
        (Agreed { rules, ..agreed() }, "rules"),
        (Agreed { move_seconds: Some(60), ..agreed() }, "time for a decision"),
    ] {
        assert_eq!(begin(&other, &mut Anchors::default()), Err(Distrust::NotAgreed(what)));
    }
    let mut anchors = Anchors::default();
    let anchor = house.table.created().anchor;
    anchors.meet(Hash::new([9; 32]), game_id(7)).unwrap();
    begin(&agreed(), &mut anchors).unwrap();
    begin(&agreed(), &mut anchors).expect("the same game once more");
    let mut anchors = Anchors::default();
    anchors.meet(anchor, game_id(7)).unwrap();
    assert_eq!(begin(&agreed(), &mut anchors), Err(Distrust::AnchorSeen { game: game_id(7) }));
}

#[test]
fn only_event_keys_under_their_own_names_count() {
    let house = House::new();
    let public = server_key().public();
    let begin = |key: Jwk| Watch::begin(&house.events[0], &[key], &agreed(), &mut Anchors::default()).map(drop);
    let unknown = Err(Distrust::UnknownKey { seq: 0, key: public.id() });
    assert_eq!(begin(Jwk::new(public, KeyUse::Token, None, None)), unknown);
    let mut misnamed = Jwk::new(SigningKey::new(&[8; 32]).public(), KeyUse::Event, None, None);
    misnamed.kid = public.id();
    assert_eq!(begin(misnamed), unknown);
    assert_eq!(begin(Jwk::new(public, KeyUse::Event, None, None)), Ok(()));
}

#[test]
fn two_tales_of_one_event_convict() {
    let house = House::ended();
    let cut = place_of(&house.events, "moved");
    let told_to_another = forged(&house.events, cut, |event| event.at = event.at.next());
    let watch = house.watch();
    let Some(Conviction { one, other }) = watch.convict(&told_to_another) else { panic!("not convicted") };
    assert_eq!((&one, &other), (&house.events[cut], &told_to_another[cut]));
    // A forgery that the server did not sign, or a hash that is none of the event's, convicts nobody.
    let mut forgery = told_to_another.clone();
    forgery.iter_mut().for_each(|event| sign(event, &SigningKey::new(&[8; 32])));
    assert_eq!(watch.convict(&forgery), None);
    let mut mislabelled = house.events.clone();
    mislabelled[cut].hash = mislabelled[cut + 1].hash;
    mislabelled[cut].signature = mislabelled[cut + 1].signature.clone();
    assert_eq!(watch.convict(&mislabelled), None);
}

#[test]
fn a_receipt_that_the_log_contradicts_is_a_fork() {
    let house = House::ended();
    let cut = place_of(&house.events, "moved");
    let told_to_another = forged(&house.events, cut, |event| event.at = event.at.next());
    let forks = |result: Result<(), Distrust>| matches!(result, Err(Distrust::Fork(_)));
    // The receipt comes first, the log after it; or the other way round.
    let mut ahead = watch(&house.events[..cut]).unwrap();
    ahead.keep(&told_to_another[cut..=cut]).unwrap();
    assert!(forks(ahead.take(&house.events[cut..])));
    let mut behind = house.watch();
    assert!(forks(behind.keep(&told_to_another[cut..=cut])));
    // And then it stays distrusted.
    assert!(forks(behind.take(&house.events)));
    assert!(!behind.is_rebuilt());
    let mut again = house.watch();
    assert!(forks(again.take(&told_to_another[cut..=cut])));
}
