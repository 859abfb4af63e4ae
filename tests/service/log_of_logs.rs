//! The log of logs: however many fill it and wherever they are stopped, it is one tree.

use std::time::Duration;

use croupier::checkpoint::Checkpoint;
use croupier::dealer::inputs::Inputs;
use croupier::dealer::{Bounds, Dealer, DealerError, Notary};
use croupier::event::{Actor, Body, Ended, Started, VoidReason, Voided};
use croupier::game::{GameResult, Reason};
use croupier::hex32::Hash;
use croupier::ids::GameId;
use croupier::keys::{Jwk, KeyUse, SigningKey, SigningKeys};
use croupier::ledger::{Ledger, LedgerError, Mark, StoredCheckpoint};
use croupier::log::EventSigner;
use croupier::merkle::{consistency_proof, game_over_entry, game_started_entry, leaf_hash, root, verify_consistency};
use croupier::table::Status;

use crate::citus;
use crate::story::{Story, at, stored_player, with_status};
use crate::support::{TestDatabase, raw, sql};

const ORIGIN: &str = "croupier.test/log";

fn checkpoint_key() -> SigningKey {
    SigningKey::new(&[9; 32])
}

/// One more instance on this database.
async fn dealer(database: &TestDatabase) -> Dealer {
    dealer_of(database, ORIGIN).await
}

async fn dealer_of(database: &TestDatabase, origin: &str) -> Dealer {
    let keys = SigningKeys::new(checkpoint_key(), KeyUse::Checkpoint);
    let notary = Notary::new(origin.to_owned(), keys).unwrap();
    let signer = EventSigner::new(SigningKey::new(&[7; 32]));
    Dealer::new(database.ledger().await, Inputs::system(), signer, notary, 1 << 20, Bounds::default(), None).unwrap()
}

async fn publish_keys(ledger: &Ledger) {
    for (usage, byte) in [(KeyUse::Event, 7), (KeyUse::Token, 8), (KeyUse::Checkpoint, 9)] {
        let key = Jwk::new(SigningKey::new(&[byte; 32]).public(), usage, None, None);
        ledger.publish_signing_key(&key, at(0)).await.unwrap();
    }
}

async fn start(ledger: &Ledger, story: &mut Story) -> String {
    let started: Body = Started { facts: Vec::new() }.into();
    let events = story.goes_on(1, vec![(Actor::Server, started)]);
    let entry = game_started_entry(story.game, events[0].seq, &events[0].hash, &Hash::new([4; 32]));
    ledger.append(&with_status(events, Status::Playing)).await.unwrap();
    entry
}

async fn end(ledger: &Ledger, story: &mut Story) -> String {
    let result = GameResult { winners: Vec::new(), scores: Vec::new(), reason: Reason::Target };
    let events = story.goes_on(2, vec![(Actor::Server, Ended { result }.into())]);
    let entry = game_over_entry(story.game, events[0].seq, &events[0].hash);
    ledger.append(&with_status(events, Status::Ended)).await.unwrap();
    entry
}

async fn void(ledger: &Ledger, story: &mut Story, reason: VoidReason) -> String {
    let voided = Voided { reason, seats: Vec::new() };
    let events = story.goes_on(1, vec![(Actor::Server, voided.into())]);
    let entry = game_over_entry(story.game, events[0].seq, &events[0].hash);
    ledger.append(&with_status(events, Status::Voided)).await.unwrap();
    entry
}

async fn entries(ledger: &Ledger) -> Vec<String> {
    let entries = ledger.log_entries(0, 10_000).await.unwrap();
    assert!(entries.iter().map(|entry| entry.index).eq(0..entries.len() as u64), "without a gap");
    entries.into_iter().map(|entry| entry.entry).collect()
}

