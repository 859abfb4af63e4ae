//! A tree that grows: its leaves in memory, and the roots of its large whole subtrees, so that a root or a proof at any
//! size takes a few hundred hashes however many leaves there are.

use super::{left_size, node_hash, root};
use crate::hex32::Hash;

/// How many leaves the smallest subtrees have whose roots are kept. Roots of smaller ones are made when asked for.
const CHUNK: usize = 256;

/// The leaves of a log, 32 bytes each and little more.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    leaves: Vec<Hash>,
    /// At each level the roots of the whole subtrees of `CHUNK << level` leaves, from the first on.
    whole: Vec<Vec<Hash>>,
}

impl Tree {
    /// How many leaves there are.
    pub fn size(&self) -> usize {
        self.leaves.len()
    }

    /// The leaf at this place.
    pub fn leaf(&self, index: usize) -> Option<&Hash> {
        self.leaves.get(index)
    }

    /// Adds a leaf at the end.
    pub fn push(&mut self, leaf: Hash) {
        self.leaves.push(leaf);
        let mut level: usize = 0;
        while self.leaves.len().is_multiple_of(CHUNK << level) {
            let made = match level.checked_sub(1).and_then(|below| self.whole.get(below)).map(Vec::as_slice) {
                Some([.., left, right]) => node_hash(left, right),
                _ => root(&self.leaves[self.leaves.len() - CHUNK..]),
            };
            match self.whole.get_mut(level) {
                Some(roots) => roots.push(made),
                None => self.whole.push(vec![made]),
            }
            level += 1;
        }
    }

    /// The root over the first so many leaves; `None` if there are not so many.
    pub fn root(&self, size: usize) -> Option<Hash> {
        (size <= self.size()).then(|| self.range(0, size))
    }

    /// The root over so many leaves from one on, which is where a subtree of that size stands.
    fn range(&self, first: usize, count: usize) -> Hash {
        if count.is_power_of_two() && count >= CHUNK && first.is_multiple_of(count) {
            let level = (count / CHUNK).trailing_zeros() as usize;
            if let Some(whole) = self.whole.get(level).and_then(|roots| roots.get(first / count)) {
                return *whole;
            }
        }
        if count <= CHUNK {
            return root(&self.leaves[first..first + count]);
        }
        let left = left_size(count);
        node_hash(&self.range(first, left), &self.range(first + left, count - left))
    }

    /// The hashes that prove that the leaf at this place is in the tree of the first so many, from the leaf up; `None`
    /// if there is no such leaf or no such tree.
    pub fn inclusion_proof(&self, index: usize, size: usize) -> Option<Vec<Hash>> {
        if index >= size || size > self.size() {
            return None;
        }
        let (mut first, mut count, mut proof) = (0, size, Vec::new());
        while count > 1 {
            let left = left_size(count);
            if index - first < left {
                proof.push(self.range(first + left, count - left));
                count = left;
            } else {
                proof.push(self.range(first, left));
                first += left;
                count -= left;
            }
        }
        proof.reverse();
        Some(proof)
    }

    /// The hashes that prove that the tree of the first `earlier` leaves is a beginning of that of the first `size`;
    /// `None` if there are no such trees.
    pub fn consistency_proof(&self, earlier: usize, size: usize) -> Option<Vec<Hash>> {
        if earlier > size || size > self.size() {
            return None;
        }
        if earlier == 0 {
            return Some(Vec::new());
        }
        let (mut first, mut count, mut proof) = (0, size, Vec::new());
        // Whoever checks has the root of the earlier tree: where it is one node of the later, it needs no mention.
        let mut known = true;
        while earlier - first < count {
            let left = left_size(count);
            if earlier - first <= left {
                proof.push(self.range(first + left, count - left));
                count = left;
            } else {
                proof.push(self.range(first, left));
                first += left;
                count -= left;
                known = false;
            }
        }
        if !known {
            proof.push(self.range(first, count));
        }
        proof.reverse();
        Some(proof)
    }
}

impl Extend<Hash> for Tree {
    fn extend<T: IntoIterator<Item = Hash>>(&mut self, leaves: T) {
        leaves.into_iter().for_each(|leaf| self.push(leaf));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{consistency_proof, inclusion_proof, leaf_hash};
    use super::*;

    fn leaves(count: u32) -> Vec<Hash> {
        (0..count).map(|n| leaf_hash(&n.to_be_bytes())).collect()
    }

    #[test]
    fn it_says_what_a_slice_of_its_leaves_says() {
        let leaves = leaves(1300);
        let mut tree = Tree::default();
        tree.extend(leaves.iter().copied());
        let sizes = [0, 1, 2, 3, 255, 256, 257, 511, 512, 513, 768, 1000, 1024, 1025, 1299, 1300];
        for size in sizes {
            let slice = &leaves[..size];
            assert_eq!(tree.root(size), Some(root(slice)), "{size}");
            for index in [0, 1, 254, 255, 256, 511, 512, 700, 1023, 1024, 1298, 1299] {
                assert_eq!(tree.inclusion_proof(index, size), inclusion_proof(slice, index), "{index} of {size}");
            }
            for earlier in sizes {
                let expected = consistency_proof(slice, earlier);
                assert_eq!(tree.consistency_proof(earlier, size), expected, "{earlier} of {size}");
            }
        }
        assert_eq!(tree.root(1301), None);
        assert_eq!(tree.inclusion_proof(0, 1301), None);
        assert_eq!(tree.consistency_proof(1, 1301), None);
    }

    #[test]
    fn every_small_one_too() {
        let leaves = leaves(40);
        let mut tree = Tree::default();
        tree.extend(leaves.iter().copied());
        for size in 0..=40 {
            for earlier in 0..=size {
                assert_eq!(tree.consistency_proof(earlier, size), consistency_proof(&leaves[..size], earlier));
                assert_eq!(tree.inclusion_proof(earlier, size), inclusion_proof(&leaves[..size], earlier));
            }
        }
    }
}
