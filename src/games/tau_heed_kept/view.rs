//! What a viewer of Tau Heed Kept sees.

use serde::Serialize;

use crate::cards::Card;
use crate::game::Viewer;
use crate::games::Kind;
use crate::games::piles::{FaceDown, Hand};
use crate::seat::{BySeat, Seat};

use super::facts::TauCorner;
use super::{AceLinks, Cell, Growth, Orientation, Phase as Stage, Player, Rules};

/// The table as one viewer sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = TauHeedKeptState))]
pub struct View {
    /// The game.
    pub kind: Kind,
    /// Where a card grows (TH-8).
    pub growth: Growth,
    /// Which links aces have with aces and twos (TH-2).
    pub ace_links: AceLinks,
    /// Where the game stands.
    pub phase: Phase,
    /// Whose turn it is; null when the game is over.
    #[cfg_attr(feature = "server", schema(required))]
    pub turn: Option<Turn>,
    /// The cards that lie face up, by column, then by row (TH-G1).
    pub table: Vec<TableCard>,
    /// The cards that lie face down on corners, by column, then by row (TH-G3).
    pub backs: Vec<TableBack>,
    /// The decks, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<FaceDown>))]
    pub decks: BySeat<FaceDown>,
    /// The hands, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<Hand>))]
    pub hands: BySeat<Hand>,
    /// What seats that forfeited took out of the game, by seat: the hand, and under it the deck (TH-12a).
    #[cfg_attr(feature = "server", schema(value_type = Vec<FaceDown>))]
    pub removed: BySeat<FaceDown>,
    /// The seats that forfeited, ascending.
    pub forfeited: Vec<Seat>,
    /// How many corners each has claimed, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<usize>))]
    pub corners: BySeat<usize>,
    /// The scores as they would be if the game ended now, by seat (TH-11, TH-12).
    #[cfg_attr(feature = "server", schema(value_type = Vec<i64>))]
    pub scores: BySeat<i64>,
    /// The seats, ascending, that have passed in succession since the last placement, counted only since all decks are
    /// empty (TH-12).
    pub passed: Vec<Seat>,
    /// The card that was laid on the table last; it may have left its cell since.
    #[cfg_attr(feature = "server", schema(required))]
    pub last_placement: Option<Placement>,
    /// The corners that were settled last, all by one placement, in the order of settling (TH-9).
    pub last_corners: Vec<TauCorner>,
    /// The last pass; null if a card was laid on the table after it.
    #[cfg_attr(feature = "server", schema(required))]
    pub last_pass: Option<LastPass>,
}

/// Where a game stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = TauPhase))]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Some deck still has cards (TH-7).
    Growing,
    /// The last turn of a solitaire (TH-11).
    LastTurn,
    /// All decks are empty, and who still holds cards goes on (TH-12).
    Vulture,
    /// The game has ended.
    Over,
}

/// A turn: the seat may place one card, or pass (TH-7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = TauCurrentTurn))]
pub struct Turn {
    /// Whose turn.
    pub seat: Seat,
    /// Whether a card was drawn for it; that card is the last of the hand. If not, the deck was empty.
    pub drew: bool,
}

/// A card on a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = TauTableCard))]
pub struct TableCard {
    /// The column.
    pub x: i16,
    /// The row, counted upwards.
    pub y: i16,
    /// How it lies.
    pub orientation: Orientation,
    /// Whose deck it is from.
    pub owner: Seat,
    /// The card.
    pub card: Card,
}

/// A card that lies face down on a corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = TauTableBack))]
pub struct TableBack {
    /// The column of the corner's lower-left cell.
    pub x: i16,
    /// The row of the corner's lower-left cell.
    pub y: i16,
    /// Whose deck it is from, and so who claimed the corner.
    pub owner: Seat,
    /// The card; null as long as it lies face down.
    #[cfg_attr(feature = "server", schema(required))]
    pub card: Option<Card>,
}

/// A card that was laid on the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = TauPlacement))]
pub struct Placement {
    /// Who laid it.
    pub seat: Seat,
    /// The card.
    pub card: Card,
    /// The column.
    pub x: i16,
    /// The row, counted upwards.
    pub y: i16,
    /// How it lies.
    pub orientation: Orientation,
}

impl Placement {
    pub(super) fn new(seat: Seat, card: Card, cell: Cell) -> Self {
        Self { seat, card, x: cell.x(), y: cell.y(), orientation: cell.orientation() }
    }
}

/// A turn that ended without a placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = TauLastPass))]
pub struct LastPass {
    /// Who passed.
    pub seat: Seat,
    /// Whether it was not asked, since it could place nothing and all decks are empty (TH-12).
    pub automatic: bool,
}

pub(super) fn view(game: &Rules, viewer: Viewer) -> View {
    let everything = viewer == Viewer::Everything;
    let phase = match &game.phase {
        Stage::Growing(_) => Phase::Growing,
        Stage::LastTurn(_) => Phase::LastTurn,
        Stage::Vulture { .. } => Phase::Vulture,
        Stage::Over { .. } => Phase::Over,
    };
    let table = game.grid.cards().iter().map(|(cell, owned)| TableCard {
        x: cell.x(),
        y: cell.y(),
        orientation: cell.orientation(),
        owner: owned.owner,
        card: owned.card,
    });
    let backs = game.grid.backs().iter().map(|(corner, owned)| TableBack {
        x: corner.cell().x(),
        y: corner.cell().y(),
        owner: owned.owner,
        card: everything.then_some(owned.card),
    });
    View {
        kind: Kind::TauHeedKept,
        growth: game.options.growth(),
        ace_links: game.options.ace_links(),
        phase,
        turn: game.phase.turn(),
        table: table.collect(),
        backs: backs.collect(),
        decks: game.players.map(|player| deck(player, everything)),
        hands: BySeat::from_fn(game.players.len(), |seat| hand(&game.players[seat], viewer.sees(seat))),
        removed: game.players.map(|player| removed(player, everything)),
        forfeited: game.players.iter().filter(|(_, player)| player.playing().is_none()).map(|(seat, _)| seat).collect(),
        corners: BySeat::from_fn(game.players.len(), |seat| game.grid.claimed(seat)),
        scores: game.scores(),
        passed: game.phase.passed().to_vec(),
        last_placement: game.last_placement,
        last_corners: game.last_corners.clone(),
        last_pass: game.last_pass,
    }
}

fn deck(player: &Player, open: bool) -> FaceDown {
    let deck = player.playing().map_or(&[][..], |cards| &cards.deck);
    FaceDown { size: deck.len(), cards: open.then(|| deck.iter().rev().copied().collect()) }
}

fn hand(player: &Player, open: bool) -> Hand {
    let hand = player.playing().map_or(&[][..], |cards| &cards.hand);
    Hand { size: hand.len(), cards: open.then(|| hand.to_vec()) }
}

fn removed(player: &Player, open: bool) -> FaceDown {
    match player {
        Player::In(_) => FaceDown { size: 0, cards: open.then(Vec::new) },
        Player::Out(cards) => FaceDown {
            size: cards.hand.len() + cards.deck.len(),
            cards: open.then(|| cards.hand.iter().chain(cards.deck.iter().rev()).copied().collect()),
        },
    }
}
