//! Appending and reading back.

use croupier::event::{Actor, Body, Event, VoidReason, Voided};
use croupier::hex32::Hash;
use croupier::ids::{GameId, PlayerId};
use croupier::ledger::{Append, GameChange, IdempotencyKey, Ledger, LedgerError, NewSecret, SeatingChange, Secret};
use croupier::ledger::{SecretId, Visibility};
use croupier::table::Status;
use futures_util::future::join_all;
use zeroize::Zeroizing;

use crate::story::{Story, at, fresh_game, fresh_uuid, moved, sealed_move, seat, seated, stored_player};
use crate::support::{TestDatabase, connect_with, count_statements, raw, sql, statements};

fn root(nonce: u8) -> NewSecret {
    NewSecret { secret: Secret::Root(Zeroizing::new([5; 32])), nonce: [nonce; 24] }
}

#[tokio::test]
async fn events_come_back_as_they_went() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    let mut story = Story::new(host);
    let created = story.created(0, Visibility::Public);
    ledger.append(&created).await.unwrap();
    let rest = story.goes_on(
        1,
        vec![
            seated(0, host, "Ada \u{0} \"Countess\" \u{1f0a1} é"),
            moved(1, 1, "\u{0}"),
            (Actor::Server, Voided { reason: VoidReason::SeedMissing, seats: vec![seat(1)] }.into()),
        ],
    );
    ledger.append(&Append::of(rest.clone())).await.unwrap();

    let all = [created.events, rest].concat();
    assert_eq!(ledger.events(story.game, None, None).await.unwrap(), all);
    assert_eq!(ledger.events(story.game, Some(0), Some(2)).await.unwrap(), all[1..3]);
    assert_eq!(ledger.events(story.game, Some(3), None).await.unwrap(), []);
    assert_eq!(ledger.events(story.game, Some(u64::MAX), None).await.unwrap(), []);
    assert_eq!(ledger.event_range(story.game, 1, 2).await.unwrap(), all[1..3]);
    assert_eq!(ledger.event_range(story.game, 0, u64::MAX).await.unwrap(), all);
    assert_eq!(ledger.newest_seq(story.game).await.unwrap(), Some(3));
    assert_eq!(ledger.newest_seq(fresh_game()).await.unwrap(), None);
    assert_eq!(ledger.events(fresh_game(), None, None).await.unwrap(), []);
}

#[tokio::test]
async fn a_row_that_can_not_be_read_is_corrupt() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    let story = Story::stored(&ledger, host).await;
    let owner = raw(&database.owner_url).await;
    let copy =
        "INSERT INTO events SELECT game_id, 1, prev, at, actor, 'shuffled', data, hash, key, signature FROM events";
    sql(&owner, copy).await.unwrap();
    let error = ledger.events(story.game, None, None).await.unwrap_err();
    assert!(matches!(&error, LedgerError::Corrupt(why) if why.contains("shuffled")), "{error:?}");
}

#[tokio::test]
async fn of_fifty_writers_one_wins_each_number() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    let mut story = Story::stored(&ledger, host).await;
    for round in 1..=5 {
        let drafts = (0..50).map(|i| story.next(round, vec![moved(0, round, &format!("{i}"))])).collect::<Vec<_>>();
        let writers = drafts.iter().map(|events| {
            let (ledger, append) = (ledger.clone(), Append::of(events.clone()));
            tokio::spawn(async move { ledger.append(&append).await })
        });
        let results = join_all(writers).await.into_iter().map(Result::unwrap).collect::<Vec<_>>();
        let winners = (0..50).filter(|i| results[*i].is_ok()).collect::<Vec<_>>();
        assert_eq!(winners.len(), 1, "{results:?}");
        assert_eq!(results.iter().filter(|result| **result == Err(LedgerError::Conflict)).count(), 49);
        let stored = ledger.event_range(story.game, u64::from(round), u64::from(round)).await.unwrap();
        assert_eq!(stored, drafts[winners[0]]);
        story.goes_on(round, vec![moved(0, round, &format!("{}", winners[0]))]);
    }
    // Each who lost tries again until it wins: nobody's event is lost and none is there twice.
    let writers = (0..50).map(|i| tokio::spawn(append_until_it_is_there(ledger.clone(), story.game, host, i)));
    assert!(join_all(writers).await.into_iter().all(|result| result.is_ok()));
    let events = ledger.events(story.game, Some(5), None).await.unwrap();
    let mut texts = events.iter().map(card).collect::<Vec<_>>();
    texts.sort_unstable();
    assert_eq!(texts, (100..150).map(|i| i.to_string()).collect::<Vec<_>>());
    assert!(events.iter().zip(6..).all(|(event, seq)| event.seq == seq));
}

