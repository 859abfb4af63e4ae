//! How each game is told, and how it is played for a demonstration: a file beside this one and a line in [`of`].

use serde_json::{Value, json};

use super::words::{Names, list};
use crate::draw::Numbers;
use crate::game::{GameResult, Reason};
use crate::games::{Fact, Kind, Move};
use crate::seat::Seat;

mod fatetst_rpg;
mod generals;
mod migraine;
mod random_chess;
mod spite_and_malice;
mod tau_heed_kept;

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
        told_result(names, result)
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

/// The moves that bring a game of this kind forward, the best first, each by its type or whole, as it is written: whoever
/// may make one does. Empty where any moves bring it to its end.
pub const fn eager(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::SpiteAndMalice => &["play_payoff", "play_hand", "play_side"],
        // A run for it, north and then along the last row. It takes its time, and needs no look at what it has.
        Kind::FatetstRpg => &[
            "flee",
            r#"{"type":"walk","direction":"n","tiles":25}"#,
            r#"{"type":"walk","direction":"w","tiles":25}"#,
            r#"{"type":"walk","direction":"e","tiles":25}"#,
        ],
        _ => &[],
    }
}

/// Who tells a game of this kind.
pub fn of(kind: Kind) -> Box<dyn Teller> {
    match kind {
        Kind::Migraine => Box::new(migraine::Migraine::default()),
        Kind::SpiteAndMalice => Box::new(spite_and_malice::SpiteAndMalice::default()),
        Kind::Generals => Box::new(generals::Generals::default()),
        Kind::TauHeedKept => Box::new(tau_heed_kept::TauHeedKept),
        Kind::RandomChess => Box::new(random_chess::RandomChess::default()),
        Kind::FatetstRpg => Box::new(fatetst_rpg::FatetstRpg::default()),
    }
}

fn told_result(names: &Names, result: &GameResult) -> Vec<String> {
    let who = match result.winners.as_slice() {
        [] => "Nobody wins".to_owned(),
        [one] => format!("{} wins", names.of(*one)),
        several => format!("{} win", names.all(several)),
    };
    let why = match result.reason {
        Reason::Target => "the points are reached",
        Reason::LastStanding => "nobody else has a card left",
        Reason::AllOut => "nobody has a card left",
        Reason::Stalemate => "nobody could do anything for a whole round",
        Reason::LastTurn => "the last turn is over",
        Reason::HandsEmpty => "nobody has a card left to lay",
        Reason::AllPassed => "everybody with cards has passed",
        Reason::Forfeit => "of a forfeit",
        Reason::Cap => "the game has gone on as long as it can",
        Reason::WhiteMates => "White gave mate",
        Reason::BlackMates => "Black gave mate",
        Reason::InsufficientMaterial => "nobody has the men to give mate",
        Reason::FiftyMoves | Reason::SeventyFiveMoves => "nothing was taken and no pawn moved for so long",
        Reason::Threefold | Reason::Fivefold => "the position came too often",
        Reason::Extinct => "a side has no man left",
        Reason::FoundTheTree => "the tree is found",
    };
    let scores = match result.scores.as_slice() {
        [] => String::new(),
        scores => format!(": {}", told_scores(names, scores)),
    };
    vec![format!("{who}, because {why}{scores}.")]
}

/// Any of the moves that bring the game forward most.
fn most_eager(kind: Kind, legal: &[Move], chance: &mut Numbers) -> Option<usize> {
    let typed = |mv: &Move| serde_json::to_value(mv).unwrap_or_default()["type"].take();
    let is = |mv: &Move, wish: &str| typed(mv) == wish || serde_json::to_string(mv).is_ok_and(|mv| mv == wish);
    let wished = |wish: &&str| -> Vec<usize> { (0..legal.len()).filter(|place| is(&legal[*place], wish)).collect() };
    let best = eager(kind).iter().map(wished).find(|places| !places.is_empty());
    let places = best.unwrap_or_else(|| (0..legal.len()).collect());
    chance.pick(places.len()).map(|picked| places[picked])
}

/// `Ana has 4 and Ben has 0`.
fn told_scores(names: &Names, scores: &[i64]) -> String {
    list(Seat::all(scores.len()).zip(scores).map(|(seat, score)| format!("{} has {score}", names.of(seat))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_result_reads_well() {
        let names = Names::new(vec!["Ana".to_owned(), "Ben".to_owned()]);
        let told = |winners: &[u8], scores: &[i64], reason| {
            let winners = winners.iter().map(|seat| Seat::try_from(*seat).unwrap()).collect();
            told_result(&names, &GameResult { winners, scores: scores.to_vec(), reason }).join(" ")
        };
        assert_eq!(
            told(&[0, 1], &[7, 7], Reason::AllPassed),
            "Ana and Ben win, because everybody with cards has passed: Ana has 7 and Ben has 7."
        );
        assert_eq!(told(&[1], &[], Reason::LastStanding), "Ben wins, because nobody else has a card left.");
        assert_eq!(told(&[], &[], Reason::Forfeit), "Nobody wins, because of a forfeit.");
    }
}
