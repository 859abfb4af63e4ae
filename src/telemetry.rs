//! The log of the process: what happened, one line each, and never a secret.

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;

/// Starts logging to standard error. Only the first call of a process counts.
pub fn start(format: LogFormat, directives: &str) {
    let filter = EnvFilter::try_new(directives).unwrap_or_else(|_| EnvFilter::new("info"));
    // Colours are for people at a terminal: in a file their codes are in the way.
    let colours = io::stderr().is_terminal();
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    let builder = builder.with_target(false).with_ansi(colours);
    // An error says that logging is started already, as it is in tests.
    let _ = match format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().try_init(),
    };
}