async fn append_until_it_is_there(ledger: Ledger, game: GameId, host: PlayerId, i: u32) {
    loop {
        let next = ledger.newest_seq(game).await.unwrap().unwrap() + 1;
        let mut story = Story::new(host);
        story.game = game;
        let mut events = story.next(9, vec![moved(0, 9, &format!("{}", 100 + i))]);
        events[0].seq = next;
        match ledger.append(&Append::of(events)).await {
            Ok(()) => return,
            Err(LedgerError::Conflict) => {}
            Err(error) => panic!("{error:?}"),
        }
    }
}

fn card(event: &Event) -> String {
    match &event.body {
        Body::Moved(moved) => serde_json::to_value(&moved.mv).unwrap()["card"].as_str().unwrap().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_event_and_what_goes_with_it_count_together_or_not_at_all() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    let mut story = Story::stored(&ledger, host).await;
    let key = IdempotencyKey { player: host, key: fresh_uuid(), body_hash: Hash::new([8; 32]) };
    let change = GameChange { status: Status::Playing, result: None, check_at: Some(at(60)) };
    let append = |events| Append {
        secrets_added: vec![root(1)],
        game: Some(change.clone()),
        seatings: vec![SeatingChange::Sit { seat: seat(0), player: host }],
        idempotency: Some(key.clone()),
        ..Append::of(events)
    };
    let late = append(story.next(1, vec![moved(0, 1, "late")]));
    let first = story.goes_on(1, vec![moved(0, 1, "first")]);
    ledger.append(&Append::of(first)).await.unwrap();

    assert_eq!(ledger.append(&late).await, Err(LedgerError::Conflict));
    let game = ledger.game(story.game).await.unwrap().unwrap();
    assert_eq!((game.status, game.check_at, game.updated_at, game.seatings.len()), (Status::Open, None, at(0), 0));
    assert!(ledger.secrets(story.game).await.unwrap().root.is_none());
    assert_eq!(ledger.idempotency(host, key.key).await.unwrap(), None);

    ledger.append(&append(story.goes_on(2, vec![moved(0, 1, "in time")]))).await.unwrap();
    let game = ledger.game(story.game).await.unwrap().unwrap();
    assert_eq!((game.status, game.check_at, game.updated_at), (Status::Playing, Some(at(60)), at(2)));
    assert_eq!(game.seatings.len(), 1);
    assert!(ledger.secrets(story.game).await.unwrap().root.is_some());

    // The other way round: what goes with it fails, so the event is not there either.
    let again = append(story.next(3, vec![moved(0, 2, "again")]));
    assert_eq!(ledger.append(&again).await, Err(LedgerError::Conflict));
    assert_eq!(ledger.newest_seq(story.game).await.unwrap(), Some(2));

    let over =
        Append { secrets_removed: vec![SecretId::Root], ..Append::of(story.goes_on(4, vec![moved(0, 2, "end")])) };
    ledger.append(&over).await.unwrap();
    assert!(ledger.secrets(story.game).await.unwrap().root.is_none());
}

/// Stories with a first event, so many.
async fn stories(ledger: &Ledger, host: PlayerId, count: usize) -> Vec<Story> {
    let mut stories = Vec::new();
    for _ in 0..count {
        stories.push(Story::stored(ledger, host).await);
    }
    stories
}

#[tokio::test]
async fn what_comes_at_the_same_time_goes_out_in_one_statement() {
    count_statements();
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    let mut stories = stories(&ledger, host, 10).await;
    let mut appends = |step: u32| -> Vec<Append> {
        let mut one = |story: &mut Story| Append::of(story.goes_on(step, vec![moved(0, step, "x")]));
        stories.iter_mut().map(&mut one).collect()
    };
    for (step, prepared) in [(1, 1), (2, 0)] {
        let appends = appends(step);
        let (sent, newly_prepared) = statements(join_all(appends.iter().map(|append| ledger.append(append)))).await;
        assert_eq!((sent, newly_prepared), (1, prepared));
    }
    for story in &stories {
        assert_eq!(ledger.newest_seq(story.game).await.unwrap(), Some(2));
    }
}

#[tokio::test]
async fn of_what_goes_out_together_each_is_judged_by_itself() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    let mut stories = stories(&ledger, host, 6).await;
    let late = stories[0].next(1, vec![moved(0, 1, "late")]);
    ledger.append(&Append::of(stories[0].goes_on(1, vec![moved(0, 1, "first")]))).await.unwrap();
    ledger
        .append(&Append { secrets_added: vec![root(7)], ..Append::of(stories[1].goes_on(1, vec![moved(0, 1, "a")])) })
        .await
        .unwrap();

    let mut appends = vec![Append::of(late)];
    // Its event is the next, but it has a secret already.
    let again = stories[1].next(2, vec![moved(0, 2, "b")]);
    appends.push(Append { secrets_added: vec![root(8)], ..Append::of(again) });
    for story in &mut stories[2..] {
        let events = story.goes_on(2, vec![moved(0, 1, "c"), moved(1, 2, "d")]);
        appends.push(Append { secrets_added: vec![root(9)], ..Append::of(events) });
    }
    let results = join_all(appends.iter().map(|append| ledger.append(append))).await;
    assert_eq!(results[..2], [Err(LedgerError::Conflict), Err(LedgerError::Conflict)]);
    assert!(results[2..].iter().all(Result::is_ok), "{results:?}");
    assert_eq!(ledger.newest_seq(stories[0].game).await.unwrap(), Some(1));
    assert_eq!(ledger.newest_seq(stories[1].game).await.unwrap(), Some(1));
    for (story, append) in stories.iter().zip(&appends).skip(2) {
        assert_eq!(ledger.events(story.game, Some(0), None).await.unwrap(), append.events);
        assert!(ledger.secrets(story.game).await.unwrap().root.is_some());
    }
}

