//! Generals, told in sentences.

use super::Teller;
use crate::cards::Face;
use crate::demo::words::{Names, card, count, list};
use crate::games::generals::{
    Attack, Battle, BattleOutcome, Fact as GeneralsFact, GeneralsDeal, GeneralsDealer, GeneralsOut, GeneralsPass,
    GeneralsRound, JokerShown, Move as GeneralsMove, Pick, PickedBy, RoundDraws,
};
use crate::games::{CommonFact, Fact, Move};
use crate::seat::Seat;

/// Tells a game of Generals.
#[derive(Default)]
pub struct Generals {
    /// The draw that was made last: the next fact says what for.
    draw: u32,
    /// Whether the attack at hand was turned up already: a joker, for which a card is picked.
    shown: bool,
}

impl Teller for Generals {
    fn title(&self) -> String {
        "a game of Generals".to_owned()
    }

    /// Answers are told by the battle's facts, which know the cards.
    fn told_move(&mut self, names: &Names, seat: Seat, mv: &Move) -> Vec<String> {
        let Move::Generals(mv) = mv else { return Vec::new() };
        let name = names.of(seat);
        vec![match mv {
            GeneralsMove::Attack(Attack { target, slots }) => {
                let target = usize::try_from(*target).ok().and_then(|target| Seat::new(target).ok());
                let target = target.map_or("nobody", |target| names.of(target));
                format!("{name} attacks {target} with {}, face down.", count(slots.count() as i64, "card"))
            }
            GeneralsMove::Defend(_) => return Vec::new(),
            GeneralsMove::Pick(Pick { slot: Some(slot) }) => format!("{name} picks the card in slot {slot}."),
            GeneralsMove::Pick(Pick { slot: None }) => format!("{name} leaves it to chance which card to pick."),
            GeneralsMove::ShuffleHand(_) => format!("{name} shuffles the own hand."),
        }]
    }

    fn told_fact(&mut self, names: &Names, fact: &Fact) -> Vec<String> {
        match fact {
            Fact::Common(CommonFact::Draw(draw)) => {
                self.draw = draw.draw;
                Vec::new()
            }
            Fact::Generals(fact) => self.told(names, fact),
            _ => Vec::new(),
        }
    }
}

impl Generals {
    fn told(&mut self, names: &Names, fact: &GeneralsFact) -> Vec<String> {
        let draw = self.draw;
        let line = match fact {
            GeneralsFact::GeneralsDealer(GeneralsDealer { dealer }) => {
                format!("The lot, draw {draw}, falls on {}, who deals.", names.of(*dealer))
            }
            GeneralsFact::GeneralsDeal(GeneralsDeal { dealer, decks, hand, deck }) => format!(
                "{} shuffles {}, draw {draw}, and deals {} to each; {} left.",
                names.of(*dealer),
                count(*decks as i64, "deck"),
                count(*hand as i64, "card"),
                are(*deck),
            ),
            GeneralsFact::GeneralsRound(GeneralsRound { round }) => {
                return vec![String::new(), format!("Round {round}, with draw {draw} for whatever chance it takes.")];
            }
            GeneralsFact::GeneralsPass(GeneralsPass { seat, .. }) => {
                format!("{} has nothing but hearts, and passes.", names.of(*seat))
            }
            GeneralsFact::JokerShown(JokerShown { target, answer, .. }) => {
                self.shown = true;
                format!("{} answers with {}. The attack is a joker!", names.of(*target), faces(answer))
            }
            GeneralsFact::Battle(battle) => return self.told_battle(names, battle),
            GeneralsFact::GeneralsOut(GeneralsOut { seat }) => {
                format!("{} has no card left, and is out.", names.of(*seat))
            }
            GeneralsFact::RoundDraws(RoundDraws { seats, .. }) if seats.is_empty() => {
                "The deck is empty: nobody draws.".to_owned()
            }
            GeneralsFact::RoundDraws(RoundDraws { seats, deck, .. }) => {
                let draw = if seats.len() == 1 { "draws a card" } else { "draw a card each" };
                format!("{} {draw}; {} left in the deck.", names.all(seats), are(*deck))
            }
        };
        vec![line]
    }

