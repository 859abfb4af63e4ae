//! Tests of what does IO, against a throw-away Postgres.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod app;
mod at_rest;
mod away;
mod bad_addresses;
mod bad_input;
mod browsers;
mod cheats;
mod citus;
mod clients;
mod conformance;
mod demo;
mod document;
mod examples;
#[cfg(feature = "load")]
mod faults;
mod head;
mod hidden;
mod http;
mod identities;
mod json_schema;
mod ledger;
mod limits;
#[cfg(feature = "load")]
mod load;
mod lobby;
mod lobby_model;
mod log_of_logs;
mod log_routes;
mod log_running;
mod log_verifiers;
mod match_of_migraine;
mod measurements;
mod players;
mod races;
mod released;
mod releases;
mod rematch;
mod restores;
mod roles;
mod scene;
mod scores;
mod seats;
mod settings;
mod slow;
mod sse;
mod story;
mod streams;
mod support;
mod time;
mod tokens;
mod walk;
mod watch;
mod watched;