#[tokio::test]
async fn two_instances_over_the_same_games_do_not_wait_for_each_other_in_a_ring() {
    let database = TestDatabase::new();
    let instances = [database.ledger().await, database.ledger().await, database.ledger().await];
    let host = stored_player(&instances[0], "Ada").await;
    let mut stories = stories(&instances[0], host, 6).await;
    for round in 1..=20 {
        let mut batch: Vec<Append> =
            stories.iter().map(|story| Append::of(story.next(round, vec![moved(0, round, "x")]))).collect();
        if round % 2 == 0 {
            batch.reverse();
        }
        let of_instance = |ledger| join_all(batch.iter().map(move |append| Ledger::append(ledger, append)));
        let results = join_all(instances.iter().map(of_instance)).await;
        for game in 0..batch.len() {
            let of_game: Vec<_> = results.iter().map(|results| &results[game]).collect();
            assert_eq!(of_game.iter().filter(|result| result.is_ok()).count(), 1, "{of_game:?}");
            let lost = |result: &&&Result<(), LedgerError>| ***result == Err(LedgerError::Conflict);
            assert_eq!(of_game.iter().filter(lost).count(), 2, "{of_game:?}");
        }
        for story in &mut stories {
            story.goes_on(round, vec![moved(0, round, "x")]);
        }
    }
}

#[tokio::test]
async fn what_waits_is_still_written_when_the_last_handle_goes() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    let mut story = Story::stored(&ledger, host).await;
    let append = Append::of(story.goes_on(1, vec![moved(0, 1, "x")]));
    let other = ledger.clone();
    let (written, ()) = tokio::join!(async move { other.append(&append).await }, async move { drop(ledger) });
    written.unwrap();
    assert_eq!(database.ledger().await.newest_seq(story.game).await.unwrap(), Some(1));
}

