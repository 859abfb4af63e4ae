//! Migraine, told in sentences.

use super::Teller;
use crate::demo::words::{Names, card, cards, count, list, written_card};
use crate::games::migraine::{
    Cut, Declaration, Declare, Fact as MigraineFact, HostileDiscard, MigraineDeal, MigraineRound, Move as MigraineMove,
    PensiveDiscard, ScoredRound,
};
use crate::games::{CommonFact, Fact, Move};
use crate::seat::Seat;

/// Tells a match of Migraine.
#[derive(Default)]
pub struct Migraine {
    /// The draw that was made last: the next fact says what for.
    draw: u32,
}

impl Teller for Migraine {
    fn title(&self) -> String {
        "a match of Migraine".to_owned()
    }

    #[allow(irrefutable_let_patterns, reason = "with one game alone, every move is Migraine's")]
    fn told_move(&mut self, names: &Names, seat: Seat, mv: &Move) -> Vec<String> {
        let Move::Migraine(mv) = mv else { return Vec::new() };
        let name = names.of(seat);
        vec![match mv {
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
        }]
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
}

impl Migraine {
    fn told(&self, names: &Names, fact: &MigraineFact) -> Vec<String> {
        match fact {
            MigraineFact::DealerChosen(chosen) => {
                vec![format!("The lot, draw {}, falls on {}, who deals first.", self.draw, names.of(chosen.dealer))]
            }
            MigraineFact::MigraineRound(MigraineRound { round, dealer }) => {
                let shuffle =
                    format!("Round {round}. {} shuffles the sixteen cards: draw {}.", names.of(*dealer), self.draw);
                vec![String::new(), shuffle]
            }
            MigraineFact::MigraineDeal(MigraineDeal { middle, fields }) => {
                let fields = fields.iter().map(|(seat, first)| format!("{} before {}", card(*first), names.of(seat)));
                let fields = list(fields);
                vec![
                    format!("The deal: {} in the middle, the sabre face down beside it, {fields}.", card(*middle)),
                    "Each takes up six cards, and picks one to harm the other.".to_owned(),
                ]
            }
            MigraineFact::HostileDiscards(_) => vec!["Now each picks two for the own field.".to_owned()],
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
    let scores = scored.scores.iter().map(|(seat, score)| format!("{} has {score}", names.of(seat)));
    lines.push(format!("After round {}, {}.", scored.round, list(scores)));
    lines
}
