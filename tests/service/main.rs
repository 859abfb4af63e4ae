//! Tests of what does IO, against a throw-away Postgres.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod app;
mod bad_addresses;
mod bad_input;
mod clients;
mod conformance;
mod demo;
mod document;
mod http;
mod json_schema;
mod ledger;
mod lobby;
mod match_of_migraine;
mod log_of_logs;
mod log_routes;
mod log_verifiers;
mod players;
mod rematch;
mod seats;
mod story;
mod support;
mod tokens;
mod watch;
mod walk;