#[tokio::test]
async fn what_is_no_append_is_refused_before_anything_is_sent() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    let mut story = Story::stored(&ledger, host).await;
    let events = story.next(1, vec![moved(0, 1, "a"), moved(0, 2, "b"), moved(0, 3, "c")]);
    let with_gap = vec![events[0].clone(), events[2].clone()];
    let elsewhere = Story::new(host).next(1, vec![moved(0, 1, "d")]);
    let of_two_games = vec![events[0].clone(), elsewhere[0].clone()];
    for wrong in [Vec::new(), with_gap, of_two_games] {
        let error = ledger.append(&Append::of(wrong)).await.unwrap_err();
        assert!(matches!(error, LedgerError::Other(_)), "{error:?}");
    }
    let not_created = Append { created: story.created(2, Visibility::Public).created, ..Append::of(events) };
    assert!(matches!(ledger.append(&not_created).await, Err(LedgerError::Other(_))));
    assert_eq!(ledger.newest_seq(story.game).await.unwrap(), Some(0));
}

#[tokio::test]
async fn a_request_to_create_counts_once() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    let key = IdempotencyKey { player: host, key: fresh_uuid(), body_hash: Hash::new([8; 32]) };
    let (mut one, mut two) = (Story::new(host), Story::new(host));
    let created = Append { idempotency: Some(key.clone()), ..one.created(0, Visibility::Public) };
    ledger.append(&created).await.unwrap();
    let repeated = Append { idempotency: Some(key.clone()), ..two.created(1, Visibility::Public) };
    assert_eq!(ledger.append(&repeated).await, Err(LedgerError::Conflict));
    assert_eq!(ledger.game(two.game).await.unwrap(), None);
    assert_eq!(ledger.newest_seq(two.game).await.unwrap(), None);

    let known = ledger.idempotency(host, key.key).await.unwrap().unwrap();
    assert_eq!((known.game, known.body_hash), (one.game, key.body_hash));
    // Another player's key is another key.
    let other = stored_player(&ledger, "Bob").await;
    assert_eq!(ledger.idempotency(other, key.key).await.unwrap(), None);

    assert_eq!(ledger.forget_idempotency_keys(at(0)).await.unwrap(), 0);
    assert_eq!(ledger.forget_idempotency_keys(at(1)).await.unwrap(), 1);
    assert_eq!(ledger.idempotency(host, key.key).await.unwrap(), None);
}

#[tokio::test]
async fn it_works_without_prepared_statements_that_stay() {
    let database = TestDatabase::new();
    let ledger = connect_with(&database.url, &[1], false).await.unwrap();
    let host = stored_player(&ledger, "Ada").await;
    let mut story = Story::stored(&ledger, host).await;
    let late = Append::of(story.next(1, vec![moved(0, 1, "late")]));
    let first = story.goes_on(1, vec![moved(0, 1, "first")]);
    ledger.append(&Append { secrets_added: vec![root(1)], ..Append::of(first.clone()) }).await.unwrap();
    assert_eq!(ledger.append(&late).await, Err(LedgerError::Conflict));
    assert_eq!(ledger.events(story.game, Some(0), None).await.unwrap(), first);
    assert!(ledger.schema_is_current().await.unwrap());
}

#[tokio::test]
async fn an_append_is_one_statement_or_one_transaction() {
    count_statements();
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    let mut story = Story::stored(&ledger, host).await;
    let mut seconds = 0;
    let mut append = |count: u32, secrets_added| {
        seconds += 1;
        let bodies = (0..count).map(|i| moved(0, seconds * 100 + i, "x")).collect();
        Append { secrets_added, ..Append::of(story.goes_on(seconds, bodies)) }
    };
    for count in [1, 2, 7] {
        // Prepared the first time, and not again; of one event, that was when the game was created.
        let first = append(count, Vec::new());
        assert_eq!(statements(ledger.append(&first)).await, (1, usize::from(count > 1)), "{count} events");
        let again = append(count, Vec::new());
        assert_eq!(statements(ledger.append(&again)).await, (1, 0), "{count} events again");
    }
    ledger.append(&append(1, vec![root(1)])).await.unwrap();
    let mut secret = root(2);
    secret.secret = Secret::Move(seat(0), sealed_move(1, "QS"));
    let again = append(1, vec![secret]);
    // Begin, event, secret, commit.
    assert_eq!(statements(ledger.append(&again)).await, (4, 0));
}

/// A caller may run it on any thread.
#[test]
fn the_futures_may_go_to_another_thread() {
    fn is_send<T: Send>(_: impl FnOnce(&'static Ledger) -> T) {}
    is_send(|ledger| ledger.append(Box::leak(Box::new(Append::of(Vec::new())))));
    is_send(|ledger| ledger.events(fresh_game(), None, None));
}
