//! Players, and the public keys of the server.

use croupier::keys::{Jwk, KeyUse, SigningKey};
use croupier::ledger::LedgerError;

use crate::story::{at, player};
use crate::support::{TestDatabase, raw, sql};

#[tokio::test]
async fn a_name_is_one_players() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let mut ada = player("Ada");
    ada.password_hash = Some("$argon2id$".to_owned());
    ledger.insert_player(&ada).await.unwrap();
    for (name, key) in [("ADA", "ada"), ("Bob", "bob")] {
        let mut other = player(name);
        other.name_key = key.to_owned();
        if name == "Bob" {
            other.id = ada.id;
        }
        assert_eq!(ledger.insert_player(&other).await, Err(LedgerError::Conflict), "{name}");
    }
    assert!(ledger.player(ada.id).await.unwrap() == Some(ada.clone()));
    assert!(ledger.player_by_name("ada").await.unwrap() == Some(ada.clone()));
    assert!(ledger.player_by_name("Ada").await.unwrap().is_none());
    assert!(ledger.player(player("Eve").id).await.unwrap().is_none());

    // What the database can't hold is nobody's name.
    assert!(ledger.player_by_name("a\0").await.unwrap().is_none());
    assert!(matches!(ledger.insert_player(&player("a\0")).await, Err(LedgerError::Other(_))));
}

#[tokio::test]
async fn tokens_that_were_ended_are_ended_for_good_and_all_are_told_so() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let [ada, bob] = ["Ada", "Bob"].map(player);
    for player in [&ada, &bob] {
        ledger.insert_player(player).await.unwrap();
    }
    assert_eq!(ledger.players_whose_tokens_ended_lately().await.unwrap().len(), 0);
    // One clock is behind the database's, the next ahead, and a third behind that.
    let [behind, ahead] = ["2001-01-01T00:00:00.000Z", "2200-01-01T00:00:00.000Z"].map(|time| time.parse().unwrap());
    for (generation, at, ended) in [(1, behind, behind), (2, ahead, ahead), (3, behind, ahead)] {
        assert_eq!(ledger.raise_token_generation(ada.id, at).await.unwrap(), Some(generation));
        let told = ledger.players_whose_tokens_ended_lately().await.unwrap();
        assert_eq!(told.len(), 1, "of Bob nothing is told");
        assert_eq!((told[0].id, told[0].token_generation, told[0].tokens_ended_at), (ada.id, generation, Some(ended)));
    }
    assert_eq!(ledger.raise_token_generation(player("Eve").id, ahead).await.unwrap(), None);

    // An instance of 0.1.0 stores no more than its own time; and after ten minutes all have heard of it.
    let client = raw(&database.owner_url).await;
    for (seconds, count) in [(590, 1), (601, 0)] {
        // Whole milliseconds, as an instance stores them.
        let ended = format!("date_trunc('milliseconds', now() - interval '{seconds} seconds')");
        let stored = "UPDATE players SET tokens_ended_stored_at = NULL, tokens_ended_at";
        sql(&client, &format!("{stored} = {ended} WHERE token_generation > 0")).await.unwrap();
        assert_eq!(ledger.players_whose_tokens_ended_lately().await.unwrap().len(), count, "{seconds} s ago");
    }
}

#[tokio::test]
async fn a_published_key_stays() {
    let database = TestDatabase::new();
    let ledger = database.ledger().await;
    let key = |byte, usage, from| Jwk::new(SigningKey::new(&[byte; 32]).public(), usage, from, None);
    let event = key(1, KeyUse::Event, None);
    let token = key(2, KeyUse::Token, Some(at(5)));
    assert!(ledger.publish_signing_key(&event, at(1)).await.unwrap());
    assert!(ledger.publish_signing_key(&token, at(2)).await.unwrap());
    // Whoever publishes it again changes nothing.
    let otherwise = key(1, KeyUse::Checkpoint, Some(at(9)));
    assert!(!ledger.publish_signing_key(&otherwise, at(3)).await.unwrap());
    assert_eq!(ledger.signing_keys().await.unwrap(), [event.clone(), token.clone()]);

    assert!(ledger.retire_signing_key(event.kid, at(10)).await.unwrap());
    assert!(!ledger.retire_signing_key(event.kid, at(20)).await.unwrap());
    assert!(!ledger.retire_signing_key(key(3, KeyUse::Event, None).kid, at(20)).await.unwrap());
    let mut retired = event;
    retired.not_after = Some(at(10));
    assert_eq!(ledger.signing_keys().await.unwrap(), [retired, token]);
}
