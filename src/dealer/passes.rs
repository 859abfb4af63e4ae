//! Who does how much of something at this moment.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

type Counts<K> = Arc<Mutex<HashMap<K, u32>>>;

/// Counts by key what goes on at once. Whoever does nothing takes no memory.
pub struct Passes<K> {
    counts: Counts<K>,
}

/// One that goes on, until it is dropped.
pub struct Pass<K: Eq + Hash + Copy> {
    counts: Counts<K>,
    key: K,
    number: u32,
}

impl<K: Eq + Hash + Copy> Passes<K> {
    /// Nobody does anything yet.
    pub fn new() -> Self {
        Self { counts: Arc::default() }
    }

    /// One more goes on.
    pub fn take(&self, key: K) -> Pass<K> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(key).or_default();
        *count += 1;
        Pass { counts: Arc::clone(&self.counts), key, number: *count }
    }
}

impl<K: Eq + Hash + Copy> Default for Passes<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Eq + Hash + Copy> Pass<K> {
    /// How many went on when it began, this one included.
    pub fn number(&self) -> u32 {
        self.number
    }
}

impl<K: Eq + Hash + Copy> Drop for Pass<K> {
    fn drop(&mut self) {
        // The map is whole between two statements, so a panic elsewhere leaves it usable.
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_is_given_back() {
        let passes = Passes::new();
        let (first, second) = (passes.take("Ana"), passes.take("Ana"));
        assert_eq!((first.number(), second.number(), passes.take("Ben").number()), (1, 2, 1));
        drop(first);
        assert_eq!(passes.take("Ana").number(), 2);
        drop(second);
        assert!(passes.counts.lock().unwrap().is_empty());
    }
}
