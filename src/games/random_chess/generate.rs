//! The legal moves of a position (RC-1, RC-2).

use super::man::{Man, Role, Side};
use super::position::{ChessMove, DIRECTIONS, LEAPS, Position, Special, Wing};
use super::square::Square;

impl Position {
    /// Every legal move, in the order of their UCI texts by bytes: what a ply is drawn from (RC-1).
    pub fn legal(&self) -> Vec<ChessMove> {
        let mut moves = self.legal_in_any_order();
        moves.sort_unstable_by_key(|mv| mv.uci_bytes());
        moves
    }

    /// How many positions can be reached in so many plies, counting each way to one, the draws of RC-4 aside.
    pub fn perft(&self, plies: u32) -> u64 {
        match plies {
            0 => 1,
            1 => self.legal_in_any_order().len() as u64,
            _ => self.legal_in_any_order().into_iter().map(|mv| self.after(mv).perft(plies - 1)).sum(),
        }
    }

    fn legal_in_any_order(&self) -> Vec<ChessMove> {
        let mut moves = Vec::with_capacity(64);
        for (from, role) in self.men(self.turn) {
            match role {
                Role::Pawn => self.pawn_moves(from, &mut moves),
                role => self.man_moves(from, role, &mut moves),
            }
            if role.is_royal() {
                self.castlings(from, &mut moves);
            }
        }
        // Without a royal man there is nothing to watch over.
        if self.royals[self.turn as usize].is_some() {
            moves.retain(|mv| !self.tried(*mv).is_royal_attacked(self.turn));
        }
        moves
    }

    /// Whether a man of the side to move can go to a square: `Some(true)` if it takes one there.
    fn enters(&self, square: Square) -> Option<bool> {
        match self.man(square) {
            None => Some(false),
            Some(man) if man.side != self.turn => Some(true),
            Some(_) => None,
        }
    }

    fn man_moves(&self, from: Square, role: Role, moves: &mut Vec<ChessMove>) {
        if role.leaps() {
            let squares = LEAPS.iter().filter_map(|(files, ranks)| from.offset(*files, *ranks));
            moves.extend(squares.filter(|to| self.enters(*to).is_some()).map(|to| plain(from, to)));
        }
        for (number, (files, ranks)) in DIRECTIONS.iter().enumerate() {
            let rides = if number < 4 { role.rides_straight() } else { role.rides_diagonally() };
            if !rides && !role.steps() {
                continue;
            }
            let mut at = from;
            while let Some(to) = at.offset(*files, *ranks) {
                let Some(takes) = self.enters(to) else { break };
                moves.push(plain(from, to));
                if takes || !rides {
                    break;
                }
                at = to;
            }
        }
    }

    fn pawn_moves(&self, from: Square, moves: &mut Vec<ChessMove>) {
        let side = self.turn;
        let forward = side.forward();
        if let Some(to) = from.offset(0, forward).filter(|to| self.man(*to).is_none()) {
            self.pawn_arrives(from, to, moves);
            let twice = self.variant.side(side).double_steps.contains(&side.own_rank(from.rank()));
            let beyond = to.offset(0, forward).filter(|to| twice && self.man(*to).is_none());
            moves.extend(beyond.map(|to| ChessMove { from, to, special: Special::Double }));
        }
        for files in [-1, 1] {
            let Some(to) = from.offset(files, forward) else { continue };
            if self.enters(to) == Some(true) {
                self.pawn_arrives(from, to, moves);
            } else if self.en_passant == Some(to) {
                moves.push(ChessMove { from, to, special: Special::EnPassant });
            }
        }
    }

    /// A pawn comes to a square, and on the last rank becomes something else where its side promotes.
    fn pawn_arrives(&self, from: Square, to: Square, moves: &mut Vec<ChessMove>) {
        let promotions = self.variant.side(self.turn).promotions;
        if self.turn.own_rank(to.rank()) < 7 || promotions.is_empty() {
            moves.push(plain(from, to));
        } else {
            moves.extend(promotions.iter().map(|role| ChessMove { from, to, special: Special::Promotion(*role) }));
        }
    }

    fn castlings(&self, king: Square, moves: &mut Vec<ChessMove>) {
        for wing in Wing::ALL {
            let Some(rook) = self.castling[self.turn as usize][wing as usize] else { continue };
            let Some(rook) = Square::at(rook, king.rank()) else { continue };
            if let Some(king_to) = self.can_castle(king, rook, wing) {
                let to = if self.variant.laws().king_takes_rook { rook } else { king_to };
                moves.push(ChessMove { from: king, to, special: Special::Castle(wing) });
            }
        }
    }

    /// Where the king goes, if nothing stands between and no square on its way is attacked.
    fn can_castle(&self, king: Square, rook: Square, wing: Wing) -> Option<Square> {
        let (king_file, rook_file) = wing.files();
        let (king_to, rook_to) = (Square::at(king_file, king.rank())?, Square::at(rook_file, king.rank())?);
        let empty = |square: Square| square == king || square == rook || self.man(square).is_none();
        if !between(king, king_to).chain(between(rook, rook_to)).all(empty) {
            return None;
        }
        // The king does not stand in its own shadow.
        let mut without = self.clone();
        without.board[king.index()] = None;
        let safe = |square| !without.is_attacked(square, self.turn.other());
        between(king, king_to).all(safe).then_some(king_to)
    }

    /// Whether a side has castling's men on their places: the royal man on the home rank and a rook on this file, on
    /// the right side of it.
    pub(super) fn has_castling_men(&self, side: Side, wing: Wing, rook_file: i8) -> bool {
        let Some(king) = self.royals[side as usize].filter(|king| king.rank() == side.home()) else { return false };
        let beyond = match wing {
            Wing::King => rook_file > king.file(),
            Wing::Queen => rook_file < king.file(),
        };
        let rook = Square::at(rook_file, side.home()).and_then(|square| self.man(square));
        beyond && rook == Some(Man { side, role: Role::Rook })
    }
}

fn plain(from: Square, to: Square) -> ChessMove {
    ChessMove { from, to, special: Special::None }
}

/// The squares of one rank from the one to the other, both included.
fn between(one: Square, other: Square) -> impl Iterator<Item = Square> {
    let files = one.file().min(other.file())..=one.file().max(other.file());
    files.filter_map(move |file| Square::at(file, one.rank()))
}
