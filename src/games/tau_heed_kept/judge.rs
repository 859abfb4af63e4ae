//! Which moves are legal: their list, and the judgement of one that was sent (TH-7 to TH-9).

use std::ops::Range;

use super::cell::{Cell, Corner};
use super::growth::Ranks;
use super::moves::{Legal, Move, Pass, Place};
use super::{Phase, Rules};
use crate::cards::{Card, CardText, Rank};
use crate::game::Illegal;
use crate::seat::Seat;

impl Rules {
    /// The hand of the seat whose turn it is.
    fn hand_at_turn(&self, seat: Seat) -> Option<&[Card]> {
        let turn = self.phase.turn().filter(|turn| turn.seat == seat)?;
        self.players.get(turn.seat)?.playing().map(|cards| cards.hand.as_slice())
    }

    /// Every move of the seat: placements by the order of the hand, then by column and row, and last the pass.
    pub(super) fn list(&self, seat: Seat) -> Vec<Move> {
        let Some(hand) = self.hand_at_turn(seat) else { return Vec::new() };
        // A long hand has several cards of a rank, which may be laid on the same cells: those are looked for once.
        let mut cells: Vec<Cell> = Vec::new();
        let mut of_rank: [Option<Range<usize>>; Rank::ALL.len()] = Default::default();
        let mut placements = 0;
        for rank in hand.iter().map(|card| card.rank()) {
            let range = of_rank[rank as usize].get_or_insert_with(|| {
                let from = cells.len();
                cells.extend(self.grid.open().iter().filter(|(_, accepts)| accepts.has(rank)).map(|(cell, _)| *cell));
                from..cells.len()
            });
            placements += range.len();
        }
        let mut moves = Vec::with_capacity(placements + 1);
        for card in hand {
            let range = of_rank[card.rank() as usize].clone().unwrap_or_default();
            moves.extend(cells[range].iter().map(|cell| {
                let (x, y) = (i64::from(cell.x()), i64::from(cell.y()));
                Move::Place(Place { card: CardText::Card(*card), x, y, corners: None })
            }));
        }
        moves.push(Move::Pass(Pass {}));
        moves
    }

    /// Whether the seat has a card that it can place (TH-8).
    pub(super) fn can_place(&self, seat: Seat) -> bool {
        // Long hands that fit nowhere are usual at the end: one look at the table is enough for all of their cards.
        let somewhere = self.grid.open().iter().fold(Ranks::NONE, |ranks, (_, accepts)| ranks.and(*accepts));
        self.hand_at_turn(seat).unwrap_or_default().iter().any(|card| somewhere.has(card.rank()))
    }

    /// Whether the seat may decide now.
    pub(super) fn judge_turn(&self, seat: Seat) -> Result<(), Illegal> {
        match &self.phase {
            Phase::Over { .. } if self.is_solitaire() => Err(Illegal::new("TH-11", "the game is over")),
            Phase::Over { .. } => Err(Illegal::new("TH-12", "the game is over")),
            phase if phase.turn().is_some_and(|turn| turn.seat == seat) => Ok(()),
            _ => Err(Illegal::new("TH-7", "it is another player's turn")),
        }
    }

    /// TH-8, TH-9.
    pub(super) fn judge_placement(&self, seat: Seat, place: &Place) -> Result<Legal, Illegal> {
        let hand = self.hand_at_turn(seat).unwrap_or_default();
        // What is no card is in no hand either, and the answer is the same whoever holds the card: it tells nothing.
        let card = place.card.card().filter(|card| hand.contains(card));
        let card = card.ok_or_else(|| Illegal::new("TH-8", "this card is not in your hand"))?;
        let nothing_near = || Illegal::new("TH-8", "no card on the table grows to this cell");
        let cell = Cell::at(place.x, place.y).ok_or_else(nothing_near)?;
        if self.grid.card(cell).is_some() {
            return Err(Illegal::new("TH-8", "this cell is not empty"));
        }
        let accepts = self.grid.accepts(cell);
        if accepts.is_empty() {
            return Err(nothing_near());
        }
        if !accepts.has(card.rank()) {
            return Err(Illegal::new("TH-2", "no card that grows to this cell accepts this rank"));
        }
        let order = judge_order(cell, place.corners.as_deref().unwrap_or_default())?;
        Ok(Legal::Place(card, cell, order))
    }
}

/// The corners of a cell in the order in which they are settled: those that the mover names, then the others (TH-9).
fn judge_order(cell: Cell, named: &[[i64; 2]]) -> Result<[Corner; 4], Illegal> {
    let mut corners = cell.corners();
    for (done, [x, y]) in named.iter().enumerate() {
        let corner = Cell::at(*x, *y);
        // None of those already named, and so none twice.
        let rest = corners.iter().skip(done).position(|other| Some(other.cell()) == corner);
        let Some(at) = rest else {
            return Err(Illegal::new("TH-9", "these are not corners of the card's cell, each at most once"));
        };
        corners[done..=done + at].rotate_right(1);
    }
    Ok(corners)
}
