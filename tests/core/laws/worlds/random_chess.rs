//! Random Chess hides nothing that was, and everything that comes: two worlds have the draws so far in common, and every
//! later one is another.

use croupier::game::{Chance, DrawInputs, Outcome, Viewer};
use croupier::games::{AnyGame, Fact, Kind, Move};
use croupier::seat::{BySeat, Seat};
use croupier::timestamp::Timestamp;
use serde_json::json;

use super::super::{Counts, kinds};
use super::Seeds;
use crate::support::{Rng, game_id, mv, seat, text};

const SEATS: usize = 3;

struct World {
    game: AnyGame,
    inputs: DrawInputs,
    seeds: Seeds,
    drawn: u32,
}

impl World {
    fn new(seeds: &[[u8; 32]], play: &str) -> Self {
        let options = Kind::RandomChess.read_options(json!({"variant": "chess960", "play": play})).unwrap();
        let inputs = DrawInputs { game: game_id(1), player_seeds: BySeat::from_fn(SEATS, |_| None) };
        let seeds = Seeds(seeds.to_vec());
        let mut chance = Chance::new(&inputs, &seeds, 0);
        let game = AnyGame::deal(&options, SEATS, Timestamp::MAX, &mut chance).unwrap();
        let drawn = chance.drawn();
        Self { game, inputs, seeds, drawn }
    }

    fn play(&mut self, seat: Seat, mv: &Move) -> Vec<Fact> {
        let mut chance = Chance::new(&self.inputs, &self.seeds, self.drawn);
        self.game.play(seat, mv, Timestamp::MAX, &mut chance).unwrap();
        self.drawn = chance.drawn();
        chance.into_facts()
    }
}

pub fn check(counts: &mut Counts) {
    let mut rng = Rng::new(79);
    for number in 0..24 {
        let play = ["none", "white", "black"][number % 3];
        let common = 2 + rng.below(30);
        let seeds: Vec<_> = (0..common + 40).map(|_| rng.bytes()).collect();
        let other: Vec<_> = (0..common + 40).map(|at| if at < common { seeds[at] } else { rng.bytes() }).collect();
        let mut worlds = [World::new(&seeds, play), World::new(&other, play)];
        let mut facts = [Vec::new(), Vec::new()];
        while facts[0] == facts[1] {
            compare(&worlds, &mut rng, counts);
            if let Outcome::Over(_) = worlds[0].game.outcome() {
                break;
            }
            let (who, mv) = match worlds[0].game.outcome() {
                Outcome::Turn(seat) => (seat, rng.pick(&worlds[0].game.legal(seat)).clone()),
                _ => (seat(rng.below(SEATS)), mv(json!({"type": "advance", "plies": 1}))),
            };
            let before = worlds[0].drawn as usize;
            facts = [0, 1].map(|i| worlds[i].play(who, &mv));
            assert!(facts[0] == facts[1] || before + 1 >= common, "another move, though the draw was the same");
        }
        counts.count("pairs of worlds", 1);
    }
}

/// The views, the legal moves, and the answers to all that somebody could try.
fn compare(worlds: &[World; 2], rng: &mut Rng, counts: &mut Counts) {
    let public = text(&worlds[0].game.view(Viewer::Public));
    let viewers = [Viewer::Public, Viewer::Seat(seat(0)), Viewer::Seat(seat(2)), Viewer::Everything];
    for view in worlds.iter().flat_map(|world| viewers.map(|viewer| world.game.view(viewer))) {
        assert_eq!(text(&view), public, "everybody sees the same");
    }
    let own = seat(rng.below(SEATS));
    let [one, two] = [0, 1].map(|i| worlds[i].game.legal(own));
    assert_eq!(one, two);
    let state = worlds[0].game.view(Viewer::Public);
    for mv in kinds::candidates(Kind::RandomChess).iter().chain(&kinds::candidates_here(Some(&state), &one, rng)) {
        assert_eq!(worlds[0].game.judge(own, mv), worlds[1].game.judge(own, mv), "{mv:?}");
        counts.count("answers compared", 1);
    }
    counts.count("positions compared", 1);
}
