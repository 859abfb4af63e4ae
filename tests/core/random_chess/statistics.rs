//! RC-1, RC-4: how random games end, against figures that others have measured, with a wide band.
//! `examples/random_chess.rs` plays many more and prints the table.

use croupier::draw::Numbers;
use croupier::games::random_chess::{Course, End, Position, Profile, Side, Variant};

/// How many games of each variant.
const GAMES: u32 = 40;

/// A variant, and of a hundred games how many end by a mate of White, of Black, and by too little material.
const MEASURED: [(Variant, [f64; 3]); 3] = [
    (Variant::Chess, [7.7, 7.6, 53.6]),
    (Variant::Maharaja, [96.0, 0.2, 0.0]),
    (Variant::Hecatomb, [32.8, 30.3, 16.5]),
];

#[test]
fn random_games_end_as_others_have_measured() {
    for (variant, expected) in MEASURED {
        let mut found = [0.0; 3];
        for number in 0..GAMES {
            let mut seed = [0x5a; 32];
            seed[..4].copy_from_slice(&number.to_le_bytes());
            let mut numbers = Numbers::new(seed);
            let mut course = Course::begin(Position::start(variant), Profile::Server);
            let end = loop {
                if let Some(end) = course.end() {
                    break end;
                }
                let at = numbers.pick(course.legal().len()).unwrap();
                course.make(course.legal()[at]);
            };
            match end {
                End::Mate(Side::White) => found[0] += 1.0,
                End::Mate(Side::Black) => found[1] += 1.0,
                End::InsufficientMaterial => found[2] += 1.0,
                _ => {}
            }
        }
        let games = f64::from(GAMES);
        for (found, expected) in found.into_iter().zip(expected) {
            let share: f64 = expected / 100.0;
            let error = (share * (1.0 - share) / games).sqrt();
            let off = (found / games - share).abs();
            // Six standard errors, and a game where the share is nearly nothing.
            assert!(off <= 6.0 * error + 1.5 / games, "{}: {found} of {games}, not {expected} %", variant.name());
        }
    }
}
