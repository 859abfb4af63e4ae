//! Tests of what does IO, against a throw-away Postgres.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod app;
mod bad_input;
mod clients;
mod conformance;
mod demo;
mod document;
mod http;
mod json_schema;
mod ledger;
mod log_of_logs;
mod log_routes;
mod log_verifiers;
mod players;
mod story;
mod support;
mod tokens;
mod walk;
