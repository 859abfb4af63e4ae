//! The games that this instance keeps in memory: a bounded cache, on which nothing but speed rests.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use super::live::Live;
use crate::ids::GameId;

/// How many games are kept.
const CAPACITY: usize = 4096;

/// One game's place in the cache. Its lock orders this instance's writers, so that they don't lose races against
/// each other; `None` until the game is loaded.
pub type Slot = Arc<tokio::sync::Mutex<Option<Live>>>;

/// Games in memory, the least recently used of which go first.
#[derive(Default)]
pub struct Tables {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    slots: HashMap<GameId, (Slot, u64)>,
    /// By when they were used last.
    by_use: BTreeMap<u64, GameId>,
    uses: u64,
}

impl Tables {
    /// The place of a game.
    pub fn slot(&self, game: GameId) -> Slot {
        // The map is whole between two statements, so a panic elsewhere leaves it usable.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = &mut *kept;
        kept.uses += 1;
        let now = kept.uses;
        let (slot, last) = kept.slots.entry(game).or_insert_with(|| (Slot::default(), now));
        kept.by_use.remove(last);
        *last = now;
        let slot = Arc::clone(slot);
        kept.by_use.insert(now, game);
        if kept.slots.len() > CAPACITY
            && let Some((_, oldest)) = kept.by_use.pop_first()
        {
            kept.slots.remove(&oldest);
        }
        slot
    }
}
