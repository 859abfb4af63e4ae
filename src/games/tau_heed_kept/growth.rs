//! Who may grow on whom (TH-1, TH-2).

use super::AceLinks;
use crate::cards::Rank;

/// A set of ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ranks(u16);

impl Ranks {
    /// No rank at all.
    pub(super) const NONE: Self = Self(0);

    const fn with(self, rank: Rank) -> Self {
        Self(self.0 | 1 << rank as u16)
    }

    /// Whether the rank is in the set.
    pub(super) const fn has(self, rank: Rank) -> bool {
        self.0 >> rank as u16 & 1 == 1
    }

    /// The ranks of both sets.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether there is no rank in the set.
    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

const RANKS: usize = Rank::ALL.len();
const ALGEBRAIC: [Ranks; RANKS] = table(AceLinks::Algebraic);
const LISTED: [Ranks; RANKS] = table(AceLinks::Listed);

/// The hand cards that a card of this rank on the table accepts (TH-2).
pub(super) const fn accepted_by(table: Rank, links: AceLinks) -> Ranks {
    match links {
        AceLinks::Algebraic => ALGEBRAIC[table as usize],
        AceLinks::Listed => LISTED[table as usize],
    }
}

/// Whether a hand card of one rank may be grown onto a table card of another (TH-2).
pub const fn grows(hand: Rank, table: Rank, links: AceLinks) -> bool {
    accepted_by(table, links).has(hand)
}

/// TH-1: jack, queen and king.
pub(super) const fn is_face(rank: Rank) -> bool {
    matches!(rank, Rank::Jack | Rank::Queen | Rank::King)
}

/// TH-1.
const fn values(rank: Rank) -> &'static [u8] {
    const VALUES: [[u8; 1]; RANKS] = [[1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11], [12], [13]];
    match rank {
        Rank::Ace => &[1, 14],
        _ => &VALUES[rank as usize],
    }
}

/// TH-2: one of a + 2, a - 2, a · 2, a ÷ 2, a² and √a is b.
const fn computes(a: u8, b: u8) -> bool {
    a + 2 == b || b + 2 == a || a * 2 == b || b * 2 == a || a * a == b || b * b == a
}

/// TH-2, without the privilege of faces.
const fn algebra(hand: Rank, table: Rank) -> bool {
    let (hand, table) = (values(hand), values(table));
    let mut i = 0;
    while i < hand.len() {
        let mut j = 0;
        while j < table.len() {
            if computes(hand[i], table[j]) {
                return true;
            }
            j += 1;
        }
        i += 1;
    }
    false
}

/// The links that the option `ace_links` takes away where it is `listed`.
const fn only_algebraic(hand: Rank, table: Rank) -> bool {
    matches!((hand, table), (Rank::Ace, Rank::Ace | Rank::Two) | (Rank::Two, Rank::Ace))
}

const fn table(links: AceLinks) -> [Ranks; RANKS] {
    let mut accepted = [Ranks::NONE; RANKS];
    let mut table = 0;
    while table < RANKS {
        let mut hand = 0;
        while hand < RANKS {
            let (h, t) = (Rank::ALL[hand], Rank::ALL[table]);
            let linked = algebra(h, t) && !(matches!(links, AceLinks::Listed) && only_algebraic(h, t));
            if is_face(h) || linked {
                accepted[table] = accepted[table].with(h);
            }
            hand += 1;
        }
        table += 1;
    }
    accepted
}