/// That all stored checkpoints are of one tree, which is that of the entries, and that no entry is there twice. The
/// sizes of the checkpoints.
async fn one_tree(database: &TestDatabase) -> Vec<usize> {
    let ledger = database.ledger().await;
    let entries = entries(&ledger).await;
    let unique: std::collections::BTreeSet<_> = entries.iter().collect();
    assert_eq!(unique.len(), entries.len(), "each once");
    let leaves: Vec<Hash> = entries.iter().map(|entry| leaf_hash(entry.as_bytes())).collect();
    let rows = raw(&database.url).await.query("SELECT size, note FROM checkpoints ORDER BY size", &[]).await.unwrap();
    let mut checkpoints = Vec::new();
    for row in rows {
        let checkpoint = Checkpoint::open(row.get(1), &checkpoint_key().public()).unwrap();
        let size = usize::try_from(row.get::<_, i64>(0)).unwrap();
        assert_eq!((checkpoint.size as usize, checkpoint.root), (size, root(&leaves[..size])));
        assert_eq!(checkpoint.origin, ORIGIN);
        checkpoints.push(checkpoint);
    }
    for (number, later) in checkpoints.iter().enumerate() {
        for earlier in &checkpoints[..=number] {
            let proof = consistency_proof(&leaves[..later.size as usize], earlier.size as usize).unwrap();
            assert!(verify_consistency(earlier.size, &earlier.root, later.size, &later.root, &proof));
        }
    }
    checkpoints.into_iter().map(|checkpoint| checkpoint.size as usize).collect()
}

#[tokio::test]
async fn keys_starts_and_ends_are_in_it_and_cancelled_games_are_not() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let dealer = dealer(&database).await;
    assert_eq!(dealer.fill_log().await.unwrap(), Default::default(), "nothing to log, nothing to sign");
    assert!(matches!(dealer.checkpoint().await, Err(DealerError::NoCheckpoint)));
    publish_keys(&ledger).await;
    let filled = dealer.fill_log().await.unwrap();
    assert_eq!((filled.entries, filled.checkpoint), (3, Some(3)));

    let host = stored_player(&ledger, "Ada").await;
    let mut ended = Story::stored(&ledger, host).await;
    let mut void_one = Story::stored(&ledger, host).await;
    let mut cancelled = Story::stored(&ledger, host).await;
    let open = Story::stored(&ledger, host).await;
    let mut expected = vec![start(&ledger, &mut ended).await];
    assert_eq!(dealer.fill_log().await.unwrap().entries, 1);
    expected.push(end(&ledger, &mut ended).await);
    assert_eq!(dealer.fill_log().await.unwrap().checkpoint, Some(5));
    expected.push(void(&ledger, &mut void_one, VoidReason::SeedMissing).await);
    void(&ledger, &mut cancelled, VoidReason::Cancelled).await;
    assert_eq!(dealer.fill_log().await.unwrap().entries, 1);
    assert_eq!(entries(&ledger).await[3..], expected);
    assert_eq!(one_tree(&database).await, [3, 4, 5, 6]);
    // Nothing is left to do, also for one who knows nothing of it.
    for mark in [Mark::Started, Mark::Over] {
        assert_eq!(ledger.games_to_log(mark, None, 10).await.unwrap(), []);
    }
    assert_eq!(dealer.fill_log().await.unwrap(), Default::default());
    let another = dealer_of(&database, ORIGIN).await;
    assert_eq!(another.fill_log().await.unwrap(), Default::default());

    for (game, proofs) in [(ended.game, 2), (void_one.game, 1), (cancelled.game, 0), (open.game, 0)] {
        assert_eq!(dealer.log_proof(game).await.unwrap().proofs.len(), proofs);
    }
    let unknown = crate::story::fresh_game();
    assert!(matches!(dealer.log_proof(unknown).await, Err(DealerError::UnknownGame)));
}

#[tokio::test]
async fn a_game_that_is_over_before_it_was_logged_has_both_entries() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    let mut story = Story::stored(&ledger, host).await;
    let expected = [start(&ledger, &mut story).await, end(&ledger, &mut story).await];
    publish_keys(&ledger).await;
    assert_eq!(dealer(&database).await.fill_log().await.unwrap().entries, 5);
    assert_eq!(entries(&ledger).await[3..], expected);
}

