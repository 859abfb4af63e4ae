//! A position, and what a move makes of it (RC-2, RC-6).

use super::man::{Man, Role, Side};
use super::square::Square;
use super::variant::Variant;

/// The eight directions in which men ride and step; the first four along ranks and files.
pub(super) const DIRECTIONS: [(i8, i8); 8] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)];
/// A knight's leaps.
pub(super) const LEAPS: [(i8, i8); 8] = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];

/// On which side of the king it castles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wing {
    /// With the rook on the higher file: the king goes to the g-file.
    King,
    /// With the rook on the lower file: the king goes to the c-file.
    Queen,
}

impl Wing {
    /// Both.
    pub const ALL: [Self; 2] = [Self::King, Self::Queen];

    /// The files that king and rook go to.
    pub(super) const fn files(self) -> (i8, i8) {
        match self {
            Self::King => (6, 5),
            Self::Queen => (2, 3),
        }
    }
}

/// What is special about a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    /// Nothing.
    None,
    /// A pawn steps twice.
    Double,
    /// A pawn takes one that has just passed it.
    EnPassant,
    /// The king castles; it is the one man that moves twice.
    Castle(Wing),
    /// A pawn becomes this.
    Promotion(Role),
}

/// A move on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChessMove {
    /// Where the man comes from.
    pub from: Square,
    /// Where it goes to, as UCI writes it: a king that takes its own rook does not really go there.
    pub to: Square,
    /// What is special about it.
    pub special: Special,
}

/// Who may still castle: the file of the rook, by side and wing.
pub(super) type Castling = [[Option<i8>; 2]; 2];

/// A position, with all that a game's next moves depend on but its past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    pub(super) variant: Variant,
    pub(super) board: [Option<Man>; Square::COUNT],
    pub(super) turn: Side,
    pub(super) castling: Castling,
    /// The square that a pawn has just passed, where some pawn can legally take it there (RC-6).
    pub(super) en_passant: Option<Square>,
    /// Plies without a pawn's move or a capture.
    pub(super) quiet: u32,
    /// The number of the full move, which grows after Black's.
    pub(super) number: u32,
    /// Where the royal men stand, by side.
    pub(super) royals: [Option<Square>; 2],
}

impl Position {
    /// Which laws hold.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Whose move it is.
    pub fn turn(&self) -> Side {
        self.turn
    }

    /// What stands on a square.
    pub fn man(&self, square: Square) -> Option<Man> {
        self.board[square.index()]
    }

    /// The men of a side, with their squares in order.
    pub fn men(&self, side: Side) -> impl Iterator<Item = (Square, Role)> {
        Square::all()
            .zip(self.board)
            .filter_map(move |(square, man)| man.filter(|man| man.side == side).map(|man| (square, man.role)))
    }

    /// Plies without a pawn's move or a capture (RC-4, 4).
    pub fn quiet_plies(&self) -> u32 {
        self.quiet
    }

    /// Whether two positions are the same for repetition (RC-6).
    pub fn repeats(&self, other: &Self) -> bool {
        self.turn == other.turn
            && self.castling == other.castling
            && self.en_passant == other.en_passant
            && self.board == other.board
    }

    /// Whether the side to move stands in check.
    pub fn in_check(&self) -> bool {
        self.is_royal_attacked(self.turn)
    }

    /// Whether the royal man of a side is attacked; a side without one is never in check.
    pub(super) fn is_royal_attacked(&self, side: Side) -> bool {
        self.royals[side as usize].is_some_and(|square| self.is_attacked(square, side.other()))
    }

    /// Whether a side attacks a square.
    pub(super) fn is_attacked(&self, square: Square, by: Side) -> bool {
        let leaper = LEAPS.iter().any(|(files, ranks)| {
            let man = square.offset(*files, *ranks).and_then(|from| self.man(from));
            man.is_some_and(|man| man.side == by && man.role.leaps())
        });
        leaper || DIRECTIONS.iter().any(|direction| self.is_attacked_along(square, *direction, by))
    }

