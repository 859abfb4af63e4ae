//! What a viewer of Migraine sees.

use serde::{Deserialize, Serialize};

use crate::cards::Card;
use crate::game::Viewer;
use crate::games::Kind;
use crate::games::piles::{FaceDown, Hand};
use crate::seat::{BySeat, Seat};

use super::{Declaration, Layout, PLAYERS, Phase as Stage, Rules};

/// The table as one viewer sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = MigraineState))]
pub struct View {
    /// The game.
    pub kind: Kind,
    /// The points to reach, with a lead of two (MI-9).
    pub target: u32,
    /// The round, counted from 1.
    pub round: u32,
    /// Who deals.
    pub dealer: Seat,
    /// Who does not deal: cuts, gets cards first, declares first.
    pub pone: Seat,
    /// Where in the round the game stands.
    pub phase: Phase,
    /// The points so far, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<i64>))]
    pub scores: BySeat<i64>,
    /// The deck before the deal.
    pub deck: FaceDown,
    /// The face-up card in the middle, from the deal on.
    #[cfg_attr(feature = "server", schema(required))]
    pub middle: Option<Card>,
    /// The card beside the middle, which nobody sees before the scoring.
    pub sabre: FaceDown,
    /// The fields, by seat, each in the order in which its cards joined.
    #[cfg_attr(feature = "server", schema(value_type = Vec<Vec<Card>>))]
    pub fields: BySeat<Vec<Card>>,
    /// The hands, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<Hand>))]
    pub hands: BySeat<Hand>,
    /// What the pone has declared in this round.
    #[cfg_attr(feature = "server", schema(required))]
    pub pone_declared: Option<Declaration>,
    /// The round scored last, in full.
    #[cfg_attr(feature = "server", schema(required))]
    pub last_round: Option<ScoredRound>,
}

/// Where in a round a game stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = MigrainePhase))]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The pone may cut (MI-3).
    Cut,
    /// Both choose a card for the other's field (MI-5).
    HostileDiscard,
    /// Both choose two cards for the own field (MI-6).
    PensiveDiscard,
    /// The pone declares, then the dealer (MI-7).
    Declare,
    /// The match has ended.
    Over,
}

/// A round that was scored, everything shown (MI-8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = MigraineScored))]
#[serde(deny_unknown_fields)]
pub struct ScoredRound {
    /// The round, counted from 1.
    pub round: u32,
    /// Who dealt.
    pub dealer: Seat,
    /// The card in the middle.
    pub middle: Card,
    /// The sabre.
    pub sabre: Card,
    /// The hands of three, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<Vec<Card>>))]
    pub hands: BySeat<Vec<Card>>,
    /// The fields of four, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<Vec<Card>>))]
    pub fields: BySeat<Vec<Card>>,
    /// What each declared, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<Declaration>))]
    pub declarations: BySeat<Declaration>,
    /// The points of this round, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<i64>))]
    pub points: BySeat<i64>,
    /// The points of the match after this round, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<i64>))]
    pub scores: BySeat<i64>,
}

pub(super) fn view(game: &Rules, viewer: Viewer) -> View {
    let everything = viewer == Viewer::Everything;
    let (table, deck, phase): (Option<&Layout>, &[Card], Phase) = match &game.phase {
        Stage::Cut { deck } => (None, deck, Phase::Cut),
        Stage::Hostile(table) => (Some(table), &[], Phase::HostileDiscard),
        Stage::Pensive(table) => (Some(table), &[], Phase::PensiveDiscard),
        Stage::PoneDeclares(table) | Stage::DealerDeclares(table, _) => (Some(table), &[], Phase::Declare),
        Stage::Over { table, deck, .. } => (table.as_ref(), deck, Phase::Over),
    };
    let hidden = |cards: &[Card]| FaceDown { size: cards.len(), cards: everything.then(|| cards.to_vec()) };
    View {
        kind: Kind::Migraine,
        target: game.options.target(),
        round: game.round,
        dealer: game.dealer,
        pone: game.pone(),
        phase,
        scores: game.scores.clone(),
        deck: hidden(deck),
        middle: table.map(|table| table.middle),
        sabre: hidden(table.map_or(&[], |table| std::slice::from_ref(&table.sabre))),
        fields: table.map_or_else(|| BySeat::from_fn(PLAYERS, |_| Vec::new()), |table| table.fields.clone()),
        hands: BySeat::from_fn(PLAYERS, |seat| {
            let cards = table.map_or(&[][..], |table| &table.hands[seat]);
            Hand { size: cards.len(), cards: viewer.sees(seat).then(|| cards.to_vec()) }
        }),
        pone_declared: match &game.phase {
            Stage::DealerDeclares(_, declared) => Some(*declared),
            Stage::Over { pone_declared, .. } => *pone_declared,
            Stage::Cut { .. } | Stage::Hostile(_) | Stage::Pensive(_) | Stage::PoneDeclares(_) => None,
        },
        last_round: game.last_round.clone(),
    }
}
