//! The men on the board: whose they are, and how they move.

use serde::{Deserialize, Serialize};

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = ChessSide))]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Its pawns go up the board.
    White,
    /// Its pawns go down the board.
    Black,
}

impl Side {
    /// Both.
    pub const ALL: [Self; 2] = [Self::White, Self::Black];

    /// The opponent.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// Which way its pawns go: the step in ranks.
    pub const fn forward(self) -> i8 {
        match self {
            Self::White => 1,
            Self::Black => -1,
        }
    }

    /// The rank on which its men begin in chess, counted from 0.
    pub const fn home(self) -> i8 {
        match self {
            Self::White => 0,
            Self::Black => 7,
        }
    }

    /// A rank as this side counts it, from its own side of the board: 0 to 7.
    pub const fn own_rank(self, rank: i8) -> i8 {
        match self {
            Self::White => rank,
            Self::Black => 7 - rank,
        }
    }
}

/// What a man is, and so how it moves (RC-2, RC-7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = ChessRole))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Goes one rank forward, captures diagonally.
    Pawn,
    /// Leaps.
    Knight,
    /// Rides diagonally.
    Bishop,
    /// Rides along ranks and files.
    Rook,
    /// Rides in all eight directions.
    Queen,
    /// Steps in all eight directions.
    King,
    /// Moves as queen or knight; royal.
    Maharaja,
    /// Moves as queen or knight.
    Amazon,
    /// Steps as a king does, but is not royal.
    Commoner,
    /// Leaps as a knight does; royal.
    RoyalKnight,
}

impl Role {
    /// The letter in UCI, small; in a position that is a black man, and capital a white one.
    pub const fn letter(self) -> u8 {
        match self {
            Self::Pawn => b'p',
            Self::Knight => b'n',
            Self::Bishop => b'b',
            Self::Rook => b'r',
            Self::Queen => b'q',
            Self::King | Self::RoyalKnight => b'k',
            Self::Maharaja | Self::Commoner => b'm',
            Self::Amazon => b'a',
        }
    }

    /// Whether it rides along ranks and files.
    pub const fn rides_straight(self) -> bool {
        matches!(self, Self::Rook | Self::Queen | Self::Maharaja | Self::Amazon)
    }

    /// Whether it rides diagonally.
    pub const fn rides_diagonally(self) -> bool {
        matches!(self, Self::Bishop | Self::Queen | Self::Maharaja | Self::Amazon)
    }

    /// Whether it steps to a neighbouring square.
    pub const fn steps(self) -> bool {
        matches!(self, Self::King | Self::Commoner)
    }

    /// Whether it leaps as a knight.
    pub const fn leaps(self) -> bool {
        matches!(self, Self::Knight | Self::Maharaja | Self::Amazon | Self::RoyalKnight)
    }

    /// Whether it is the man that its side must not lose.
    pub const fn is_royal(self) -> bool {
        matches!(self, Self::King | Self::Maharaja | Self::RoyalKnight)
    }
}

/// A man on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Man {
    /// Whose.
    pub side: Side,
    /// What it is.
    pub role: Role,
}

impl Man {
    /// The letter in a position: capital for White.
    pub const fn letter(self) -> u8 {
        match self.side {
            Side::White => self.role.letter().to_ascii_uppercase(),
            Side::Black => self.role.letter(),
        }
    }
}
