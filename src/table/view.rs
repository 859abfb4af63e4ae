//! What a viewer of a table may know: built from it, never cut out of it.

use serde::Serialize;

use super::{Over, Playing, Sealing, Stage, Table};
use crate::game::{GameResult, Viewer};
use crate::games::{Kind, Move, State};
use crate::ids::GameId;
use crate::seat::Seat;
use crate::timestamp::Timestamp;

/// Where a game is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, serde::Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Players sit down.
    Open,
    /// Seeds are opened.
    Closed,
    /// The game is on.
    Playing,
    /// It ended.
    Ended,
    /// It is void.
    Voided,
}

/// What a game waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, serde::Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Awaits {
    /// Players to sit down, or the host to start.
    Seats,
    /// Seeds.
    Seed,
    /// A move in the open.
    Move,
    /// Commitments to moves, or moves for the server to seal.
    Commitment,
    /// Openings of what was committed to.
    Opening,
}

/// A game as one viewer sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = View))]
pub struct View {
    /// The game.
    pub game: GameId,
    /// The kind of game.
    pub kind: Kind,
    /// The newest event that this view knows.
    pub seq: u64,
    /// Where the game is on its way.
    pub status: Status,
    /// The seats that still owe what is awaited, ascending.
    pub to_act: Vec<Seat>,
    /// What the game waits for; null where nobody has to do anything: when it is over, or where it goes on by moves that are
    /// no decisions, which `legal` then lists.
    #[cfg_attr(feature = "server", schema(required))]
    pub awaits: Option<Awaits>,
    /// The number of the decision at hand; null where there is none.
    #[cfg_attr(feature = "server", schema(required, minimum = 1))]
    pub step: Option<u32>,
    /// Until when what is awaited must come; null where it is never late.
    #[cfg_attr(feature = "server", schema(required))]
    pub due_at: Option<Timestamp>,
    /// The viewer's seat; null for one without.
    #[cfg_attr(feature = "server", schema(required))]
    pub seat: Option<Seat>,
    /// Every move that the viewer may make now, sets in canonical order; also moves that are no decision. Empty for a seat
    /// that owes an opening: only its client knows what it committed to.
    pub legal: Vec<Move>,
    /// The game's own state; null before it started.
    #[cfg_attr(feature = "server", schema(required))]
    pub state: Option<State>,
    /// How it ended; null before.
    #[cfg_attr(feature = "server", schema(required))]
    pub result: Option<GameResult>,
}

impl Table {
    /// Where the game is on its way.
    pub fn status(&self) -> Status {
        match &self.stage {
            Stage::Open(_) => Status::Open,
            Stage::Closed(_) => Status::Closed,
            Stage::Playing(_) => Status::Playing,
            Stage::Over(over) => match over {
                Over::Ended { .. } => Status::Ended,
                Over::Void(_) => Status::Voided,
            },
        }
    }

    /// The number of the decision at hand.
    pub fn step(&self) -> Option<u32> {
        match &self.stage {
            Stage::Playing(playing) => playing.step_at_hand(),
            _ => None,
        }
    }

    /// What the game waits for; `None` where nobody has to do anything, as when it is over.
    pub fn awaits(&self) -> Option<Awaits> {
        match &self.stage {
            Stage::Open(_) => Some(Awaits::Seats),
            Stage::Closed(_) => Some(Awaits::Seed),
            Stage::Playing(playing) => playing.step_at_hand().map(|_| match playing.sealing {
                Sealing::None => Awaits::Move,
                Sealing::Committing(_) => Awaits::Commitment,
                Sealing::Opening { .. } => Awaits::Opening,
            }),
            Stage::Over(_) => None,
        }
    }

    /// The moves that a seat may make now.
    pub fn legal(&self, seat: Seat) -> Vec<Move> {
        match &self.stage {
            Stage::Playing(playing) => playing.legal(seat),
            _ => Vec::new(),
        }
    }

    /// The game as who sits there sees it, or somebody without a seat.
    pub fn view(&self, seat: Option<Seat>) -> View {
        self.view_as(seat, seat.map_or(Viewer::Public, Viewer::Seat))
    }

    /// The game with every card open: for games that have ended, as they were at any event (RU-11).
    pub fn open_view(&self, seat: Option<Seat>) -> View {
        self.view_as(seat, Viewer::Everything)
    }

    fn view_as(&self, seat: Option<Seat>, viewer: Viewer) -> View {
        View {
            game: self.game,
            kind: self.created.kind,
            seq: self.seq,
            status: self.status(),
            to_act: self.to_act(),
            awaits: self.awaits(),
            step: self.step(),
            due_at: self.due_at(),
            seat,
            legal: seat.map(|seat| self.legal(seat)).unwrap_or_default(),
            state: self.state(viewer),
            result: self.result().cloned(),
        }
    }

    fn state(&self, viewer: Viewer) -> Option<State> {
        let playing = match &self.stage {
            Stage::Playing(playing) => playing.as_ref(),
            Stage::Over(over) => match over {
                Over::Ended { playing, .. } => playing,
                Over::Void(_) => return None,
            },
            Stage::Open(_) | Stage::Closed(_) => return None,
        };
        let viewer = match viewer {
            // A seat that is out sees what the public sees (RU-11).
            Viewer::Seat(seat) if !playing.game.is_in(seat) => Viewer::Public,
            viewer => viewer,
        };
        Some(playing.game.view(viewer))
    }
}

impl Playing {
    fn legal(&self, seat: Seat) -> Vec<Move> {
        let owes = self.to_act().contains(&seat);
        let opening = matches!(self.sealing, Sealing::Opening { .. });
        let mut legal = self.game.legal(seat);
        legal.retain(|mv| !mv.is_decision() || (owes && !opening));
        legal
    }
}
