//! The Merkle tree of the log of logs (protocol, The log of logs): RFC 6962 hashing, and proofs as RFC 9162 checks
//! them.
//!
//! Functions over a slice of leaf hashes make roots and proofs, and a [`Tree`] that grows makes them quickly; the
//! `verify_` functions need no leaves.

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::canonical::{digest, to_jcs};
use crate::hex32::Hash;
use crate::ids::GameId;
use crate::keys::{KeyUse, PublicKey};

mod tree;

pub use tree::Tree;

/// What stands for a game in an entry, so that entries name no unlisted game to strangers.
pub fn game_tag(game: GameId) -> Hash {
    #[derive(Serialize)]
    struct GameTag {
        kind: &'static str,
        game: GameId,
    }
    digest(&GameTag { kind: "croupier/v1/game-id", game })
}

/// The entry for a `started` event, as canonical JSON.
pub fn game_started_entry(game: GameId, seq: u64, hash: &Hash, anchor: &Hash) -> String {
    #[derive(Serialize)]
    struct Entry<'a> {
        kind: &'static str,
        game: Hash,
        seq: u64,
        hash: &'a Hash,
        anchor: &'a Hash,
    }
    text(&Entry { kind: "croupier/v1/game-started", game: game_tag(game), seq, hash, anchor })
}

/// The entry for an `ended` event, or for a `voided` one after `closed`, as canonical JSON.
pub fn game_over_entry(game: GameId, seq: u64, hash: &Hash) -> String {
    #[derive(Serialize)]
    struct Entry<'a> {
        kind: &'static str,
        game: Hash,
        seq: u64,
        hash: &'a Hash,
    }
    text(&Entry { kind: "croupier/v1/game-over", game: game_tag(game), seq, hash })
}

/// The entry for a new key, as canonical JSON.
pub fn key_entry(usage: KeyUse, x: &PublicKey) -> String {
    #[derive(Serialize)]
    struct Entry<'a> {
        kind: &'static str,
        #[serde(rename = "use")]
        usage: KeyUse,
        x: &'a PublicKey,
    }
    text(&Entry { kind: "croupier/v1/key", usage, x })
}

/// Canonical JSON is UTF-8, so nothing is lost.
fn text<T: Serialize>(entry: &T) -> String {
    String::from_utf8_lossy(&to_jcs(entry)).into_owned()
}

/// The hash of an entry.
pub fn leaf_hash(entry: &[u8]) -> Hash {
    Hash::new(Sha256::new().chain_update([0]).chain_update(entry).finalize().into())
}

fn node_hash(left: &Hash, right: &Hash) -> Hash {
    Hash::new(
        Sha256::new().chain_update([1]).chain_update(left.as_bytes()).chain_update(right.as_bytes()).finalize().into(),
    )
}

/// The root of the tree with these leaves.
pub fn root(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => Hash::new(Sha256::digest([]).into()),
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(left_size(leaves.len()));
            node_hash(&root(left), &root(right))
        }
    }
}

/// How many of n leaves, n > 1, are below the root's left node: the largest power of two that is smaller than n.
fn left_size(n: usize) -> usize {
    (n / 2 + n % 2).next_power_of_two()
}

/// The hashes that prove that the leaf at this place is in the tree, from the leaf up; `None` if there is no such leaf.
pub fn inclusion_proof(leaves: &[Hash], index: usize) -> Option<Vec<Hash>> {
    if index >= leaves.len() {
        return None;
    }
    if leaves.len() == 1 {
        return Some(Vec::new());
    }
    let (left, right) = leaves.split_at(left_size(leaves.len()));
    let (mut proof, sibling) = if index < left.len() {
        (inclusion_proof(left, index)?, root(right))
    } else {
        (inclusion_proof(right, index - left.len())?, root(left))
    };
    proof.push(sibling);
    Some(proof)
}

/// The hashes that prove that the tree of the first so many leaves is a beginning of the whole one; `None` if there
/// are not so many leaves.
pub fn consistency_proof(leaves: &[Hash], earlier: usize) -> Option<Vec<Hash>> {
    match earlier {
        0 => Some(Vec::new()),
        _ if earlier > leaves.len() => None,
        _ => Some(subproof(leaves, earlier, true)),
    }
}

/// `known`: the root of the earlier tree needs no mention, since whoever checks has it.
fn subproof(leaves: &[Hash], earlier: usize, known: bool) -> Vec<Hash> {
    if earlier == leaves.len() {
        return if known { Vec::new() } else { vec![root(leaves)] };
    }
    let (left, right) = leaves.split_at(left_size(leaves.len()));
    let (mut proof, sibling) = if earlier <= left.len() {
        (subproof(left, earlier, known), root(right))
    } else {
        (subproof(right, earlier - left.len(), false), root(left))
    };
    proof.push(sibling);
    proof
}

