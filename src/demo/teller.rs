//! How each game is told, and how it is played for a demonstration. A game gets a teller of its own by a file beside
//! this one and its line in [`of`]; until then the [`Plain`] one names what happened.

use serde_json::Value;

use super::words::{Names, title};
use crate::draw::Numbers;
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

    /// Which of the legal moves to make; any, unless the game would have no end or no interest then. `state` is what
    /// the seat sees.
    fn choose(&self, legal: &[Move], _state: &Value, chance: &mut Numbers) -> Option<usize> {
        chance.pick(legal.len())
    }
}

/// Who tells a game of this kind.
pub fn of(kind: Kind) -> Box<dyn Teller> {
    match kind {
        Kind::Migraine => Box::new(migraine::Migraine::default()),
        #[allow(unreachable_patterns, reason = "a game without a teller of its own")]
        kind => Box::new(Plain(kind)),
    }
}

/// Tells any game by naming things.
pub struct Plain(Kind);

impl Teller for Plain {
    fn title(&self) -> String {
        title(self.0.name())
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
    use serde_json::json;

    use super::*;

    #[test]
    fn anything_can_be_told_plainly() {
        assert_eq!(told(&json!({"type": "play_hand", "card": "7S", "centre": 2})), "Play hand, card 7S, centre 2");
        assert_eq!(told(&json!({"type": "pass"})), "Pass");
        assert_eq!(told(&json!({"type": "pick", "slot": null, "of": ["7S", 1]})), "Pick, slot none, of [7S, 1]");
    }
}
