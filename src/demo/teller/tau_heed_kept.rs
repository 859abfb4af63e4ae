//! Tau Heed Kept, told in sentences.

use super::Teller;
use crate::demo::words::{Names, card, count, list, written_card};
use crate::game::{Draw, Purpose};
use crate::games::tau_heed_kept::{
    Fact as TauFact, Move as TauMove, Pass, Place, TauAutomaticPass, TauCorner, TauFirstCard, TauScored, TauTurn,
};
use crate::games::{CommonFact, Fact, Move};
use crate::seat::Seat;

/// Tells a game of Tau Heed Kept.
pub struct TauHeedKept;

impl Teller for TauHeedKept {
    fn title(&self) -> String {
        "a game of Tau Heed Kept".to_owned()
    }

    fn told_move(&mut self, names: &Names, seat: Seat, mv: &Move) -> Vec<String> {
        let name = names.of(seat);
        match mv {
            Move::TauHeedKept(TauMove::Place(Place { card, x, y, .. })) => {
                let text = serde_json::to_value(card).unwrap_or_default();
                let card = written_card(text.as_str().unwrap_or_default());
                vec![format!("{name} lays {card} at column {x}, row {y}.")]
            }
            Move::TauHeedKept(TauMove::Pass(Pass {})) => vec![format!("{name} passes.")],
            _ => Vec::new(),
        }
    }

    fn told_fact(&mut self, names: &Names, fact: &Fact) -> Vec<String> {
        let fact = match fact {
            Fact::Common(CommonFact::Draw(Draw { draw, purpose: Purpose::Deck })) => {
                // Draw 1 is for the deck of seat 0, and so on.
                let owner = usize::try_from(draw.saturating_sub(1)).ok().and_then(|seat| Seat::new(seat).ok());
                let owner = owner.map_or("somebody", |seat| names.of(seat));
                return vec![format!("The deck of {owner} is shuffled: draw {draw}.")];
            }
            Fact::TauHeedKept(fact) => fact,
            _ => return Vec::new(),
        };
        vec![match fact {
            TauFact::TauFirstCard(TauFirstCard { seat, card: first }) => {
                format!("{} draws {}, and lays it at column 0, row 0: the table.", names.of(*seat), card(*first))
            }
            TauFact::TauTurn(TauTurn { seat, drew: true, deck }) => {
                format!("{} draws a card, of {} in the deck.", names.of(*seat), deck + 1)
            }
            TauFact::TauTurn(TauTurn { seat, drew: false, .. }) => {
                format!("{} has no deck any more, and goes on with the hand.", names.of(*seat))
            }
            TauFact::TauCorner(corner) => told_corner(names, corner),
            TauFact::TauAutomaticPass(TauAutomaticPass { seat }) => {
                format!("{} can lay nothing, and passes.", names.of(*seat))
            }
            TauFact::TauScored(scored) => told_score(names, scored),
        }]
    }
}

fn told_corner(names: &Names, corner: &TauCorner) -> String {
    let TauCorner { x, y, cards, winner } = corner;
    let around = list(cards.iter().map(|around| card(around.card)));
    let claim = match winner {
        Some(winner) => {
            format!("{} wins, is turned over and claims it for {}", card(winner.card), names.of(winner.owner))
        }
        None => "all are tied, and nobody claims it".to_owned(),
    };
    format!("  Round the corner between columns {x} and {}, rows {y} and {} lie {around}: {claim}.", x + 1, y + 1)
}

fn told_score(names: &Names, scored: &TauScored) -> String {
    let each = scored.corners.iter().map(|(seat, corners)| {
        let (corners, hand) = (count(*corners as i64, "corner"), count(scored.hands[seat] as i64, "card"));
        format!("{} has claimed {corners}, with {hand} left in hand", names.of(seat))
    });
    format!("{}.", list(each))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_short_game_seldom_shows_reads_well() {
        let names = Names::new(vec!["Ana".to_owned(), "Ben".to_owned()]);
        let told = |fact| TauHeedKept.told_fact(&names, &Fact::read(fact).unwrap()).join(" ");
        let around = |x: i16, y: i16, card: &str| json!({"x": x, "y": y, "owner": 1, "card": card, "place": 1});
        let cards = [around(-1, 0, "JC"), around(0, 0, "QC"), around(0, 1, "TS"), around(-1, 1, "TD")];
        assert_eq!(
            told(json!({"type": "tau_corner", "x": -1, "y": 0, "cards": cards, "winner": null})),
            "  Round the corner between columns -1 and 0, rows 0 and 1 lie the jack of clubs, the queen of clubs, the \
             ten of spades and the ten of diamonds: all are tied, and nobody claims it."
        );
        assert_eq!(
            told(json!({"type": "tau_turn", "seat": 1, "drew": false, "deck": 0})),
            "Ben has no deck any more, and goes on with the hand."
        );
        assert_eq!(told(json!({"type": "tau_automatic_pass", "seat": 0})), "Ana can lay nothing, and passes.");
    }
}
