//! RC-4, 6: what no game comes to.

use super::course::MAX_PLIES;
use super::*;
use crate::draw::draw_seed;
use crate::game::{DrawInputs, act};
use crate::hex32::ServerSeed;
use crate::ids::GameId;
use crate::seed_chain::ServerSeeds;

struct Seeds;

impl ServerSeeds for Seeds {
    fn seed(&self, draw: u32) -> Option<ServerSeed> {
        let game: GameId = "01980000-0000-7000-8000-000000000001".parse().ok()?;
        Some(ServerSeed::new(draw_seed(game, draw, &ServerSeed::new([7; 32]), &[])))
    }
}

fn advances(game: &mut Rules, plies: u8, drawn: u32) -> (u32, Vec<crate::games::Fact>) {
    let game_id = "01980000-0000-7000-8000-000000000001".parse().unwrap();
    let inputs = DrawInputs { game: game_id, player_seeds: BySeat::from_fn(1, |_| None) };
    let mut chance = Chance::new(&inputs, &Seeds, drawn);
    act(game, Action::Move(Seat::FIRST, Legal::Advance(plies)), Timestamp::MAX, &mut chance).unwrap();
    (chance.drawn(), chance.into_facts())
}

fn game() -> Rules {
    let options: Options = serde_json::from_value(serde_json::json!({})).unwrap();
    let game_id = "01980000-0000-7000-8000-000000000001".parse().unwrap();
    let inputs = DrawInputs { game: game_id, player_seeds: BySeat::from_fn(1, |_| None) };
    Rules::deal(&options, 1, Timestamp::MAX, &mut Chance::new(&inputs, &Seeds, 0)).unwrap()
}

#[test]
fn the_cap_is_4000_plies() {
    let mut game = game();
    game.course.pretend(MAX_PLIES - 2);
    let (drawn, facts) = advances(&mut game, 1, 0);
    assert_eq!((drawn, facts.len(), game.course.end()), (1, 2, None));
    let (drawn, facts) = advances(&mut game, 200, drawn);
    assert_eq!((drawn, facts.len(), game.course.end()), (2, 3, Some(End::Cap)));
    let Outcome::Over(result) = game.outcome() else { panic!("it goes on") };
    assert_eq!((&result.winners[..], result.reason), (&[][..], Reason::Cap));
}

#[test]
fn the_chain_is_longer_than_a_game_but_its_end_is_the_game_s() {
    let mut game = game();
    let (drawn, facts) = advances(&mut game, 9, CHAIN_LENGTH - 3);
    assert_eq!((drawn, facts.len()), (CHAIN_LENGTH, 6), "RU-8: the plies before are made");
    assert!(matches!(game.outcome(), Outcome::Over(result) if result.reason == Reason::Cap));
    assert_eq!((game.course.moves().len(), game.disclosable()), (3, CHAIN_LENGTH));
}
