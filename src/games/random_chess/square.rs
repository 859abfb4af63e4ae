//! The squares of the board.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// One of the 64 squares; ordered a1, b1, … h1, a2, … h8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

/// Why a text is no [`Square`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotASquare;

impl fmt::Display for NotASquare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be a square: a file a to h and a rank 1 to 8, as in e4")
    }
}

impl std::error::Error for NotASquare {}

impl Square {
    /// How many there are.
    pub const COUNT: usize = 64;

    /// The square on this file and this rank, both counted from 0, if the board has it.
    pub const fn at(file: i8, rank: i8) -> Option<Self> {
        if 0 <= file && file < 8 && 0 <= rank && rank < 8 {
            // Both are 0 to 7, so the cast loses nothing.
            Some(Self((rank * 8 + file) as u8))
        } else {
            None
        }
    }

    /// All squares, in their order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..64).map(Self)
    }

    /// The file, 0 to 7 for a to h.
    pub const fn file(self) -> i8 {
        (self.0 % 8) as i8
    }

    /// The rank, 0 to 7 for 1 to 8.
    pub const fn rank(self) -> i8 {
        (self.0 / 8) as i8
    }

    /// The square so many files and ranks away, if the board has it.
    pub const fn offset(self, files: i8, ranks: i8) -> Option<Self> {
        Self::at(self.file() + files, self.rank() + ranks)
    }

    /// Its place in the order of squares, 0 to 63.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The two letters of the square.
    pub const fn letters(self) -> [u8; 2] {
        [b'a' + self.0 % 8, b'1' + self.0 / 8]
    }
}

impl FromStr for Square {
    type Err = NotASquare;

    fn from_str(text: &str) -> Result<Self, NotASquare> {
        match *text.as_bytes() {
            // Within these ranges, so the casts lose nothing.
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
                Self::at((file - b'a') as i8, (rank - b'1') as i8).ok_or(NotASquare)
            }
            _ => Err(NotASquare),
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [file, rank] = self.letters();
        write!(f, "{}{}", char::from(file), char::from(rank))
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Square {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
