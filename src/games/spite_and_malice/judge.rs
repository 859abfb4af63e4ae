//! What a seat may do, and why not.

use super::layout::{CENTRES, SIDES, stands_for};
use super::moves::{Discard, Move, PlayHand, PlayPayoff, PlaySide, Source, Step};
use super::{Phase, Rules};
use crate::cards::Card;
use crate::game::Illegal;
use crate::seat::Seat;

impl Rules {
    /// Every legal move: plays of the pay-off pile, of side stacks, of the hand, then discards; each by side stack or
    /// in the order of the hand, and then by where it goes.
    pub(super) fn moves(&self, seat: Seat) -> Vec<Move> {
        match &self.phase {
            Phase::Turn(turn) if turn.seat == seat => {}
            _ => return Vec::new(),
        }
        let mut moves = Vec::new();
        let mut plays = |card: Option<Card>, make: &dyn Fn(i64) -> Move| {
            let Some(card) = card else { return };
            let heights = self.table.centres.iter().map(Vec::len);
            let fitting = (0..).zip(heights).filter(|(_, height)| stands_for(card, *height).is_some());
            moves.extend(fitting.map(|(centre, _)| make(centre)));
        };
        plays(self.table.card(seat, Source::Payoff), &|centre| Move::PlayPayoff(PlayPayoff { centre }));
        for side in 0..SIDES {
            let card = self.table.card(seat, Source::Side(side));
            // One of four, so the cast loses nothing.
            plays(card, &|centre| Move::PlaySide(PlaySide { side: side as i64, centre }));
        }
        let hand = faces(&self.table.hands[seat]);
        for card in &hand {
            let text = card.to_string();
            plays(Some(*card), &|centre| Move::PlayHand(PlayHand { card: text.clone(), centre }));
        }
        for card in &hand {
            let text = card.to_string();
            moves.extend((0..SIDES as i64).map(|side| Move::Discard(Discard { card: text.clone(), side })));
        }
        moves
    }

    /// Judges a move. An answer about a hand card is the same wherever the card lies but in the own hand: it tells
    /// nothing of hidden piles.
    pub(super) fn step(&self, seat: Seat, mv: &Move) -> Result<Step, Illegal> {
        match &self.phase {
            Phase::Over { .. } => return Err(Illegal::new("SM-15", "the match is over")),
            Phase::Turn(turn) if turn.seat != seat => {
                return Err(Illegal::new("SM-6", "it is the other player's turn"));
            }
            Phase::Turn(_) => {}
        }
        match mv {
            Move::PlayPayoff(PlayPayoff { centre }) => self.play_from(seat, Source::Payoff, *centre),
            Move::PlaySide(PlaySide { side, centre }) => self.play_from(seat, Source::Side(own_side(*side)?), *centre),
            Move::PlayHand(PlayHand { card, centre }) => {
                self.play_from(seat, Source::Hand(self.in_hand(seat, card)?), *centre)
            }
            Move::Discard(Discard { card, side }) => {
                Ok(Step::Discard { hand: self.in_hand(seat, card)?, side: own_side(*side)? })
            }
        }
    }

    /// SM-7, SM-8.
    fn play_from(&self, seat: Seat, from: Source, centre: i64) -> Result<Step, Illegal> {
        let centre =
            place(centre, CENTRES).ok_or_else(|| Illegal::new("SM-2", "the centre stacks are numbered 0 to 2"))?;
        let Some(card) = self.table.card(seat, from) else {
            return Err(Illegal::new("SM-6", "no card lies there"));
        };
        match stands_for(card, self.table.centres[centre].len()) {
            Some(_) => Ok(Step::Play { from, centre }),
            None => Err(Illegal::new("SM-7", format!("{card} does not fit on centre stack {centre}"))),
        }
    }

    /// RU-1: where in the own hand the first card with this face is.
    fn in_hand(&self, seat: Seat, text: &str) -> Result<usize, Illegal> {
        let held = |card: Card| self.table.hands[seat].iter().position(|held| *held == card);
        // What is no card is in no hand either.
        text.parse().ok().and_then(held).ok_or_else(|| Illegal::new("SM-6", "this card is not in your hand"))
    }
}

/// SM-2.
fn own_side(side: i64) -> Result<usize, Illegal> {
    place(side, SIDES).ok_or_else(|| Illegal::new("SM-2", "the side stacks are numbered 0 to 3"))
}

/// The number of one of so many places.
fn place(number: i64, count: usize) -> Option<usize> {
    usize::try_from(number).ok().filter(|number| *number < count)
}

/// Equal cards of a hand are one move (RU-1): each face once, in the order in which the first of it joined.
fn faces(hand: &[Card]) -> Vec<Card> {
    let mut faces = Vec::with_capacity(hand.len());
    for card in hand {
        if !faces.contains(card) {
            faces.push(*card);
        }
    }
    faces
}
