//! Secrets at rest.

use croupier::ledger::{Append, LedgerError, NewSecret, Secret, SecretId};
use zeroize::Zeroizing;

use crate::story::{Story, discard, moved, sealed_move, seat, stored_player};
use crate::support::{TestDatabase, connect, raw, sql};

fn root() -> Secret {
    Secret::Root(Zeroizing::new(*b"thirty-two bytes nobody may see!"))
}

/// A database with a game that has a root and two sealed moves, encrypted under the key of ones.
async fn with_secrets(database: &TestDatabase) -> Story {
    let ledger = connect(&database.url, &[1]).await.unwrap();
    let host = stored_player(&ledger, "Ada").await;
    let mut story = Story::stored(&ledger, host).await;
    let secrets = [root(), Secret::Move(seat(0), sealed_move(3, "QS")), Secret::Move(seat(1), sealed_move(3, "AH"))];
    let secrets = secrets.into_iter().zip(1..).map(|(secret, nonce)| NewSecret { secret, nonce: [nonce; 24] });
    let events = story.goes_on(1, vec![moved(0, 1, "x")]);
    ledger.append(&Append { secrets_added: secrets.collect(), ..Append::of(events) }).await.unwrap();
    story
}

#[tokio::test]
async fn they_come_back_until_they_are_removed() {
    let database = TestDatabase::new();
    let mut story = with_secrets(&database).await;
    // Another instance, which has the key as an old one.
    let ledger = connect(&database.url, &[2, 1]).await.unwrap();
    let secrets = ledger.secrets(story.game).await.unwrap();
    assert_eq!(secrets.root.unwrap().as_slice(), b"thirty-two bytes nobody may see!");
    let moves = secrets.moves.iter().map(|(seat, sealed)| (*seat, sealed.step, &sealed.mv)).collect::<Vec<_>>();
    assert_eq!(moves, [(seat(0), 3, &discard("QS")), (seat(1), 3, &discard("AH"))]);
    assert!(secrets.moves.iter().all(|(_, sealed)| sealed.nonce == sealed_move(3, "QS").nonce));

    let events = story.goes_on(2, vec![moved(0, 2, "y")]);
    let removed = vec![SecretId::Move { seat: seat(0), step: 3 }];
    ledger.append(&Append { secrets_removed: removed, ..Append::of(events) }).await.unwrap();
    let secrets = ledger.secrets(story.game).await.unwrap();
    assert!(secrets.root.is_some());
    assert_eq!(secrets.moves.iter().map(|(seat, _)| *seat).collect::<Vec<_>>(), [seat(1)]);
}

#[tokio::test]
async fn the_database_shows_nothing_of_them() {
    let database = TestDatabase::new();
    let story = with_secrets(&database).await;
    let owner = raw(&database.owner_url).await;
    let rows = owner.query("SELECT what, secrets::text, ciphertext FROM secrets", &[]).await.unwrap();
    assert_eq!(rows.len(), 3);
    let mut lengths = Vec::new();
    for row in rows {
        let (what, text, ciphertext) = (row.get::<_, String>(0), row.get::<_, String>(1), row.get::<_, Vec<u8>>(2));
        for plain in [&b"thirty-two"[..], b"nobody", b"QS", b"AH", b"hostile", b"discard", &[6; 4]] {
            let hex = plain.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            // Two bytes may stand in a ciphertext by chance, more don't.
            let found = ciphertext.windows(plain.len()).any(|window| window == plain) || text.contains(&hex);
            assert!(plain.len() == 2 || !found, "{plain:?}");
        }
        if what == "move" {
            lengths.push(ciphertext.len());
        }
    }
    // Nor does the length tell one move from another.
    assert_eq!(lengths[0], lengths[1]);

    let longer = Secret::Move(seat(1), sealed_move(4, &"Q".repeat(900)));
    let ledger = database.ledger().await;
    let mut rest = Story::new(story.host);
    rest.game = story.game;
    let mut events = rest.next(2, vec![moved(0, 2, "z")]);
    events[0].seq = 2;
    let secret = NewSecret { secret: longer, nonce: [9; 24] };
    ledger.append(&Append { secrets_added: vec![secret], ..Append::of(events) }).await.unwrap();
    let count = owner.query_one("SELECT count(DISTINCT length(ciphertext)) FROM secrets WHERE what = 'move'", &[]);
    assert_eq!(count.await.unwrap().get::<_, i64>(0), 1);
}

#[tokio::test]
async fn one_that_was_moved_or_changed_is_refused() {
    for change in [
        "UPDATE secrets SET step = 4 WHERE what = 'move' AND seat = 1",
        "UPDATE secrets SET seat = 2 WHERE what = 'move' AND seat = 1",
        "UPDATE secrets SET what = 'root', seat = 0, step = 0 WHERE what = 'move' AND seat = 1",
        "UPDATE secrets SET ciphertext = set_byte(ciphertext, 0, get_byte(ciphertext, 0) # 1) WHERE what = 'root'",
        "UPDATE secrets SET nonce = set_byte(nonce, 23, get_byte(nonce, 23) # 1) WHERE what = 'root'",
        "WITH moved AS (DELETE FROM secrets WHERE what = 'root' RETURNING what, seat, step, key_id, nonce, ciphertext)
            INSERT INTO secrets (game_id, what, seat, step, key_id, nonce, ciphertext)
            SELECT '018f0000-0000-7000-8000-000000000000', what, seat, step, key_id, nonce, ciphertext FROM moved",
    ] {
        let database = TestDatabase::new();
        let story = with_secrets(&database).await;
        let owner = raw(&database.owner_url).await;
        if change.contains("what = 'root', ") {
            // The place must be free.
            sql(&owner, "DELETE FROM secrets WHERE what = 'root'").await.unwrap();
        }
        sql(&owner, change).await.unwrap();
        let moved = change.contains("game_id").then(|| "018f0000-0000-7000-8000-000000000000".parse().unwrap());
        let ledger = database.ledger().await;
        let result = ledger.secrets(moved.unwrap_or(story.game)).await;
        assert!(matches!(result, Err(LedgerError::Corrupt(_))), "{change}");
    }
}

#[tokio::test]
async fn a_key_that_is_missing_is_named() {
    let database = TestDatabase::new();
    let story = with_secrets(&database).await;
    let right = connect(&database.url, &[2, 1]).await.unwrap();
    assert_eq!(right.missing_secret_keys().await.unwrap(), Vec::<String>::new());
    let wrong = connect(&database.url, &[2, 3]).await.unwrap();
    let missing = wrong.missing_secret_keys().await.unwrap();
    assert_eq!(missing.len(), 1);
    let error = wrong.secrets(story.game).await.map(drop).unwrap_err();
    assert!(matches!(&error, LedgerError::Corrupt(why) if why.contains(&missing[0])), "{error:?}");
}

#[tokio::test]
async fn one_that_is_too_long_to_hide_is_refused() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    let story = Story::stored(&ledger, host).await;
    let secret = NewSecret { secret: Secret::Move(seat(0), sealed_move(1, &"Q".repeat(2000))), nonce: [1; 24] };
    let events = story.next(1, vec![moved(0, 1, "x")]);
    let result = ledger.append(&Append { secrets_added: vec![secret], ..Append::of(events) }).await;
    assert!(matches!(result, Err(LedgerError::Other(_))), "{result:?}");
    assert_eq!(ledger.newest_seq(story.game).await.unwrap(), Some(0));
}
