//! What a viewer of Generals sees.

use serde::Serialize;

use crate::cards::Face;
use crate::game::Viewer;
use crate::games::Kind;
use crate::seat::{BySeat, Seat};

use super::{Battle, General, GeneralsPass, Options, Phase as Stage, RoundDraws, Rules};

/// The table as one viewer sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = GeneralsState))]
pub struct View {
    /// The game.
    pub kind: Kind,
    /// The options that the game was created with.
    pub options: Options,
    /// How many decks are played with (GE-4).
    pub decks: usize,
    /// Who dealt; the seat on the left has the first turn of every round (GE-5).
    pub dealer: Seat,
    /// The round, counted from 1.
    pub round: u32,
    /// What the game waits for.
    pub phase: Phase,
    /// Whose turn of the round it is; null when the game is over.
    #[cfg_attr(feature = "server", schema(required))]
    pub turn: Option<Seat>,
    /// The seats whose turn comes later in this round, in order.
    pub to_come: Vec<Seat>,
    /// The attack that lies on the table.
    #[cfg_attr(feature = "server", schema(required))]
    pub attack: Option<Laid>,
    /// The hands, by seat; what lies on the table is in its owner's hand still.
    #[cfg_attr(feature = "server", schema(value_type = Vec<Row>))]
    pub hands: BySeat<Row>,
    /// Who is still in, by seat.
    #[cfg_attr(feature = "server", schema(value_type = Vec<Standing>))]
    pub standings: BySeat<Standing>,
    /// Who has not used the right to shuffle the own hand since the last battle, by seat; it rests while an attack
    /// lies on the table (GE-12a).
    #[cfg_attr(feature = "server", schema(value_type = Vec<bool>))]
    pub may_shuffle: BySeat<bool>,
    /// The deck.
    pub deck: Deck,
    /// The battle that ended last, in full.
    #[cfg_attr(feature = "server", schema(required))]
    pub last_battle: Option<Battle>,
    /// The turns that were passed last, one after the other (GE-7).
    pub last_passes: Vec<GeneralsPass>,
    /// Who drew a card at the end of the last round (GE-15).
    #[cfg_attr(feature = "server", schema(required))]
    pub last_draws: Option<RoundDraws>,
}

/// What a game of Generals waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = GeneralsPhase))]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The seat whose turn it is attacks (GE-7).
    Attack,
    /// The target answers (GE-10).
    Defend,
    /// The attacker picks a card of the target's hand (GE-12).
    Pick,
    /// The game has ended.
    Over,
}

/// An attack that lies on the table, and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = LaidAttack))]
pub struct Laid {
    /// Who attacks.
    pub attacker: Seat,
    /// Who is attacked.
    pub target: Seat,
    /// The attacker's slots that were laid, ascending.
    pub attack_slots: Vec<usize>,
    /// The attack, card by card as its slots are listed; null for who may not see it: it lies face down until the
    /// answer lies (GE-9).
    #[cfg_attr(feature = "server", schema(required))]
    pub attack: Option<Vec<Face>>,
    /// The target's slots that were laid, ascending; null before the answer.
    #[cfg_attr(feature = "server", schema(required))]
    pub answer_slots: Option<Vec<usize>>,
    /// The answer, card by card as its slots are listed; null before the answer.
    #[cfg_attr(feature = "server", schema(required))]
    pub answer: Option<Vec<Face>>,
}

/// A hand: a row of slots, counted from 0 (GE-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = GeneralsHand))]
pub struct Row {
    /// How many cards it has.
    pub size: usize,
    /// Its cards, by slot; null for who may not see them.
    #[cfg_attr(feature = "server", schema(required))]
    pub cards: Option<Vec<Face>>,
}

/// Whether a seat is still in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It plays.
    In,
    /// It has no cards left (GE-14).
    Out,
    /// It forfeited (RU-9).
    Forfeited,
}

/// The deck, face down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = GeneralsDeck))]
pub struct Deck {
    /// How many cards it has.
    pub size: usize,
    /// Its cards, from the top down, for who may see them: nobody while the game is on.
    #[cfg_attr(feature = "server", schema(required))]
    pub cards: Option<Vec<Face>>,
}

pub(super) fn view(game: &Rules, viewer: Viewer) -> View {
    let turn = game.turn();
    View {
        kind: Kind::Generals,
        options: game.options.clone(),
        decks: game.decks(),
        dealer: game.dealer,
        round: game.round,
        phase: match &game.phase {
            Stage::Attack(_) => Phase::Attack,
            Stage::Defend(_) => Phase::Defend,
            Stage::Pick(..) => Phase::Pick,
            Stage::Over(_) => Phase::Over,
        },
        turn,
        to_come: turn.map(|turn| game.turns_after(Some(turn)).collect()).unwrap_or_default(),
        attack: laid(game, viewer),
        hands: game.generals.iter().map(|(seat, general)| row(general.row(), viewer.sees(seat))).collect(),
        standings: game.generals.map(|general| match general {
            General::In { .. } => Standing::In,
            General::Out => Standing::Out,
            General::Forfeited => Standing::Forfeited,
        }),
        may_shuffle: game.generals.map(|general| matches!(general, General::In { may_shuffle: true, .. })),
        deck: Deck { size: game.deck.len(), cards: (viewer == Viewer::Everything).then(|| game.deck.clone()) },
        last_battle: game.last_battle.clone(),
        last_passes: game.last_passes.clone(),
        last_draws: game.last_draws.clone(),
    }
}

fn row(cards: &[Face], seen: bool) -> Row {
    Row { size: cards.len(), cards: seen.then(|| cards.to_vec()) }
}

fn laid(game: &Rules, viewer: Viewer) -> Option<Laid> {
    let (attack, answer) = match &game.phase {
        Stage::Defend(attack) => (attack, None),
        Stage::Pick(attack, answer) => (attack, Some(*answer)),
        Stage::Attack(_) | Stage::Over(_) => return None,
    };
    let shown = answer.is_some() || viewer.sees(attack.attacker);
    Some(Laid {
        attacker: attack.attacker,
        target: attack.target,
        attack_slots: attack.slots.iter().collect(),
        attack: shown.then(|| game.faces(attack.attacker, attack.slots)),
        answer_slots: answer.map(|slots| slots.iter().collect()),
        answer: answer.map(|slots| game.faces(attack.target, slots)),
    })
}
