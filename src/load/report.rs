//! What is said at the end.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::histogram::Histogram;
use super::tally::Tally;

/// What a load has shown.
#[derive(Debug, Serialize)]
pub struct Report {
    /// What was played.
    pub kind: &'static str,
    /// How many games at once.
    pub games: usize,
    /// How many games stood still meanwhile.
    pub games_in_progress: usize,
    /// For how long it was measured.
    pub seconds: f64,
    /// Moves that were acknowledged in that time.
    pub moves: u64,
    /// The same a second.
    pub moves_per_second: f64,
    /// How long a move took, from the request to the whole answer.
    pub latency_ms: Quantiles,
    /// Views that were asked for in that time.
    pub views: u64,
    /// Moves that were acknowledged, before and after included.
    pub moves_acknowledged: u64,
    /// Of those, repeats: the first answer was lost.
    pub repeats: u64,
    /// Games that were played to their end.
    pub games_ended: u64,
    /// Errors, by status and code.
    pub errors: BTreeMap<String, u64>,
    /// Requests that were sent once more.
    pub retries: u64,
    /// Kept connections that the other side had closed.
    pub reconnects: u64,
    /// Views that were older than an answer that had been seen.
    pub stale_views: u64,
    /// Answers whose events were not chained to those before.
    pub broken_chains: u64,
    /// What was read back; null where nothing was.
    pub read_back: Option<ReadBackReport>,
    /// What watchers saw; null where there were none.
    pub watchers: Option<WatchersReport>,
    /// What other processes used while it was measured, and this one.
    pub processes: Vec<ProcessReport>,
    /// The moves of each second, from the first that was measured on.
    pub timeline: Vec<u64>,
}

/// How long something took, in milliseconds.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "quantiles")]
pub struct Quantiles {
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
    pub max: f64,
}

impl Quantiles {
    /// Of these.
    pub fn of(histogram: &Histogram) -> Self {
        let millis = |of_thousand| (histogram.quantile(of_thousand) * 1000.0).round() / 1000.0;
        Self { p50: millis(500), p95: millis(950), p99: millis(990), max: millis(1000) }
    }
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
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "the fields are those of `Watched`, which says what they are")]
pub struct WatchersReport {
    pub watchers: usize,
    pub idle_watchers: usize,
    pub events: u64,
    pub missing: u64,
    pub twice: u64,
    pub out_of_order: u64,
    pub broken_chains: u64,
    pub resumed: u64,
    pub lag_ms: Quantiles,
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
        let watched = self
            .watchers
            .as_ref()
            .is_none_or(|seen| seen.missing + seen.twice + seen.out_of_order + seen.broken_chains == 0);
        log && watched && self.stale_views + self.broken_chains == 0
    }

    /// Takes in what was counted.
    pub fn count(&mut self, tally: &Tally, measured: Duration) {
        self.seconds = measured.as_secs_f64();
        self.moves = tally.moves;
        self.moves_per_second = (tally.moves as f64 / measured.as_secs_f64()).round();
        self.latency_ms = Quantiles::of(&tally.latency);
        self.views = tally.views;
        self.moves_acknowledged = tally.moves_ever;
        self.repeats = tally.repeats;
        self.games_ended = tally.games_ended;
        self.errors.clone_from(&tally.errors);
        self.retries = tally.retries;
        self.reconnects = tally.reconnects;
        self.stale_views = tally.stale_views;
        self.broken_chains = tally.broken_chains;
        if let Some(watchers) = &mut self.watchers {
            let seen = &tally.watched;
            watchers.events = seen.events;
            watchers.missing = seen.missing;
            watchers.twice = seen.twice;
            watchers.out_of_order = seen.out_of_order;
            watchers.broken_chains = seen.broken_chains;
            watchers.resumed = seen.resumed;
            watchers.lag_ms = Quantiles::of(&seen.lag);
        }
    }
}

impl fmt::Display for Quantiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { p50, p95, p99, max } = self;
        write!(f, "p50 {p50:.2}  p95 {p95:.2}  p99 {p99:.2}  max {max:.2} ms")
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
        row("measured", format_args!("{} moves in {:.1} s", self.moves, self.seconds))?;
        row("moves/s", format_args!("{:.0}", self.moves_per_second))?;
        row("latency of a move", format_args!("{}", self.latency_ms))?;
        row("views asked for", format_args!("{}", self.views))?;
        row("moves acknowledged", format_args!("{}, {} of them repeats", self.moves_acknowledged, self.repeats))?;
        row("games ended", format_args!("{}", self.games_ended))?;
        row("retries, reconnects", format_args!("{}, {}", self.retries, self.reconnects))?;
        for (error, count) in &self.errors {
            row("error", format_args!("{error}: {count}"))?;
        }
        row("stale views", format_args!("{}", self.stale_views))?;
        row("broken chains", format_args!("{}", self.broken_chains))?;
        if let Some(ReadBackReport { games, events, lost, broken, forged }) = self.read_back {
            row("read back", format_args!("{events} events of {games} games: {lost} lost, {broken} broken"))?;
            if let Some(forged) = forged {
                row("hashes and signatures", format_args!("{forged} wrong"))?;
            }
        }
        if let Some(seen) = &self.watchers {
            let WatchersReport { watchers, idle_watchers, events, missing, twice, out_of_order, .. } = seen;
            row("watchers", format_args!("{watchers}, {idle_watchers} more idle; {events} events"))?;
            row("", format_args!("{missing} missing, {twice} twice, {out_of_order} out of order"))?;
            row("", format_args!("{} broken chains, {} resumed", seen.broken_chains, seen.resumed))?;
            row("event after the answer", format_args!("{}", seen.lag_ms))?;
        }
        for process in &self.processes {
            let ProcessReport { name, cpu_us_per_move, cores, .. } = process;
            let (before, after) = (process.resident_kib_set_up / 1024, process.resident_kib_at_end / 1024);
            row(name, format_args!("{cpu_us_per_move:.1} µs a move, {cores:.2} cores; {before} to {after} MiB"))?;
        }
        Ok(())
    }
}