    /// Whether the first man in this direction attacks the square.
    fn is_attacked_along(&self, square: Square, (files, ranks): (i8, i8), by: Side) -> bool {
        let straight = files == 0 || ranks == 0;
        let mut from = square;
        let mut next = true;
        while let Some(square) = from.offset(files, ranks) {
            let Some(man) = self.man(square) else {
                (from, next) = (square, false);
                continue;
            };
            let rides = if straight { man.role.rides_straight() } else { man.role.rides_diagonally() };
            let pawn = man.role == Role::Pawn && !straight && ranks == -by.forward();
            return man.side == by && (rides || next && (man.role.steps() || pawn));
        }
        false
    }

    /// The position after a move that may leave the own royal man attacked: as far as it takes to see that.
    pub(super) fn tried(&self, mv: ChessMove) -> Self {
        let mut after = self.clone();
        let side = self.turn;
        let Some(mut man) = after.board[mv.from.index()].take() else { return after };
        if let Special::Castle(wing) = mv.special {
            after.castle(side, man, wing);
            return after;
        }
        match mv.special {
            Special::EnPassant => {
                if let Some(taken) = mv.to.offset(0, -side.forward()) {
                    after.board[taken.index()] = None;
                }
            }
            Special::Promotion(role) => man.role = role,
            Special::None | Special::Double | Special::Castle(_) => {}
        }
        after.board[mv.to.index()] = Some(man);
        if man.role.is_royal() {
            after.royals[side as usize] = Some(mv.to);
        }
        after
    }

    /// King and rook go to their places; the king has left its own.
    fn castle(&mut self, side: Side, king: Man, wing: Wing) {
        let (king_file, rook_file) = wing.files();
        let rook = self.castling[side as usize][wing as usize].and_then(|file| Square::at(file, side.home()));
        let rook = rook.and_then(|square| self.board[square.index()].take());
        for (file, man) in [(king_file, Some(king)), (rook_file, rook)] {
            if let Some(square) = Square::at(file, side.home()) {
                self.board[square.index()] = man;
            }
        }
        self.royals[side as usize] = Square::at(king_file, side.home());
    }

    /// The position after a legal move.
    #[must_use]
    pub fn after(&self, mv: ChessMove) -> Self {
        let side = self.turn;
        let man = self.man(mv.from);
        let is_pawn = man.is_some_and(|man| man.role == Role::Pawn);
        let is_castling = matches!(mv.special, Special::Castle(_));
        let captures = !is_castling && (mv.special == Special::EnPassant || self.man(mv.to).is_some());
        let mut after = self.tried(mv);
        if man.is_some_and(|man| man.role.is_royal()) {
            after.castling[side as usize] = [None; 2];
        }
        after.no_castling_with(side, mv.from);
        after.no_castling_with(side.other(), mv.to);
        after.quiet = if is_pawn || captures { 0 } else { self.quiet.saturating_add(1) };
        after.number = self.number.saturating_add(u32::from(side == Side::Black));
        after.turn = side.other();
        after.en_passant = None;
        // A pawn that comes from its first rank can't be taken in passing.
        if mv.special == Special::Double && side.own_rank(mv.from.rank()) == 1 {
            after.en_passant = mv.from.offset(0, side.forward()).filter(|passed| after.can_take_passing(*passed));
        }
        after
    }

    /// A rook that left its place, or was taken there, castles no more.
    fn no_castling_with(&mut self, side: Side, square: Square) {
        if square.rank() == side.home() {
            for rook in &mut self.castling[side as usize] {
                *rook = rook.filter(|file| *file != square.file());
            }
        }
    }

    /// Whether the side to move has a pawn that can legally take the one that has just passed this square.
    pub(super) fn can_take_passing(&self, passed: Square) -> bool {
        [-1, 1].into_iter().any(|files| {
            let from = passed.offset(files, -self.turn.forward());
            let from = from.filter(|from| self.man(*from) == Some(Man { side: self.turn, role: Role::Pawn }));
            from.is_some_and(|from| {
                let mv = ChessMove { from, to: passed, special: Special::EnPassant };
                !self.tried(mv).is_royal_attacked(self.turn)
            })
        })
    }
}
