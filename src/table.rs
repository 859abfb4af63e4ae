//! One game's table: what its log amounts to.
//!
//! A table is open, closed, playing or over. `decide` (in `table/decide`) makes events of a command; `evolve` (in
//! `table/evolve`) takes an event in, and refuses one that may not stand there. The server and an auditor run the
//! same `evolve`, so what the one writes the other accepts.

use std::sync::Arc;

use crate::event::{Created, PlayerRef, SealedBy};
use crate::game::{DrawInputs, GameResult, Outcome};
use crate::games::{AnyGame, Kind, Move};
use crate::hex32::{Hash, PlayerSeed, ServerSeed};
use crate::ids::{GameId, PlayerId};
use crate::keys::{PublicKey, Signature};
use crate::seat::{BySeat, Seat};
use crate::timestamp::Timestamp;

mod command;
mod decide;
mod evolve;
mod fault;
mod form;
mod refusal;
mod repeat;
mod view;

pub use command::{Command, SealedMove, Secrets};
pub use decide::{Decision, Denied};
pub use evolve::Stop;
pub(crate) use evolve::check_move_form;
pub use fault::{Fault, Question};
pub(crate) use form::may_stand;
pub use refusal::Refusal;
pub use repeat::find_repeat;
pub use view::{Awaits, Status, View};

/// How long seeds may take at most, in seconds.
const SEED_SECONDS: u32 = 600;
/// How long a decision may take where the game has no `move_seconds`: 30 days.
const LONGEST_DECISION_SECONDS: u32 = 30 * 24 * 3600;
/// How long an opening may take where the game has no `move_seconds`: 24 hours.
const LONGEST_OPENING_SECONDS: u32 = 24 * 3600;
/// The limits of `move_seconds`.
pub const MOVE_SECONDS: std::ops::RangeInclusive<u32> = 10..=604_800;
/// How long a move may be in canonical JSON, in bytes.
pub const MAX_MOVE_BYTES: usize = 1024;

/// One game's table at one event of its log.
#[derive(Clone)]
pub struct Table {
    game: GameId,
    created: Arc<Created>,
    /// The newest event.
    seq: u64,
    at: Timestamp,
    stage: Stage,
}

/// Where the table stands, with just what it knows there.
#[derive(Clone)]
enum Stage {
    Open(Open),
    Closed(Closed),
    Playing(Box<Playing>),
    Over(Over),
}

/// Who sits at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Who.
    pub player: PlayerRef,
    /// The commitment to the seed that the player contributes.
    pub seed_commitment: Option<Hash>,
    /// The key that signs what the seat sends.
    pub key: Option<PublicKey>,
}

/// Players sit down and get up.
#[derive(Clone)]
struct Open {
    places: BySeat<Option<Place>>,
    /// Players' signatures so far: none may occur twice. Only here one could, by sitting down again; later each
    /// command is another one by its step, or because its `after` must grow.
    signatures: Vec<Signature>,
}

/// Seeds are opened.
#[derive(Clone)]
struct Closed {
    places: Arc<BySeat<Place>>,
    seeds: BySeat<Option<PlayerSeed>>,
    open_by: Option<Timestamp>,
}

impl Closed {
    /// Who has not opened the seed it committed to.
    fn missing(&self) -> Vec<Seat> {
        let owes = |(seat, place): (Seat, &Place)| {
            (place.seed_commitment.is_some() && self.seeds[seat].is_none()).then_some(seat)
        };
        self.places.iter().filter_map(owes).collect()
    }
}

/// The game is on.
#[derive(Clone)]
struct Playing {
    places: Arc<BySeat<Place>>,
    draws: Arc<DrawInputs>,
    game: AnyGame,
    /// How many draws were made.
    drawn: u32,
    /// The draw disclosed last, and its seed.
    disclosed: Option<(u32, ServerSeed)>,
    /// The number of the decision at hand (RU-10).
    step: u32,
    /// When the game started.
    started_at: Timestamp,
    /// When the decision at hand was asked for.
    asked_at: Timestamp,
    sealing: Sealing,
    /// The newest move of each seat that was no decision.
    last_free_move: BySeat<Option<u64>>,
}

