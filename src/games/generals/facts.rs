//! What Generals makes public.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::combat::Totals;
use crate::cards::Face;
use crate::seat::Seat;

/// What the rules make public, by [`Fact::TYPES`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = GeneralsFact))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Fact {
    /// GE-5.
    GeneralsDealer(GeneralsDealer),
    /// GE-4, GE-6.
    GeneralsDeal(GeneralsDeal),
    /// GE-12a, GE-15.
    GeneralsRound(GeneralsRound),
    /// GE-7.
    GeneralsPass(GeneralsPass),
    /// GE-11, GE-12.
    JokerShown(JokerShown),
    /// GE-11 to GE-13, GE-17.
    Battle(Battle),
    /// GE-14.
    GeneralsOut(GeneralsOut),
    /// GE-15.
    RoundDraws(RoundDraws),
}

impl Fact {
    /// The names of these facts.
    pub const TYPES: &'static [&'static str] = &[
        "generals_dealer",
        "generals_deal",
        "generals_round",
        "generals_pass",
        "joker_shown",
        "battle",
        "generals_out",
        "round_draws",
    ];

    /// See [`crate::games::Fact::drawn`].
    pub fn drawn(&self) -> Value {
        match self {
            Self::GeneralsDealer(GeneralsDealer { dealer }) => json!(dealer),
            Self::JokerShown(JokerShown { attack, answer, .. }) => json!([attack, answer]),
            Self::Battle(Battle { attack, answer, picked, .. }) => {
                let lot = picked.as_ref().filter(|picked| picked.by != PickedBy::Attacker).map(|picked| picked.slot);
                json!([attack, answer, lot, picked.as_ref().map(|picked| picked.card)])
            }
            Self::GeneralsDeal(_)
            | Self::GeneralsRound(_)
            | Self::GeneralsPass(_)
            | Self::GeneralsOut(_)
            | Self::RoundDraws(_) => Value::Null,
        }
    }
}

/// The lot fell on the dealer (GE-5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct GeneralsDealer {
    /// Who deals.
    pub dealer: Seat,
}

/// The cards are dealt (GE-4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct GeneralsDeal {
    /// Who dealt; the seat on the left has the first turn of every round (GE-5).
    pub dealer: Seat,
    /// How many decks were shuffled together.
    pub decks: usize,
    /// How many cards each player has.
    pub hand: usize,
    /// How many cards are left in the deck.
    pub deck: usize,
}

/// A round begins (GE-12a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct GeneralsRound {
    /// Counted from 1.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 1000))]
    pub round: u32,
}

/// A turn was passed: the hand holds nothing but hearts (GE-7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct GeneralsPass {
    /// The round.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 1000))]
    pub round: u32,
    /// Whose turn it was.
    pub seat: Seat,
}

/// The answer lies and the attack turns out to be a joker: the attacker picks a card now (GE-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct JokerShown {
    /// Who attacks.
    pub attacker: Seat,
    /// Who is attacked.
    pub target: Seat,
    /// The attacker's slots that were laid.
    pub attack_slots: Vec<usize>,
    /// The joker.
    #[cfg_attr(feature = "server", schema(example = json!(["X1"])))]
    pub attack: Vec<Face>,
    /// The target's slots that were laid, and to which the answer goes back; ascending.
    pub answer_slots: Vec<usize>,
    /// The answer, card by card as its slots are listed.
    pub answer: Vec<Face>,
}

/// A battle is over (GE-11 to GE-13, GE-17).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Battle {
    /// The round.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 1000))]
    pub round: u32,
    /// Who attacked.
    pub attacker: Seat,
    /// Who was attacked.
    pub target: Seat,
    /// The attacker's slots that were laid, as they were counted then; ascending.
    pub attack_slots: Vec<usize>,
    /// The attack, card by card as its slots are listed; null: it was called off face down.
    #[cfg_attr(feature = "server", schema(required))]
    pub attack: Option<Vec<Face>>,
    /// The target's slots that were laid, as they were counted then; ascending; null: there was no answer.
    #[cfg_attr(feature = "server", schema(required))]
    pub answer_slots: Option<Vec<usize>>,
    /// The answer, card by card as its slots are listed; null: there was none.
    #[cfg_attr(feature = "server", schema(required))]
    pub answer: Option<Vec<Face>>,
    /// How it ended.
    pub outcome: BattleOutcome,
    /// The totals that were compared; null: a joker decided, or nothing did.
    #[cfg_attr(feature = "server", schema(required))]
    pub totals: Option<Totals>,
    /// The card that the joker took; null: none.
    #[cfg_attr(feature = "server", schema(required))]
    pub picked: Option<Picked>,
    /// The cards that went under the deck, in this order; the last is the lowest of the deck (GE-13).
    pub destroyed: Vec<Face>,
}

/// How a battle ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum BattleOutcome {
    /// The attack was higher: the answer is destroyed (GE-11).
    AttackWon,
    /// The attack was lower or equal, and is destroyed (GE-11).
    AnswerWon,
    /// A joker answered: both sides are destroyed (GE-11).
    JokerAnswered,
    /// The attack was a joker, which is destroyed with the picked card (GE-12).
    JokerPicked,
    /// A forfeit of one of the two called it off (GE-17).
    CalledOff,
}

/// The card that a joker took with it (GE-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = PickedCard))]
#[serde(deny_unknown_fields)]
pub struct Picked {
    /// Its slot in the target's hand, as it was counted then.
    pub slot: usize,
    /// The card.
    pub card: Face,
    /// What named the slot.
    pub by: PickedBy,
}

/// What named the slot of a picked card (GE-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PickedBy {
    /// The attacker chose it.
    Attacker,
    /// The attacker asked for one at random.
    Lot,
    /// The attacker missed the deadline: one at random.
    Deadline,
}

/// A seat has no cards left and is out (GE-14).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct GeneralsOut {
    /// Who.
    pub seat: Seat,
}

/// A round is over, and who is in drew a card as long as there was one (GE-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RoundDraws {
    /// The round that is over.
    #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 1000))]
    pub round: u32,
    /// Who drew one card, in turn order.
    pub seats: Vec<Seat>,
    /// How many cards are left in the deck.
    pub deck: usize,
}
