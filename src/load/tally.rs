//! What is counted while the load runs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use serde::Serialize;

use super::histogram::Histogram;

/// What one thread counts.
#[derive(Default, Serialize)]
pub struct Tally {
    /// Moves that were acknowledged while it was measured.
    pub moves: u64,
    /// How long each of those took, from the first byte of the request to the last of the answer, retries included.
    #[serde(rename = "latency_ms")]
    pub latency: Histogram,
    /// Views that were asked for while it was measured.
    pub views: u64,
    /// Moves that were acknowledged at any time.
    pub moves_acknowledged: u64,
    /// Of those, answered as repeats: the answer to the first request was lost.
    pub repeats: u64,
    /// Games that were played to their end.
    pub games_ended: u64,
    /// Answers that were errors, by status and code.
    pub errors: BTreeMap<String, u64>,
    /// Requests that were sent once more.
    pub retries: u64,
    /// Connections that were closed by the other side while they were idle.
    pub reconnects: u64,
    /// Views that were older than an answer that had been seen.
    pub stale_views: u64,
    /// Answers whose events are not chained to those before.
    pub broken_chains: u64,
    /// What watchers saw; told where somebody watched.
    #[serde(skip)]
    pub watched: Watched,
}

/// What watchers saw.
#[derive(Default, Serialize)]
pub struct Watched {
    /// Events that came.
    pub events: u64,
    /// Events that did not come.
    pub missing: u64,
    /// Events that came again.
    pub twice: u64,
    /// Events that came after a later one.
    pub out_of_order: u64,
    /// Events that were not chained to the one before.
    pub broken_chains: u64,
    /// Streams that broke off and were resumed.
    pub resumed: u64,
    /// From the mover's answer to the event at the watcher; zero where the event came first.
    #[serde(rename = "lag_ms")]
    pub lag: Histogram,
}

impl Tally {
    /// Counts an error.
    pub fn error(&mut self, status: u16, code: &str) {
        *self.errors.entry(format!("{status} {code}")).or_default() += 1;
    }

    /// Takes in what another thread has counted.
    pub fn add(&mut self, other: Self) {
        self.moves += other.moves;
        self.latency.add(&other.latency);
        self.views += other.views;
        self.moves_acknowledged += other.moves_acknowledged;
        self.repeats += other.repeats;
        self.games_ended += other.games_ended;
        for (error, count) in other.errors {
            *self.errors.entry(error).or_default() += count;
        }
        self.retries += other.retries;
        self.reconnects += other.reconnects;
        self.stale_views += other.stale_views;
        self.broken_chains += other.broken_chains;
        self.watched.events += other.watched.events;
        self.watched.missing += other.watched.missing;
        self.watched.twice += other.watched.twice;
        self.watched.out_of_order += other.watched.out_of_order;
        self.watched.broken_chains += other.watched.broken_chains;
        self.watched.resumed += other.watched.resumed;
        self.watched.lag.add(&other.watched.lag);
    }
}

/// What all threads tell while they run.
#[derive(Default)]
pub struct Progress {
    /// Moves that were acknowledged.
    pub moves: AtomicU64,
    /// Games that ended.
    pub games_ended: AtomicU64,
    /// Games that were set up.
    pub games_begun: AtomicU64,
    /// Watchers that listen.
    pub watchers: AtomicU64,
    /// Requests that were sent once more.
    pub retries: AtomicU64,
}

impl Progress {
    /// One more.
    pub fn count(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// How many.
    pub fn read(counter: &AtomicU64) -> u64 {
        counter.load(Ordering::Relaxed)
    }
}

/// When it is measured.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// From here.
    pub begin: Instant,
    /// To here; `None` where it goes on until so many games have ended.
    pub end: Option<Instant>,
}

impl Window {
    /// Whether this moment is in it.
    pub fn holds(&self, now: Instant) -> bool {
        now >= self.begin && !self.is_past(now)
    }

    /// Whether it is over.
    pub fn is_past(&self, now: Instant) -> bool {
        self.end.is_some_and(|end| now >= end)
    }
}
