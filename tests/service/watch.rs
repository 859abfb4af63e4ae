//! Somebody who trusts nothing: keeps every signed event, and recomputes hashes, signatures and the chain from the
//! bytes as they came.

use std::collections::BTreeMap;

use croupier::canonical::digest;
use croupier::event::Event;
use croupier::hex32::Hash;
use croupier::keys::{PublicKey, Signature};
use serde_json::{Value, json};

use crate::app::TestApp;
use crate::http::Answer;

/// A game's log, as far as it was seen.
pub struct Watch {
    game: String,
    /// The service's keys for events, as they were when the watch began.
    keys: BTreeMap<String, PublicKey>,
    pub events: Vec<Value>,
}

impl Watch {
    /// Begins with all that is in the log now.
    pub fn new(app: &TestApp, game: &str) -> Self {
        let keys = app.get("/.well-known/jwks.json").json()["keys"].as_array().unwrap().clone();
        let of_events = keys.iter().filter(|key| key["croupier_use"] == "event");
        let read = |key: &Value| (text(&key["kid"]), text(&key["x"]).parse().unwrap());
        let mut watch = Self { game: game.to_owned(), keys: of_events.map(read).collect(), events: Vec::new() };
        watch.catch_up(app);
        watch
    }

    /// Reads on, by small pages.
    pub fn catch_up(&mut self, app: &TestApp) {
        loop {
            let after = self.newest().map(|seq| format!("&after={seq}")).unwrap_or_default();
            let page = app.get(&format!("/v1/games/{}/events?limit=7{after}", self.game)).json();
            let events = page["events"].as_array().unwrap();
            events.iter().for_each(|event| self.take(event));
            match page["next"].as_u64() {
                Some(next) => assert_eq!((Some(next), events.len()), (self.newest(), 7)),
                None => return,
            }
        }
    }

    /// The number of the newest event.
    pub fn newest(&self) -> Option<u64> {
        Some(self.events.len() as u64).filter(|count| *count > 0).map(|count| count - 1)
    }

    /// The receipt of a write that was made just now: its events are the next of the log.
    pub fn receipt(&mut self, answer: &Answer) {
        let receipt = answer.json();
        let events = receipt["events"].as_array().unwrap();
        assert!(!events.is_empty());
        assert!(events.iter().all(|event| event["at"] == events[0]["at"]), "one append, one time");
        events.iter().for_each(|event| self.take(event));
        assert_eq!(receipt["view"]["seq"].as_u64(), self.newest());
    }

    /// The next event: its place, its hash, its signature.
    pub fn take(&mut self, event: &Value) {
        let seq = self.events.len();
        let before = self.events.last();
        assert_eq!((&event["game"], &event["seq"]), (&json!(self.game), &json!(seq)));
        let prev = before.map_or_else(|| json!("0".repeat(64)), |before| before["hash"].clone());
        assert_eq!(event["prev"], prev, "event {seq}");
        // Times of one form sort as texts.
        assert!(before.is_none_or(|before| text(&before["at"]) <= text(&event["at"])), "event {seq}");
        let mut hashed = event.clone();
        let fields = hashed.as_object_mut().unwrap();
        (fields.remove("hash"), fields.remove("signature"));
        fields.insert("kind".to_owned(), json!("croupier/v1/event"));
        let hash: Hash = digest(&hashed);
        assert_eq!(event["hash"], json!(hash), "event {seq}");
        let key = &self.keys[&text(&event["signature"]["key"])];
        let signature: Signature = text(&event["signature"]["value"]).parse().unwrap();
        assert!(key.verifies(hash.as_bytes(), &signature), "event {seq}");
        self.events.push(event.clone());
    }

    /// The events, read by the crate's types.
    pub fn typed(&self) -> Vec<Event> {
        serde_json::from_value(json!(self.events)).unwrap()
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
