//! Where the cards of a round lie, and how they move.

use super::moves::Source;
use super::{Options, PLAYERS};
use crate::cards::{Card, Rank};
use crate::draw::Numbers;
use crate::seat::{BySeat, Seat};

/// SM-2.
pub(super) const HAND: usize = 5;
/// SM-2: for each player.
pub(super) const SIDES: usize = 4;
/// SM-2: shared.
pub(super) const CENTRES: usize = 3;
/// SM-9: ace to queen.
pub(super) const COMPLETE: usize = 12;

/// The rank that a card stands for on a centre stack of this height, if it fits there: a king fits everywhere
/// (SM-7, SM-8). Nothing fits on a stack that is complete.
pub fn stands_for(card: Card, height: usize) -> Option<Rank> {
    let next = next_rank(height)?;
    (card.rank() == next || card.rank() == Rank::King).then_some(next)
}

/// What a centre stack of this height goes on with (SM-7); nothing if it is complete.
pub fn next_rank(height: usize) -> Option<Rank> {
    Rank::ALL[..COMPLETE].get(height).copied()
}

/// Who has the first turn with these cards on top of the pay-off piles: the higher one, the king being the lowest
/// (SM-4). Nobody if they are equal.
pub fn first_turn(tops: &BySeat<Card>) -> Option<Seat> {
    let rank = |card: Card| if card.rank() == Rank::King { 0 } else { card.rank().number() };
    let highest = tops.as_slice().iter().copied().map(rank).max()?;
    let mut seats = tops.iter().filter(|(_, card)| rank(**card) == highest).map(|(seat, _)| seat);
    seats.next().filter(|_| seats.next().is_none())
}

/// All cards of a round. Every pile has its top card at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// Only the top cards lie face up.
    pub payoffs: BySeat<Vec<Card>>,
    /// In the order in which the cards joined.
    pub hands: BySeat<Vec<Card>>,
    pub sides: BySeat<[Vec<Card>; SIDES]>,
    /// A stack's height is its number of cards: the n-th card from the bottom stands for the n-th rank.
    pub centres: [Vec<Card>; CENTRES],
    pub stock: Vec<Card>,
}

impl Layout {
    /// SM-1 to SM-3.
    pub fn deal(options: &Options, numbers: &mut Numbers) -> Self {
        let mut deck: Vec<Card> = (0..options.decks()).flat_map(|_| Card::full_deck()).collect();
        numbers.shuffle(&mut deck);
        // From here on the top is the end.
        deck.reverse();
        let mut take = |count: usize| deck.split_off(deck.len().saturating_sub(count));
        let payoffs = BySeat::from_fn(PLAYERS, |_| take(usize::from(options.payoff())));
        let mut hands = BySeat::from_fn(PLAYERS, |_| take(HAND));
        hands.values_mut().for_each(|hand| hand.reverse());
        let sides = BySeat::from_fn(PLAYERS, |_| Default::default());
        Self { payoffs, hands, sides, centres: Default::default(), stock: deck }
    }

    /// The face-up cards of the pay-off piles; `None` if one of the piles is empty.
    pub fn tops(&self) -> Option<BySeat<Card>> {
        self.payoffs.as_slice().iter().map(|pile| pile.last().copied()).collect()
    }

    /// SM-4: each pay-off pile by itself, seat 0's first.
    pub fn reshuffle_payoffs(&mut self, numbers: &mut Numbers) {
        self.payoffs.values_mut().for_each(|pile| shuffle_pile(pile, numbers));
    }

    /// The own card that lies there.
    pub fn card(&self, seat: Seat, from: Source) -> Option<Card> {
        match from {
            Source::Payoff => self.payoffs[seat].last().copied(),
            Source::Side(side) => self.sides[seat][side].last().copied(),
            Source::Hand(place) => self.hands[seat].get(place).copied(),
        }
    }

    /// SM-12 (1): the own card that lies there goes to a centre stack. Says which card, and what it stands for;
    /// `None`, and nothing moves, if no such card is there or it does not fit.
    pub fn play(&mut self, seat: Seat, from: Source, centre: usize) -> Option<(Card, Rank)> {
        let card = self.card(seat, from)?;
        let stands_for = stands_for(card, self.centres[centre].len())?;
        match from {
            Source::Payoff => drop(self.payoffs[seat].pop()),
            Source::Side(side) => drop(self.sides[seat][side].pop()),
            Source::Hand(place) => drop(self.hands[seat].remove(place)),
        }
        self.centres[centre].push(card);
        Some((card, stands_for))
    }

    /// SM-6 (d). Nothing moves if there is no such card.
    pub fn discard(&mut self, seat: Seat, place: usize, side: usize) {
        if self.card(seat, Source::Hand(place)).is_some() {
            let card = self.hands[seat].remove(place);
            self.sides[seat][side].push(card);
        }
    }

    /// SM-9.
    pub fn recycle(&mut self, centre: usize, numbers: &mut Numbers) {
        // From the bottom of the pile up: the completed stack, its own bottom being the lowest, under the stock.
        let mut pile = std::mem::take(&mut self.centres[centre]);
        pile.reverse();
        pile.append(&mut self.stock);
        shuffle_pile(&mut pile, numbers);
        self.stock = pile;
    }

    /// SM-5, SM-10: fills up the hand as far as the stock allows (SM-13). Says how many cards were drawn.
    pub fn draw(&mut self, seat: Seat) -> usize {
        let hand = &mut self.hands[seat];
        let count = HAND.saturating_sub(hand.len()).min(self.stock.len());
        // The top card joins first.
        hand.extend(self.stock.drain(self.stock.len() - count..).rev());
        count
    }
}

/// Shuffles a pile from its top down.
fn shuffle_pile(pile: &mut [Card], numbers: &mut Numbers) {
    pile.reverse();
    numbers.shuffle(pile);
    pile.reverse();
}
