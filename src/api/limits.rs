//! Who may ask how often, from where, and how much stays open at once: counted on this instance.
//!
//! Every operation belongs to one [`Bucket`], which is counted twice: by address before anything else is done, and by
//! player where a good token says who asks. So nobody's flood in one bucket stops anybody's move in another.

use std::net::IpAddr;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, HttpRequest, web};
use ipnet::IpNet;

use super::Service;
use super::problem::{Code, Problem};
use crate::dealer::{Pass, Passes};
use crate::ids::PlayerId;

mod address;
mod bucket;
mod rate;

pub use bucket::{Bucket, bucket_of};
pub use rate::{NotARate, Rate};

use address::{client_address, network};
use rate::{Counter, Standing};

/// What a limit was last counted for: the header that names the limit.
pub const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
/// What is left of it.
pub const LEFT: HeaderName = HeaderName::from_static("ratelimit");
/// After how many seconds somebody with too many streams may try again: one of them may have ended by then.
const STREAMS_RETRY_SECONDS: u32 = 10;

/// What an operator sets.
#[derive(Debug, Clone, Default)]
pub struct LimitsSettings {
    /// How often, for each bucket in the order of [`Bucket::ALL`].
    pub rates: [Rate; Bucket::ALL.len()],
    /// Whose word about the client's address is taken.
    pub trusted_proxies: Vec<IpNet>,
    /// How many streams a player may have open at once.
    pub player_streams: Option<u32>,
    /// How many streams an address may have open at once.
    pub address_streams: Option<u32>,
}

/// The limits of this instance.
pub struct Limits {
    counters: [Counters; Bucket::ALL.len()],
    trusted_proxies: Vec<IpNet>,
    player_streams: Bound<PlayerId>,
    address_streams: Bound<u128>,
}

/// The two ways in which a bucket is counted.
struct Counters {
    player: Option<Counter>,
    address: Option<Counter>,
}

/// How much may be open at once.
struct Bound<K> {
    most: Option<u32>,
    passes: Passes<K>,
}

impl<K: Eq + std::hash::Hash + Copy> Bound<K> {
    fn new(most: Option<u32>) -> Self {
        Self { most, passes: Passes::new() }
    }

    /// Lets one more in, until its pass is dropped; nobody is counted where there is no bound.
    fn enter(&self, key: K, whose: &str) -> Result<Option<Pass<K>>, Problem> {
        let Some(most) = self.most else { return Ok(None) };
        let pass = self.passes.take(key);
        if pass.number() <= most {
            return Ok(Some(pass));
        }
        let detail = format!("{whose} may have {most} streams open at once on an instance");
        Err(Problem::new(Code::TooManyStreams, detail).retry_after(STREAMS_RETRY_SECONDS))
    }
}

/// Held by an open stream, and given back when that ends.
pub struct StreamPass {
    _player: Option<Pass<PlayerId>>,
    _address: Option<Pass<u128>>,
}

impl Limits {
    /// As the operator set them.
    pub fn new(settings: LimitsSettings) -> Self {
        let LimitsSettings { rates, trusted_proxies, player_streams, address_streams } = settings;
        let mut buckets = Bucket::ALL.iter().zip(rates).map(|(bucket, rate)| {
            let (player, address) = (bucket.name().to_owned(), format!("{}-address", bucket.name()));
            Counters {
                player: rate.player.map(|quota| Counter::new(&player, quota)),
                address: rate.address.map(|quota| Counter::new(&address, quota)),
            }
        });
        Self {
            counters: std::array::from_fn(|_| buckets.next().unwrap_or(Counters { player: None, address: None })),
            trusted_proxies,
            player_streams: Bound::new(player_streams),
            address_streams: Bound::new(address_streams),
        }
    }

    /// Forgets whoever has not asked for so long that it makes no difference; to be called every few seconds, so that
    /// the counting takes no more memory than those who ask now need.
    pub fn forget_idle(&self) {
        self.counters.iter().flat_map(|it| [&it.player, &it.address]).flatten().for_each(Counter::forget_idle);
    }

    /// Counts a request of this player, where its bucket has a limit.
    ///
    /// # Errors
    ///
    /// `rate_limited`.
    pub fn count_player(&self, request: &HttpRequest, player: PlayerId) -> Result<(), Problem> {
        let bucket = bucket_of(request.method().as_str(), request.match_info().as_str());
        let counter = bucket.and_then(|bucket| self.counters[bucket.index()].player.as_ref());
        counter.map_or(Ok(()), |counter| tell(request, counter.count(player.uuid().as_u128())))
    }

    /// Counts an attempt to sign in under this name, so that guessing at one from many addresses is bounded too.
    ///
    /// # Errors
    ///
    /// `rate_limited`.
    pub fn count_name(&self, request: &HttpRequest, name_key: &str) -> Result<(), Problem> {
        let counter = self.counters[Bucket::SignIn.index()].player.as_ref();
        counter.map_or(Ok(()), |counter| tell(request, counter.count_text(name_key)))
    }

    /// Counts a request by its address, where its bucket has a limit.
    fn count_address(&self, request: &ServiceRequest) -> Option<(Standing, Result<(), Problem>)> {
        let bucket = bucket_of(request.method().as_str(), request.match_info().as_str())?;
        let counter = self.counters[bucket.index()].address.as_ref()?;
        Some(counter.count(network(self.address(request.request())?)))
    }

    /// Where a request comes from.
    fn address(&self, request: &HttpRequest) -> Option<IpAddr> {
        Some(client_address(request.peer_addr()?.ip(), request.headers(), &self.trusted_proxies))
    }

    /// Lets one more stream be opened.
    ///
    /// # Errors
    ///
    /// `too_many_streams`.
    pub fn open_stream(&self, request: &HttpRequest, player: Option<PlayerId>) -> Result<StreamPass, Problem> {
        let address = match self.address_streams.most.and_then(|_| self.address(request)) {
            Some(address) => self.address_streams.enter(network(address), "an address")?,
            None => None,
        };
        let player = match player {
            Some(player) => self.player_streams.enter(player, "a player")?,
            None => None,
        };
        Ok(StreamPass { _player: player, _address: address })
    }
}

/// Leaves word of a count for the answer.
fn tell(request: &HttpRequest, (standing, result): (Standing, Result<(), Problem>)) -> Result<(), Problem> {
    request.extensions_mut().insert(standing);
    result
}

/// Refuses whoever asks too often from one address, before anything else is done; and has every answer tell what is
/// left: of the player's limit where that was counted, else of the address's.
///
/// # Errors
///
/// Where something failed that is no route.
pub async fn limit(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let service = request.app_data::<web::Data<Service>>();
    let counted = service.and_then(|service| service.limits.count_address(&request));
    let (by_address, result) = counted.map_or((None, Ok(())), |(standing, result)| (Some(standing), result));
    let mut response = match result {
        Ok(()) => next.call(request).await?.map_into_boxed_body(),
        Err(problem) => request.error_response(problem),
    };
    let by_player = response.request().extensions_mut().remove::<Standing>();
    if let Some(standing) = by_player.or(by_address) {
        let left = HeaderValue::try_from(standing.left);
        response.headers_mut().insert(POLICY, standing.policy);
        if let Ok(left) = left {
            response.headers_mut().insert(LEFT, left);
        }
    }
    Ok(response)
}
