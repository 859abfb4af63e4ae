//! What a player agreed to, and what it must never meet twice.

use std::collections::BTreeMap;

use super::Distrust;
use crate::event::{Created, RulesRef, SeatLimits};
use crate::games::{Kind, Options};
use crate::hex32::Hash;
use crate::ids::GameId;

/// What is to be played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreed {
    /// The game.
    pub kind: Kind,
    /// Its rules: a text that the player knows.
    pub rules: RulesRef,
    /// All options.
    pub options: Options,
    /// How many play.
    pub seats: SeatLimits,
    /// How long a decision may take.
    pub move_seconds: Option<u32>,
}

impl Agreed {
    /// A game with these options and so many places, by the newest rules that this crate knows.
    pub fn newest(options: Options, places: u8, move_seconds: Option<u32>) -> Option<Self> {
        let kind = options.kind();
        let rules = kind.rules(kind.rules_version())?;
        let rules = RulesRef { version: rules.version, text: rules.sha256 };
        let seats = SeatLimits { min: kind.seats().0, max: places };
        Some(Self { kind, rules, options, seats, move_seconds })
    }

    pub(super) fn check(&self, created: &Created) -> Result<(), Distrust> {
        let same = [
            ("kind of game", self.kind == created.kind),
            ("rules", self.rules == created.rules),
            ("options", self.options == created.options),
            ("number of seats", self.seats == created.seats),
            ("time for a decision", self.move_seconds == created.move_seconds),
        ];
        match same.into_iter().find(|(_, same)| !same) {
            Some((what, _)) => Err(Distrust::NotAgreed(what)),
            None => Ok(()),
        }
    }
}

/// The anchors of the games that a player ever watched. A chain of seeds that came before is known to somebody.
#[derive(Debug, Clone, Default)]
pub struct Anchors(BTreeMap<[u8; 32], GameId>);

impl Anchors {
    /// Meets the anchor of a game.
    ///
    /// # Errors
    ///
    /// When another game had it.
    pub fn meet(&mut self, anchor: Hash, game: GameId) -> Result<(), Distrust> {
        let first = *self.0.entry(*anchor.as_bytes()).or_insert(game);
        if first == game { Ok(()) } else { Err(Distrust::AnchorSeen { game: first }) }
    }
}