async fn many_fill_one_tree(instances: usize) {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    publish_keys(&ledger).await;
    let host = stored_player(&ledger, "Ada").await;
    let mut fillers = Vec::new();
    let (done, doing) = tokio::sync::watch::channel(false);
    for _ in 0..instances {
        let (dealer, doing) = (dealer(&database).await, doing.clone());
        fillers.push(tokio::spawn(async move {
            let mut added = 0;
            loop {
                let last = *doing.borrow();
                match dealer.fill_log().await {
                    Ok(filled) => added += filled.entries,
                    Err(DealerError::Busy) => {}
                    Err(error) => panic!("{error:?}"),
                }
                if last {
                    return added;
                }
                tokio::task::yield_now().await;
            }
        }));
    }
    // At least one checkpoint before the games, however slow the machine is.
    while ledger.newest_checkpoint().await.unwrap().is_none() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let mut expected = Vec::new();
    for _ in 0..40 {
        let mut story = Story::stored(&ledger, host).await;
        expected.push(start(&ledger, &mut story).await);
        expected.push(end(&ledger, &mut story).await);
    }
    done.send(true).unwrap();
    let mut added = 0;
    for filler in fillers {
        added += filler.await.unwrap();
    }
    assert_eq!(added, 83, "nobody says of another's entry that it was its own");
    let mut logged = entries(&ledger).await.split_off(3);
    logged.sort();
    expected.sort();
    assert_eq!(logged, expected);
    let sizes = one_tree(&database).await;
    assert_eq!(sizes.last(), Some(&83));
    assert!(sizes.len() > 1, "{sizes:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_instances_fill_one_tree() {
    many_fill_one_tree(2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn four_instances_fill_one_tree() {
    many_fill_one_tree(4).await;
}

/// An instance may be killed after every statement: what it wrote is found, and what it did not write is made up for.
#[tokio::test]
async fn whoever_is_killed_on_the_way_loses_nothing_and_doubles_nothing() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    publish_keys(&ledger).await;
    let host = stored_player(&ledger, "Ada").await;
    let survivor = dealer(&database).await;
    survivor.fill_log().await.unwrap();
    let mut story = Story::stored(&ledger, host).await;

    // Killed after its entry was added: neither mark nor checkpoint.
    let started = start(&ledger, &mut story).await;
    ledger.append_log_entries(3, std::slice::from_ref(&started)).await.unwrap();
    let filled = survivor.fill_log().await.unwrap();
    assert_eq!((filled.entries, filled.checkpoint), (0, Some(4)));
    assert_eq!(ledger.games_to_log(Mark::Started, None, 9).await.unwrap(), []);

    // Killed after the mark: no checkpoint.
    let ended = end(&ledger, &mut story).await;
    ledger.append_log_entries(4, std::slice::from_ref(&ended)).await.unwrap();
    ledger.mark_logged(&[story.game], Mark::Over).await.unwrap();
    assert_eq!(survivor.fill_log().await.unwrap().checkpoint, Some(5));

    // Came back after others had gone on: the place is taken, and so is the entry.
    assert_eq!(ledger.append_log_entries(4, &["x".to_owned()]).await, Err(LedgerError::Conflict));
    assert_eq!(ledger.append_log_entries(5, &["x".to_owned(), ended.clone()]).await, Err(LedgerError::Conflict));
    let note = survivor.checkpoint().await.unwrap().note;
    let again = StoredCheckpoint { size: 5, note };
    assert_eq!(ledger.insert_checkpoint(&again).await, Err(LedgerError::Conflict));

    // Marked games whose entries another has added are left alone; a mark that is missing is made up for.
    let owner = raw(&database.owner_url).await;
    sql(&owner, "UPDATE games SET started_logged = false, over_logged = false").await.unwrap();
    assert_eq!(survivor.fill_log().await.unwrap(), Default::default());
    assert_eq!(entries(&ledger).await[3..], [started, ended]);
    assert_eq!(one_tree(&database).await, [3, 4, 5]);
}

/// Whoever marks games waits as appends do, for the first that is taken, and holds none after it meanwhile.
#[tokio::test]
async fn marks_of_many_games_wait_in_no_ring() {
    if citus::workers().is_some() {
        // There each game is marked by itself.
        return;
    }
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    let mut games = Vec::new();
    for _ in 0..20 {
        games.push(Story::stored(&ledger, host).await.game);
    }
    games.sort();
    let owner = raw(&database.owner_url).await;
    let touch = |game: GameId| format!("UPDATE games SET updated_at = now() WHERE game_id = '{game}'");
    sql(&owner, "BEGIN; SET LOCAL lock_timeout = '2s'").await.unwrap();
    sql(&owner, &touch(games[0])).await.unwrap();
    let other = ledger.clone();
    let backwards: Vec<GameId> = games.iter().rev().copied().collect();
    let marking = tokio::spawn(async move { other.mark_logged(&backwards, Mark::Started).await });
    let waits = "SELECT 1 FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid";
    while owner.query(waits, &[]).await.unwrap().is_empty() {
        assert!(!marking.is_finished());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    for game in &games[1..] {
        sql(&owner, &touch(*game)).await.expect("nobody holds it");
    }
    sql(&owner, "COMMIT").await.unwrap();
    marking.await.unwrap().unwrap();
    let marked = owner.query("SELECT 1 FROM games WHERE started_logged AND NOT over_logged", &[]).await.unwrap();
    assert_eq!(marked.len(), games.len());
}

/// Every way in which the stored log can be another than it was.
#[tokio::test]
async fn a_log_that_was_rewritten_is_not_signed() {
    let forgeries = [
        "DELETE FROM log_entries WHERE idx = 4",
        "UPDATE log_entries SET leaf = sha256('x') WHERE idx = 1",
        "UPDATE log_entries SET idx = 99 WHERE idx = 4",
        "UPDATE checkpoints SET note = replace(note, '5', '6')",
        "UPDATE checkpoints SET size = 9",
        "DELETE FROM signing_keys WHERE croupier_use = 'checkpoint'",
    ];
    for forgery in forgeries {
        let database = TestDatabase::new();
        let ledger = database.ledger().await;
        publish_keys(&ledger).await;
        let host = stored_player(&ledger, "Ada").await;
        let mut story = Story::stored(&ledger, host).await;
        start(&ledger, &mut story).await;
        end(&ledger, &mut story).await;
        assert_eq!(dealer(&database).await.fill_log().await.unwrap().checkpoint, Some(5));
        let owner = raw(&database.owner_url).await;
        sql(&owner, forgery).await.unwrap();
        let count = async |table: &str| -> i64 {
            owner.query_one(&format!("SELECT count(*) FROM {table}"), &[]).await.unwrap().get(0)
        };
        let before = count("log_entries").await;
        let mut other = Story::stored(&ledger, host).await;
        start(&ledger, &mut other).await;
        let refused = dealer(&database).await.fill_log().await;
        assert!(matches!(refused, Err(DealerError::Log(_))), "{forgery}: {refused:?}");
        assert_eq!(count("log_entries").await, before, "{forgery}: nothing is added");
        assert_eq!(count("checkpoints").await, 1, "{forgery}: nothing is signed");
    }
}

/// Of a log that shrinks after this instance has seen it: by the leaf that it knows last.
#[tokio::test]
async fn an_instance_that_runs_sees_what_it_knew_go() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    publish_keys(&ledger).await;
    let dealer = dealer(&database).await;
    dealer.fill_log().await.unwrap();
    let owner = raw(&database.owner_url).await;
    sql(&owner, "DELETE FROM checkpoints; DELETE FROM log_entries WHERE idx = 2").await.unwrap();
    assert!(matches!(dealer.fill_log().await, Err(DealerError::Log(_))));
}

#[tokio::test]
async fn a_log_has_one_name() {
    let database = TestDatabase::new();
    publish_keys(&database.ledger().await).await;
    dealer(&database).await.fill_log().await.unwrap();
    let refused = dealer_of(&database, "another/log").await.fill_log().await;
    assert!(matches!(&refused, Err(DealerError::Log(why)) if why.contains("another/log")), "{refused:?}");
    for wrong in ["", "a b", "a+b", "a\nb", "a\u{a0}b"] {
        let keys = SigningKeys::new(checkpoint_key(), KeyUse::Checkpoint);
        assert!(Notary::new(wrong.to_owned(), keys).is_none(), "{wrong:?}");
    }
}

/// More than one filling looks at, among them one that can't be read.
#[tokio::test]
async fn many_games_are_logged_batch_by_batch_and_a_broken_one_holds_up_nobody() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    let broken = Story::stored(&ledger, host).await;
    let events = broken.next(1, vec![crate::story::moved(0, 1, "x")]);
    ledger.append(&with_status(events, Status::Playing)).await.unwrap();
    for _ in 0..210 {
        start(&ledger, &mut Story::stored(&ledger, host).await).await;
    }
    publish_keys(&ledger).await;
    let dealer = dealer(&database).await;
    let first = dealer.fill_log().await.unwrap();
    assert_eq!((first.entries, first.more), (3 + 199, true));
    let second = dealer.fill_log().await.unwrap();
    assert_eq!((second.entries, second.more), (11, false));
    assert_eq!(one_tree(&database).await, [202, 213]);
    let left = ledger.games_to_log(Mark::Started, None, 9).await.unwrap();
    assert_eq!(left.iter().map(|left| left.game).collect::<Vec<_>>(), [broken.game]);
}
