//! Worlds of Generals: deals to three players that show one viewer the same hand, and differ in all else. The draw that
//! serves the shuffles of the round is another one too, so the viewer's own hand is left as it is. Whatever the others do
//! face down is the same to the viewer: their shuffles, their attacks, a forfeit that puts a hand under the deck.

use std::collections::BTreeMap;

use croupier::draw::{Numbers, draw_seed};
use croupier::games::{Kind, Move};
use croupier::hex32::PlayerSeed;
use croupier::seed_chain::{SeedChain, ServerSeeds};
use serde_json::json;

use super::{Counts, Pair, hand, seed};
use crate::support::{House, Player, Rng, Setup, bytes, game_id, seat};

const PLAYERS: usize = 3;
/// Seeds to try for each viewer: of about 7.6 million hands of four, some thirty meet.
const SEEDS: u32 = 20_000;

fn setup() -> Setup {
    let options = json!({"dealer": 0});
    Setup { kind: Kind::Generals, options, places: 3, root: bytes("worlds of war"), ..Setup::migraine() }
}

/// The player whose seed makes the worlds.
fn hidden(viewer: usize) -> usize {
    (viewer + 1) % PLAYERS
}

fn world(viewer: usize, number: u32) -> (House, Vec<Player>) {
    let mut players: Vec<Player> = (0..PLAYERS).map(Player::new).collect();
    players[hidden(viewer)] = players[hidden(viewer)].clone().with_this_seed(seed(number));
    (House::playing(&setup(), &players), players)
}

/// Pairs of seeds that give the viewer the same hand (GE-5: seat 1 is dealt the first card).
fn pairs(viewer: usize) -> Vec<(u32, u32)> {
    let server_seed = SeedChain::new(&setup().root).seed(1).unwrap();
    let first = (viewer + PLAYERS - 1) % PLAYERS;
    let mut known: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
    let mut pairs = Vec::new();
    for number in 0..SEEDS {
        let mut seeds = [None; PLAYERS];
        seeds[hidden(viewer)] = Some(PlayerSeed::new(seed(number)));
        let mut deck: [u8; 54] = std::array::from_fn(|i| i as u8);
        Numbers::new(draw_seed(game_id(1), 1, &server_seed, &seeds)).shuffle(&mut deck);
        let own = deck[first..].iter().step_by(PLAYERS).take(4).copied().collect();
        if let Some(earlier) = known.insert(own, number) {
            pairs.push((earlier, number));
        }
    }
    pairs
}

pub fn check(counts: &mut Counts) {
    let mut rng = Rng::new(79);
    for viewer in 0..PLAYERS {
        let pairs = pairs(viewer);
        assert!(pairs.len() > 5, "only {} pairs", pairs.len());
        for (first, second) in pairs {
            let worlds = Pair {
                kind: Kind::Generals,
                viewer: seat(viewer),
                turn: rng.below(3),
                worlds: [world(viewer, first), world(viewer, second)],
            };
            worlds.play_face_down(&mut rng, counts);
            counts.count("pairs of worlds", 1);
        }
    }
}

impl Pair {
    fn play_face_down(mut self, rng: &mut Rng, counts: &mut Counts) {
        let viewer = self.viewer.index();
        let others: Vec<usize> = (0..PLAYERS).filter(|number| *number != viewer).collect();
        let [one, two] = [0, 1].map(|i| hand(&self.worlds[i].0, seat(hidden(viewer))));
        assert_ne!(one, two, "these worlds are the same");
        self.compare(counts);
        for number in &others {
            if rng.once_in(2) {
                self.both(*number, &crate::support::mv(json!({"type": "shuffle_hand"})));
                self.compare(counts);
            }
        }
        // Seat 1 attacks: with slots that it may lay in both worlds, or with its own hand if it is the viewer.
        let attacks: Vec<Move> = self.common(seat(1)).into_iter().filter(Move::is_decision).collect();
        let Some(target) = attacks.iter().map(|mv| json!(mv)["target"].clone()).next() else { return };
        if attacks.is_empty() || target.is_null() {
            return;
        }
        self.both(1, rng.pick(&attacks));
        self.compare(counts);
        // Somebody else gives up: the battle goes on or is off, and a hand goes under the deck.
        let number = *rng.pick(&others);
        self.resigns(number);
        // Whose turn it is then may show that a hand is all hearts; where the worlds part there, nothing more is compared.
        let [one, two] = [0, 1].map(|i| self.worlds[i].0.table.to_act());
        if one == two {
            self.compare(counts);
        }
    }
}
