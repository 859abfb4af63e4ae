//! What [`super::Watch::deciders`] rests on.

use super::house::game_id;
use crate::game::{Chance, DrawInputs, Outcome};
use crate::games::{AnyGame, Kind};
use crate::seat::{BySeat, Seat};
use crate::seed_chain::SeedChain;
use crate::timestamp::Timestamp;

#[test]
fn games_that_seal_moves_have_all_who_are_in_decide_at_once() {
    for kind in Kind::ALL {
        let (least, most) = kind.seats();
        let Ok(options) = kind.read_options(serde_json::json!({})) else { continue };
        for (run, seats) in [least, most].into_iter().enumerate() {
            let seats = usize::from(seats);
            if options.fits(seats).is_err() {
                continue;
            }
            let chain = SeedChain::new(&[run as u8; 32]);
            let inputs = DrawInputs { game: game_id(1), player_seeds: BySeat::from_fn(seats, |_| None) };
            let mut chance = Chance::new(&inputs, &chain, 0);
            let mut game = AnyGame::deal(&options, seats, Timestamp::MAX, &mut chance).unwrap();
            let mut drawn = chance.drawn();
            for turn in 0..300 {
                let pick = |game: &AnyGame, seat: Seat| {
                    let legal: Vec<_> = game.legal(seat).into_iter().filter(|mv| mv.is_decision()).collect();
                    legal[turn * 7 % legal.len()].clone()
                };
                let mut chance = Chance::new(&inputs, &chain, drawn);
                match game.outcome() {
                    // Where nobody decides nothing is sealed.
                    Outcome::Over(_) | Outcome::Nobody => break,
                    Outcome::Turn(seat) => {
                        let mv = pick(&game, seat);
                        game.play(seat, &mv, Timestamp::MAX, &mut chance).unwrap();
                    }
                    Outcome::Sealed(deciding) => {
                        let all: Vec<Seat> = Seat::all(seats).filter(|seat| game.is_in(*seat)).collect();
                        assert_eq!(deciding, all, "{}", kind.name());
                        let moves: Vec<_> = all.into_iter().map(|seat| (seat, pick(&game, seat))).collect();
                        game.play_sealed(&moves, Timestamp::MAX, &mut chance).unwrap();
                    }
                }
                drawn = chance.drawn();
            }
        }
    }
}
