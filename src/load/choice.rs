//! Which move to make: one of the best kind that there is, by lot.

use super::scan::{Cursor, Scanned, text_member};

/// Moves that are no decisions, and so bring no game forward.
const NO_DECISIONS: [&[u8]; 1] = [b"shuffle_hand"];

/// Cheap numbers without any pattern that would matter here (xorshift64*).
pub struct Lot(u64);

impl Lot {
    /// Lots that come from this number.
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: u64) -> u64 {
        // The high bits are the good ones; what a remainder is off by does not matter.
        (self.next() >> 8) % n.max(1)
    }

    /// Bytes for an id.
    pub fn bytes(&mut self) -> [u8; 16] {
        let (high, low) = (self.next(), self.next());
        (u128::from(high) << 64 | u128::from(low)).to_le_bytes()
    }

    /// Lots of another course.
    pub fn another(&mut self) -> Self {
        Self::new(self.next())
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
}

/// Chooses from a list of legal moves, as they are written: of those that stand first in `eager`, by their type or whole,
/// one by lot, or of all that are decisions. `None` where there is none.
///
/// # Errors
///
/// When that is no list of moves.
pub fn choose<'a>(legal: &'a [u8], eager: &[&str], lot: &mut Lot) -> Scanned<Option<&'a [u8]>> {
    let (mut best, mut count, mut chosen) = (usize::MAX, 0, None);
    Cursor::new(legal).items(|cursor| {
        let mv = cursor.skip()?;
        let name = text_member(mv, "type")?;
        if NO_DECISIONS.contains(&name) {
            return Ok(());
        }
        let is = |eager: &&str| [name, mv].contains(&eager.as_bytes());
        let rank = eager.iter().position(is).unwrap_or(eager.len());
        if rank < best {
            (best, count) = (rank, 0);
        }
        if rank == best {
            count += 1;
            // The n-th of a kind takes the place of the one before with a chance of 1 in n.
            if lot.below(count) == 0 {
                chosen = Some(mv);
            }
        }
        Ok(())
    })?;
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::{Lot, choose};
    use crate::load::scan::NotAsExpected;
    use std::collections::BTreeSet;

    #[test]
    fn the_first_of_the_eager_kinds_is_chosen_by_lot() -> Result<(), NotAsExpected> {
        let legal = br#"[{"type":"discard","side":0},{"type":"play_hand","card":"7S"},{"type":"shuffle_hand"},
            {"type":"play_hand","card":"8S"},{"type":"discard","side":1}]"#;
        let mut lot = Lot::new(7);
        let mut draw = |eager: &[&str]| -> Result<BTreeSet<&[u8]>, NotAsExpected> {
            (0..200).filter_map(|_| choose(legal, eager, &mut lot).transpose()).collect()
        };
        let hands: [&[u8]; 2] = [br#"{"type":"play_hand","card":"7S"}"#, br#"{"type":"play_hand","card":"8S"}"#];
        assert_eq!(draw(&["play_payoff", "play_hand"])?, BTreeSet::from(hands));
        assert_eq!(
            draw(&[r#"{"type":"discard","side":1}"#])?,
            BTreeSet::from([&br#"{"type":"discard","side":1}"#[..]])
        );
        assert_eq!(draw(&[])?.len(), 4);
        assert_eq!(choose(b"[]", &[], &mut lot), Ok(None));
        assert_eq!(choose(br#"[{"type":"shuffle_hand"}]"#, &[], &mut lot), Ok(None));
        assert_eq!(choose(b"null", &[], &mut lot), Err(NotAsExpected));
        Ok(())
    }

    #[test]
    fn lots_are_even() {
        let mut lot = Lot::new(1);
        let mut counts = [0; 3];
        (0..3000).for_each(|_| counts[lot.below(3) as usize] += 1);
        assert!(counts.iter().all(|count| (800..1200).contains(count)), "{counts:?}");
    }
}
