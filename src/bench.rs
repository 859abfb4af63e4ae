//! `croupier bench`: the figures of `docs/performance.md`, measured again.
//!
//! It starts a throw-away Postgres with fsync and synchronous commits, this very program as service and as load, and
//! `pgbench` for what to compare with. What is compared is measured in turns, in several rounds, and told by medians.

use std::fmt;
use std::io::{self, Write};

use clap::{Args, ValueEnum};

use crate::own_postgres::{Cluster, ClusterError, Durability};

mod house;
mod parts;
mod pgbench;
mod run;
mod table;

use house::House;

/// What to measure, and for how long.
#[derive(Debug, Clone, Args)]
pub struct Bench {
    /// The parts; by default all of them.
    #[arg(value_enum)]
    pub parts: Vec<Part>,
    /// How often each is measured.
    #[arg(long, default_value_t = 3)]
    pub rounds: usize,
    /// For how long each time, in seconds.
    #[arg(long, default_value_t = 10.0)]
    pub seconds: f64,
    /// How many games are played at once, and how many clients pgbench has.
    #[arg(long, default_value_t = 64)]
    pub games: usize,
    /// How many events the full table of the part `table` has.
    #[arg(long, default_value_t = 1_000_000)]
    pub events: u64,
    /// How many games are in progress in the part `progress`, at each step.
    #[arg(long, value_delimiter = ',', default_value = "10,100,1000,10000")]
    pub progress: Vec<usize>,
    /// How many watch in the part `watchers`, at each step.
    #[arg(long, value_delimiter = ',', default_value = "0,100,1000,5000")]
    pub watchers: Vec<usize>,
    /// How many instances there are in the part `instances`, at each step.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4")]
    pub instances: Vec<usize>,
    /// More arguments for the service, like `--workers=1`; may be given several times.
    #[arg(long = "serve", allow_hyphen_values = true)]
    pub serve: Vec<String>,
}

/// A part of the benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Acknowledged moves against pgbench's inserts, and the processor time of both.
    Ratio,
    /// A lone game: one move after the other.
    Lone,
    /// The latency at half of the full load.
    Half,
    /// Several instances on one database against one.
    Instances,
    /// Many games in progress, moves spread over all of them; and the memory of a game.
    Progress,
    /// A full table of events against an empty one.
    Table,
    /// Long games: the moves of each second while they grow.
    Long,
    /// Idle watchers, and their memory.
    Watchers,
    /// How long after the mover's answer a watcher has the event, on the same instance and on another.
    Lag,
}

/// Why nothing was measured.
#[derive(Debug)]
pub enum BenchError {
    /// There is no cluster.
    Cluster(ClusterError),
    /// The system fails.
    Io(&'static str, io::Error),
    /// A program is not installed.
    NoProgram(&'static str),
    /// A program failed.
    Failed(String),
    /// Nothing can be written.
    Output(io::Error),
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cluster(error) => error.fmt(f),
            Self::Io(doing, error) => write!(f, "can't {doing}: {error}"),
            Self::NoProgram(name) => {
                write!(
                    f,
                    "{name} was not found: it comes with PostgreSQL, on Debian in `postgresql-NN`, elsewhere often in `postgresql-contrib`"
                )
            }
            Self::Failed(why) => f.write_str(why),
            Self::Output(error) => write!(f, "the figures can't be written: {error}"),
        }
    }
}

impl std::error::Error for BenchError {}

impl From<ClusterError> for BenchError {
    fn from(error: ClusterError) -> Self {
        Self::Cluster(error)
    }
}

/// Measures, and writes tables in Markdown.
///
/// # Errors
///
/// See [`BenchError`]. A part that fails does not keep the others from being measured; it is an error in the end.
pub fn run(bench: &Bench, out: &mut dyn Write) -> Result<(), BenchError> {
    let say = |line: &str| eprintln!("{line}");
    let cluster = Cluster::throw_away(Durability::Full, &say)?;
    let house = House::new(&cluster, bench)?;
    let parts = if bench.parts.is_empty() { Part::value_variants() } else { bench.parts.as_slice() };
    let mut failed = None;
    for part in parts {
        let name = part.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        eprintln!("== {name}");
        match parts::measure(*part, bench, &house) {
            Ok(table) => writeln!(out, "{table}").and_then(|()| out.flush()).map_err(BenchError::Output)?,
            Err(error) => {
                eprintln!("{name}: {error}");
                failed = Some(BenchError::Failed(format!("{name} was not measured: {error}")));
            }
        }
    }
    drop(house);
    cluster.stop()?;
    failed.map_or(Ok(()), Err)
}
