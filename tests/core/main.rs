//! The pure core, tried from outside: known answers, the rules, the table, and the laws that hold in every game.
//!
//! Builds and runs without the feature `server`.

mod architecture;
mod laws;
mod migraine;
mod support;
mod table;
mod transcripts;
mod vectors;
