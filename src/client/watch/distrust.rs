//! Why a client does not open, or does not trust any more.

use std::fmt;

use super::Conviction;
use crate::ids::GameId;
use crate::keys::KeyId;
use crate::seat::Seat;
use crate::table::Fault;

/// What makes a game untrustworthy. A client that finds it opens nothing any more, and keeps the events as proof.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named after what they hold")]
pub enum Distrust {
    /// An event of another game came.
    OtherGame { seq: u64 },
    /// An event is missing.
    Seq { expected: u64, found: u64 },
    /// An event does not follow the one before it.
    Prev { seq: u64 },
    /// An event's hash is not its own.
    Hash { seq: u64 },
    /// An event is signed by a key that was not known before.
    UnknownKey { seq: u64, key: KeyId },
    /// An event is signed by a key that did not sign then.
    KeyPeriod { seq: u64, key: KeyId },
    /// An event's signature is wrong.
    Signature { seq: u64 },
    /// Time runs backwards.
    Time { seq: u64 },
    /// A player's own signature is missing, wrong, or not asked for.
    PlayerSignature { seq: u64, seat: Seat },
    /// Another game had the same anchor.
    AnchorSeen { game: GameId },
    /// The game is another one than was agreed to: in this.
    NotAgreed(&'static str),
    /// A disclosed seed does not lead back to the anchor.
    Disclosure { seq: u64 },
    /// An event may not stand where it stands, by the protocol or the rules.
    Wrong { seq: u64, fault: Fault },
    /// The own seat is not in the log as it was sent.
    Seat { seat: Seat },
    /// The own commitment is not in the log as it was sent.
    Commitment { seat: Seat, step: u32 },
    /// The server signed two different events for one place.
    Fork(Box<Conviction>),
}

impl fmt::Display for Distrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherGame { seq } => write!(f, "event {seq} is one of another game"),
            Self::Seq { expected, found } => write!(f, "event {found} came where event {expected} was expected"),
            Self::Prev { seq } => write!(f, "event {seq} does not follow the event before it"),
            Self::Hash { seq } => write!(f, "the hash of event {seq} is not its own"),
            Self::UnknownKey { seq, key } => {
                write!(f, "event {seq} is signed by {key}, a key that was not known before")
            }
            Self::KeyPeriod { seq, key } => write!(f, "event {seq} is signed by {key}, a key that did not sign then"),
            Self::Signature { seq } => write!(f, "the signature of event {seq} is wrong"),
            Self::Time { seq } => write!(f, "event {seq} is earlier than the event before it"),
            Self::PlayerSignature { seq, seat } => {
                write!(f, "the own signature of seat {seat} on event {seq} is not as it must be")
            }
            Self::AnchorSeen { game } => write!(f, "the game {game} had the same anchor"),
            Self::NotAgreed(what) => write!(f, "the {what} is not what was agreed to"),
            Self::Disclosure { seq } => write!(f, "the seed in event {seq} does not lead back to the anchor"),
            Self::Wrong { seq, fault } => write!(f, "event {seq}: {fault}"),
            Self::Seat { seat } => write!(f, "seat {seat} is not in the log as it was taken"),
            Self::Commitment { seat, step } => {
                write!(f, "the commitment of seat {seat} for step {step} is not in the log as it was sent")
            }
            Self::Fork(conviction) => write!(f, "the server signed two different events {}", conviction.one.seq),
        }
    }
}

impl std::error::Error for Distrust {}

/// Why nothing is to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hold {
    /// It may be right later.
    NotYet(&'static str),
    /// It is of no use any more.
    NoMore(&'static str),
    /// It would be a mistake.
    Distrust(Distrust),
}

impl fmt::Display for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotYet(why) | Self::NoMore(why) => f.write_str(why),
            Self::Distrust(distrust) => distrust.fmt(f),
        }
    }
}

impl std::error::Error for Hold {}

impl From<Distrust> for Hold {
    fn from(distrust: Distrust) -> Self {
        Self::Distrust(distrust)
    }
}
