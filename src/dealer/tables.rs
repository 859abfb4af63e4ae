//! The games that this instance keeps in memory: a bounded cache, on which nothing but speed rests.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use super::live::Live;
use crate::ids::GameId;

/// What a game takes before it is loaded, in bytes: its place.
const PLACE_BYTES: usize = 256;

/// One game's place in the cache. Its lock orders this instance's writers, so that they don't lose races against
/// each other; `None` until the game is loaded.
pub type Slot = Arc<tokio::sync::Mutex<Option<Live>>>;

/// Games in memory, of at most so many bytes together; the least recently used go first.
pub struct Tables {
    kept: Mutex<Kept>,
    most_bytes: usize,
}

struct Place {
    slot: Slot,
    used: u64,
    bytes: usize,
}

#[derive(Default)]
struct Kept {
    places: HashMap<GameId, Place>,
    /// By when they were used last.
    by_use: BTreeMap<u64, GameId>,
    uses: u64,
    bytes: usize,
}

impl Tables {
    /// Games of at most so many bytes together.
    pub fn new(most_bytes: usize) -> Self {
        Self { kept: Mutex::default(), most_bytes }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Kept) -> T) -> T {
        // The map is whole between two calls, so a panic elsewhere leaves it usable.
        work(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The place of a game.
    pub fn slot(&self, game: GameId) -> Slot {
        self.with(|kept| {
            kept.uses += 1;
            let now = kept.uses;
            let place = kept.places.entry(game).or_insert_with(|| {
                kept.bytes += PLACE_BYTES;
                Place { slot: Slot::default(), used: now, bytes: PLACE_BYTES }
            });
            kept.by_use.remove(&place.used);
            place.used = now;
            kept.by_use.insert(now, game);
            Arc::clone(&place.slot)
        })
    }

    /// Says what a game takes that was loaded, so that others go if it is too much.
    pub fn weigh(&self, game: GameId, bytes: usize) {
        self.with(|kept| {
            if let Some(place) = kept.places.get_mut(&game) {
                kept.bytes = kept.bytes - place.bytes + PLACE_BYTES + bytes;
                place.bytes = PLACE_BYTES + bytes;
            }
            while kept.bytes > self.most_bytes
                && let Some((_, oldest)) = kept.by_use.pop_first()
            {
                let gone = kept.places.remove(&oldest);
                kept.bytes -= gone.map_or(0, |place| place.bytes);
            }
        });
    }

    /// How many games are kept, and what they take.
    pub fn size(&self) -> (usize, usize) {
        self.with(|kept| (kept.places.len(), kept.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(n: u64) -> GameId {
        GameId::new(uuid::Builder::from_unix_timestamp_millis(n, &[0; 10]).into_uuid()).unwrap()
    }

    #[test]
    fn what_is_kept_is_bounded_in_bytes_and_the_oldest_goes_first() {
        let tables = Tables::new(10 * (PLACE_BYTES + 1000));
        let first = tables.slot(game(0));
        for n in 0..100 {
            tables.slot(game(n));
            tables.weigh(game(n), 1000);
            // Used again and again, so it stays.
            assert!(Arc::ptr_eq(&tables.slot(game(0)), &first), "{n}");
            let (games, bytes) = tables.size();
            assert!(games <= 10 && bytes <= 10 * (PLACE_BYTES + 1000), "{games} {bytes}");
        }
        // One that grew takes the place of several.
        tables.weigh(game(0), 7000);
        assert_eq!(tables.size().0, 5);
        // One that is larger than all of it is not kept.
        tables.slot(game(1000));
        tables.weigh(game(1000), 1_000_000);
        assert_eq!(tables.size(), (0, 0));
    }
}
