//! Tau Heed Kept: two worlds have the viewer's own deck in common and the first card, and every other deck is another.
//!
//! Each deck has a draw of its own, so that such worlds are found at once: the other draws get other seeds. Only the
//! first card is looked for, where it is not the viewer's.

use croupier::game::{Chance, DrawInputs, Outcome, Viewer};
use croupier::games::{AnyGame, Fact, Kind, Move};
use croupier::seat::{BySeat, Seat};
use croupier::timestamp::Timestamp;
use serde_json::json;

use super::super::{Counts, kinds};
use super::Seeds;
use crate::support::{Rng, game_id, seat, text};

struct World {
    game: AnyGame,
    inputs: DrawInputs,
    seeds: Seeds,
}

impl World {
    fn new(seeds: Vec<[u8; 32]>, options: &serde_json::Value) -> Self {
        let options = Kind::TauHeedKept.read_options(options.clone()).unwrap();
        let seats = seeds.len();
        let inputs = DrawInputs { game: game_id(1), player_seeds: BySeat::from_fn(seats, |_| None) };
        let seeds = Seeds(seeds);
        let mut chance = Chance::new(&inputs, &seeds, 0);
        let game = AnyGame::deal(&options, seats, Timestamp::MAX, &mut chance).unwrap();
        Self { game, inputs, seeds }
    }

    fn first_card(&self) -> serde_json::Value {
        serde_json::to_value(self.game.view(Viewer::Public)).unwrap()["table"][0].clone()
    }

    fn hidden(&self) -> serde_json::Value {
        let open = serde_json::to_value(self.game.view(Viewer::Everything)).unwrap();
        json!([open["decks"], open["hands"]])
    }

    fn play(&mut self, seat: Seat, mv: &Move) -> Vec<Fact> {
        let mut chance = Chance::new(&self.inputs, &self.seeds, self.seeds.0.len() as u32);
        self.game.play(seat, mv, Timestamp::MAX, &mut chance).unwrap();
        chance.into_facts()
    }
}

pub fn check(counts: &mut Counts) {
    let mut rng = Rng::new(78);
    for number in 0..24 {
        let seats = 2 + number % 4;
        let viewer = seat(rng.below(seats));
        let growth = *rng.pick(&["sides", "any"]);
        let options = json!({"growth": growth});
        let seeds: Vec<_> = (0..seats).map(|_| rng.bytes()).collect();
        let one = World::new(seeds.clone(), &options);
        let two = loop {
            let other = (0..seats).map(|number| if seat(number) == viewer { seeds[number] } else { rng.bytes() });
            let two = World::new(other.collect(), &options);
            if two.first_card() == one.first_card() {
                break two;
            }
        };
        assert_ne!(one.hidden(), two.hidden(), "these worlds are the same");
        play([one, two], viewer, &mut rng, counts);
        counts.count("pairs of worlds", 1);
    }
}

/// Plays both worlds alike, as long as that goes: to where all decks are empty, and a seat that can do nothing passes
/// by itself.
fn play(mut worlds: [World; 2], viewer: Seat, rng: &mut Rng, counts: &mut Counts) {
    for _ in 0..150 {
        compare(&worlds, viewer, rng, counts);
        let Outcome::Turn(turn) = worlds[0].game.outcome() else { return };
        let [one, two] = [0, 1].map(|i| worlds[i].game.legal(turn));
        let common: Vec<Move> = one.into_iter().filter(|mv| two.contains(mv)).collect();
        let mv = rng.pick(&common).clone();
        let facts = [0, 1].map(|i| worlds[i].play(turn, &mv));
        assert_eq!(facts[0], facts[1], "what the log tells");
        if serde_json::to_value(worlds[0].game.view(Viewer::Public)).unwrap()["phase"] != "growing" {
            return;
        }
    }
}

/// The views, the legal moves, and the answers to all that the viewer could try.
fn compare(worlds: &[World; 2], viewer: Seat, rng: &mut Rng, counts: &mut Counts) {
    for who in [Viewer::Seat(viewer), Viewer::Public] {
        let views = [0, 1].map(|i| text(&worlds[i].game.view(who)));
        assert_eq!(views[0], views[1]);
    }
    let legal = [0, 1].map(|i| worlds[i].game.legal(viewer));
    assert_eq!(legal[0], legal[1]);
    let state = worlds[0].game.view(Viewer::Public);
    let here = kinds::candidates_here(Some(&state), &legal[0], rng);
    for mv in kinds::candidates(Kind::TauHeedKept).iter().chain(&here) {
        let answers = [0, 1].map(|i| worlds[i].game.judge(viewer, mv));
        assert_eq!(answers[0], answers[1], "{mv:?}");
        counts.count("answers compared", 1);
    }
    counts.count("positions compared", 1);
}
