//! The pure core, tried from outside: known answers, the rules, the table, and the laws that hold in every game.
//!
//! Builds and runs without the feature `server`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that can't go on has failed")]

mod architecture;
mod audit;
mod dependencies;
mod fatetst_rpg;
mod fuzz;
mod generals;
mod laws;
mod migraine;
mod random_chess;
mod spite_and_malice;
mod support;
mod table;
mod tau_heed_kept;
mod transcripts;
mod vectors;
