//! Players, and the public keys of the server.

use croupier::keys::{Jwk, KeyUse, SigningKey};
use croupier::ledger::LedgerError;

use crate::story::{at, player};
use crate::support::TestDatabase;

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

    assert_eq!(ledger.raise_token_generation(ada.id, at(7)).await.unwrap(), Some(1));
    assert_eq!(ledger.raise_token_generation(ada.id, at(6)).await.unwrap(), Some(2));
    let ended = ledger.player(ada.id).await.unwrap().unwrap();
    // A clock that is behind makes no token good again.
    assert_eq!((ended.token_generation, ended.tokens_ended_at), (2, Some(at(7))));
    assert_eq!(ledger.raise_token_generation(player("Eve").id, at(8)).await.unwrap(), None);
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
