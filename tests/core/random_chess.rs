//! Random Chess, clause by clause: each test names the clauses of `rules-1.md` that it tries.

use croupier::games::random_chess::{Position, Variant};

mod board;
mod endings;
mod perft;
mod playing;
mod statistics;

/// The variant of this name.
fn variant(name: &str) -> Variant {
    *Variant::ALL.iter().find(|variant| variant.name() == name).unwrap_or_else(|| panic!("no variant {name}"))
}

#[track_caller]
fn position(variant: Variant, fen: &str) -> Position {
    Position::read(variant, fen).unwrap_or_else(|why| panic!("{fen}: {why}"))
}

/// The legal moves in UCI.
fn legal(position: &Position) -> Vec<String> {
    position.legal().iter().map(|mv| mv.uci()).collect()
}
