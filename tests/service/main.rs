//! Tests of what does IO, against a throw-away Postgres.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod app;
mod http;
mod ledger;
mod story;
mod support;
