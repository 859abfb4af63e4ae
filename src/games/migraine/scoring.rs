//! What a declaration scores (MI-8).

use serde::{Deserialize, Serialize};

use crate::cards::Card;
use crate::seat::{BySeat, Seat};

/// What a player declares to score (MI-7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Declaration {
    /// Hand cards with the sabre's rank.
    Rank,
    /// Hand cards with the sabre's suit.
    Suit,
    /// The own field.
    Chuck,
}

impl Declaration {
    /// All declarations.
    pub const ALL: [Self; 3] = [Self::Rank, Self::Suit, Self::Chuck];

    /// The name in moves.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rank => "rank",
            Self::Suit => "suit",
            Self::Chuck => "chuck",
        }
    }
}

/// The points that a player scores with the own hand of 3 or the own field of 4.
pub fn points(declaration: Declaration, hand: &[Card], field: &[Card], sabre: Card) -> i64 {
    match declaration {
        Declaration::Rank => ladder(hand.iter().filter(|card| card.rank() == sabre.rank()).count()),
        Declaration::Suit => ladder(hand.iter().filter(|card| card.suit() == sabre.suit()).count()),
        Declaration::Chuck => chuck(field, sabre),
    }
}

/// Who has won with these points of the match: the target, and two more than the other (MI-9).
pub fn winner(scores: &BySeat<i64>, target: u32) -> Option<Seat> {
    let leads = |seat: Seat, score: i64| scores.iter().all(|(other, theirs)| other == seat || score >= theirs + 2);
    scores.iter().find(|(seat, score)| **score >= i64::from(target) && leads(*seat, **score)).map(|(seat, _)| seat)
}

fn ladder(cards: usize) -> i64 {
    match cards {
        0 => 0,
        1 => 1,
        2 => 3,
        _ => 7,
    }
}

/// 3 points if all four field cards share one rank or one suit; 5 if three of them and the sabre do. Both at once
/// can't be: four cards of one line are the whole line, so the sabre is of another, and three of them with the sabre
/// share none.
fn chuck(field: &[Card], sabre: Card) -> i64 {
    let all_share = |same: &dyn Fn(&Card) -> bool| field.iter().all(same);
    let three_share = |same: &dyn Fn(&Card) -> bool| field.iter().filter(|card| same(card)).count() >= 3;
    let first = field.first().copied().unwrap_or(sabre);
    if all_share(&|card| card.rank() == first.rank()) || all_share(&|card| card.suit() == first.suit()) {
        3
    } else if three_share(&|card| card.rank() == sabre.rank()) || three_share(&|card| card.suit() == sabre.suit()) {
        5
    } else {
        0
    }
}
