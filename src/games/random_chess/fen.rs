//! Positions as text: FEN, written and read (RC-3).
//!
//! The square of en passant is written only where some pawn can legally take there (RC-6). Who may castle is written as
//! `KQkq`, in Chess960 by the files of the rooks, as `HAha`; both are read, a `K` or `Q` standing for the outermost rook.

use std::fmt;

use super::man::{Man, Role, Side};
use super::position::{Position, Wing};
use super::square::Square;
use super::variant::Variant;

/// Why a text is no position of a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAPosition(pub &'static str);

impl fmt::Display for NotAPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for NotAPosition {}

impl Position {
    /// Reads a position of a variant. The two counters may be missing; they are 0 and 1 then.
    ///
    /// # Errors
    ///
    /// When the text is no position, or none that can be played on: a royal man is missing, or there are two, or the
    /// side that has just moved stands in check.
    pub fn read(variant: Variant, fen: &str) -> Result<Self, NotAPosition> {
        let mut fields = fen.split_ascii_whitespace();
        let mut position = Self {
            variant,
            board: read_board(variant, fields.next().ok_or(NotAPosition("no placement of men"))?)?,
            turn: match fields.next() {
                Some("w") => Side::White,
                Some("b") => Side::Black,
                _ => return Err(NotAPosition("the side to move must be w or b")),
            },
            castling: [[None; 2]; 2],
            en_passant: None,
            quiet: 0,
            number: 1,
            royals: [None; 2],
        };
        for side in Side::ALL {
            position.royals[side as usize] = position.find_royal(side)?;
        }
        if position.is_royal_attacked(position.turn.other()) {
            return Err(NotAPosition("the side that has just moved stands in check"));
        }
        position.read_castling(fields.next().unwrap_or("-"))?;
        position.read_en_passant(fields.next().unwrap_or("-"))?;
        let mut counter = |default| match fields.next().map(str::parse) {
            None => Ok(default),
            Some(Ok(number)) => Ok(number),
            Some(Err(_)) => Err(NotAPosition("the counters must be numbers")),
        };
        (position.quiet, position.number) = (counter(0)?, counter(1)?);
        if position.number == 0 || fields.next().is_some() {
            return Err(NotAPosition("six fields, the last of them a number from 1 on"));
        }
        Ok(position)
    }

    fn find_royal(&self, side: Side) -> Result<Option<Square>, NotAPosition> {
        let royal = self.variant.side(side).royal;
        let mut found = self.men(side).filter(|(_, role)| role.is_royal());
        let first = found.next();
        if found.next().is_some() {
            return Err(NotAPosition("a side has two royal men"));
        }
        if first.map(|(_, role)| role) != royal {
            return Err(NotAPosition("a side has not the royal man of this variant"));
        }
        Ok(first.map(|(square, _)| square))
    }

    fn read_castling(&mut self, field: &str) -> Result<(), NotAPosition> {
        const WRONG: NotAPosition = NotAPosition("the men who may castle are not on their places");
        if field == "-" {
            return Ok(());
        }
        for letter in field.bytes() {
            let side = if letter.is_ascii_uppercase() { Side::White } else { Side::Black };
            let (wing, file) = match letter.to_ascii_lowercase() {
                b'k' => (Wing::King, (0..8).rev().find(|file| self.has_castling_men(side, Wing::King, *file))),
                b'q' => (Wing::Queen, (0..8).find(|file| self.has_castling_men(side, Wing::Queen, *file))),
                letter @ b'a'..=b'h' => {
                    // Within this range, so the cast loses nothing.
                    let file = (letter - b'a') as i8;
                    let wing = Wing::ALL.into_iter().find(|wing| self.has_castling_men(side, *wing, file));
                    (wing.ok_or(WRONG)?, Some(file))
                }
                _ => return Err(WRONG),
            };
            self.castling[side as usize][wing as usize] = Some(file.ok_or(WRONG)?);
        }
        Ok(())
    }

