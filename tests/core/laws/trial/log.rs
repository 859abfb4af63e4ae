//! The laws of a whole log.

use std::collections::BTreeMap;

use croupier::event::{Actor, Body, Event, event_hash};
use croupier::hex32::Hash;
use croupier::keys::PublicKey;
use croupier::replay::{disclosed, replay, resume};
use croupier::seat::Seat;
use croupier::table::{Stop, Table};

use super::Trial;
use crate::support::{event_key, snapshot};

impl Trial<'_> {
    pub(super) fn look_back(&mut self) {
        self.check_chain();
        let events = &self.house.events;
        // From the beginning to any point.
        for _ in 0..3 {
            let (length, seen) = self.rng.pick(&self.seen);
            let table = replay(&events[..*length], &self.house.secrets).unwrap();
            assert!(snapshot(&table) == *seen, "replayed up to {length}");
            self.counts.count("replays from the start", 1);
        }
        // As an auditor does it: with nothing but what the log discloses.
        let seeds = disclosed(events);
        let mut table = Table::begin(&events[0]).unwrap();
        let mut from = 1;
        for (length, seen) in &self.seen {
            resume(&mut table, &events[from..*length], &seeds).unwrap();
            assert!(snapshot(&table) == *seen, "an auditor sees something else at {length}");
            from = *length;
        }
        assert_eq!(from, events.len());
        self.counts.count("replays from disclosed seeds", 1);
        // As long as the game is on, what is undisclosed stops an auditor, and nothing else does.
        let length = self.rng.pick(&self.seen).0;
        match replay(&events[..length], &disclosed(&events[..length])) {
            Ok(_) => {}
            Err(error) => {
                let Stop::Undisclosed(draw) = error.stop else { panic!("{error}") };
                let last = |event: &Event| if let Body::Disclosed(data) = &event.body { Some(data.draw) } else { None };
                let known = events[..length].iter().rev().find_map(last).unwrap_or_default();
                assert_eq!(draw, known + 1, "at {length}");
                self.counts.count("audits that have to wait", 1);
            }
        }
    }

    /// The hash chain, the server's signatures, and the players' own.
    fn check_chain(&mut self) {
        let server = event_key().public();
        let mut prev = Hash::ZERO;
        let mut keys: BTreeMap<Seat, Option<PublicKey>> = BTreeMap::new();
        let mut signatures = Vec::new();
        for event in &self.house.events {
            let Event { game, seq, at, actor, body, hash, signature, .. } = event;
            assert_eq!(event.prev, prev);
            let data = serde_json::to_value(body).unwrap();
            assert_eq!(event_hash(*game, *seq, &prev, *at, *actor, body.event_type(), &data), *hash);
            assert!(signature.key == server.id() && server.verifies(hash.as_bytes(), &signature.value));
            if let (Body::Seated(seated), Actor::Seat(seat)) = (body, actor) {
                keys.insert(*seat, seated.key);
            }
            if let Actor::Seat(seat) = actor {
                assert!(body.is_signed_by(*game, *seat, keys[seat].as_ref()), "{event:?}");
                signatures.extend(body.command().and_then(|(_, by)| by));
            }
            prev = *hash;
        }
        let count = signatures.len();
        self.counts.count("players' signatures", count as u64);
        signatures.sort();
        signatures.dedup();
        assert_eq!(signatures.len(), count, "a player's signature occurs twice");
    }
}
