//! The grid's geometry (TH-G1 to TH-G3).

use serde::{Deserialize, Serialize};

use super::Growth;

/// A cell of the table (TH-G1); ordered by column, then by row.
///
/// A card lies beside a card that lay there before it, so that the n-th card is at most n - 1 cells from the origin.
/// All cards of all decks are 416: neither a neighbour's coordinates nor a corner's come near the limits of an `i16`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    x: i16,
    y: i16,
}

/// Where two neighbours stand to a cell: left and right of it, or below and above.
const BESIDE: [(i16, i16); 2] = [(-1, 0), (1, 0)];
const BELOW_AND_ABOVE: [(i16, i16); 2] = [(0, -1), (0, 1)];
const ALL_FOUR: [(i16, i16); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];

/// How a card lies (TH-G1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = TauOrientation))]
#[serde(rename_all = "snake_case")]
pub enum Orientation {
    /// Its long sides are left and right.
    Upright,
    /// Its long sides are below and above.
    Sideways,
}

impl Cell {
    /// Where the first card lies (TH-G1).
    pub(super) const ORIGIN: Self = Self { x: 0, y: 0 };

    /// The cell in this column and row; none if no card can ever come so far.
    pub(super) fn at(x: i64, y: i64) -> Option<Self> {
        Some(Self { x: i16::try_from(x).ok()?, y: i16::try_from(y).ok()? })
    }

    /// The column.
    pub fn x(self) -> i16 {
        self.x
    }

    /// The row.
    pub fn y(self) -> i16 {
        self.y
    }

    /// How a card lies there (TH-G1).
    pub fn orientation(self) -> Orientation {
        if (self.x ^ self.y) & 1 == 0 { Orientation::Upright } else { Orientation::Sideways }
    }

    fn moved(self, (x, y): (i16, i16)) -> Self {
        Self { x: self.x + x, y: self.y + y }
    }

    /// The cells that a card there grows to (TH-G2).
    pub(super) fn children(self, growth: Growth) -> impl Iterator<Item = Self> {
        let steps: &[(i16, i16)] = match (growth, self.orientation()) {
            (Growth::Any, _) => &ALL_FOUR,
            (Growth::Sides, Orientation::Upright) => &BESIDE,
            (Growth::Sides, Orientation::Sideways) => &BELOW_AND_ABOVE,
        };
        steps.iter().map(move |step| self.moved(*step))
    }

    /// The cells from which a card grows to this one: neighbours lie the other way round, so their long sides face it
    /// where its own short ends face them (TH-G2).
    pub(super) fn parents(self, growth: Growth) -> impl Iterator<Item = Self> {
        let steps: &[(i16, i16)] = match (growth, self.orientation()) {
            (Growth::Any, _) => &ALL_FOUR,
            (Growth::Sides, Orientation::Upright) => &BELOW_AND_ABOVE,
            (Growth::Sides, Orientation::Sideways) => &BESIDE,
        };
        steps.iter().map(move |step| self.moved(*step))
    }

    /// Its corners: lower left, lower right, upper left, upper right (TH-9).
    pub(super) fn corners(self) -> [Corner; 4] {
        [(-1, -1), (0, -1), (-1, 0), (0, 0)].map(|step| Corner(self.moved(step)))
    }
}

/// The point that four cells share, named by its lower-left cell (TH-G3); ordered as that cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Corner(Cell);

impl Corner {
    /// The lower-left cell.
    pub fn cell(self) -> Cell {
        self.0
    }

    /// The four cells, round the corner from the lower-left one on (TH-G3).
    pub(super) fn cells(self) -> [Cell; 4] {
        [(0, 0), (1, 0), (1, 1), (0, 1)].map(|step| self.0.moved(step))
    }
}
