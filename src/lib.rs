//! Croupier deals cards over HTTP, and anyone can prove afterwards that it dealt them fairly.
//!
//! The crate is built in layers; a layer knows nothing of those above it (`docs/architecture.md`, and a test that
//! reads the imports). Without the feature `server` only the pure layers are built: no IO, no clock, no entropy.

// Layer 0: vocabulary.
pub mod canonical;
pub mod cards;
pub mod commitment;
pub mod cursor;
pub mod draw;
pub mod hex32;
pub mod ids;
pub mod keys;
pub mod seat;
pub mod seed_chain;
pub mod timestamp;

// Layer 1: rules.
pub mod game;
pub mod games;

// Layer 2: table and log.
pub mod audit;
pub mod checkpoint;
pub mod event;
pub mod log;
pub mod merkle;
pub mod replay;
pub mod table;

// How layers 0 to 2 look in the OpenAPI document.
#[cfg(feature = "server")]
mod schema;

// Layer 3: ledger.
#[cfg(feature = "server")]
pub mod ledger;
#[cfg(feature = "server")]
pub mod metrics;

// Layer 4: croupier.
#[cfg(feature = "server")]
pub mod dealer;
#[cfg(feature = "server")]
pub mod feed;

// Layer 5: api.
#[cfg(feature = "server")]
pub mod api;
#[cfg(feature = "server")]
pub mod principal;

// Layer 6: wiring.
#[cfg(feature = "server")]
pub mod app;
#[cfg(feature = "load")]
pub mod bench;
#[cfg(feature = "server")]
pub mod client;
#[cfg(feature = "server")]
pub mod config;
#[cfg(feature = "server")]
pub mod demo;
#[cfg(feature = "server")]
pub mod keyring;
#[cfg(feature = "load")]
pub mod load;
#[cfg(feature = "server")]
pub mod own_postgres;
#[cfg(feature = "server")]
pub mod telemetry;
