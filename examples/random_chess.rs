//! How games of Random Chess end, and how long one takes.
//!
//! `cargo run --release --no-default-features --example random_chess -- 20000` plays so many games of each variant of the
//! table, and prints it beside the figures that others have measured (profile `server`), with how many standard errors
//! lie between the two. Then whole games go over a table, with all draws, hashes, signatures and disclosures.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "an example that can't go on has failed")]

use std::collections::BTreeMap;
use std::time::Instant;

use croupier::draw::Numbers;
use croupier::games::Kind;
use croupier::games::random_chess::{Course, End, Position, Profile, Side, Variant};
use serde_json::json;

#[allow(dead_code, reason = "an example needs less than the tests do")]
#[path = "../tests/core/support.rs"]
mod support;

use support::{House, Player, Setup, mv};

/// The columns of the table.
const COLUMNS: [(&str, End); 7] = [
    ("White mates", End::Mate(Side::White)),
    ("Black mates", End::Mate(Side::Black)),
    ("stalemate", End::Stalemate),
    ("3-fold", End::Repetition),
    ("50 moves", End::Quiet),
    ("insufficient", End::InsufficientMaterial),
    ("horde taken", End::Extinct(Side::Black)),
];

/// What others have measured: percentages in the order of the columns, and plies a game.
const MEASURED: [(Variant, [f64; 7], f64); 10] = [
    (Variant::Chess, [7.7, 7.6, 6.2, 2.5, 22.4, 53.6, 0.0], 343.0),
    (Variant::Maharaja, [96.0, 0.2, 1.2, 0.5, 2.1, 0.0, 0.0], 184.0),
    (Variant::Hecatomb, [32.8, 30.3, 16.7, 0.1, 3.7, 16.5, 0.0], 223.0),
    (Variant::UpsideDown, [21.6, 20.1, 5.0, 0.4, 17.9, 35.0, 0.0], 236.0),
    (Variant::PeasantsRevolt, [6.7, 0.2, 8.1, 1.7, 19.5, 63.8, 0.0], 244.0),
    (Variant::Weak, [4.6, 8.9, 10.2, 2.1, 20.1, 54.0, 0.0], 363.0),
    (Variant::LightBrigade, [8.7, 3.2, 7.4, 3.2, 21.7, 55.7, 0.0], 325.0),
    (Variant::PawnEndgame, [4.5, 4.3, 6.9, 7.4, 24.7, 52.2, 0.0], 277.0),
    (Variant::Dunsany, [27.4, 0.0, 28.7, 3.8, 15.6, 0.0, 24.5], 346.0),
    (Variant::Horde, [36.0, 0.0, 32.0, 2.9, 11.5, 0.0, 17.7], 302.0),
];

/// How many games the others had measured.
const THEIRS: f64 = 20_000.0;

fn play(variant: Variant, number: u32) -> (End, usize) {
    let mut seed = [variant as u8; 32];
    seed[..4].copy_from_slice(&number.to_le_bytes());
    let mut numbers = Numbers::new(seed);
    let mut course = Course::begin(Position::start(variant), Profile::Server);
    loop {
        if let Some(end) = course.end() {
            return (end, course.moves().len());
        }
        let at = numbers.pick(course.legal().len()).unwrap();
        course.make(course.legal()[at]);
    }
}

/// Plays so many games of each variant, and says the largest distance from what others have measured.
fn statistics(games: u32) -> f64 {
    print!("| variant |");
    COLUMNS.iter().for_each(|(name, _)| print!(" {name} |"));
    println!(" mean plies | longest | off by |\n|{}", "---|".repeat(COLUMNS.len() + 4));
    let mut worst: f64 = 0.0;
    for (variant, measured, _) in MEASURED {
        let mut ends: BTreeMap<End, u32> = BTreeMap::new();
        let (mut plies, mut longest) = (0, 0);
        for number in 0..games {
            let (end, length) = play(variant, number);
            *ends.entry(end).or_default() += 1;
            plies += length;
            longest = longest.max(length);
        }
        print!("| {} |", variant.name());
        let (mut off, games) = (0f64, f64::from(games));
        for ((_, end), theirs) in COLUMNS.into_iter().zip(measured) {
            let found = f64::from(ends.remove(&end).unwrap_or_default()) / games;
            print!(" {:.1} |", found * 100.0);
            // Both are samples; the figures of the others are rounded to a tenth.
            let share = theirs / 100.0;
            let error = (share.max(0.0005) * (1.0 - share) * (1.0 / games + 1.0 / THEIRS)).sqrt();
            off = off.max(((found - share).abs() - 0.0005).max(0.0) / error);
        }
        assert!(ends.is_empty(), "{ends:?}");
        println!(" {:.0} | {longest} | {off:.1} |", plies as f64 / games);
        worst = worst.max(off);
    }
    worst
}

/// How long this thread has worked, in milliseconds; on a machine that others use, too, that is less than what went by.
fn worked(since: Instant) -> f64 {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = spent.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanos.map_or_else(|| since.elapsed().as_secs_f64() * 1e3, |nanos| nanos / 1e6)
}

/// Whole games at a table, in milliseconds each; and plies.
fn timed(games: u64) -> (f64, f64) {
    let player = Player::new(0);
    let advance = mv(json!({"type": "advance", "plies": 200}));
    let begin = Instant::now();
    let (mut plies, mut millis) = (0, 0.0);
    for game in 0..games {
        let root = support::bytes(&format!("{game}"));
        let setup = Setup { game, kind: Kind::RandomChess, options: json!({}), places: 1, root, ..Setup::migraine() };
        let start = worked(begin);
        let mut house = House::playing(&setup, std::slice::from_ref(&player));
        while !house.table.is_over() {
            let events = house.send(&player.free_move(&house, &advance));
            plies += events.iter().flat_map(|event| event.body.facts()).count() / 2;
        }
        millis += worked(begin) - start;
    }
    (millis / games as f64, plies as f64 / games as f64)
}

fn main() {
    let games = std::env::args().nth(1).map_or(20_000, |games| games.parse().unwrap());
    let start = Instant::now();
    let worst = statistics(games);
    let each = start.elapsed().as_secs_f64() * 1e3 / (f64::from(games) * MEASURED.len() as f64);
    println!("\n{games} games each, {each:.2} ms a game; at most {worst:.1} standard errors off.");
    let (millis, plies) = timed(200);
    println!(
        "A whole game of chess over a table, draws, hashes and signatures included: {millis:.2} ms of work for {plies:.0} plies."
    );
    assert!(worst <= 4.0, "too far off");
}
