//! What is counted and measured, for `/metrics`.
//!
//! Counting costs a few atomic additions; nothing here knows a player, a token or a card.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

/// How an append came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EncodeLabelValue)]
pub enum AppendOutcome {
    /// It is durable.
    Done,
    /// Somebody else was first.
    Conflict,
    /// Nobody knows.
    Unknown,
    /// It was not done.
    Failed,
}

/// Where the state came from that a request was judged against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EncodeLabelValue)]
pub enum CacheResult {
    /// From memory.
    Hit,
    /// From memory, but others had appended since.
    Stale,
    /// From the log.
    Miss,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfRequest {
    method: String,
    route: String,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfRoute {
    route: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfAppend {
    outcome: AppendOutcome,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfCache {
    result: CacheResult,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Of {
    of: &'static str,
}

/// What stands at this moment, and is looked up when it is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// Streams of games that are open.
    pub game_streams: usize,
    /// Streams of players that are open.
    pub player_streams: usize,
    /// Connections to the database that are open.
    pub connections: usize,
    /// Those of them that are at work.
    pub connections_used: usize,
    /// Games in memory.
    pub cached_games: usize,
    /// What they take, in bytes.
    pub cached_bytes: usize,
    /// How many entries the log of logs has.
    pub log_size: u64,
    /// For how long the game has waited that waits longest for its entry in the log of logs.
    pub log_lag: Duration,
}

/// All that is counted by one instance.
pub struct Metrics {
    registry: Registry,
    requests: Family<OfRequest, Counter>,
    request_seconds: Family<OfRoute, Histogram>,
    appends: Family<OfAppend, Counter>,
    append_seconds: Histogram,
    batches: Histogram,
    cache: Family<OfCache, Counter>,
    streams: Family<Of, Gauge>,
    connections: Family<Of, Gauge>,
    cached_games: Gauge,
    cached_bytes: Gauge,
    log_size: Gauge,
    log_lag: Gauge<f64, AtomicU64>,
}

/// From a quarter of a millisecond to 8 seconds.
fn latency() -> Histogram {
    Histogram::new([0.00025, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2.0, 8.0])
}

impl Default for Metrics {
    fn default() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("croupier"),
            requests: Family::default(),
            request_seconds: Family::new_with_constructor(latency),
            appends: Family::default(),
            append_seconds: latency(),
            batches: Histogram::new([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]),
            cache: Family::default(),
            streams: Family::default(),
            connections: Family::default(),
            cached_games: Gauge::default(),
            cached_bytes: Gauge::default(),
            log_size: Gauge::default(),
            log_lag: Gauge::default(),
        };
        metrics.register();
        metrics
    }
}

impl Metrics {
    fn register(&mut self) {
        let registry = &mut self.registry;
        registry.register("requests", "Requests answered", self.requests.clone());
        let help = "How long requests took, by route";
        registry.register_with_unit("request", help, Unit::Seconds, self.request_seconds.clone());
        registry.register("appends", "Appends to the log, by how they came out", self.appends.clone());
        let help = "How long appends took, their wait for others included";
        registry.register_with_unit("append", help, Unit::Seconds, self.append_seconds.clone());
        registry.register("append_batch_size", "How many appends were written together", self.batches.clone());
        registry.register("cache", "Where the state of a game came from", self.cache.clone());
        registry.register("streams", "Streams that are open", self.streams.clone());
        registry.register("database_connections", "Connections to the database", self.connections.clone());
        registry.register("cached_games", "Games in memory", self.cached_games.clone());
        registry.register_with_unit("cached", "What they take", Unit::Bytes, self.cached_bytes.clone());
        registry.register("log_size", "Entries in the log of logs", self.log_size.clone());
        let help = "For how long the game has waited that waits longest for its entry in the log of logs";
        registry.register_with_unit("log_lag", help, Unit::Seconds, self.log_lag.clone());
    }

    /// A request was answered. `route` is the pattern, never the address.
    pub fn request(&self, method: &str, route: &str, status: u16, took: Duration) {
        let (method, route) = (method.to_owned(), route.to_owned());
        self.request_seconds.get_or_create(&OfRoute { route: route.clone() }).observe(took.as_secs_f64());
        self.requests.get_or_create(&OfRequest { method, route, status }).inc();
    }

    /// An append came out.
    pub fn append(&self, outcome: AppendOutcome, took: Duration) {
        self.appends.get_or_create(&OfAppend { outcome }).inc();
        self.append_seconds.observe(took.as_secs_f64());
    }

    /// So many appends are written together.
    pub fn batch(&self, appends: usize) {
        self.batches.observe(f64::from(u32::try_from(appends).unwrap_or(u32::MAX)));
    }

    /// A game's state was needed.
    pub fn cache(&self, result: CacheResult) {
        self.cache.get_or_create(&OfCache { result }).inc();
    }

    /// Everything, as OpenMetrics has it (and Prometheus reads it).
    pub fn text(&self, standing: &Standing) -> String {
        let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let set = |family: &Family<Of, Gauge>, of, value| {
            family.get_or_create(&Of { of }).set(count(value));
        };
        set(&self.streams, "game", standing.game_streams);
        set(&self.streams, "player", standing.player_streams);
        set(&self.connections, "used", standing.connections_used);
        set(&self.connections, "idle", standing.connections.saturating_sub(standing.connections_used));
        self.cached_games.set(count(standing.cached_games));
        self.cached_bytes.set(count(standing.cached_bytes));
        self.log_size.set(i64::try_from(standing.log_size).unwrap_or(i64::MAX));
        self.log_lag.set(standing.log_lag.as_secs_f64());
        let mut out = String::new();
        // Writing to a text can't fail.
        let _ = text::encode(&mut out, &self.registry);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_counted_is_told() {
        let metrics = Metrics::default();
        metrics.request("GET", "/v1/games", 200, Duration::from_millis(3));
        metrics.append(AppendOutcome::Conflict, Duration::from_micros(700));
        metrics.batch(12);
        metrics.cache(CacheResult::Stale);
        let text =
            metrics.text(&Standing { game_streams: 7, connections: 5, connections_used: 2, ..Standing::default() });
        for line in [
            r#"croupier_requests_total{method="GET",route="/v1/games",status="200"} 1"#,
            r#"croupier_request_seconds_bucket{le="0.003",route="/v1/games"} 1"#,
            r#"croupier_appends_total{outcome="Conflict"} 1"#,
            r#"croupier_append_batch_size_bucket{le="16.0"} 1"#,
            r#"croupier_cache_total{result="Stale"} 1"#,
            r#"croupier_streams{of="game"} 7"#,
            r#"croupier_database_connections{of="idle"} 3"#,
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
        assert!(text.ends_with("# EOF\n"));
    }
}
