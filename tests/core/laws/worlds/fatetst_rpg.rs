//! The World's Fatetst RPG: two worlds have the same stream of numbers, and the tree in another column. Nothing tells
//! them apart before the hero stands on one of the trees.

use croupier::game::{Chance, DrawInputs, Outcome, Viewer};
use croupier::games::{AnyGame, Fact, Kind, Move};
use croupier::seat::{BySeat, Seat};
use croupier::timestamp::Timestamp;
use serde_json::{Value, json};

use super::super::{Counts, kinds};
use super::Seeds;
use crate::support::{Rng, game_id, text};

struct World {
    game: AnyGame,
    inputs: DrawInputs,
    seeds: Seeds,
}

impl World {
    fn new(seeds: [[u8; 32]; 2]) -> Self {
        let options = Kind::FatetstRpg.read_options(json!({})).unwrap();
        let inputs = DrawInputs { game: game_id(1), player_seeds: BySeat::from_fn(1, |_| None) };
        let seeds = Seeds(seeds.to_vec());
        let game = AnyGame::deal(&options, 1, Timestamp::MAX, &mut Chance::new(&inputs, &seeds, 0)).unwrap();
        Self { game, inputs, seeds }
    }

    fn tree(&self) -> Value {
        serde_json::to_value(self.game.view(Viewer::Everything)).unwrap()["tree"].clone()
    }

    fn play(&mut self, mv: &Move) -> Vec<Fact> {
        let mut chance = Chance::new(&self.inputs, &self.seeds, 2);
        self.game.play(Seat::FIRST, mv, Timestamp::MAX, &mut chance).unwrap();
        chance.into_facts()
    }
}

pub fn check(counts: &mut Counts) {
    let mut rng = Rng::new(80);
    for _ in 0..4 {
        let stream = rng.bytes();
        let one = World::new([rng.bytes(), stream]);
        let two = loop {
            let two = World::new([rng.bytes(), stream]);
            if two.tree() != one.tree() {
                break two;
            }
        };
        let mut worlds = [one, two];
        let mut told = [Vec::new(), Vec::new()];
        let mut moves = 0;
        while told[0] == told[1] && !matches!(worlds[0].game.outcome(), Outcome::Over(_)) {
            if moves % 10 == 0 {
                compare(&worlds, counts);
            }
            let mv = kinds::choose(Kind::FatetstRpg, &worlds[0].game.legal(Seat::FIRST), &mut rng);
            told = [0, 1].map(|i| worlds[i].play(&mv));
            moves += 1;
        }
        let found = |facts: &[Fact]| text(&facts.to_vec()).contains("tree_found");
        assert!(found(&told[0]) || found(&told[1]), "something else told the worlds apart: {told:?}");
        counts.count("pairs of worlds", 1);
    }
}

fn compare(worlds: &[World; 2], counts: &mut Counts) {
    for viewer in [Viewer::Public, Viewer::Seat(Seat::FIRST)] {
        let [one, two] = [0, 1].map(|i| text(&worlds[i].game.view(viewer)));
        assert_eq!(one, two);
        assert!(one.contains("\"tree\":null"));
    }
    assert_eq!(worlds[0].game.legal(Seat::FIRST), worlds[1].game.legal(Seat::FIRST));
    for mv in kinds::candidates(Kind::FatetstRpg) {
        let [one, two] = [0, 1].map(|i| worlds[i].game.judge(Seat::FIRST, mv));
        assert_eq!(one, two, "{mv:?}");
        counts.count("answers compared", 1);
    }
    counts.count("positions compared", 1);
}
