//! How a game begins (RC-7).

use super::man::{Role, Side};
use super::options::{MaharajaSquare, Options, maharaja_squares};
use super::position::Position;
use super::square::Square;
use super::variant::{ARRAYS, Variant, array_960};
use crate::game::{Chance, NoDraw, Purpose};

/// The number of the array, if it has one, and the position at the start, with a draw where the options ask for it.
pub(super) fn draw(options: &Options, chance: &mut Chance<'_>) -> Result<(Option<u16>, Position), NoDraw> {
    let variant = options.variant();
    let start = match (variant, options.number(), options.maharaja_square()) {
        (Variant::Chess960, named, _) => {
            // Less than 960, so the cast loses nothing.
            let drawn = |chance: &mut Chance<'_>| {
                chance.draw(Purpose::Array).map(|mut numbers| numbers.below(u32::from(ARRAYS)) as u16)
            };
            let number = named.map_or_else(|| drawn(chance), Ok)?;
            return Ok((Some(number), chess960(number)));
        }
        (Variant::Maharaja, _, square) => {
            let square = match square {
                Some(MaharajaSquare::Named(square)) => Some(square),
                Some(MaharajaSquare::Random) => {
                    let mut numbers = chance.draw(Purpose::Array)?;
                    let squares: Vec<Square> = maharaja_squares().collect();
                    numbers.pick(squares.len()).map(|at| squares[at])
                }
                None => None,
            };
            maharaja(square, options.castling())
        }
        _ => read(variant, variant.laws().fen),
    };
    Ok((None, start))
}

/// The start of Chess960 with the array of this number.
fn chess960(number: u16) -> Position {
    let letters = array_960(number).map(|role| char::from(role.letter()));
    let black: String = letters.iter().collect();
    let white = black.to_ascii_uppercase();
    let rooks = || (b'a'..=b'h').zip(array_960(number)).filter(|(_, role)| *role == Role::Rook).rev();
    let castling: String = rooks().map(|(file, _)| char::from(file)).collect();
    let (upper, lower) = (castling.to_ascii_uppercase(), castling);
    read(Variant::Chess960, &format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w {upper}{lower} - 0 1"))
}

/// The start of Maharaja with the maharaja elsewhere, or with a king who never castles.
fn maharaja(square: Option<Square>, castling: bool) -> Position {
    let mut start = read(Variant::Maharaja, Variant::Maharaja.laws().fen);
    if let (Some(to), Some(from)) = (square, start.royals[Side::White as usize]) {
        let man = start.board[from.index()].take();
        start.board[to.index()] = man;
        start.royals[Side::White as usize] = Some(to);
    }
    if !castling {
        start.castling = [[None; 2]; 2];
    }
    start
}

/// Reads one of the arrays of this file and of the variants' table.
fn read(variant: Variant, fen: &str) -> Position {
    // Each of them is a position: a test reads all that there are, the 960 arrays included.
    #[expect(clippy::expect_used)]
    Position::read(variant, fen).expect("an array is a position of its variant")
}

impl Position {
    /// How a game of the variant begins if nothing else is chosen; of Chess960, with the array of chess.
    pub fn start(variant: Variant) -> Self {
        match variant {
            Variant::Chess960 => Self::start_of_chess960(518),
            variant => read(variant, variant.laws().fen),
        }
    }

    /// How a game of Chess960 begins with the array of this number, 0 to 959; the numbers begin anew beyond.
    pub fn start_of_chess960(number: u16) -> Self {
        chess960(number)
    }
}
