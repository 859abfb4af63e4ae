//! The auditor, tried on recorded games of every kind: whole, running, tampered with, forged by somebody who holds the
//! server's keys, and on files that are no bundles at all.
//!
//! `UPDATE_BUNDLES=1 cargo test --no-default-features --test core audit` writes the games in `tests/bundles` anew.

mod by_hand;
mod forgeries;
pub mod forging;
mod hostile;
mod mutations;
mod program;
mod receipts;
pub mod recorded;
mod recording;
mod second;
mod signing;