/// Where a proof stands on its way up: a node's place in its level, and that of the level's last node.
struct Climb {
    place: u64,
    last: u64,
}

impl Climb {
    fn up(&mut self) {
        self.place >>= 1;
        self.last >>= 1;
    }

    /// Whether the next hash of the proof is the left sibling. If so, and the node is the last of its level, the levels
    /// where it has no sibling are passed over.
    fn has_left_sibling(&mut self) -> bool {
        let left = self.place & 1 == 1 || self.place == self.last;
        if left {
            while self.place & 1 == 0 && self.place != 0 {
                self.up();
            }
        }
        left
    }
}

/// Whether the proof shows that the leaf stands at this place in the tree of so many leaves with this root.
pub fn verify_inclusion(root: &Hash, size: u64, leaf: &Hash, index: u64, proof: &[Hash]) -> bool {
    if index >= size {
        return false;
    }
    let mut climb = Climb { place: index, last: size - 1 };
    let mut hash = *leaf;
    for sibling in proof {
        if climb.last == 0 {
            return false;
        }
        hash = if climb.has_left_sibling() { node_hash(sibling, &hash) } else { node_hash(&hash, sibling) };
        climb.up();
    }
    climb.last == 0 && hash == *root
}

/// Whether the proof shows that the tree of `earlier` leaves with the root `earlier_root` is a beginning of that of
/// `size` leaves with the root `root`.
pub fn verify_consistency(earlier: u64, earlier_root: &Hash, size: u64, root: &Hash, proof: &[Hash]) -> bool {
    if earlier == 0 || earlier == size {
        let same = if earlier == 0 { self::root(&[]) } else { *root };
        return proof.is_empty() && *earlier_root == same && (size > 0 || *root == same);
    }
    if earlier > size {
        return false;
    }
    let mut climb = Climb { place: earlier - 1, last: size - 1 };
    while climb.place & 1 == 1 {
        climb.up();
    }
    // A whole tree of a power of two is one node of the later tree: the proof leaves its root out.
    let (start, proof) = match proof {
        [] => return false,
        _ if earlier.is_power_of_two() => (*earlier_root, proof),
        [start, rest @ ..] => (*start, rest),
    };
    let (mut was, mut is) = (start, start);
    for sibling in proof {
        if climb.last == 0 {
            return false;
        }
        if climb.has_left_sibling() {
            was = node_hash(sibling, &was);
            is = node_hash(sibling, &is);
        } else {
            is = node_hash(&is, sibling);
        }
        climb.up();
    }
    climb.last == 0 && was == *earlier_root && is == *root
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each proof of every tree up to a size, with what it proves.
    #[test]
    fn every_proof_is_good_for_what_it_proves_and_for_nothing_else() {
        let leaves: Vec<Hash> = (0..40u8).map(|n| leaf_hash(&[n])).collect();
        for size in 1..=leaves.len() {
            let tree = &leaves[..size];
            let whole = root(tree);
            for index in 0..size {
                let proof = inclusion_proof(tree, index).unwrap();
                let good = |size: usize, leaf: usize, index: usize, proof: &[Hash]| {
                    verify_inclusion(&whole, size as u64, &leaves[leaf], index as u64, proof)
                };
                assert!(good(size, index, index, &proof), "leaf {index} of {size}");
                assert!(!good(size, (index + 1) % 40, index, &proof), "another leaf than {index} of {size}");
                assert!(!good(size, index, index + 1, &proof), "leaf {index} of {size}, one further on");
                assert!(!good(size, index, index, &[&proof[..], &[whole]].concat()), "a longer proof");
                assert!(proof.is_empty() || !good(size, index, index, &proof[1..]), "a shorter proof");
            }
            assert_eq!(inclusion_proof(tree, size), None);
            for earlier in 0..=size {
                let proof = consistency_proof(tree, earlier).unwrap();
                let before = root(&leaves[..earlier]);
                let good = |earlier: usize, before: &Hash, proof: &[Hash]| {
                    verify_consistency(earlier as u64, before, size as u64, &whole, proof)
                };
                assert!(good(earlier, &before, &proof), "{earlier} of {size}");
                assert!(!good(earlier, &leaf_hash(b"x"), &proof), "another root for {earlier} of {size}");
                assert!(!good(earlier, &before, &[&proof[..], &[whole]].concat()), "a longer proof");
                assert!(proof.is_empty() || !good(earlier, &before, &proof[1..]), "a shorter proof");
                assert!(earlier == size || !good(earlier + 1, &before, &proof), "another size than {earlier}");
            }
            assert_eq!(consistency_proof(tree, size + 1), None);
        }
        assert!(!verify_consistency(2, &root(&leaves[..2]), 1, &leaves[0], &[]), "a tree that shrinks");
        assert!(!verify_inclusion(&root(&[]), 0, &leaves[0], 0, &[]), "a leaf of nothing");
    }
}
