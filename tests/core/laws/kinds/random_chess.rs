//! What the laws have to know of Random Chess.

use croupier::games::random_chess::{Advance, Move as ChessMove, Variant};
use serde_json::{Value, json};

use crate::support::Rng;

/// 4,000 plies with a disclosure each, eight seats that leave, and what is told at the end.
pub const BOUND: usize = 2 * 4_000 + 8 + 4;

pub fn options(rng: &mut Rng) -> Value {
    // The variants whose games end in all the ways come up more often than the others.
    let often = ["chess", "maharaja", "hecatomb", "dunsany", "horde", "chess960"];
    let variant = if rng.once_in(2) { *rng.pick(&often) } else { rng.pick(&Variant::ALL).name() };
    let mut options = json!({"variant": variant});
    if rng.once_in(2) {
        options["profile"] = json!(rng.pick(&["server", "fide"]));
    }
    if rng.once_in(3) {
        options["play"] = json!(rng.pick(&["none", "white", "black"]));
    }
    match variant {
        "chess960" if rng.once_in(2) => options["number"] = json!(rng.below(960)),
        "maharaja" => {
            options["castling"] = json!(rng.once_in(2));
            options["maharaja_square"] = rng.pick(&[json!(null), json!("random"), json!("c3"), json!("h1")]).clone();
        }
        _ => {}
    }
    options
}

/// Numbers within and beyond all limits, and texts of moves that are legal somewhere, or nowhere.
pub fn candidates() -> Vec<Value> {
    let far: [i64; 8] = [-((1 << 53) - 1), -256, 256, 257, 1 << 32, (1 << 32) + 1, i64::from(i32::MAX), (1 << 53) - 1];
    let mut all: Vec<Value> = (-2..=203).chain(far).map(|plies| json!({"type": "advance", "plies": plies})).collect();
    let texts = [
        "",
        "e2",
        "e2e",
        "e2e4 ",
        " e2e4",
        "E2E4",
        "e2-e4",
        "e4",
        "Nf3",
        "O-O",
        "0000",
        "e1g1",
        "e1h1",
        "e8g8",
        "i2i4",
        "e9e8",
        "a7a8",
        "a7a8q",
        "a7a8Q",
        "a7a8k",
        "a7a8p",
        "a2a1n",
        "♔e1e2",
        "e2e4qq",
        "\u{0}e2e4",
    ];
    all.extend(texts.iter().map(|uci| json!({"type": "play", "uci": uci})));
    for file in 'a'..='h' {
        all.push(json!({"type": "play", "uci": format!("{file}2{file}4")}));
        all.push(json!({"type": "play", "uci": format!("{file}7{file}5")}));
    }
    all
}

/// Some of all the ways from a square to a square, with and without a promotion.
pub fn candidates_here(rng: &mut Rng) -> Vec<Value> {
    let square =
        |rng: &mut Rng| format!("{}{}", *rng.pick(&['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']), 1 + rng.below(8));
    let one = |rng: &mut Rng| {
        let (from, to) = (square(rng), square(rng));
        json!({"type": "play", "uci": format!("{from}{to}{}", rng.pick(&["", "", "", "q", "m"]))})
    };
    (0..150).map(|_| one(rng)).collect()
}

/// Many plies are played at once.
pub fn takes_long(mv: &ChessMove) -> bool {
    matches!(mv, ChessMove::Advance(Advance { plies }) if (4..=200).contains(plies))
}
