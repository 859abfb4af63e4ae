//! Asking the service.

use std::time::Duration;

use awc::error::SendRequestError;
use awc::http::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use uuid::Uuid;

use super::answers::{Events, Keys, Problem, Scores, SignedUp, View};
use super::{ClientError, Player};
use crate::canonical;
use crate::event::Event;
use crate::ids::GameId;
use crate::keys::{Jwk, KeyUse};

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How long an answer may be, in bytes.
const MAX_ANSWER: usize = 64 * 1024 * 1024;
/// How many events to ask for at once.
const EVENTS_A_PAGE: u32 = 1000;

/// A service at an address. Cheap to clone; lives on one thread, as its connections do.
#[derive(Clone)]
pub struct Client {
    http: awc::Client,
    /// Without a slash at its end.
    url: String,
}

/// Who asks, and under which idempotency key.
#[derive(Clone, Copy, Default)]
pub(super) struct Asking<'a> {
    pub token: Option<&'a str>,
    pub idempotency_key: Option<Uuid>,
}

impl Client {
    /// The service at an address such as `http://127.0.0.1:8080`.
    ///
    /// # Errors
    ///
    /// For an address that does not begin with `http://`.
    pub fn new(url: &str) -> Result<Self, ClientError> {
        if !url.starts_with("http://") {
            return Err(ClientError::Address(url.to_owned()));
        }
        let http = awc::Client::builder().timeout(TIMEOUT).disable_redirects().finish();
        Ok(Self { http, url: url.trim_end_matches('/').to_owned() })
    }

    /// The address, without a slash at its end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The keys that sign events. To be asked for before a game and kept: they are what its log is held against.
    ///
    /// # Errors
    ///
    /// See [`ClientError`].
    pub async fn event_keys(&self) -> Result<Vec<Jwk>, ClientError> {
        let Keys { mut keys } = self.get("/.well-known/jwks.json", Asking::default()).await?;
        keys.retain(|key| key.croupier_use == KeyUse::Event);
        Ok(keys)
    }

    /// A new player without a password.
    ///
    /// # Errors
    ///
    /// See [`ClientError`]; `name_taken` if somebody has that name.
    pub async fn guest(&self, name: &str) -> Result<Player, ClientError> {
        let body = json!({"name": name});
        let SignedUp { player, token } = self.send(Method::POST, "/v1/players", Asking::default(), Some(&body)).await?;
        Ok(Player { client: self.clone(), id: player.id, name: player.name, token })
    }

    /// The events of a game after one of them, or from the first: all there are now.
    ///
    /// # Errors
    ///
    /// See [`ClientError`].
    pub async fn events(&self, game: GameId, after: Option<u64>) -> Result<Vec<Event>, ClientError> {
        let mut all = Vec::new();
        let mut after = after;
        loop {
            let from = after.map(|seq| format!("&after={seq}")).unwrap_or_default();
            let path = format!("/v1/games/{game}/events?limit={EVENTS_A_PAGE}{from}");
            let Events { events, next } = self.get(&path, Asking::default()).await?;
            all.extend(events);
            match next {
                // A page goes on where it ended, or it never would end.
                Some(next) if after.is_none_or(|after| next > after) => after = Some(next),
                Some(_) => return Err(ClientError::Nonsense("the pages of a log go round in a circle".to_owned())),
                None => return Ok(all),
            }
        }
    }

    /// The table of high scores from a game's run on, among all runs; of one row.
    ///
    /// # Errors
    ///
    /// See [`ClientError`].
    pub async fn scores_from(&self, game: GameId) -> Result<Scores, ClientError> {
        let path = format!("/v1/rules/fatetst_rpg/scores?runs=all&from={game}&limit=1");
        self.get(&path, Asking::default()).await
    }

    /// A game as anybody may see it.
    ///
    /// # Errors
    ///
    /// See [`ClientError`].
    pub async fn view(&self, game: GameId) -> Result<View, ClientError> {
        self.get(&format!("/v1/games/{game}/view"), Asking::default()).await
    }

    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str, asking: Asking<'_>) -> Result<T, ClientError> {
        self.send(Method::GET, path, asking, None::<&()>).await
    }

    /// Asks, and asks once more if the connection is lost: a kept one may have been closed meanwhile, and writes are
    /// safe to repeat.
    pub(super) async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        asking: Asking<'_>,
        body: Option<&impl Serialize>,
    ) -> Result<T, ClientError> {
        let body = body.map(serde_json::to_vec).transpose().map_err(|why| ClientError::Nonsense(why.to_string()))?;
        match self.send_once(&method, path, asking, body.clone()).await {
            Err(ClientError::Lost(_)) => self.send_once(&method, path, asking, body).await,
            answer => answer,
        }
    }

    async fn send_once<T: DeserializeOwned>(
        &self,
        method: &Method,
        path: &str,
        asking: Asking<'_>,
        body: Option<Vec<u8>>,
    ) -> Result<T, ClientError> {
        let mut request = self.http.request(method.clone(), format!("{}{path}", self.url));
        if let Some(token) = asking.token {
            request = request.bearer_auth(token);
        }
        if let Some(key) = asking.idempotency_key {
            request = request.insert_header(("Idempotency-Key", key.to_string()));
        }
        let sent = match body {
            Some(body) => request.content_type("application/json").send_body(body).await,
            None => request.send().await,
        };
        let mut answer = sent.map_err(|error| self.failed(&error))?;
        let bytes = answer.body().limit(MAX_ANSWER).await.map_err(|error| ClientError::Lost(error.to_string()))?;
        if answer.status().is_success() {
            return canonical::parse_as(&bytes).map_err(|why| ClientError::Nonsense(why.to_string()));
        }
        let status = answer.status().as_u16();
        match serde_json::from_slice(&bytes) {
            Ok(Problem { code, detail }) => Err(ClientError::Problem { status, code, detail }),
            Err(_) => Err(ClientError::Nonsense(format!("status {status} without a problem"))),
        }
    }

    fn failed(&self, error: &SendRequestError) -> ClientError {
        match error {
            SendRequestError::Url(_) | SendRequestError::Http(_) => ClientError::Address(self.url.clone()),
            SendRequestError::Connect(_) => ClientError::Unreachable(self.url.clone()),
            other => ClientError::Lost(other.to_string()),
        }
    }
}
