//! From a request to typed values: one door each for bodies, for parts of paths and queries, and for callers.

use std::future::Future;
use std::pin::Pin;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::{self, HeaderMap};
use actix_web::web::{BytesMut, Payload};
use actix_web::{FromRequest, HttpRequest, dev, web};
use futures_util::StreamExt;
use serde::de::{DeserializeOwned, Error as _, IntoDeserializer};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use tokio::time::timeout;

use super::Service;
use super::problem::{Code, Problem};
use crate::canonical;
use crate::dealer::Account;
use crate::ids::{GameId, PlayerId};
use crate::principal::{BadToken, Bearer};
use crate::timestamp::Timestamp;

/// How long a body may be, in bytes.
pub const MAX_BODY: usize = 64 * 1024;
/// How long a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);

type Extracting<T> = Pin<Box<dyn Future<Output = Result<T, Problem>>>>;

/// A JSON body: I-JSON, of exactly the form of `T`.
pub struct Body<T>(pub T);

impl<T: DeserializeOwned + 'static> FromRequest for Body<T> {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(request: &HttpRequest, payload: &mut dev::Payload) -> Self::Future {
        let value = read_value(request, payload);
        Box::pin(async move {
            let value = value.await?.ok_or(Problem::new(Code::InvalidBody, "this operation takes a JSON body"))?;
            typed(value).map(Self)
        })
    }
}

/// A JSON body that may be left out, or be null.
pub struct OptionalBody<T>(pub Option<T>);

impl<T: DeserializeOwned + 'static> FromRequest for OptionalBody<T> {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(request: &HttpRequest, payload: &mut dev::Payload) -> Self::Future {
        let value = read_value(request, payload);
        Box::pin(async move { value.await?.filter(|value| !value.is_null()).map(typed).transpose().map(Self) })
    }
}

/// The body as JSON, or `None` where there is no body.
fn read_value(request: &HttpRequest, payload: &mut dev::Payload) -> Extracting<Option<Value>> {
    let request = request.clone();
    let payload = Payload::from_request(&request, payload).into_inner();
    Box::pin(async move {
        let payload = payload.map_err(|_| Problem::of(Code::MalformedJson))?;
        let Some(body) = read_body(&request, payload, MAX_BODY, BODY_TIME).await? else { return Ok(None) };
        canonical::parse(&body).map(Some).map_err(|error| Problem::new(Code::MalformedJson, error.to_string()))
    })
}

/// The bytes of a JSON body of at most so many that arrives in time, or `None` where there is no body.
pub async fn read_body(
    request: &HttpRequest,
    payload: Payload,
    limit: usize,
    time: Duration,
) -> Result<Option<BytesMut>, Problem> {
    if request.headers().get_all(header::CONTENT_ENCODING).any(|coding| coding.as_bytes() != b"identity") {
        return Err(Problem::new(Code::UnsupportedMediaType, "a body is not to be compressed"));
    }
    let late = |_| Problem::new(Code::RequestTimeout, format!("this body has {} s to arrive", time.as_secs()));
    let body = timeout(time, read_bytes(payload, limit)).await.map_err(late)??;
    match request.headers().get(header::CONTENT_TYPE) {
        _ if body.is_empty() => Ok(None),
        Some(value) if is_json(value) => Ok(Some(body)),
        _ => Err(Problem::of(Code::UnsupportedMediaType)),
    }
}

async fn read_bytes(mut payload: Payload, limit: usize) -> Result<BytesMut, Problem> {
    let mut body = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| Problem::new(Code::MalformedJson, "the body did not arrive whole"))?;
        if body.len() + chunk.len() > limit {
            return Err(Problem::new(Code::BodyTooLarge, format!("this body has at most {limit} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn is_json(content_type: &header::HeaderValue) -> bool {
    let media_type = content_type.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("application/json")
}

/// An object of exactly the form of `T`; the problem names the field.
pub fn typed<T: DeserializeOwned>(value: Value) -> Result<T, Problem> {
    if !value.is_object() {
        // A struct's reader would take a list of its fields, too.
        return Err(Problem::new(Code::InvalidBody, "the body must be an object"));
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let detail = if path == "." { error.inner().to_string() } else { format!("{path}: {}", error.inner()) };
        Problem::new(Code::InvalidBody, detail)
    })
}

/// A name, as a text: an enum's reader would take an object with the name for its only field, too.
pub fn by_name<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::deserialize(String::deserialize(deserializer)?.into_deserializer())
}

/// A number of a query, no larger than numbers are in JSON.
pub fn whole<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Into<Option<u64>> + Copy,
    D: Deserializer<'de>,
{
    let number = T::deserialize(deserializer)?;
    match number.into() {
        Some(large) if large > canonical::MAX_INTEGER.unsigned_abs() => {
            Err(D::Error::custom("a number is at most 2^53 - 1"))
        }
        _ => Ok(number),
    }
}

/// A part of the path.
pub fn path_part<T: FromStr<Err: std::fmt::Display>>(request: &HttpRequest, name: &str) -> Result<T, Problem> {
    let text = request.match_info().query(name);
    text.parse().map_err(|error| Problem::new(Code::InvalidParameter, format!("{name} {error}")))
}

/// The game that the path names.
pub struct PathGame(pub GameId);

impl FromRequest for PathGame {
    type Error = Problem;
    type Future = std::future::Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        std::future::ready(path_part(request, "id").map(Self))
    }
}

