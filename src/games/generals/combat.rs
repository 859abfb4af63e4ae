//! What cards are worth, which of them may be laid together, and who wins (GE-1 to GE-3, GE-8, GE-11).

use serde::{Deserialize, Serialize};

use super::slots::Slots;
use crate::cards::{Card, Face, Rank, Suit};

/// What a card counts in a battle (GE-2).
pub fn value(card: Card) -> u32 {
    match card.rank() {
        Rank::Jack => 14,
        Rank::Queen => 15,
        Rank::King => 16,
        Rank::Ace => 20,
        rank => u32::from(rank.number()),
    }
}

/// Whether a suit doubles its total against the other: planes beat tanks, tanks infantry, infantry planes (GE-3).
pub fn has_advantage(suit: Suit, over: Suit) -> bool {
    matches!((suit, over), (Suit::Diamonds, Suit::Clubs) | (Suit::Clubs, Suit::Spades) | (Suit::Spades, Suit::Diamonds))
}

/// In which of the two roles cards are laid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = BattleSide))]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The cards that were laid face down.
    Attack,
    /// The cards that answered.
    Answer,
}

impl Side {
    /// Whether the card can be laid in this role: hearts defend only (GE-7, GE-10).
    pub fn takes(self, face: Face) -> bool {
        match face {
            Face::Plain(card) => self == Self::Answer || card.suit() != Suit::Hearts,
            Face::Joker(_) => true,
        }
    }
}

/// A card's place in the runs of its suit: two cards follow each other in a run exactly if their places do. The ace is
/// high, and the last of one suit does not touch the first of the next (GE-8). A joker has no place.
fn place(face: Face) -> Option<u8> {
    let Face::Plain(card) = face else { return None };
    let in_suit = if card.rank() == Rank::Ace { 14 } else { card.rank().number() };
    Some(card.suit() as u8 * 16 + in_suit)
}

/// Whether cards may be laid together: one card, or two or three of one suit whose ranks follow each other (GE-8).
pub fn is_run(faces: &[Face]) -> bool {
    if faces.len() <= 1 {
        return faces.len() == 1;
    }
    let Some(mut places) = faces.iter().map(|face| place(*face)).collect::<Option<Vec<u8>>>() else { return false };
    places.sort_unstable();
    faces.len() <= super::slots::MOST && places.windows(2).all(|pair| pair[0] + 1 == pair[1])
}

/// Every set of cards of a row that can be laid in a role: first single cards, then pairs, then threes.
pub fn sets(row: &[Face], side: Side) -> Vec<Slots> {
    let mut sets = Vec::with_capacity(row.len() * 2);
    // Slots are at most 223 (four decks of 56 cards), so the cast loses nothing.
    let fits = row.iter().enumerate().filter(|(_, face)| side.takes(**face)).map(|(slot, face)| (slot as u8, *face));
    sets.extend(fits.clone().map(|(slot, _)| Slots::ascending([slot])));
    let line: Vec<(u8, u8)> = fits.filter_map(|(slot, face)| Some((slot, place(face)?))).collect();
    let mut threes = Vec::new();
    for (i, (first, a)) in line.iter().enumerate() {
        for (j, (second, b)) in line.iter().enumerate().skip(i + 1) {
            let gap = a.abs_diff(*b);
            if gap == 1 {
                sets.push(Slots::ascending([*first, *second]));
            }
            // A third card stands between two that are two apart, or at either end of a pair.
            let (low, high) = (*a.min(b), *a.max(b));
            let wanted = match gap {
                1 => [low - 1, high + 1],
                2 => [low + 1, low + 1],
                _ => continue,
            };
            let fits = line[j + 1..].iter().filter(|(_, c)| wanted.contains(c));
            threes.extend(fits.map(|(third, _)| Slots::ascending([*first, *second, *third])));
        }
    }
    sets.append(&mut threes);
    sets
}

/// Puts cards into the order in which they go under the deck: low to high (GE-13).
pub fn sort_low_to_high(faces: &mut [Face]) {
    faces.sort_unstable_by_key(|face| place(*face).map(|place| place % 16));
}

/// What comes of an attack and its answer (GE-11).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// A joker answered: all cards of both sides are destroyed.
    JokerAnswered,
    /// The attack is a joker: the answer goes back, and the attacker picks a card.
    JokerPicks,
    /// The totals were compared.
    Compared(Totals),
}

/// The totals of both sides, after the side with the advantage doubled its own (GE-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = BattleTotals))]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// The attack's.
    pub attack: u32,
    /// The answer's.
    pub answer: u32,
    /// The side that has the advantage and was doubled; null: neither.
    #[cfg_attr(feature = "server", schema(required))]
    pub doubled: Option<Side>,
}

impl Totals {
    /// Who keeps its cards: the attack only if it is strictly higher (GE-11).
    pub fn winner(&self) -> Side {
        if self.attack > self.answer { Side::Attack } else { Side::Answer }
    }
}

/// Judges an attack and its answer, both of them cards that may be laid (GE-11).
pub fn resolve(attack: &[Face], answer: &[Face]) -> Verdict {
    let (Some((attack_sum, attack_suit)), Some((answer_sum, answer_suit))) = (sum(attack), sum(answer)) else {
        let joker = answer.iter().any(|face| matches!(face, Face::Joker(_)));
        return if joker { Verdict::JokerAnswered } else { Verdict::JokerPicks };
    };
    let doubled = if has_advantage(attack_suit, answer_suit) {
        Some(Side::Attack)
    } else if has_advantage(answer_suit, attack_suit) {
        Some(Side::Answer)
    } else {
        None
    };
    let total = |side: Side, sum: u32| if doubled == Some(side) { sum * 2 } else { sum };
    let (attack, answer) = (total(Side::Attack, attack_sum), total(Side::Answer, answer_sum));
    Verdict::Compared(Totals { attack, answer, doubled })
}

/// The sum and the suit of cards without a joker.
fn sum(faces: &[Face]) -> Option<(u32, Suit)> {
    let mut cards = faces.iter().map(|face| if let Face::Plain(card) = face { Some(*card) } else { None });
    let first = cards.next()??;
    let rest: u32 = cards.map(|card| card.map(value)).sum::<Option<u32>>()?;
    Some((value(first) + rest, first.suit()))
}
