//! Spite & Malice, told in sentences.

use serde_json::{Value, json};

use super::{Teller, most_eager, told_scores};
use crate::cards::{Card, Rank};
use crate::demo::words::{Names, card, count, list, rank, written_card};
use crate::draw::Numbers;
use crate::games::spite_and_malice::{
    CardsDrawn, CentrePlay, Discard, Fact as SpiteFact, FirstTurn, Move as SpiteMove, PayoffTurned, PayoffsReshuffled,
    PlayedFrom, RoundOver, RoundReason, SpiteDeal, StackRecycled,
};
use crate::games::{CommonFact, Fact, Kind, Move};
use crate::seat::{BySeat, Seat};

/// Tells a match of Spite & Malice.
#[derive(Default)]
pub struct SpiteAndMalice {
    /// The draw that was made last: the next fact says what for.
    draw: u32,
}

impl Teller for SpiteAndMalice {
    fn title(&self) -> String {
        "a match of Spite & Malice".to_owned()
    }

    /// Plays are told by their facts, which know what a card stands for.
    fn told_move(&mut self, names: &Names, seat: Seat, mv: &Move) -> Vec<String> {
        let Move::SpiteAndMalice(SpiteMove::Discard(Discard { card, side })) = mv else { return Vec::new() };
        vec![format!("{} lays {} on side stack {side}.", names.of(seat), written_card(card))]
    }

    fn told_fact(&mut self, names: &Names, fact: &Fact) -> Vec<String> {
        match fact {
            Fact::Common(CommonFact::Draw(draw)) => {
                self.draw = draw.draw;
                Vec::new()
            }
            Fact::SpiteAndMalice(fact) => self.told(names, fact),
            _ => Vec::new(),
        }
    }

    fn options(&self) -> Value {
        json!({"target": 5, "payoff": 5})
    }

    /// Plays what it can, from the pay-off pile first: without plays a match would have no end.
    fn choose(&self, legal: &[Move], _: &Value, chance: &mut Numbers) -> Option<usize> {
        most_eager(Kind::SpiteAndMalice, legal, chance)
    }
}

impl SpiteAndMalice {
    fn told(&self, names: &Names, fact: &SpiteFact) -> Vec<String> {
        let draw = self.draw;
        let line = match fact {
            SpiteFact::SpiteDeal(SpiteDeal { round, tops }) => {
                return vec![
                    String::new(),
                    format!("Round {round} is shuffled and dealt: draw {draw}. {}", told_tops(names, tops)),
                ];
            }
            SpiteFact::PayoffsReshuffled(PayoffsReshuffled { tops }) => {
                format!("They are equal, so both piles are shuffled: draw {draw}. {}", told_tops(names, tops))
            }
            SpiteFact::FirstTurn(FirstTurn { seat }) => format!("{} has the first turn.", names.of(*seat)),
            SpiteFact::CentrePlay(play) => told_play(names, play),
            SpiteFact::PayoffTurned(PayoffTurned { card: top, left, .. }) => {
                format!("  The pay-off pile has {} left, and shows {}.", count(*left as i64, "card"), card(*top))
            }
            SpiteFact::StackRecycled(StackRecycled { stock, .. }) => {
                format!("  The stack is complete, and is shuffled into the stock of now {stock} cards: draw {draw}.")
            }
            SpiteFact::CardsDrawn(CardsDrawn { seat, count: drawn, .. }) => {
                format!("{} draws {}.", names.of(*seat), count(*drawn as i64, "card"))
            }
            SpiteFact::SpiteRoundOver(over) => return told_round(names, over),
        };
        vec![line]
    }
}

fn told_tops(names: &Names, tops: &BySeat<Card>) -> String {
    let tops = tops.iter().map(|(seat, top)| format!("{} for {}", card(*top), names.of(seat)));
    format!("The pay-off piles show {}.", list(tops))
}

fn told_play(names: &Names, play: &CentrePlay) -> String {
    let CentrePlay { seat, from, side, card: played, centre, stands_for } = play;
    let stands_for = if played.rank() == Rank::King { format!(", as {},", rank(*stands_for)) } else { String::new() };
    let from = match (from, side) {
        (PlayedFrom::Payoff, _) => "the pay-off pile".to_owned(),
        (PlayedFrom::Side, side) => format!("side stack {}", side.unwrap_or_default()),
        (PlayedFrom::Hand, _) => "the hand".to_owned(),
    };
    format!("{} plays {}{stands_for} from {from} to centre stack {centre}.", names.of(*seat), card(*played))
}

fn told_round(names: &Names, over: &RoundOver) -> Vec<String> {
    let RoundOver { round, reason, winner, points, scores, .. } = over;
    let how = match (winner, reason) {
        (Some(winner), _) => {
            let points = count(points[*winner], "point");
            format!("{} has played the last pay-off card and wins round {round}: {points}.", names.of(*winner))
        }
        (None, RoundReason::Cap) => format!("Round {round} has had all the turns that it can have, and is a tie."),
        (None, RoundReason::Stock | RoundReason::Payoff) => {
            format!("The stock can't fill up the hand: round {round} is a tie.")
        }
    };
    vec![how, format!("After round {round}, {}.", told_scores(names, scores.as_slice()))]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(fact: Value) -> String {
        let names = Names::new(vec!["Ana".to_owned(), "Ben".to_owned()]);
        let fact = Fact::read(fact).unwrap();
        SpiteAndMalice { draw: 7 }.told_fact(&names, &fact).join(" ")
    }

    #[test]
    fn what_a_short_match_seldom_shows_reads_well() {
        let play = json!({
            "type": "centre_play", "seat": 1, "from": "side", "side": 3, "card": "KS", "centre": 0, "stands_for": "J",
        });
        assert_eq!(told(play), "Ben plays the king of spades, as a jack, from side stack 3 to centre stack 0.");
        assert_eq!(
            told(json!({"type": "payoffs_reshuffled", "tops": ["9C", "KD"]})),
            "They are equal, so both piles are shuffled: draw 7. The pay-off piles show the nine of clubs for Ana and \
             the king of diamonds for Ben."
        );
        let tie = json!({
            "type": "spite_round_over", "round": 2, "reason": "stock", "winner": null, "payoffs": [3, 4],
            "points": [0, 0], "scores": [4, 0],
        });
        assert_eq!(
            told(tie),
            "The stock can't fill up the hand: round 2 is a tie. After round 2, Ana has 4 and Ben has 0."
        );
    }
}
