//! The server's chain of seeds (protocol, Where randomness comes from, 1 and 6).
//!
//! `s[N]` is the root, `s[k-1] = SHA-256(s[k])`, `s[0]` is the anchor. What is published early is hard to run
//! backwards, so a published seed gives every earlier one and none of the later.

use sha2::{Digest, Sha256};
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::hex32::{Hash, ServerSeed};

/// How many draws a chain serves, N.
pub const CHAIN_LENGTH: u32 = 4096;

/// One seed in so many is kept in memory, so that each seed is at most so many hashes away.
const STRIDE: u32 = 64;

/// `SHA-256` applied so often to a seed.
fn hash_times(mut bytes: [u8; 32], times: u32) -> [u8; 32] {
    for _ in 0..times {
        bytes = Sha256::digest(bytes).into();
    }
    bytes
}

/// Where the rules get the server's part of a draw from: the server has the whole chain, an auditor what was
/// disclosed.
pub trait ServerSeeds {
    /// `s[k]`, or `None` where it is not known or no draw of the chain.
    fn seed(&self, draw: u32) -> Option<ServerSeed>;
}

/// A whole chain, of which the root is known: the server's secret. Wiped when dropped.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct SeedChain {
    /// `s[STRIDE]`, `s[2 * STRIDE]`, … `s[N]`.
    marks: Vec<[u8; 32]>,
}

impl SeedChain {
    /// The chain with this root, which must be fresh from the operating system.
    pub fn new(root: &[u8; 32]) -> Self {
        let mut marks = vec![*root];
        for _ in 1..CHAIN_LENGTH / STRIDE {
            let earlier = hash_times(marks[marks.len() - 1], STRIDE);
            marks.push(earlier);
        }
        marks.reverse();
        Self { marks }
    }

    /// `s[0]`, published before anybody sits down.
    pub fn anchor(&self) -> Hash {
        Hash::new(hash_times(self.marks[0], STRIDE))
    }
}

impl ServerSeeds for SeedChain {
    fn seed(&self, draw: u32) -> Option<ServerSeed> {
        if draw == 0 || draw > CHAIN_LENGTH {
            return None;
        }
        let mark = draw.div_ceil(STRIDE);
        let seed = hash_times(self.marks[mark as usize - 1], mark * STRIDE - draw);
        Some(ServerSeed::new(seed))
    }
}

/// As much of a chain as was disclosed: everything up to one draw.
#[derive(Clone, Default)]
pub struct Disclosed {
    /// `s[1]`, `s[2]`, … as far as disclosed.
    seeds: Vec<ServerSeed>,
}

impl Disclosed {
    /// What follows from `s[draw]`. Nothing follows from a seed that is no draw's.
    pub fn up_to(draw: u32, seed: ServerSeed) -> Self {
        if draw == 0 || draw > CHAIN_LENGTH {
            return Self::default();
        }
        let mut seeds = vec![seed];
        for _ in 1..draw {
            let earlier = hash_times(*seeds[seeds.len() - 1].as_bytes(), 1);
            seeds.push(ServerSeed::new(earlier));
        }
        seeds.reverse();
        Self { seeds }
    }
}

impl ServerSeeds for Disclosed {
    fn seed(&self, draw: u32) -> Option<ServerSeed> {
        let index = usize::try_from(draw.checked_sub(1)?).ok()?;
        self.seeds.get(index).copied()
    }
}

/// Whether `SHA-256`, applied `steps` times to the seed, gives what was published before.
pub fn leads_back(seed: &ServerSeed, steps: u32, earlier: &[u8; 32]) -> bool {
    steps <= CHAIN_LENGTH && hash_times(*seed.as_bytes(), steps) == *earlier
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_and_disclosed_chains_agree() {
        let chain = SeedChain::new(&[9; 32]);
        let seed = chain.seed(200).unwrap();
        let disclosed = Disclosed::up_to(200, seed);
        for draw in 0..=201 {
            let known = disclosed.seed(draw);
            assert!(known == chain.seed(draw) || draw == 201 && known.is_none(), "{draw}");
        }
        assert!(leads_back(&seed, 200, chain.anchor().as_bytes()));
        assert!(!leads_back(&seed, 199, chain.anchor().as_bytes()));
        assert!(chain.seed(CHAIN_LENGTH).unwrap().as_bytes() == &[9; 32]);
        assert!(chain.seed(CHAIN_LENGTH + 1).is_none() && chain.seed(0).is_none());
    }
}