/// How far a decision of several seats is.
#[derive(Clone)]
enum Sealing {
    /// The decision at hand is one seat's, in the open.
    None,
    /// Seats bind themselves.
    Committing(BySeat<Option<Bound>>),
    /// All are bound, since then they open.
    Opening { bound: BySeat<Option<Bound>>, opened: BySeat<Option<Move>>, since: Timestamp },
}

/// A commitment in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bound {
    commitment: Hash,
    by: SealedBy,
}

/// Nothing follows.
#[derive(Clone)]
enum Over {
    /// The game ended.
    Ended { playing: Box<Playing>, result: GameResult },
    /// It is void: the places, as far as they were taken.
    Void(BySeat<Option<Place>>),
}

/// What the server must append at once after the newest event, with the same `at`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Follow {
    /// The table is full.
    Close,
    /// No seed is missing.
    Start,
    /// All are bound; this seat's move was sealed by the server.
    Open(Seat),
    /// Draws up to this one are no secret any more.
    Disclose(u32),
    /// The rules ended the game.
    End(GameResult),
}

impl Table {
    /// The game.
    pub fn game(&self) -> GameId {
        self.game
    }

    /// What the game's first event says.
    pub fn created(&self) -> &Created {
        &self.created
    }

    /// The kind of game.
    pub fn kind(&self) -> Kind {
        self.created.kind
    }

    /// The newest event's number.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// The newest event's time.
    pub fn at(&self) -> Timestamp {
        self.at
    }

    /// Who sits where.
    pub fn places(&self) -> BySeat<Option<&Place>> {
        match &self.stage {
            Stage::Open(Open { places, .. }) => places.map(Option::as_ref),
            Stage::Closed(Closed { places, .. }) => places.map(Some),
            Stage::Playing(playing) => playing.places.map(Some),
            Stage::Over(over) => match over {
                Over::Ended { playing, .. } => playing.places.map(Some),
                Over::Void(places) => places.map(Option::as_ref),
            },
        }
    }

    /// The seat of a player.
    pub fn seat_of(&self, player: PlayerId) -> Option<Seat> {
        self.places()
            .iter()
            .find(|(_, place)| place.is_some_and(|place| place.player.id == player))
            .map(|(seat, _)| seat)
    }

    /// Who opened a seed, ascending.
    pub fn seeds_opened(&self) -> Vec<Seat> {
        let seeds = match &self.stage {
            Stage::Closed(Closed { seeds, .. }) => seeds,
            Stage::Playing(playing) => &playing.draws.player_seeds,
            Stage::Over(over) => match over {
                Over::Ended { playing, .. } => &playing.draws.player_seeds,
                Over::Void(_) => return Vec::new(),
            },
            Stage::Open(_) => return Vec::new(),
        };
        seeds.iter().filter(|(_, seed)| seed.is_some()).map(|(seat, _)| seat).collect()
    }

    /// How many draws were made.
    pub fn draws_made(&self) -> u32 {
        match &self.stage {
            Stage::Playing(playing) => playing.drawn,
            Stage::Over(over) => match over {
                Over::Ended { playing, .. } => playing.drawn,
                Over::Void(_) => 0,
            },
            Stage::Open(_) | Stage::Closed(_) => 0,
        }
    }

    /// About how many bytes of memory the game has grown by since it was dealt.
    pub fn grown(&self) -> usize {
        match &self.stage {
            Stage::Playing(playing) | Stage::Over(Over::Ended { playing, .. }) => playing.game.grown(),
            Stage::Open(_) | Stage::Closed(_) | Stage::Over(Over::Void(_)) => 0,
        }
    }

