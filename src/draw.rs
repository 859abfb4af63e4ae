//! From a seed to numbers, shuffles and picks (protocol, Where randomness comes from, 3 to 5).
//!
//! Nothing here rests on a library's own `shuffle` or range: those change between versions.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use serde::Serialize;

use crate::canonical::digest_in_order;
use crate::hex32::{PlayerSeed, ServerSeed};
use crate::ids::GameId;

/// The seed of one draw: everything that may go into it, and nothing else.
pub fn draw_seed(game: GameId, draw: u32, server_seed: &ServerSeed, player_seeds: &[Option<PlayerSeed>]) -> [u8; 32] {
    #[derive(Serialize)]
    struct DrawSeed<'a> {
        draw: u32,
        game: GameId,
        kind: &'static str,
        player_seeds: &'a [Option<PlayerSeed>],
        server_seed: &'a ServerSeed,
    }
    *digest_in_order(&DrawSeed { draw, game, kind: "croupier/v1/draw-seed", player_seeds, server_seed }).as_bytes()
}

/// The stream of numbers of one draw: the ChaCha20 key stream of its seed, read as little-endian 32-bit words.
#[derive(Clone, PartialEq, Eq)]
pub struct Numbers(ChaCha20Rng);

impl Numbers {
    /// The stream that begins with this seed.
    pub fn new(seed: [u8; 32]) -> Self {
        Self(ChaCha20Rng::from_seed(seed))
    }

    /// The next word of the key stream.
    pub fn word(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// A number from 0 to n - 1, all equally likely. Takes one word or, where a word would favour small numbers,
    /// throws it away and takes the next. `below(0)` is 0 and takes no word: there is nothing to pick from.
    pub fn below(&mut self, n: u32) -> u32 {
        if n == 0 {
            return 0;
        }
        // floor(2^32 / n) * n, which needs more than 32 bits for n = 1.
        let bound = (1u64 << 32) / u64::from(n) * u64::from(n);
        loop {
            let word = self.word();
            if u64::from(word) < bound {
                return word % n;
            }
        }
    }

    /// Picks a place in a list of this length; `None` for an empty one.
    pub fn pick(&mut self, length: usize) -> Option<usize> {
        let length = u32::try_from(length).ok().filter(|n| *n > 0)?;
        // A u32 fits a usize on every target with an operating system.
        Some(self.below(length) as usize)
    }

    /// Shuffles a list in place; element 0 is the top afterwards.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            if let Some(j) = self.pick(i + 1) {
                list.swap(i, j);
            }
        }
    }
}
