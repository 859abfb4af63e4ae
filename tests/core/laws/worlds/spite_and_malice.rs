//! Worlds of Spite & Malice: deals that show one viewer the same two pay-off tops and the same hand, and differ in all
//! else. They can be told apart as soon as the viewer draws a card or a pay-off card is turned up; until then, which is
//! the first turn of each seat and what the hidden player draws after it, everything is compared.

use croupier::draw::{Numbers, draw_seed};
use croupier::games::{Kind, Move};
use croupier::hex32::PlayerSeed;
use croupier::seed_chain::{SeedChain, ServerSeeds};
use serde_json::{Value, json};

use super::{Counts, Pair, hand, seed};
use crate::support::{House, Player, Rng, Setup, bytes, game_id, seat};

/// Pairs of seeds of the hidden player, which show the viewer the same: for seat 0 as viewer, and seat 1.
const WORLDS: [(usize, &[(u32, u32)]); 2] = [
    (
        0,
        &[
            (41497, 4031584),
            (3555222, 4598814),
            (2102792, 2593246),
            (745891, 827030),
            (2753864, 4049852),
            (3498063, 3806090),
            (4207457, 4514606),
            (2837096, 3585830),
            (1930183, 5193039),
            (385820, 4041676),
            (1204741, 5709362),
            (458486, 2079413),
            (3324899, 4602084),
            (3454177, 3908019),
            (2967844, 4900922),
            (1203462, 1720853),
            (529891, 1143028),
            (61983, 2218117),
            (1002912, 3704525),
        ],
    ),
    (
        1,
        &[
            (1480463, 4728758),
            (3290129, 5594027),
            (658212, 4204663),
            (1325476, 4132779),
            (3751426, 4172994),
            (5126150, 5746045),
            (3275883, 4738496),
            (2505547, 2891218),
            (1305356, 3270421),
            (372978, 4520381),
            (5039054, 5166500),
        ],
    ),
];

/// The places of the shuffled deck whose cards a viewer sees after the deal (SM-3).
fn visible(viewer: usize) -> [usize; 7] {
    let hand = 40 + 5 * viewer;
    [0, 20, hand, hand + 1, hand + 2, hand + 3, hand + 4]
}

fn setup() -> Setup {
    Setup { kind: Kind::SpiteAndMalice, options: json!({}), root: bytes("worlds of kings"), ..Setup::migraine() }
}

fn world(viewer: usize, number: u32) -> (House, Vec<Player>) {
    let mut players = vec![Player::new(0), Player::new(1)];
    players[1 - viewer] = players[1 - viewer].clone().with_this_seed(seed(number));
    (House::playing(&setup(), &players), players)
}

pub fn check(counts: &mut Counts) {
    let mut rng = Rng::new(78);
    for (viewer, pairs) in WORLDS {
        for (first, second) in pairs {
            for line in 0..3 {
                let worlds = Pair {
                    kind: Kind::SpiteAndMalice,
                    viewer: seat(viewer),
                    turn: line,
                    worlds: [world(viewer, *first), world(viewer, *second)],
                };
                worlds.play_turns(&mut rng, counts);
            }
            counts.count("pairs of worlds", 1);
        }
    }
}

impl Pair {
    fn play_turns(mut self, rng: &mut Rng, counts: &mut Counts) {
        let hidden = seat(1 - self.viewer.index());
        let [one, two] = [0, 1].map(|i| hand(&self.worlds[i].0, hidden));
        assert_ne!(one, two, "these worlds are the same");
        let mut viewer_discarded = false;
        loop {
            self.compare(counts);
            let to_move = self.worlds[0].0.table.to_act()[0];
            // What turns up a card that the viewer has not seen is left out, also emptying the own hand.
            let last_card = hand_size(&self.worlds[0].0, to_move.index()) == 1;
            let mut moves = self.common(to_move);
            moves.retain(|mv| {
                let name = json!(mv)["type"].clone();
                name != "play_payoff" && !(last_card && to_move == self.viewer && name == "play_hand")
            });
            let discards = |mv: &Move| json!(mv)["type"] == "discard";
            let plays: Vec<Move> = moves.iter().filter(|mv| !discards(mv)).cloned().collect();
            moves.retain(discards);
            let chosen = if plays.is_empty() || rng.once_in(4) { moves } else { plays };
            if chosen.is_empty() {
                // The hidden hands have no card in common.
                return;
            }
            let mv = rng.pick(&chosen).clone();
            let ends_turn = discards(&mv);
            if ends_turn && to_move == hidden && viewer_discarded {
                // Now the viewer draws.
                return;
            }
            viewer_discarded |= ends_turn && to_move == self.viewer;
            self.both(to_move.index(), &mv);
        }
    }
}

fn hand_size(house: &House, number: usize) -> usize {
    let state: Value = json!(house.table.view(None).state);
    usize::try_from(state["hands"][number]["size"].as_u64().unwrap()).unwrap()
}

/// Prints the pairs above: about one among a million seeds. `cargo test --release --test core search -- --ignored
/// --nocapture`, with the feature set of your choice.
#[test]
#[ignore = "made the list above; takes minutes without optimisation"]
fn search() {
    let chain = SeedChain::new(&setup().root);
    let server_seed = chain.seed(1).unwrap();
    for viewer in [0, 1] {
        let mut seen: Vec<([u8; 7], u32)> = Vec::new();
        for number in 0..6_000_000 {
            let mut seeds = [None, None];
            seeds[1 - viewer] = Some(PlayerSeed::new(seed(number)));
            let mut deck: [u8; 104] = std::array::from_fn(|i| i as u8 % 52);
            Numbers::new(draw_seed(game_id(1), 1, &server_seed, &seeds)).shuffle(&mut deck);
            seen.push((visible(viewer).map(|i| deck[i]), number));
        }
        seen.sort();
        // Where the tops are equal in rank, another draw decides what the viewer sees.
        let same = |pair: &&[([u8; 7], u32)]| pair[0].0 == pair[1].0 && pair[0].0[0] % 13 != pair[0].0[1] % 13;
        let pairs: Vec<(u32, u32)> = seen.windows(2).filter(same).map(|pair| (pair[0].1, pair[1].1)).collect();
        println!("({viewer}, &{pairs:?}),");
    }
}
