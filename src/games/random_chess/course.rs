//! How a game of chess goes on and ends, whoever makes the moves (RC-1 to RC-6).

use serde::{Deserialize, Serialize};

use super::man::{Role, Side};
use super::position::{ChessMove, Position};

/// RC-4, 6.
pub(super) const MAX_PLIES: usize = 4_000;

/// When shuffling to and fro ends a game (RC-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = ChessProfile))]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// After 50 moves without a pawn's move or a capture, and at a position's third occurrence.
    Server,
    /// After 75 such moves, and at the fifth occurrence: FIDE's automatic forms.
    Fide,
}

impl Profile {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Server, Self::Fide];

    /// The name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Fide => "fide",
        }
    }

    /// How many plies without a pawn's move or a capture end the game.
    pub const fn quiet_plies(self) -> u32 {
        match self {
            Self::Server => 100,
            Self::Fide => 150,
        }
    }

    /// How many occurrences of a position end the game.
    pub const fn occurrences(self) -> usize {
        match self {
            Self::Server => 3,
            Self::Fide => 5,
        }
    }
}

/// How a game of chess ends on the board (RC-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// A side without a royal man has lost every man; the other side wins.
    Extinct(Side),
    /// This side gives mate.
    Mate(Side),
    /// No legal move, and no check.
    Stalemate,
    /// RC-5.
    InsufficientMaterial,
    /// Too long without a pawn's move or a capture.
    Quiet,
    /// The position has occurred too often.
    Repetition,
    /// RC-4, 6.
    Cap,
}

impl End {
    /// Who wins; `None` for a draw.
    pub const fn winner(self) -> Option<Side> {
        match self {
            Self::Extinct(side) | Self::Mate(side) => Some(side),
            Self::Stalemate | Self::InsufficientMaterial | Self::Quiet | Self::Repetition | Self::Cap => None,
        }
    }
}

/// A move that was made, as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = ChessMoveMade))]
#[serde(deny_unknown_fields)]
pub struct Written {
    /// In UCI.
    #[cfg_attr(feature = "server", schema(example = "g1f3"))]
    pub uci: String,
    /// In SAN.
    #[cfg_attr(feature = "server", schema(example = "Nf3"))]
    pub san: String,
}

/// A game of chess under way: where it stands and how it came there.
#[derive(Debug, Clone)]
pub struct Course {
    profile: Profile,
    position: Position,
    /// The legal moves of the position, in the order that a ply is drawn from.
    legal: Vec<ChessMove>,
    /// The positions since the last capture or move of a pawn, the newest last: no earlier one can come again.
    reached: Vec<Position>,
    moves: Vec<Written>,
}

impl Course {
    /// Begins with this position, which occurs for the first time (RC-6).
    pub fn begin(position: Position, profile: Profile) -> Self {
        let legal = position.legal();
        Self { profile, legal, reached: vec![position.clone()], position, moves: Vec::new() }
    }

    /// The position now.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Its legal moves, in the order that a ply is drawn from (RC-1).
    pub fn legal(&self) -> &[ChessMove] {
        &self.legal
    }

    /// All moves so far.
    pub fn moves(&self) -> &[Written] {
        &self.moves
    }

    /// How often the position has occurred (RC-6).
    pub fn occurrences(&self) -> usize {
        self.reached.iter().filter(|earlier| earlier.repeats(&self.position)).count()
    }

    /// About how many bytes its past takes: two short texts a move, and the positions that may come again.
    pub(super) fn bytes(&self) -> usize {
        const TEXTS: usize = 32;
        self.moves.len() * (size_of::<Written>() + TEXTS) + self.reached.len() * size_of::<Position>()
    }

    /// Makes a legal move, and says how it is written.
    pub fn make(&mut self, mv: ChessMove) -> &Written {
        let after = self.position.after(mv);
        let answers = after.legal();
        let san = self.position.san_with(mv, &self.legal, &after, &answers);
        if after.quiet_plies() == 0 {
            self.reached.clear();
        }
        self.reached.push(after.clone());
        (self.position, self.legal) = (after, answers);
        self.moves.push(Written { uci: mv.uci(), san });
        // One was pushed just now.
        &self.moves[self.moves.len() - 1]
    }

    /// As if so many moves had been made before.
    #[cfg(test)]
    pub(super) fn pretend(&mut self, moves: usize) {
        self.moves = vec![Written { uci: String::new(), san: String::new() }; moves];
    }

    /// How the game ends here, if it does: tested in the order of RC-4.
    pub fn end(&self) -> Option<End> {
        let side = self.position.turn();
        if self.position.is_extinct(side) {
            return Some(End::Extinct(side.other()));
        }
        if self.legal.is_empty() {
            return Some(if self.position.in_check() { End::Mate(side.other()) } else { End::Stalemate });
        }
        if self.position.is_insufficient() {
            return Some(End::InsufficientMaterial);
        }
        if self.position.quiet_plies() >= self.profile.quiet_plies() {
            return Some(End::Quiet);
        }
        if self.occurrences() >= self.profile.occurrences() {
            return Some(End::Repetition);
        }
        (self.moves.len() >= MAX_PLIES).then_some(End::Cap)
    }
}

impl Position {
    /// Whether a side that has no royal man by its variant has no man left at all (RC-4, 1).
    fn is_extinct(&self, side: Side) -> bool {
        self.variant.side(side).royal.is_none() && self.men(side).next().is_none()
    }

    /// Whether neither side could ever give mate, by the few cases that are counted (RC-5).
    pub fn is_insufficient(&self) -> bool {
        if !self.variant.laws().insufficient {
            return false;
        }
        let mut beside = self.board.iter().flatten().map(|man| man.role).filter(|role| *role != Role::King);
        match (beside.next(), beside.next()) {
            (None, _) => true,
            (Some(only), None) => matches!(only, Role::Knight | Role::Bishop),
            _ => false,
        }
    }
}
