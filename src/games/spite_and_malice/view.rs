//! What a viewer of Spite & Malice sees.

use serde::Serialize;

use super::layout::{SIDES, next_rank};
use super::{CentrePlay, Options, Phase as Stage, RoundOver, Rules, StackRecycled, Turn};
use crate::cards::{Card, Rank};
use crate::game::Viewer;
use crate::games::Kind;
use crate::games::piles::{FaceDown, Hand};
use crate::seat::{BySeat, Seat};

/// The table as one viewer sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = SpiteAndMaliceState))]
pub struct View {
    /// The game.
    pub kind: Kind,
    /// What the match is played by.
    pub options: Options,
    /// The round, counted from 1.
    pub round: u32,
    /// Where the match stands.
    pub phase: Phase,
    /// The number of the turn in its round, both seats' turns counted together from 1; the last turn when the match is
    /// over. Null only if it ended before the round's first turn.
    #[cfg_attr(feature = "server", schema(required))]
    pub turn: Option<u32>,
    /// Whose turn it is; null when the match is over.
    #[cfg_attr(feature = "server", schema(required))]
    pub to_move: Option<Seat>,
    /// Who had the first turn of this round.
    #[cfg_attr(feature = "server", schema(required))]
    pub first_turn: Option<Seat>,
    /// The pairs of top cards of the pay-off piles that were compared for it, in order; each by seat (SM-4).
    #[cfg_attr(feature = "server", schema(value_type = Vec<Vec<Card>>))]
    pub compared: Vec<BySeat<Card>>,
    /// The points so far, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<i64>))]
    pub scores: BySeat<i64>,
    /// The pay-off piles, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<PayoffPile>))]
    pub payoffs: BySeat<PayoffPile>,
    /// The hands, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<Hand>))]
    pub hands: BySeat<Hand>,
    /// The four side stacks of each seat, by seat, each from the bottom up.
    #[cfg_attr(feature = "server", schema(value_type = Vec<Vec<Vec<Card>>>))]
    pub sides: BySeat<[Vec<Card>; SIDES]>,
    /// The three centre stacks.
    pub centres: Vec<CentreStack>,
    /// The stock.
    pub stock: FaceDown,
    /// The newest play to the centre; it may be of an earlier round.
    #[cfg_attr(feature = "server", schema(required))]
    pub last_play: Option<CentrePlay>,
    /// The centre stack that was completed last; it may have been in an earlier round.
    #[cfg_attr(feature = "server", schema(required))]
    pub last_recycled: Option<StackRecycled>,
    /// The round that ended last.
    #[cfg_attr(feature = "server", schema(required))]
    pub last_round: Option<RoundOver>,
}

/// Where a match stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = SpiteAndMalicePhase))]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// A player plays cards to the centre and ends the turn with a discard (SM-6).
    Turn,
    /// The match has ended.
    Over,
}

/// A pay-off pile: only its top card lies face up (SM-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct PayoffPile {
    /// How many cards it has, with the top one.
    pub size: usize,
    /// The top card; null if the pile is empty.
    #[cfg_attr(feature = "server", schema(required))]
    pub top: Option<Card>,
    /// All its cards, from the top down, for who may see them: nobody while the game is on.
    #[cfg_attr(feature = "server", schema(required))]
    pub cards: Option<Vec<Card>>,
}

/// A centre stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct CentreStack {
    /// How many cards it has (SM-7).
    pub height: usize,
    /// The rank that it goes on with; a king fits too. Null only if the match ended before a completed stack could go
    /// into the stock.
    #[cfg_attr(feature = "server", schema(required))]
    pub needs: Option<Rank>,
    /// Its cards, from the bottom up.
    pub cards: Vec<CentreCard>,
}

/// A card of a centre stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct CentreCard {
    /// The card.
    pub card: Card,
    /// The rank that it stands for; for all but kings its own (SM-8).
    pub stands_for: Rank,
}

pub(super) fn view(game: &Rules, viewer: Viewer) -> View {
    let everything = viewer == Viewer::Everything;
    // Piles have their top card at the end; a face-down pile is shown from the top down.
    let face_down = |pile: &[Card]| everything.then(|| pile.iter().rev().copied().collect());
    let (phase, to_move) = match &game.phase {
        Stage::Turn(turn) => (Phase::Turn, Some(turn.seat)),
        Stage::Over { .. } => (Phase::Over, None),
    };
    let turn = game.phase.turn();
    let table = &game.table;
    View {
        kind: Kind::SpiteAndMalice,
        options: game.options.clone(),
        round: game.round,
        phase,
        turn: turn.map(|turn| turn.number),
        to_move,
        first_turn: turn.map(Turn::first),
        compared: game.compared.clone(),
        scores: game.scores.clone(),
        payoffs: table.payoffs.map(|pile| PayoffPile {
            size: pile.len(),
            top: pile.last().copied(),
            cards: face_down(pile),
        }),
        hands: table.hands.iter().map(|(seat, hand)| hand_of(hand, viewer.sees(seat))).collect(),
        sides: table.sides.clone(),
        centres: table.centres.iter().map(|stack| centre_stack(stack)).collect(),
        stock: FaceDown { size: table.stock.len(), cards: face_down(&table.stock) },
        last_play: game.last_play,
        last_recycled: game.last_recycled,
        last_round: game.last_round.clone(),
    }
}

fn hand_of(hand: &[Card], open: bool) -> Hand {
    Hand { size: hand.len(), cards: open.then(|| hand.to_vec()) }
}

fn centre_stack(stack: &[Card]) -> CentreStack {
    let cards = (0..).zip(stack);
    CentreStack {
        height: stack.len(),
        needs: next_rank(stack.len()),
        cards: cards
            .filter_map(|(height, card)| Some(CentreCard { card: *card, stands_for: next_rank(height)? }))
            .collect(),
    }
}
