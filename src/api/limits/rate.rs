//! How often: so many a minute, which may all come at once.

use std::fmt;
use std::hash::BuildHasher;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use actix_web::http::header::HeaderValue;
use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};

use crate::api::problem::{Code, Problem};

/// Over how many seconds a limit goes.
const WINDOW: u64 = 60;

/// How often who may ask, a minute: `6000:60000` is for a player and for an address, and each may be `off`; `off` alone
/// is for both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rate {
    /// A player.
    pub player: Option<NonZeroU32>,
    /// An address.
    pub address: Option<NonZeroU32>,
}

/// Why a text is no rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotARate;

impl fmt::Display for NotARate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a limit is `off` or PLAYER:ADDRESS, each of them requests a minute, or `off`")
    }
}

impl std::error::Error for NotARate {}

impl FromStr for Rate {
    type Err = NotARate;

    fn from_str(text: &str) -> Result<Self, NotARate> {
        let one = |text: &str| match text {
            "off" => Ok(None),
            number => number.parse().map(Some).map_err(|_| NotARate),
        };
        match text.split_once(':') {
            Some((player, address)) => Ok(Self { player: one(player)?, address: one(address)? }),
            None if text == "off" => Ok(Self::default()),
            None => Err(NotARate),
        }
    }
}

type Limiter = RateLimiter<u128, HashMapStateStore<u128>, DefaultClock, StateInformationMiddleware>;

/// Counts by some key, with one quota for each.
pub(super) struct Counter {
    limiter: Limiter,
    quota: NonZeroU32,
    policy: HeaderValue,
    /// What `RateLimit` begins with.
    head: String,
    /// Keys of texts, which nobody outside can make collide.
    texts: std::hash::RandomState,
}

/// How somebody stands with a limit.
pub(super) struct Standing {
    /// The limit, as `RateLimit-Policy` names it.
    pub policy: HeaderValue,
    /// What is left, and after how many seconds all of it is there again, as `RateLimit` tells it.
    pub left: String,
}

impl Counter {
    /// Under this name, of letters and underscores.
    pub fn new(name: &str, quota: NonZeroU32) -> Self {
        let limiter = RateLimiter::hashmap(Quota::per_minute(quota)).with_middleware();
        let policy = HeaderValue::from_str(&format!("\"{name}\";q={quota};w={WINDOW}"));
        Self {
            limiter,
            quota,
            // A name of letters and a number make a header.
            policy: policy.unwrap_or(HeaderValue::from_static("")),
            head: format!("\"{name}\""),
            texts: std::hash::RandomState::new(),
        }
    }

    /// Counts one more: how its sender stands then, and whether it was one too many.
    pub fn count(&self, key: u128) -> (Standing, Result<(), Problem>) {
        match self.limiter.check_key(&key) {
            Ok(state) => (self.standing(state.remaining_burst_capacity()), Ok(())),
            Err(not_until) => {
                let seconds = whole_seconds(not_until.wait_time_from(self.limiter.clock().now()));
                let detail = format!("{} requests a minute are allowed here: come again in {seconds} s", self.quota);
                (self.standing(0), Err(Problem::new(Code::RateLimited, detail).retry_after(seconds)))
            }
        }
    }

    /// Counts one more for a text.
    pub fn count_text(&self, text: &str) -> (Standing, Result<(), Problem>) {
        // The ids of players, with which it shares the counter, have a number above 2^64.
        self.count(self.texts.hash_one(text).into())
    }

    fn standing(&self, left: u32) -> Standing {
        let quota = u64::from(self.quota.get());
        let whole = (quota.saturating_sub(left.into()) * WINDOW).div_ceil(quota);
        Standing { policy: self.policy.clone(), left: format!("{};r={left};t={whole}", self.head) }
    }

    /// Forgets the keys that have all of their quota again.
    pub fn forget_idle(&self) {
        self.limiter.retain_recent();
        self.limiter.shrink_to_fit();
    }

    /// How many keys are remembered.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.limiter.len()
    }
}

/// At least one, and never too few.
fn whole_seconds(wait: Duration) -> u32 {
    wait.as_millis().div_ceil(1000).try_into().unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(number: u32) -> NonZeroU32 {
        NonZeroU32::new(number).unwrap()
    }

    #[test]
    fn rates_are_written_in_one_way() {
        let rate = |player, address| Ok(Rate { player, address });
        assert_eq!("6000:60000".parse(), rate(Some(number(6000)), Some(number(60000))));
        assert_eq!("off:600".parse(), rate(None, Some(number(600))));
        assert_eq!("30:off".parse(), rate(Some(number(30)), None));
        assert_eq!("off".parse::<Rate>(), rate(None, None));
        for bad in ["", "0:1", "1:0", "600", ":", "1:", "-1:1", "1:2:3", "Off", "4294967296:1", "1 :2"] {
            assert_eq!(bad.parse::<Rate>(), Err(NotARate), "{bad}");
        }
    }

    #[test]
    fn as_many_as_the_quota_come_at_once_and_then_one_after_the_other() {
        let counter = Counter::new("moves", number(60));
        for left in (0..60).rev() {
            let (standing, result) = counter.count(7);
            assert!(result.is_ok(), "{left} were left");
            assert_eq!(standing.left, format!("\"moves\";r={left};t={}", 60 - left));
        }
        let (standing, result) = counter.count(7);
        let problem = result.unwrap_err();
        assert_eq!((standing.left.as_str(), problem.code()), ("\"moves\";r=0;t=60", Code::RateLimited));
        assert_eq!(standing.policy.to_str().unwrap(), "\"moves\";q=60;w=60");
        assert!(counter.count(8).1.is_ok(), "somebody else is counted apart");
        std::thread::sleep(Duration::from_millis(1050));
        assert!(counter.count(7).1.is_ok(), "after a second there is one again");
    }

    #[test]
    fn only_those_who_ask_are_remembered() {
        let counter = Counter::new("moves", number(60_000));
        for key in 0..10_000 {
            assert!(counter.count(key).1.is_ok());
        }
        assert!(counter.count_text("Ana").1.is_ok());
        std::thread::sleep(Duration::from_millis(50));
        counter.forget_idle();
        assert_eq!(counter.len(), 0);
    }
}