/// The query, of exactly the form of `T`.
pub struct Query<T>(pub T);

impl<T: DeserializeOwned> FromRequest for Query<T> {
    type Error = Problem;
    type Future = std::future::Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        let query = web::Query::<T>::from_query(request.query_string());
        std::future::ready(match query {
            Ok(query) => Ok(Self(query.into_inner())),
            Err(error) => Err(Problem::new(Code::InvalidParameter, error.to_string())),
        })
    }
}

/// Who calls.
pub struct Caller(pub Arc<Account>);

impl Caller {
    /// The caller's id.
    pub fn id(&self) -> PlayerId {
        self.0.id
    }
}

impl FromRequest for Caller {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        let account = account_of(request);
        Box::pin(async move { account.await?.map(Self).ok_or(Problem::of(Code::TokenMissing)) })
    }
}

/// Who calls, where that needs not be told; a bad token is refused also here.
pub struct MaybeCaller(pub Option<Arc<Account>>);

impl MaybeCaller {
    /// The caller's id.
    pub fn id(&self) -> Option<PlayerId> {
        self.0.as_ref().map(|account| account.id)
    }
}

impl FromRequest for MaybeCaller {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        let account = account_of(request);
        Box::pin(async move { account.await.map(Self) })
    }
}

/// The account that the request's token names.
fn account_of(request: &HttpRequest) -> Extracting<Option<Arc<Account>>> {
    let request = request.clone();
    Box::pin(async move {
        let Some(token) = bearer_token(request.headers())? else { return Ok(None) };
        let service = request.app_data::<web::Data<Service>>().ok_or(Problem::of(Code::Internal))?;
        let now = service.dealer.inputs().now();
        let account = match service.tokens.check(&token, now) {
            Ok(bearer) => known(service, bearer).await?,
            Err(BadToken::Invalid) => outsider(service, &token, now).await?,
            Err(bad) => return Err(bad.into()),
        };
        service.limits.count_player(&request, account.id)?;
        Ok(Some(account))
    })
}

/// The account of a good token, unless its player has ended it.
async fn known(service: &Service, bearer: Bearer) -> Result<Arc<Account>, Problem> {
    let account = service.dealer.account(bearer.player).await?.ok_or(Problem::of(Code::TokenInvalid))?;
    if account.token_generation == bearer.generation { Ok(account) } else { Err(Problem::of(Code::TokenEnded)) }
}

/// The account of whom an outside identity provider vouches for, unless its player has ended the token.
async fn outsider(service: &Service, token: &str, now: Timestamp) -> Result<Arc<Account>, Problem> {
    let outsider = service.outside.check(token, now).await?;
    let player = match outsider.player.get() {
        Some(player) => *player,
        None => {
            let player = service.dealer.player_of(&outsider.identity, &outsider.names).await?;
            *outsider.player.get_or_init(|| player)
        }
    };
    let account = service.dealer.account(player).await?.ok_or(Problem::of(Code::TokenInvalid))?;
    match account.tokens_ended_at {
        Some(ended) if outsider.issued_at <= ended => Err(Problem::of(Code::TokenEnded)),
        _ => Ok(account),
    }
}

impl From<BadToken> for Problem {
    fn from(bad: BadToken) -> Self {
        Self::of(match bad {
            BadToken::Invalid => Code::TokenInvalid,
            BadToken::Expired => Code::TokenExpired,
        })
    }
}

fn bearer_token(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut values = headers.get_all(header::AUTHORIZATION);
    let Some(value) = values.next() else { return Ok(None) };
    let token = value.to_str().ok().and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
    });
    match token {
        Some(token) if values.next().is_none() => Ok(Some(token)),
        _ => Err(Problem::new(Code::TokenInvalid, "Authorization must be one `Bearer` token")),
    }
}
