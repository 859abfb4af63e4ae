//! Chance that a test holds in its hand.

use croupier::hex32::Nonce;

/// The tests' own source of numbers (SplitMix64): the same on every machine, and nothing that the crate draws from.
#[derive(Clone)]
pub struct Rng {
    state: u64,
    /// What is chosen, byte by byte, where somebody chooses instead of chance.
    script: Option<std::vec::IntoIter<u8>>,
}

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self { state: seed, script: None }
    }

    /// Choices as these bytes have them; once they are used up, see [`Rng::is_out`], chance goes on.
    pub fn scripted(script: &[u8]) -> Self {
        Self { state: 0, script: Some(Vec::from(script).into_iter()) }
    }

    /// Whether there is, or was, a script.
    pub fn is_scripted(&self) -> bool {
        self.script.is_some()
    }

    /// Whether there was a script, and it is used up.
    pub fn is_out(&self) -> bool {
        self.script.as_ref().is_some_and(|script| script.len() == 0)
    }

    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        let Some(script) = self.script.as_mut().filter(|script| script.len() > 0) else {
            return (self.next() % n as u64) as usize;
        };
        // As many bytes as it takes.
        let (mut value, mut bound) = (0, 1);
        while bound < n {
            value = value << 8 | usize::from(script.next().unwrap_or_default());
            bound <<= 8;
        }
        value % n
    }

    /// True once in so many times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    pub fn bytes(&mut self) -> [u8; 32] {
        let mut bytes = [0; 32];
        bytes.chunks_mut(8).for_each(|chunk| chunk.copy_from_slice(&self.next().to_le_bytes()));
        bytes
    }

    pub fn nonce(&mut self) -> Nonce {
        Nonce::new(self.bytes())
    }
}