    fn read_en_passant(&mut self, field: &str) -> Result<(), NotAPosition> {
        const WRONG: NotAPosition = NotAPosition("no pawn has just passed the square of en passant");
        if field == "-" {
            return Ok(());
        }
        let passed: Square = field.parse().map_err(|_| WRONG)?;
        let mover = self.turn.other();
        let pawn = passed.offset(0, mover.forward()).and_then(|square| self.man(square));
        let from = passed.offset(0, -mover.forward()).and_then(|square| self.man(square));
        let fits = mover.own_rank(passed.rank()) == 2
            && self.man(passed).is_none()
            && from.is_none()
            && pawn == Some(Man { side: mover, role: Role::Pawn });
        if !fits {
            return Err(WRONG);
        }
        self.en_passant = Some(passed).filter(|passed| self.can_take_passing(*passed));
        Ok(())
    }

    /// The position as FEN.
    pub fn fen(&self) -> String {
        let mut fen = String::with_capacity(90);
        for rank in (0..8).rev() {
            let mut empty = 0u8;
            for man in (0..8).filter_map(|file| Square::at(file, rank)).map(|square| self.man(square)) {
                match man {
                    None => empty += 1,
                    Some(man) => {
                        push_count(&mut fen, &mut empty);
                        fen.push(char::from(man.letter()));
                    }
                }
            }
            push_count(&mut fen, &mut empty);
            if rank > 0 {
                fen.push('/');
            }
        }
        fen.push_str(if self.turn == Side::White { " w " } else { " b " });
        self.write_castling(&mut fen);
        let passed = self.en_passant.map_or("-".to_owned(), |square| square.to_string());
        fen.push_str(&format!(" {passed} {} {}", self.quiet, self.number));
        fen
    }

    fn write_castling(&self, fen: &mut String) {
        let before = fen.len();
        for side in Side::ALL {
            for wing in Wing::ALL {
                let Some(file) = self.castling[side as usize][wing as usize] else { continue };
                let letter = match wing {
                    // A file is 0 to 7, so the cast loses nothing.
                    _ if self.variant.laws().king_takes_rook => b'a' + file as u8,
                    Wing::King => b'k',
                    Wing::Queen => b'q',
                };
                let letter = if side == Side::White { letter.to_ascii_uppercase() } else { letter };
                fen.push(char::from(letter));
            }
        }
        if fen.len() == before {
            fen.push('-');
        }
    }
}

fn push_count(fen: &mut String, empty: &mut u8) {
    if *empty > 0 {
        fen.push(char::from(b'0' + *empty));
        *empty = 0;
    }
}

fn read_board(variant: Variant, placement: &str) -> Result<[Option<Man>; Square::COUNT], NotAPosition> {
    let mut board = [None; Square::COUNT];
    let mut ranks = placement.split('/');
    for rank in (0..8).rev() {
        let mut file = 0;
        for letter in ranks.next().ok_or(NotAPosition("eight ranks, divided by /"))?.bytes() {
            if let b'1'..=b'8' = letter {
                // Within this range, so the cast loses nothing.
                file += (letter - b'0') as i8;
                if file > 8 {
                    break;
                }
                continue;
            }
            let side = if letter.is_ascii_uppercase() { Side::White } else { Side::Black };
            let role = variant.role(letter.to_ascii_lowercase());
            let role = role.ok_or(NotAPosition("a letter that is no man of this variant"))?;
            let square = Square::at(file, rank).ok_or(NotAPosition("a rank of more than eight squares"))?;
            board[square.index()] = Some(Man { side, role });
            file += 1;
        }
        if file != 8 {
            return Err(NotAPosition("a rank that has not eight squares"));
        }
    }
    if ranks.next().is_some() {
        return Err(NotAPosition("eight ranks, divided by /"));
    }
    Ok(board)
}