    fn told_battle(&mut self, names: &Names, battle: &Battle) -> Vec<String> {
        let mut lines = Vec::new();
        let shown = std::mem::take(&mut self.shown);
        if let (Some(attack), Some(answer), false) = (&battle.attack, &battle.answer, shown) {
            let target = names.of(battle.target);
            lines.push(format!("{target} answers with {}. The attack is {}.", faces(answer), faces(attack)));
        }
        if let Some(picked) = &battle.picked {
            let who = match picked.by {
                PickedBy::Attacker => "The joker takes",
                PickedBy::Lot => "By lot the joker takes",
                PickedBy::Deadline => "Nobody picked in time, so by lot the joker takes",
            };
            lines.push(format!("{who} {} with it.", face(picked.card)));
        }
        let totals = battle
            .totals
            .as_ref()
            .map_or(String::new(), |totals| format!("{} against {}: ", totals.attack, totals.answer));
        let destroyed = faces(&battle.destroyed);
        let under = if battle.destroyed.len() == 1 { "goes under the deck" } else { "go under the deck" };
        lines.push(match battle.outcome {
            BattleOutcome::AttackWon => format!("{totals}{} wins, and {destroyed} {under}.", names.of(battle.attacker)),
            BattleOutcome::AnswerWon => format!("{totals}{} wins, and {destroyed} {under}.", names.of(battle.target)),
            BattleOutcome::JokerAnswered => format!("A joker answered: {destroyed} {under}."),
            BattleOutcome::JokerPicked => format!("{} {under}.", upper(&destroyed)),
            BattleOutcome::CalledOff => "The battle is called off.".to_owned(),
        });
        lines
    }
}

/// `1 card is`, `2 cards are`.
fn are(cards: usize) -> String {
    format!("{} {}", count(cards as i64, "card"), if cards == 1 { "is" } else { "are" })
}

fn face(face: Face) -> String {
    match face {
        Face::Plain(plain) => card(plain),
        Face::Joker(_) => "a joker".to_owned(),
    }
}

fn faces(all: &[Face]) -> String {
    list(all.iter().map(|one| face(*one)))
}

/// As the beginning of a sentence.
fn upper(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_short_game_seldom_shows_reads_well() {
        let names = Names::new(vec!["Ana".to_owned(), "Ben".to_owned()]);
        let mut teller = Generals::default();
        let mut told = |fact| teller.told_fact(&names, &Fact::read(fact).unwrap()).join(" ");
        let shown = json!({
            "type": "joker_shown", "attacker": 0, "target": 1, "attack_slots": [2], "attack": ["X1"],
            "answer_slots": [0], "answer": ["AH"],
        });
        assert_eq!(told(shown), "Ben answers with the ace of hearts. The attack is a joker!");
        let picked = json!({
            "type": "battle", "round": 3, "attacker": 0, "target": 1, "attack_slots": [2], "attack": ["X1"],
            "answer_slots": [0], "answer": ["AH"], "outcome": "joker_picked", "totals": null,
            "picked": {"slot": 1, "card": "3C", "by": "deadline"}, "destroyed": ["X1", "3C"],
        });
        assert_eq!(
            told(picked),
            "Nobody picked in time, so by lot the joker takes the three of clubs with it. \
             A joker and the three of clubs go under the deck."
        );
        let answered = json!({
            "type": "battle", "round": 3, "attacker": 0, "target": 1, "attack_slots": [0, 1], "attack": ["2S", "3S"],
            "answer_slots": [0], "answer": ["X2"], "outcome": "joker_answered", "totals": null, "picked": null,
            "destroyed": ["2S", "3S", "X2"],
        });
        assert_eq!(
            told(answered),
            "Ben answers with a joker. The attack is the two of spades and the three of spades. \
             A joker answered: the two of spades, the three of spades and a joker go under the deck."
        );
        let off = json!({
            "type": "battle", "round": 3, "attacker": 0, "target": 1, "attack_slots": [0], "attack": null,
            "answer_slots": null, "answer": null, "outcome": "called_off", "totals": null, "picked": null, "destroyed": [],
        });
        assert_eq!(told(off), "The battle is called off.");
        assert_eq!(
            told(json!({"type": "round_draws", "round": 3, "seats": [1], "deck": 1})),
            "Ben draws a card; 1 card is left in the deck."
        );
        assert_eq!(
            told(json!({"type": "round_draws", "round": 3, "seats": [], "deck": 0})),
            "The deck is empty: nobody draws."
        );
    }
}
