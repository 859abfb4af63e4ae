//! What an operator sets: command line and environment, typed.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

use crate::own_postgres::default_data_dir;
use crate::principal::{BadProvider, ProviderSettings};

mod limits;

pub use limits::{Limits, Most};

/// How to serve.
#[derive(Debug, Clone, Args)]
pub struct Settings {
    /// Where to listen; port 0 takes any free port.
    #[arg(long, env = "CROUPIER_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,

    /// The database, as the role that the service runs under. Without it the service starts a Postgres of its own.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<String>,

    /// The database, as the role that owns the tables: for migrations. The same as the database URL by default.
    #[arg(long, env = "DATABASE_OWNER_URL", hide_env_values = true)]
    pub database_owner_url: Option<String>,

    /// A read replica of the database, for what may be a moment old: the lobby, ended games, bundles. None by default.
    #[arg(long, env = "DATABASE_READ_URL", hide_env_values = true)]
    pub database_read_url: Option<String>,

    /// The folder of the service's own Postgres and of the keys.
    #[arg(long, env = "CROUPIER_DATA", default_value_os_t = default_data_dir())]
    pub data: PathBuf,

    /// The keys, in place of the file `keys.json` in the data folder: its content, as JSON.
    #[arg(long, env = "CROUPIER_KEYS", hide_env_values = true)]
    pub keys: Option<String>,

    /// Who issues tokens, and for whom: the address under which the service is known. Instances on one database share
    /// it.
    #[arg(long, env = "CROUPIER_ISSUER", default_value = "croupier")]
    pub issuer: String,

    /// Whose tokens are good beside our own: JSON, or a file of it, `[{"issuer": …, "audience": …, "jwks": …}]`, the keys
    /// at an address that begins with `https://`, or in a file. None by default.
    #[arg(long, env = "CROUPIER_IDENTITY_PROVIDERS")]
    pub identity_providers: Option<String>,

    /// The name of the log of logs, which its checkpoints bear: without spaces and plus signs, and for ever the same.
    /// Instances on one database share it. By default the issuer without `https://`, and `/log`.
    #[arg(long, env = "CROUPIER_LOG_ORIGIN")]
    pub log_origin: Option<String>,

    /// How many connections to the database an instance holds at most, besides a handful that write and listen.
    #[arg(long, env = "CROUPIER_DATABASE_CONNECTIONS", default_value_t = 16)]
    pub database_connections: usize,

    /// How many moves that come at the same time are written to the database together at most, and how many games are
    /// asked about together. On Citus set it to 1: a question about several games goes to all nodes there, and a node
    /// that is away fails nobody's move but its own games'.
    #[arg(long, env = "CROUPIER_WRITE_BATCH", default_value_t = 64)]
    pub write_batch: usize,

    /// Whether statements stay prepared. Set to false behind a pooler in transaction mode that can't keep them
    /// (pgbouncer before 1.21).
    #[arg(long, env = "CROUPIER_STATEMENT_CACHE", default_value_t = true, action = ArgAction::Set)]
    pub statement_cache: bool,

    /// How much memory games may take that are kept in it, in MiB. Games beyond are read from the log when needed.
    #[arg(long, env = "CROUPIER_CACHE_MIB", default_value_t = 256)]
    pub cache_mib: usize,

    /// How many threads serve requests; by default one a core.
    #[arg(long, env = "CROUPIER_WORKERS")]
    pub workers: Option<usize>,

    /// How often an instance looks for time-outs, in seconds.
    #[arg(long, env = "CROUPIER_SWEEP_SECONDS", default_value_t = 1)]
    pub sweep_seconds: u32,

    /// What bounds those who ask.
    #[command(flatten)]
    pub limits: Limits,

    /// How the log is written.
    #[arg(long, env = "CROUPIER_LOG_FORMAT", default_value = "text")]
    pub log_format: LogFormat,

    /// What is logged: a level, or directives as `info,croupier=debug`.
    #[arg(long, env = "CROUPIER_LOG", default_value = "info")]
    pub log: String,
}

impl Settings {
    /// The identity providers whose tokens are good beside our own.
    ///
    /// # Errors
    ///
    /// When there is no such file, or it is no JSON of that form.
    pub fn providers(&self) -> Result<Vec<ProviderSettings>, BadProvider> {
        let Some(given) = &self.identity_providers else { return Ok(Vec::new()) };
        let text = match given.trim_start().starts_with('[') {
            true => given.clone(),
            false => std::fs::read_to_string(given).map_err(|error| BadProvider(format!("{given}: {error}")))?,
        };
        serde_json::from_str(&text).map_err(|error| BadProvider(format!("JSON: {error}")))
    }

    /// The name of the log of logs.
    pub fn log_origin(&self) -> String {
        if let Some(origin) = &self.log_origin {
            return origin.clone();
        }
        let issuer = self.issuer.split_once("://").map_or(self.issuer.as_str(), |(_, rest)| rest);
        // What a name can't have is left out.
        let fits = |c: &char| !c.is_whitespace() && !c.is_control() && *c != '+';
        let issuer: String = issuer.chars().filter(fits).collect();
        format!("{}/log", issuer.trim_end_matches('/'))
    }
}

/// How a log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For programs: one JSON object a line.
    Json,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::checkpoint::is_origin;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        settings: Settings,
    }

    #[test]
    fn a_log_has_a_name() {
        let origin = |arguments: &[&str]| {
            let arguments = ["croupier"].iter().chain(arguments);
            Cli::try_parse_from(arguments).unwrap_or_else(|error| panic!("{error}")).settings.log_origin()
        };
        for (issuer, expected) in [
            ("croupier", "croupier/log"),
            ("https://cards.example/", "cards.example/log"),
            ("https://cards.example/a b+c", "cards.example/abc/log"),
        ] {
            assert_eq!(origin(&["--issuer", issuer]), expected);
            assert!(is_origin(expected));
        }
        assert_eq!(origin(&["--issuer", "x", "--log-origin", "cards.example/games"]), "cards.example/games");
    }
}
