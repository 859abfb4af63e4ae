//! The growing table: cards on cells, backs on corners, and where the next card may be laid.

use super::cell::{Cell, Corner};
use super::facts::{RankedCard, TauCorner};
use super::growth::{Ranks, accepted_by};
use super::{Options, ranking};
use crate::cards::Card;
use crate::seat::Seat;

/// A card and whose deck it is from (RU-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Owned {
    pub(super) owner: Seat,
    pub(super) card: Card,
}

/// The table. All its lists are sorted, by cell or by corner: they are short, quick to copy, and in one order.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    options: Options,
    cards: Vec<(Cell, Owned)>,
    /// The empty cells that a card on the table grows to, each with the ranks that one of them accepts (TH-8). It
    /// follows from `cards`, and is kept because every look at the legal moves needs it.
    open: Vec<(Cell, Ranks)>,
    backs: Vec<(Corner, Owned)>,
}

impl Grid {
    /// An empty table.
    pub(super) fn new(options: Options) -> Self {
        Self { options, cards: Vec::new(), open: Vec::new(), backs: Vec::new() }
    }

    /// The cards that lie face up, by cell.
    pub(super) fn cards(&self) -> &[(Cell, Owned)] {
        &self.cards
    }

    /// The cards that lie face down on corners, by corner.
    pub(super) fn backs(&self) -> &[(Corner, Owned)] {
        &self.backs
    }

    /// The cells that can be grown to, each with the ranks that may be laid there (TH-8).
    pub(super) fn open(&self) -> &[(Cell, Ranks)] {
        &self.open
    }

    /// The card that lies there.
    pub(super) fn card(&self, cell: Cell) -> Option<Owned> {
        place(&self.cards, cell).ok().map(|at| self.cards[at].1)
    }

    /// The ranks that may be laid on an empty cell; none where no card grows to it (TH-8).
    pub(super) fn accepts(&self, cell: Cell) -> Ranks {
        place(&self.open, cell).map_or(Ranks::NONE, |at| self.open[at].1)
    }

    /// How many corners a seat has claimed.
    pub(super) fn claimed(&self, seat: Seat) -> usize {
        self.backs.iter().filter(|(_, back)| back.owner == seat).count()
    }

    /// Lays a card on an empty cell.
    pub(super) fn lay(&mut self, cell: Cell, card: Owned) {
        let Err(at) = place(&self.cards, cell) else { return };
        self.cards.insert(at, (cell, card));
        if let Ok(at) = place(&self.open, cell) {
            self.open.remove(at);
        }
        let accepted = accepted_by(card.card.rank(), self.options.ace_links());
        for child in cell.children(self.options.growth()) {
            if self.card(child).is_some() {
                continue;
            }
            match place(&self.open, child) {
                Ok(at) => self.open[at].1 = self.open[at].1.and(accepted),
                Err(at) => self.open.insert(at, (child, accepted)),
            }
        }
    }

    /// Settles a corner, if it is due: encircled and without a back (TH-9). The winner leaves its cell and lies on
    /// the corner.
    pub(super) fn settle(&mut self, corner: Corner) -> Option<TauCorner> {
        let Err(free) = place(&self.backs, corner) else { return None };
        let cells = corner.cells();
        let [a, b, c, d] = cells.map(|cell| self.card(cell));
        let cards = [a?, b?, c?, d?];
        let places = ranking::places(cards.map(|owned| owned.card.rank()));
        let ranked: [RankedCard; 4] = std::array::from_fn(|i| RankedCard {
            x: cells[i].x(),
            y: cells[i].y(),
            owner: cards[i].owner,
            card: cards[i].card,
            place: places[i],
        });
        let winner = ranking::winner(places);
        if let Some(i) = winner {
            self.take(cells[i]);
            self.backs.insert(free, (corner, cards[i]));
        }
        let (x, y) = (corner.cell().x(), corner.cell().y());
        Some(TauCorner { x, y, cards: ranked, winner: winner.map(|i| ranked[i]) })
    }

    /// Takes a card off its cell, which is empty then, and may be grown to again (TH-10).
    fn take(&mut self, cell: Cell) {
        let Ok(at) = place(&self.cards, cell) else { return };
        self.cards.remove(at);
        self.reopen(cell);
        for child in cell.children(self.options.growth()) {
            if self.card(child).is_none() {
                self.reopen(child);
            }
        }
    }

    /// Finds out anew what may be laid on an empty cell.
    fn reopen(&mut self, cell: Cell) {
        let mut accepted = Ranks::NONE;
        for parent in cell.parents(self.options.growth()) {
            if let Some(parent) = self.card(parent) {
                accepted = accepted.and(accepted_by(parent.card.rank(), self.options.ace_links()));
            }
        }
        match (place(&self.open, cell), accepted.is_empty()) {
            (Ok(at), true) => drop(self.open.remove(at)),
            (Ok(at), false) => self.open[at].1 = accepted,
            (Err(_), true) => {}
            (Err(at), false) => self.open.insert(at, (cell, accepted)),
        }
    }
}

/// Where the key stands in a sorted list, or where it belongs.
fn place<K: Ord + Copy, V>(list: &[(K, V)], key: K) -> Result<usize, usize> {
    list.binary_search_by_key(&key, |(key, _)| *key)
}
