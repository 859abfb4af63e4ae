//! Migraine, told in sentences.

use serde_json::Value;

use super::{Teller, told_result, told_scores};
use crate::cards::{Card, Rank};
use crate::demo::words::{Names, card, cards, count, list, written_card};
use crate::draw::Numbers;
use crate::game::{GameResult, Reason};
use crate::games::migraine::{
    Cut, Declaration, Declare, Fact as MigraineFact, HostileDiscard, MigraineDeal, MigraineRound, Move as MigraineMove,
    PensiveDiscard, ScoredRound, points,
};
use crate::games::{CommonFact, Fact, Move};
use crate::seat::Seat;

/// Tells a match of Migraine.
#[derive(Default)]
pub struct Migraine {
    /// The draw that was made last: the next fact says what for.
    draw: u32,
    /// A round that has begun, to be told before its cut: its shuffle stands in the event that ends the round before.
    begun: Vec<String>,
}

impl Teller for Migraine {
    fn title(&self) -> String {
        "a match of Migraine".to_owned()
    }

    fn told_move(&mut self, names: &Names, seat: Seat, mv: &Move) -> Vec<String> {
        let Move::Migraine(mv) = mv else { return Vec::new() };
        let name = names.of(seat);
        let mut lines = std::mem::take(&mut self.begun);
        lines.push(match mv {
            MigraineMove::Cut(Cut { depth: 0 }) => format!("{name} does not cut."),
            MigraineMove::Cut(Cut { depth }) => format!("{name} cuts, {} deep.", count(*depth, "card")),
            MigraineMove::HostileDiscard(HostileDiscard { card }) => {
                format!(
                    "{name} turns over {}: it goes into the field of {}.",
                    written_card(card),
                    names.of(seat.left(2))
                )
            }
            MigraineMove::PensiveDiscard(PensiveDiscard { cards }) => {
                let cards = list(cards.iter().map(|card| written_card(card)));
                format!("{name} lays down {cards}.")
            }
            MigraineMove::Declare(Declare { declaration }) => format!("{name} declares {declaration}."),
        });
        lines
    }

    fn told_fact(&mut self, names: &Names, fact: &Fact) -> Vec<String> {
        match fact {
            Fact::Common(CommonFact::Draw(draw)) => {
                self.draw = draw.draw;
                Vec::new()
            }
            Fact::Migraine(fact) => self.told(names, fact),
            _ => Vec::new(),
        }
    }

    fn told_result(&mut self, names: &Names, result: &GameResult) -> Vec<String> {
        match (result.winners.as_slice(), result.scores.as_slice(), result.reason) {
            ([winner], [first, second], Reason::Target) => {
                vec![format!("{} wins the match, {} to {}.", names.of(*winner), first.max(second), first.min(second))]
            }
            _ => told_result(names, result),
        }
    }

    /// Declares what pays best on average, so that a match does not take all day, and plays any card.
    fn choose(&self, legal: &[Move], state: &Value, chance: &mut Numbers) -> Option<usize> {
        let declares = |mv: &Move| match mv {
            Move::Migraine(MigraineMove::Declare(Declare { declaration })) => {
                Declaration::ALL.into_iter().find(|known| known.name() == declaration)
            }
            _ => None,
        };
        let declarations: Option<Vec<Declaration>> = legal.iter().map(declares).collect();
        match (declarations, Known::read(state)) {
            (Some(declarations), Some(known)) => {
                (0..declarations.len()).max_by_key(|choice| known.prospect(declarations[*choice]))
            }
            _ => chance.pick(legal.len()),
        }
    }
}

/// What a player sees who declares.
struct Known {
    hand: Vec<Card>,
    field: Vec<Card>,
    /// The cards of which the sabre may be any.
    unseen: Vec<Card>,
}

impl Known {
    /// Out of a view's state: the hand is the one that is shown.
    fn read(state: &Value) -> Option<Self> {
        let read = |value: &Value| serde_json::from_value::<Vec<Card>>(value.clone()).ok();
        let hands = state["hands"].as_array()?;
        let (seat, hand) = hands.iter().enumerate().find_map(|(seat, hand)| Some((seat, read(&hand["cards"])?)))?;
        let mut seen = state["fields"].as_array()?.iter().map(read).collect::<Option<Vec<_>>>()?;
        let field = seen.get(seat)?.clone();
        seen.push(hand.clone());
        let middle = serde_json::from_value(state["middle"].clone()).ok()?;
        let all = Card::deck(&[Rank::Ace, Rank::Jack, Rank::Queen, Rank::King]);
        let unseen = all.filter(|card| *card != middle && !seen.iter().flatten().any(|other| other == card)).collect();
        Some(Self { hand, field, unseen })
    }

    /// The points over all sabres that there may be.
    fn prospect(&self, declaration: Declaration) -> i64 {
        self.unseen.iter().map(|sabre| points(declaration, &self.hand, &self.field, *sabre)).sum()
    }
}

impl Migraine {
    fn told(&mut self, names: &Names, fact: &MigraineFact) -> Vec<String> {
        match fact {
            MigraineFact::DealerChosen(chosen) => {
                vec![format!("The lot, draw {}, falls on {}, who deals first.", self.draw, names.of(chosen.dealer))]
            }
            MigraineFact::MigraineRound(MigraineRound { round, dealer }) => {
                let shuffle = format!("{} shuffles the sixteen cards: draw {}.", names.of(*dealer), self.draw);
                self.begun = vec![String::new(), format!("Round {round}. {shuffle}")];
                Vec::new()
            }
            MigraineFact::MigraineDeal(MigraineDeal { middle, fields }) => {
                let fields = fields.iter().map(|(seat, first)| format!("{} before {}", card(*first), names.of(seat)));
                let fields = list(fields);
                vec![
                    format!("The deal: {} in the middle, the sabre face down beside it, {fields}.", card(*middle)),
                    "Each takes up six cards, and picks one for the field of the other.".to_owned(),
                ]
            }
            MigraineFact::HostileDiscards(_) => vec!["Each picks two for the own field.".to_owned()],
            // The openings told the cards.
            MigraineFact::PensiveDiscards(_) => Vec::new(),
            MigraineFact::MigraineScored(scored) => told_score(names, scored),
        }
    }
}

fn told_score(names: &Names, scored: &ScoredRound) -> Vec<String> {
    let mut lines = vec![format!("The sabre is turned up: it is {}.", card(scored.sabre))];
    for (seat, declaration) in scored.declarations.iter() {
        let (where_, shown) = match declaration {
            Declaration::Rank | Declaration::Suit => ("in the hand", &scored.hands[seat]),
            Declaration::Chuck => ("in the field", &scored.fields[seat]),
        };
        let (name, shown, points) = (names.of(seat), cards(shown), count(scored.points[seat], "point"));
        lines.push(format!("{name} said {}, and has {shown} {where_}: {points}.", declaration.name()));
    }
    lines.push(format!("After round {}, {}.", scored.round, told_scores(names, scored.scores.as_slice())));
    lines
}
