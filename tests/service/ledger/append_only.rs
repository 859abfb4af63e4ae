//! The log is only ever appended to.

use crate::story::{Story, moved, stored_player};
use crate::support::{TestDatabase, raw, sql};

#[tokio::test]
async fn nobody_changes_the_log() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let host = stored_player(&ledger, "Ada").await;
    let mut story = Story::stored(&ledger, host).await;
    let events = story.goes_on(1, vec![moved(0, 1, "a")]);
    ledger.append(&croupier::ledger::Append::of(events)).await.unwrap();
    let before = ledger.events(story.game, None, None).await.unwrap();

    // The role of the service lacks the privilege, that of the owner meets the trigger.
    for (url, refused) in [(&database.url, "42501"), (&database.owner_url, "23001")] {
        let client = raw(url).await;
        for statement in [
            "UPDATE events SET data = '{}'",
            "UPDATE events SET seq = seq + 10 WHERE seq = 1",
            "DELETE FROM events",
            "DELETE FROM events WHERE seq = 1",
            "TRUNCATE events",
            "TRUNCATE events CASCADE",
            "INSERT INTO events SELECT * FROM events ON CONFLICT (game_id, seq) DO UPDATE SET data = '{}'",
        ] {
            assert_eq!(sql(&client, statement).await, Err(refused.to_owned()), "{statement} at {url}");
        }
    }
    assert_eq!(ledger.events(story.game, None, None).await.unwrap(), before);
    assert!(!ledger.may_rewrite_events().await.unwrap());
    let as_owner = crate::support::connect(&database.owner_url, &[1]).await.unwrap();
    assert!(as_owner.may_rewrite_events().await.unwrap());
}

#[tokio::test]
async fn the_role_of_the_service_can_not_take_down_the_walls() {
    let database = TestDatabase::new();
    let service = raw(&database.url).await;
    for statement in [
        "ALTER TABLE events DISABLE TRIGGER ALL",
        "DROP TRIGGER events_append_only ON events",
        "DROP TABLE events",
        "CREATE OR REPLACE FUNCTION events_are_append_only() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "SET session_replication_role = replica",
        "SET ROLE croupier_owner",
    ] {
        assert_eq!(sql(&service, statement).await, Err("42501".to_owned()), "{statement}");
    }
    // Granting what one may not grant is no error, but nothing comes of it.
    sql(&service, "GRANT UPDATE, DELETE, TRUNCATE ON events TO croupier").await.unwrap();
    assert!(!database.ledger().await.may_rewrite_events().await.unwrap());
}
