//! The ledger.

mod append;
mod append_only;
mod games;
mod keys_and_players;
mod lobby;
mod outage;
mod schema;
mod secrets;
