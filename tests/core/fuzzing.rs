//! The root of the fuzzers' crate (`fuzz/`): the targets, and of the tests what they need. No target of this crate.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a fuzzer looks for panics")]
#![allow(dead_code, reason = "the tests need more of it")]

pub mod fuzz;
mod laws;
mod support;
