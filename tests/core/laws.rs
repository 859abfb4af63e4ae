//! The laws that hold in every game: one suite for all of them, over random matches by players of every sort.
//!
//! A trial (`trial`) plays one game from the first seat taken to the last event, always through `Table::decide`, the
//! log's `seal` and `Table::evolve`, and holds every law against it as it goes. What a law has to know of a game's rules
//! stands in `kinds`, in one place for each game. `worlds` is about what a viewer must not learn.
//!
//! `LAWS_GAMES=5000 cargo test --test core laws` plays so many games of each kind, with `LAWS_KIND=generals` of this kind
//! alone; `--nocapture` shows the counts.

pub mod kinds;
mod trial;
#[cfg(test)]
mod worlds;

use std::collections::BTreeMap;

use croupier::games::Kind;

use crate::support::Rng;
use trial::Trial;

/// How many games of each kind are played if nobody says otherwise.
const GAMES: u64 = 40;

/// What was checked, and how often.
#[derive(Default)]
pub struct Counts(BTreeMap<String, u64>);

impl Counts {
    pub fn count(&mut self, what: impl Into<String>, times: u64) {
        *self.0.entry(what.into()).or_default() += times;
    }

    pub fn of(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or_default()
    }

    fn show(&self, title: &str) {
        println!("{title}");
        self.0.iter().for_each(|(what, times)| println!("{times:>10} {what}"));
    }
}

/// Plays one game by a script: its first byte says which, and what follows is every choice that chance would make. The
/// players resign when the script is used up.
pub fn play_by(script: &[u8]) {
    let Some((kind, script)) = script.split_first() else { return };
    let kind = Kind::ALL[usize::from(*kind) % Kind::ALL.len()];
    Trial::new(kind, 0, Rng::scripted(script), &mut Counts::default()).play();
}

#[test]
fn the_laws_hold_in_every_game() {
    let games = std::env::var("LAWS_GAMES").map_or(GAMES, |games| games.parse().expect("a number of games"));
    let only = std::env::var("LAWS_KIND").ok();
    for kind in Kind::ALL.iter().filter(|kind| only.as_deref().is_none_or(|only| only == kind.name())) {
        let mut counts = Counts::default();
        for number in 0..games {
            // Each game has numbers of its own, so that a failing one can be played alone.
            let trial = Trial::new(*kind, number, Rng::new(number), &mut counts);
            trial.play();
        }
        counts.show(&format!("laws of {}, {games} games:", kind.name()));
        for what in ["events", "moves tried", "moves accepted", "views compared", "replays from disclosed seeds"] {
            assert!(counts.of(what) > 0, "no {what}");
        }
        for reason in kind.reasons() {
            let name = serde_json::to_value(reason).unwrap();
            let seen = counts.of(&format!("ends by {}", name.as_str().unwrap()));
            assert!(seen > 0 || kinds::is_rare(*kind, *reason) || games < GAMES, "no game ended by {name}");
        }
    }
}

#[test]
fn a_viewer_sees_the_same_in_every_world_that_it_can_not_tell_apart() {
    for kind in Kind::ALL {
        let mut counts = Counts::default();
        worlds::check(*kind, &mut counts);
        counts.show(&format!("worlds of {}:", kind.name()));
        assert!(counts.of("positions compared") > 100);
        assert!(counts.of("answers compared") > 1000);
    }
}
