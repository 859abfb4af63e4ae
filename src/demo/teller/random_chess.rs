//! Random Chess, told in moves and boards.

use serde_json::{Value, json};

use super::Teller;
use crate::demo::words::Names;
use crate::draw::Numbers;
use crate::game::{Draw, GameResult, Purpose, Reason};
use crate::games::random_chess::{
    Advance, ChessOver, ChessPly, ChessStart, Fact as ChessFact, Move as ChessMove, Side,
};
use crate::games::{CommonFact, Fact, Move};
use crate::seat::Seat;

/// How many plies are played between two boards.
const BETWEEN_BOARDS: usize = 10;

/// Tells a game of Random Chess.
#[derive(Default)]
pub struct RandomChess {
    /// The moves since the last board, as they are written in one line.
    line: Vec<String>,
    /// The position after the newest move.
    fen: String,
    /// The newest move's number.
    ply: usize,
}

impl Teller for RandomChess {
    fn title(&self) -> String {
        "a game of Random Chess".to_owned()
    }

    fn told_move(&mut self, names: &Names, seat: Seat, mv: &Move) -> Vec<String> {
        match mv {
            Move::RandomChess(ChessMove::Advance(Advance { plies })) => {
                let plies = if *plies == 1 { "a move".to_owned() } else { format!("{plies} moves") };
                vec![format!("{} lets the house play {plies}.", names.of(seat))]
            }
            // The fact tells it.
            _ => Vec::new(),
        }
    }

    fn told_fact(&mut self, _: &Names, fact: &Fact) -> Vec<String> {
        match fact {
            Fact::Common(CommonFact::Draw(Draw { draw, purpose: Purpose::Array })) => {
                vec![format!("How the men stand is drawn: draw {draw}.")]
            }
            Fact::RandomChess(ChessFact::ChessStart(ChessStart { number, fen, .. })) => {
                let mut lines: Vec<String> =
                    number.map(|number| format!("It is array {number}.")).into_iter().collect();
                lines.extend(board(fen));
                lines
            }
            Fact::RandomChess(ChessFact::ChessPly(ply)) => self.told_ply(ply),
            Fact::RandomChess(ChessFact::ChessOver(ChessOver { .. })) => self.flush(),
            _ => Vec::new(),
        }
    }

    fn told_result(&mut self, names: &Names, result: &GameResult) -> Vec<String> {
        let how = match result.reason {
            Reason::WhiteMates => "White gives mate",
            Reason::BlackMates => "Black gives mate",
            Reason::Stalemate => "It is stalemate, and a draw",
            Reason::InsufficientMaterial => "Nobody has the men to give mate, and it is a draw",
            Reason::FiftyMoves => "Fifty moves went by without a capture or a pawn, and it is a draw",
            Reason::SeventyFiveMoves => "Seventy-five moves went by without a capture or a pawn, and it is a draw",
            Reason::Threefold => "The position stands for the third time, and it is a draw",
            Reason::Fivefold => "The position stands for the fifth time, and it is a draw",
            Reason::Extinct => "The last man of the side without a king is taken, and the other side wins",
            Reason::Forfeit => "It ends by a forfeit",
            _ => "It has gone on as long as it can, and it is a draw",
        };
        let mut lines = vec![format!("{how}, after {} moves.", self.ply)];
        lines.extend(result.winners.iter().map(|winner| format!("{} wins.", names.of(*winner))));
        lines
    }

    fn options(&self) -> Value {
        json!({"variant": "maharaja"})
    }

    fn choose(&self, legal: &[Move], _: &Value, chance: &mut Numbers) -> Option<usize> {
        // Ten, so the cast loses nothing.
        let some = |mv: &Move| *mv == Move::RandomChess(ChessMove::Advance(Advance { plies: BETWEEN_BOARDS as i64 }));
        legal.iter().position(some).or_else(|| chance.pick(legal.len()))
    }
}

impl RandomChess {
    fn told_ply(&mut self, ply: &ChessPly) -> Vec<String> {
        let number = match ply.side {
            Side::White => format!("{}. ", ply.ply.div_ceil(2)),
            Side::Black if self.line.is_empty() => format!("{}... ", ply.ply.div_ceil(2)),
            Side::Black => String::new(),
        };
        self.line.push(format!("{number}{}", ply.san));
        self.fen.clone_from(&ply.fen);
        self.ply = ply.ply;
        if ply.ply.is_multiple_of(BETWEEN_BOARDS) { self.flush() } else { Vec::new() }
    }

    /// The moves since the last board, and the board.
    fn flush(&mut self) -> Vec<String> {
        if self.line.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![std::mem::take(&mut self.line).join(" ")];
        lines.extend(board(&self.fen));
        lines
    }
}

/// The board of a position, White below.
fn board(fen: &str) -> Vec<String> {
    let ranks = fen.split(' ').next().unwrap_or_default().split('/');
    let mut lines = vec![String::new()];
    for (number, rank) in (1..=8).rev().zip(ranks) {
        let mut line = format!("  {number} ");
        for letter in rank.chars() {
            match letter.to_digit(10) {
                Some(empty) => (0..empty).for_each(|_| line.push_str(" ·")),
                None => line.extend([' ', letter]),
            }
        }
        lines.push(line);
    }
    lines.extend(["     a b c d e f g h".to_owned(), String::new()]);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_reads_well() {
        let shown = board("4k3/8/8/3p4/8/8/P6P/4M3 w - - 0 1");
        assert_eq!(shown[1], "  8  · · · · k · · ·");
        assert_eq!(shown[4], "  5  · · · p · · · ·");
        assert_eq!(shown[7], "  2  P · · · · · · P");
        assert_eq!(shown[9], "     a b c d e f g h");
    }
}
