//! What is said at the end.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::tally::{Tally, Watched};

/// What a load has shown.
#[derive(Serialize)]
pub struct Report {
    /// What was played.
    pub kind: &'static str,
    /// How many games at once.
    pub games: usize,
    /// How many games stood still meanwhile.
    pub games_in_progress: usize,
    /// For how long it was measured.
    pub seconds: f64,
    /// Moves a second.
    pub moves_per_second: f64,
    /// What was counted.
    #[serde(flatten)]
    pub tally: Tally,
    /// What was read back; null where nothing was.
    pub read_back: Option<ReadBackReport>,
    /// What watchers saw; null where there were none.
    pub watchers: Option<WatchersReport>,
    /// What other processes used while it was measured, and this one.
    pub processes: Vec<ProcessReport>,
    /// The moves of each second, from the first that was measured on.
    pub timeline: Vec<u64>,
}

/// What the logs held in the end.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct ReadBackReport {
    /// Games whose logs were read.
    pub games: u64,
    /// Events that were acknowledged.
    pub events: u64,
    /// Of those, how many the logs did not have, or had otherwise.
    pub lost: u64,
    /// Events that were not chained to the one before.
    pub broken: u64,
    /// Events whose hash or signature is wrong; null where they were not verified.
    pub forged: Option<u64>,
}

/// What watchers saw.
#[derive(Default, Serialize)]
pub struct WatchersReport {
    /// How many watched games that were played.
    pub watchers: usize,
    /// How many watched games that stood still.
    pub idle_watchers: usize,
    /// What was counted.
    #[serde(flatten)]
    pub seen: Watched,
}

/// What a process used.
#[derive(Debug, Serialize)]
pub struct ProcessReport {
    /// What it is called.
    pub name: String,
    /// Time on a processor, with its children, for one acknowledged move: in microseconds.
    pub cpu_us_per_move: f64,
    /// The same in cores.
    pub cores: f64,
    /// Its resident memory at the very beginning, before anything was set up, in KiB.
    pub resident_kib_at_start: u64,
    /// With all games set up.
    pub resident_kib_with_games: u64,
    /// With all games and watchers set up.
    pub resident_kib_set_up: u64,
    /// At the end.
    pub resident_kib_at_end: u64,
}

impl Report {
    /// Whether everything that was promised was kept.
    pub fn is_good(&self) -> bool {
        let log = self.read_back.is_none_or(|log| log.lost + log.broken + log.forged.unwrap_or_default() == 0);
        let watched = self.watchers.as_ref().is_none_or(|WatchersReport { seen, .. }| {
            seen.missing + seen.twice + seen.out_of_order + seen.broken_chains == 0
        });
        log && watched && self.tally.stale_views + self.tally.broken_chains == 0
    }

    /// Takes in what was counted.
    pub fn count(&mut self, mut tally: Tally, measured: Duration) {
        self.seconds = measured.as_secs_f64();
        self.moves_per_second = (tally.moves as f64 / measured.as_secs_f64()).round();
        if let Some(watchers) = &mut self.watchers {
            watchers.seen = std::mem::take(&mut tally.watched);
        }
        self.tally = tally;
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut row = |name: &str, value: fmt::Arguments<'_>| writeln!(f, "{name:<22} {value}");
        let standing = match self.games_in_progress {
            0 => String::new(),
            count => format!(", {count} more in progress"),
        };
        row("game", format_args!("{}, {} at once{standing}", self.kind, self.games))?;
        row("measured", format_args!("{} moves in {:.1} s", self.tally.moves, self.seconds))?;
        row("moves/s", format_args!("{:.0}", self.moves_per_second))?;
        row("latency of a move", format_args!("{}", self.tally.latency.quantiles()))?;
        row("views asked for", format_args!("{}", self.tally.views))?;
        row(
            "moves acknowledged",
            format_args!("{}, {} of them repeats", self.tally.moves_acknowledged, self.tally.repeats),
        )?;
        row("games ended", format_args!("{}", self.tally.games_ended))?;
        row("retries, reconnects", format_args!("{}, {}", self.tally.retries, self.tally.reconnects))?;
        for (error, count) in &self.tally.errors {
            row("error", format_args!("{error}: {count}"))?;
        }
        row("stale views", format_args!("{}", self.tally.stale_views))?;
        row("broken chains", format_args!("{}", self.tally.broken_chains))?;
        if let Some(ReadBackReport { games, events, lost, broken, forged }) = self.read_back {
            row("read back", format_args!("{events} events of {games} games: {lost} lost, {broken} broken"))?;
            if let Some(forged) = forged {
                row("hashes and signatures", format_args!("{forged} wrong"))?;
            }
        }
        if let Some(seen) = &self.watchers {
            let WatchersReport { watchers, idle_watchers, seen } = seen;
            let Watched { events, missing, twice, out_of_order, .. } = seen;
            row("watchers", format_args!("{watchers}, {idle_watchers} more idle; {events} events"))?;
            row("", format_args!("{missing} missing, {twice} twice, {out_of_order} out of order"))?;
            row("", format_args!("{} broken chains, {} resumed", seen.broken_chains, seen.resumed))?;
            row("event after the answer", format_args!("{}", seen.lag.quantiles()))?;
        }
        for process in &self.processes {
            let ProcessReport { name, cpu_us_per_move, cores, .. } = process;
            let (before, after) = (process.resident_kib_set_up / 1024, process.resident_kib_at_end / 1024);
            row(name, format_args!("{cpu_us_per_move:.1} µs a move, {cores:.2} cores; {before} to {after} MiB"))?;
        }
        Ok(())
    }
}
