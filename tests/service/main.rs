//! Tests of what does IO, against a throw-away Postgres.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod app;
mod http;
mod ledger;
mod log_of_logs;
mod log_routes;
mod log_verifiers;
mod story;
mod support;
