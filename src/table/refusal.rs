//! Why a table refuses a command. A refusal changes nothing.

use std::fmt;

use crate::game::Illegal;
use crate::seat::Seat;

/// Why a command was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The player has no seat here.
    NotSeated,
    /// Only the host may do this.
    NotHost,
    /// Nobody sits down or gets up any more.
    NotOpen,
    /// The table has no such seat.
    NoSuchSeat,
    /// Somebody sits there.
    SeatTaken,
    /// Every seat is taken.
    Full,
    /// The player has a seat already.
    AlreadySeated(Seat),
    /// A commitment or a key is bound to a seat, so the seat must be named.
    SeatNotNamed,
    /// Too few players, or a gap between them.
    CantStart(String),
    /// Seeds are opened only after the table closed.
    NotClosed,
    /// The seat committed to no seed.
    NoSeedCommitted,
    /// The seat has opened its seed.
    SeedAlreadyOpened,
    /// The seed does not open the commitment.
    SeedMismatch,
    /// The game has not started.
    NotStarted,
    /// The game is over.
    Over,
    /// The seat is out of the game.
    OutOfGame,
    /// It is not this seat's turn.
    NotYourTurn,
    /// Another decision is at hand.
    WrongStep(u32),
    /// The seat has made this decision, and differently.
    AlreadyDecided,
    /// The decision is made in the open: there is nothing to commit to or to open.
    NotSealed,
    /// Others are not bound yet.
    NotAllCommitted,
    /// Everyone is bound: now moves are opened.
    OpeningDue,
    /// The seat has a key, so its client seals for itself.
    SealYourself,
    /// Move and nonce do not open the commitment.
    CommitmentMismatch,
    /// The move has not the form of a move of this game.
    MoveForm(String),
    /// A decision names its step; any other move names none.
    StepForm(&'static str),
    /// `after` is missing, not earlier, or not allowed.
    AfterForm(&'static str),
    /// The player's own signature is missing, wrong, or not asked for.
    Signature(&'static str),
    /// The deadline has passed.
    TooLate,
    /// Nothing is overdue.
    NothingOverdue,
    /// A rule of the game speaks against it.
    Illegal(Illegal),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSeated => f.write_str("you have no seat in this game"),
            Self::NotHost => f.write_str("only the host of the game may do this"),
            Self::NotOpen => f.write_str("the table is closed: nobody sits down or gets up any more"),
            Self::NoSuchSeat => f.write_str("the table has no such seat"),
            Self::SeatTaken => f.write_str("somebody sits there"),
            Self::Full => f.write_str("every seat is taken"),
            Self::AlreadySeated(seat) => write!(f, "you sit on seat {seat} already"),
            Self::SeatNotNamed => f.write_str("a seed commitment or a key is bound to a seat: name the seat"),
            Self::CantStart(why) => f.write_str(why),
            Self::NotClosed => f.write_str("seeds are opened only after the table closed"),
            Self::NoSeedCommitted => f.write_str("this seat committed to no seed"),
            Self::SeedAlreadyOpened => f.write_str("this seat has opened another seed"),
            Self::SeedMismatch => f.write_str("the seed does not open your commitment"),
            Self::NotStarted => f.write_str("the game has not started"),
            Self::Over => f.write_str("the game is over"),
            Self::OutOfGame => f.write_str("you are out of this game"),
            Self::NotYourTurn => f.write_str("it is not your turn"),
            Self::WrongStep(step) => write!(f, "the decision at hand is step {step}"),
            Self::AlreadyDecided => f.write_str("you have made this decision, and it can't be changed"),
            Self::NotSealed => f.write_str("this decision is made in the open"),
            Self::NotAllCommitted => f.write_str("not everybody is bound yet: open your move when all are"),
            Self::OpeningDue => f.write_str("everybody is bound: now moves are opened"),
            Self::SealYourself => {
                f.write_str("your seat has a key: send a commitment, the server seals nothing for it")
            }
            Self::CommitmentMismatch => f.write_str("move and nonce do not open your commitment"),
            Self::MoveForm(why) => write!(f, "this is no move of this game: {why}"),
            Self::StepForm(why) | Self::AfterForm(why) | Self::Signature(why) => f.write_str(why),
            Self::TooLate => f.write_str("the deadline has passed"),
            Self::NothingOverdue => f.write_str("nothing is overdue"),
            Self::Illegal(illegal) => illegal.fmt(f),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<Illegal> for Refusal {
    fn from(illegal: Illegal) -> Self {
        Self::Illegal(illegal)
    }
}