    /// Whether nothing can follow.
    pub fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over(_))
    }

    /// How the game ended, if it did.
    pub fn result(&self) -> Option<&GameResult> {
        match &self.stage {
            Stage::Over(over) => match over {
                Over::Ended { result, .. } => Some(result),
                Over::Void(_) => None,
            },
            _ => None,
        }
    }

    /// The deadline of what is asked for now (protocol, Time).
    pub fn due_at(&self) -> Option<Timestamp> {
        match &self.stage {
            Stage::Closed(closed) => closed.open_by,
            Stage::Playing(playing) => {
                playing.step_at_hand()?;
                let due = match &playing.sealing {
                    Sealing::Opening { since, .. } => since.plus_seconds(self.opening_seconds()),
                    Sealing::None | Sealing::Committing(_) => {
                        playing.asked_at.plus_seconds(self.created.move_seconds.unwrap_or(LONGEST_DECISION_SECONDS))
                    }
                };
                // The rules may limit the whole game.
                let longest = self.kind().longest_seconds().map(|seconds| playing.started_at.plus_seconds(seconds));
                Some(longest.map_or(due, |longest| due.min(longest)))
            }
            Stage::Open(_) | Stage::Over(_) => None,
        }
    }

    /// Until when seeds must be opened at a table that closes now; `None` where nobody committed to one.
    fn open_by(&self, closed_at: Timestamp, committed: bool) -> Option<Timestamp> {
        let seconds = self.created.move_seconds.map_or(SEED_SECONDS, |seconds| seconds.min(SEED_SECONDS));
        committed.then(|| closed_at.plus_seconds(seconds))
    }

    /// A moment before which no deadline of this game can fall, whatever is played from now on: the deadline at hand,
    /// or that of something asked for right now. `None` when nothing can become late.
    pub fn no_deadline_before(&self, now: Timestamp) -> Option<Timestamp> {
        Some(self.due_at()?.min(now.plus_seconds(self.opening_seconds())))
    }

    fn opening_seconds(&self) -> u32 {
        self.created.move_seconds.unwrap_or(LONGEST_OPENING_SECONDS)
    }

    /// The seats that owe what is asked for now, ascending.
    pub fn to_act(&self) -> Vec<Seat> {
        match &self.stage {
            Stage::Closed(closed) => closed.missing(),
            Stage::Playing(playing) => playing.to_act(),
            Stage::Open(_) | Stage::Over(_) => Vec::new(),
        }
    }

    /// What the server must append now, before anything else.
    fn follows(&self) -> Option<Follow> {
        match &self.stage {
            Stage::Open(open) => {
                let full = open.places.iter().all(|(_, place)| place.is_some());
                full.then_some(Follow::Close)
            }
            Stage::Closed(closed) => closed.missing().is_empty().then_some(Follow::Start),
            Stage::Playing(playing) => playing.follows(),
            Stage::Over(_) => None,
        }
    }
}

impl Playing {
    /// Whether the rules have ended the game, so that nothing is decided any more.
    fn is_over(&self) -> bool {
        matches!(self.game.outcome(), Outcome::Over(_))
    }

    /// The number of the decision at hand; `None` where nobody has to decide, or the rules have ended the game.
    fn step_at_hand(&self) -> Option<u32> {
        match self.game.outcome() {
            Outcome::Turn(_) | Outcome::Sealed(_) => Some(self.step),
            Outcome::Nobody | Outcome::Over(_) => None,
        }
    }

    fn to_act(&self) -> Vec<Seat> {
        let seats = match self.game.outcome() {
            Outcome::Turn(seat) => vec![seat],
            Outcome::Sealed(seats) => seats,
            Outcome::Nobody | Outcome::Over(_) => Vec::new(),
        };
        let owes = |seat: &Seat| match &self.sealing {
            Sealing::None => true,
            Sealing::Committing(bound) => bound[*seat].is_none(),
            Sealing::Opening { opened, .. } => opened[*seat].is_none(),
        };
        seats.into_iter().filter(owes).collect()
    }

    fn follows(&self) -> Option<Follow> {
        if let Sealing::Opening { bound, .. } = &self.sealing {
            let by_server = |seat: &Seat| bound[*seat].is_some_and(|bound| bound.by == SealedBy::Server);
            if let Some(seat) = self.to_act().into_iter().find(by_server) {
                return Some(Follow::Open(seat));
            }
        }
        let disclosable = self.game.disclosable();
        if disclosable > self.disclosed.map_or(0, |(draw, _)| draw) {
            return Some(Follow::Disclose(disclosable));
        }
        match self.game.outcome() {
            Outcome::Over(result) => Some(Follow::End(result.clone())),
            _ => None,
        }
    }
}
