//! Which of the four cards round a corner claims it (TH-3, TH-4).

use super::growth::is_face;
use crate::cards::Rank;

/// The places of the four cards, in their order; 1 is the best place, and equal cards share one (TH-3).
pub fn places(ranks: [Rank; 4]) -> [u8; 4] {
    let others = ranks.into_iter().filter(|rank| *rank != Rank::Ten);
    // Tens come right after the best of the others, whatever that is: faces, or else the highest rank.
    let ten = others.map(strength).max().map_or(0, |best| best - 1);
    let strengths = ranks.map(|rank| if rank == Rank::Ten { ten } else { strength(rank) });
    let mut descending = strengths;
    descending.sort_unstable_by(|a, b| b.cmp(a));
    strengths.map(|own| {
        let mut place = 1;
        for pair in descending.windows(2) {
            place += u8::from(pair[0] > own && pair[1] < pair[0]);
        }
        place
    })
}

/// The card that has a place for itself, the best such place: by its number among the four (TH-4).
pub fn winner(places: [u8; 4]) -> Option<usize> {
    let alone = |place: u8| places.iter().filter(|other| **other == place).count() == 1;
    (0..4).filter(|i| alone(places[*i])).min_by_key(|i| places[*i])
}

/// What orders all cards but tens: all faces alike, then the ace as 14, then the numbers. Twice the value, so that
/// there is room between two neighbours.
fn strength(rank: Rank) -> u8 {
    match rank {
        rank if is_face(rank) => 2 * 15,
        Rank::Ace => 2 * 14,
        rank => 2 * rank.number(),
    }
}
