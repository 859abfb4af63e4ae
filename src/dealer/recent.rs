//! A map that is bounded, and forgets first what was not used for longest.

use std::collections::HashMap;
use std::hash::Hash;

/// At most so many entries, in two halves: what is used goes to the newer, and when that is full the older is
/// forgotten. So each entry outlives at least half as many others as fit, and no use needs to be remembered by itself.
pub struct Recent<K, V> {
    newer: HashMap<K, V>,
    older: HashMap<K, V>,
    half: usize,
}

impl<K: Eq + Hash + Clone, V> Recent<K, V> {
    /// An empty map of at most so many entries.
    pub fn new(capacity: usize) -> Self {
        Self { newer: HashMap::new(), older: HashMap::new(), half: (capacity / 2).max(1) }
    }

    /// The value of a key, which is used now.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        if let Some(value) = self.older.remove(key) {
            self.insert(key.clone(), value);
        }
        self.newer.get_mut(key)
    }

    /// Sets the value of a key, which is used now.
    pub fn insert(&mut self, key: K, value: V) {
        self.older.remove(&key);
        if self.newer.len() >= self.half && !self.newer.contains_key(&key) {
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.insert(key, value);
    }

    /// Forgets a key.
    pub fn remove(&mut self, key: &K) {
        self.newer.remove(key);
        self.older.remove(key);
    }

    /// Everything that is kept, in no order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        self.newer.iter_mut().chain(self.older.iter_mut())
    }

    /// How many are kept.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.newer.len() + self.older.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_the_rest_goes() {
        let mut recent = Recent::new(8);
        recent.insert("used", 0);
        for (i, key) in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"].into_iter().enumerate() {
            recent.insert(key, i);
            assert_eq!(recent.get_mut(&"used"), Some(&mut 0));
            assert!(recent.len() <= 8, "{}", recent.len());
        }
        assert!(recent.get_mut(&"a").is_none());
        recent.insert("used", 1);
        assert_eq!(recent.get_mut(&"used"), Some(&mut 1));
        recent.remove(&"used");
        assert!(recent.get_mut(&"used").is_none());
    }
}
