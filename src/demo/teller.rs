//! How each game is told, and how it is played for a demonstration. A game gets a teller of its own by a file beside
//! this one and its line in [`of`]; until then a plain one names what happened.

use serde_json::{Value, json};

use super::words::{Names, list, title};
use crate::draw::Numbers;
use crate::game::GameResult;
use crate::games::{Fact, Kind, Move};
use crate::seat::Seat;

mod migraine;

/// Tells one kind of game.
pub trait Teller {
    /// What is played, after "a table for": `a match of Migraine`.
    fn title(&self) -> String;

    /// A move, in the open or turned over, as lines.
    fn told_move(&mut self, names: &Names, seat: Seat, mv: &Move) -> Vec<String>;

    /// What the rules made public by an event, as lines; none where a move has told it already.
    fn told_fact(&mut self, names: &Names, fact: &Fact) -> Vec<String>;

    /// How the game ended, as lines.
    fn told_result(&mut self, names: &Names, result: &GameResult) -> Vec<String> {
        plain_result(names, result)
    }

    /// What to choose for a game that has an end in good time, as JSON; the defaults, unless they make a long one.
    fn options(&self) -> Value {
        json!({})
    }

    /// Which of the legal moves to make; any, unless the game would have no end or no interest then. `state` is what
    /// the seat sees.
    fn choose(&self, legal: &[Move], _state: &Value, chance: &mut Numbers) -> Option<usize> {
        chance.pick(legal.len())
    }
}

/// The moves that bring a game of this kind forward, the best first: whoever may make one does. Empty where any moves
/// bring it to its end.
pub const fn eager(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::SpiteAndMalice => &["play_payoff", "play_hand", "play_side"],
        _ => &[],
    }
}

/// Who tells a game of this kind.
pub fn of(kind: Kind) -> Box<dyn Teller> {
    match kind {
        Kind::Migraine => Box::new(migraine::Migraine::default()),
        Kind::SpiteAndMalice => Box::new(Plain { kind, options: json!({"target": 5, "payoff": 5}) }),
        #[allow(unreachable_patterns, reason = "for games without a teller of their own")]
        kind => Box::new(Plain { kind, options: json!({}) }),
    }
}

fn plain_result(names: &Names, result: &GameResult) -> Vec<String> {
    let who = match result.winners.as_slice() {
        [] => "Nobody wins".to_owned(),
        [one] => format!("{} wins", names.of(*one)),
        several => format!("{} win", names.all(several)),
    };
    let scores = Seat::all(result.scores.len()).zip(&result.scores);
    let scores = list(scores.map(|(seat, score)| format!("{} has {score}", names.of(seat))));
    let scores = if result.scores.is_empty() { String::new() } else { format!(": {scores}") };
    let reason = serde_json::to_value(result.reason).unwrap_or_default();
    vec![format!("{who}{scores} ({}).", title(reason.as_str().unwrap_or_default()).to_lowercase())]
}

/// Tells any game by naming things.
struct Plain {
    kind: Kind,
    options: Value,
}

impl Teller for Plain {
    fn title(&self) -> String {
        title(self.kind.name())
    }

    fn options(&self) -> Value {
        self.options.clone()
    }

    fn choose(&self, legal: &[Move], _: &Value, chance: &mut Numbers) -> Option<usize> {
        let types: Vec<Value> = legal.iter().map(|mv| serde_json::to_value(mv).unwrap_or_default()).collect();
        let of_type =
            |name: &str| -> Vec<usize> { (0..legal.len()).filter(|place| types[*place]["type"] == name).collect() };
        let best = eager(self.kind).iter().map(|name| of_type(name)).find(|places| !places.is_empty());
        let places = best.unwrap_or_else(|| (0..legal.len()).collect());
        chance.pick(places.len()).map(|picked| places[picked])
    }

    fn told_move(&mut self, names: &Names, seat: Seat, mv: &Move) -> Vec<String> {
        vec![format!("{}: {}.", names.of(seat), told(&serde_json::to_value(mv).unwrap_or_default()))]
    }

    fn told_fact(&mut self, _: &Names, fact: &Fact) -> Vec<String> {
        vec![format!("  {}.", told(&serde_json::to_value(fact).unwrap_or_default()))]
    }
}

/// An object that is told apart by `type`: its name, and its fields with their values.
fn told(value: &Value) -> String {
    let Value::Object(fields) = value else { return value.to_string() };
    let name = fields.get("type").and_then(Value::as_str).map(title).unwrap_or_default();
    let fields = fields.iter().filter(|(field, _)| *field != "type").map(|(field, value)| {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Null => "none".to_owned(),
            other => other.to_string().replace(['"', '{', '}'], "").replace(',', ", ").replace(':', ": "),
        };
        format!("{} {value}", field.replace('_', " "))
    });
    let fields: Vec<String> = fields.collect();
    if fields.is_empty() { name } else { format!("{name}, {}", fields.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anything_can_be_told_plainly() {
        assert_eq!(told(&json!({"type": "play_hand", "card": "7S", "centre": 2})), "Play hand, card 7S, centre 2");
        assert_eq!(told(&json!({"type": "pass"})), "Pass");
        assert_eq!(told(&json!({"type": "pick", "slot": null})), "Pick, slot none");
        assert_eq!(told(&json!({"type": "show", "hands": [["7S"], null]})), "Show, hands [[7S], null]");
    }
}
