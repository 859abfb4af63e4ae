//! How long things took.

use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};

/// The bits below the highest that tell buckets apart: so a quantile is at most 1/64 too high.
const FINE: u32 = 6;
/// As many as times of 64 bits fall into.
const BUCKETS: usize = (64 - FINE as usize + 1) << FINE;

/// Durations in buckets whose width grows with them.
#[derive(Clone)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; BUCKETS], total: 0 }
    }
}

/// The bucket of so many nanoseconds.
fn bucket(nanos: u64) -> usize {
    let shift = (u64::BITS - nanos.leading_zeros()).saturating_sub(FINE + 1);
    // At most (58 << 6) + 127: there are as many buckets.
    ((shift as usize) << FINE) + (nanos >> shift) as usize
}

/// The longest time of a bucket, in nanoseconds.
fn longest(bucket: usize) -> u64 {
    let shift = (bucket >> FINE).saturating_sub(1);
    let fine = (bucket - (shift << FINE)) as u64;
    (fine << shift) + ((1 << shift) - 1)
}

/// How long something took, in milliseconds.
#[derive(Debug, Clone, Copy, Serialize)]
#[allow(missing_docs, reason = "quantiles")]
pub struct Quantiles {
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
    pub max: f64,
}

impl fmt::Display for Quantiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { p50, p95, p99, max } = self;
        write!(f, "p50 {p50:.2}  p95 {p95:.2}  p99 {p99:.2}  max {max:.2} ms")
    }
}

/// It is told by its quantiles.
impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.quantiles().serialize(serializer)
    }
}

impl Histogram {
    /// Takes one in.
    pub fn record(&mut self, duration: Duration) {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.counts[bucket(nanos)] += 1;
        self.total += 1;
    }

    /// Takes all of another in.
    pub fn add(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.total += other.total;
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// What stands for all of them.
    pub fn quantiles(&self) -> Quantiles {
        let millis = |of_thousand| (self.quantile(of_thousand) * 1000.0).round() / 1000.0;
        Quantiles { p50: millis(500), p95: millis(950), p99: millis(990), max: millis(1000) }
    }

    /// What so many of a thousand do not exceed, in milliseconds; 0 where there is none.
    pub fn quantile(&self, of_thousand: u64) -> f64 {
        let rank = (self.total * of_thousand).div_ceil(1000).max(1);
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return longest(bucket) as f64 / 1e6;
            }
        }
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::{BUCKETS, Histogram, bucket, longest};
    use std::time::Duration;

    #[test]
    fn each_bucket_follows_on_the_one_before_and_is_narrow() {
        for nanos in (0..4096).chain([1 << 20, (1 << 40) + 12345, u64::MAX - 1, u64::MAX]) {
            let bucket = bucket(nanos);
            assert!(bucket < BUCKETS && longest(bucket) >= nanos, "{nanos}");
            assert!(bucket == 0 || longest(bucket - 1) < nanos, "{nanos}");
            assert!(longest(bucket) - nanos <= nanos / 64, "{nanos}");
        }
    }

    #[test]
    fn quantiles_are_of_all_that_was_recorded() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.quantile(500), 0.0);
        for micros in 1..=500 {
            histogram.record(Duration::from_micros(micros));
        }
        let mut others = Histogram::default();
        for micros in 501..=1000 {
            others.record(Duration::from_micros(micros));
        }
        histogram.add(&others);
        assert_eq!(histogram.count(), 1000);
        for (of_thousand, millis) in [(500, 0.5), (990, 0.99), (1000, 1.0), (1, 0.001)] {
            let found = histogram.quantile(of_thousand);
            assert!(found >= millis && found <= millis * 1.02, "{of_thousand}: {found}");
        }
    }
}
