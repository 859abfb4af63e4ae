//! Putting the service together, and starting it.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::api::limits::Limits;
use crate::api::openapi::Document;
use crate::api::{Connection, Origins, Service, cors, docs_page, identify, limit, no_route, routes};
use crate::config::Settings;
use crate::dealer::inputs::{Inputs, NoEntropy};
use crate::dealer::{Dealer, DealerError, LOOK_MILLIS, Notary};
use crate::keyring::{KeyError, Keyring};
use crate::keys::{Jwk, KeyUse};
use crate::ledger::{self, CutShort, Ledger, LedgerError, LedgerSettings, MigrateError, SecretKeys, migrate, user_of};
use crate::log::EventSigner;
use crate::principal::{BadProvider, Outside, Tokens};
use crate::timestamp::Timestamp;
use actix_web::dev::{Extensions, Server, ServerHandle};
use actix_web::middleware::{Condition, from_fn};
use actix_web::rt::net::TcpStream;
use actix_web::{App, HttpServer, web};
use tokio::signal::unix::{SignalKind, signal};

/// How long a service that stops waits for what was begun, in seconds.
const SHUTDOWN_SECONDS: u64 = 8;
/// After how many milliseconds a connection is cut whose other end takes nothing of what is sent to it.
const SLOW_READER_MILLIS: u32 = 20_000;

/// How long the head of a request may take to arrive: whoever dribbles it would hold a connection for ever.
const HEAD_TIME: Duration = Duration::from_secs(5);
/// How long a connection may idle between two requests.
const IDLE_TIME: Duration = Duration::from_secs(10);
/// How long what is still sent after an answer is taken and thrown away, so that the answer is read.
const LINGER_TIME: Duration = Duration::from_secs(1);
/// How often those are forgotten whose requests no longer count.
const FORGET_PAUSE: Duration = Duration::from_secs(10);

/// Why the service did not start.
#[derive(Debug)]
pub enum StartError {
    /// No database was named.
    NoDatabase,
    /// The migrations failed.
    Migrate(MigrateError),
    /// The database is away, or is none of ours.
    Ledger(LedgerError),
    /// There are no keys to work with.
    Keys(KeyError),
    /// Secrets in the database were encrypted with keys that are not configured.
    MissingKeys(Vec<String>),
    /// Nobody can listen there.
    Listen(SocketAddr, std::io::Error),
    /// No key is configured that encrypts secrets.
    NoSecretKey,
    /// A key can't be used.
    UnusableKey,
    /// The operating system gave no randomness.
    NoEntropy,
    /// The log of logs can't have this name.
    LogOrigin(String),
    /// The identity providers can't be used as they are named.
    Providers(BadProvider),
    /// The table of high scores could not be made anew.
    Scores(DealerError),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDatabase => f.write_str("no database: set DATABASE_URL"),
            Self::Migrate(error) => write!(f, "the database can't be migrated: {error}"),
            Self::Ledger(error) => write!(f, "the database can't be used: {error}"),
            Self::Keys(error) => error.fmt(f),
            Self::MissingKeys(ids) => {
                let ids = ids.join(", ");
                write!(f, "the database holds secrets of keys that are not configured: {ids}; add them to `secrets`")
            }
            Self::Listen(address, error) => write!(f, "can't listen on {address}: {error}"),
            Self::NoSecretKey => f.write_str("no key is configured that encrypts secrets: `secrets` is empty"),
            Self::UnusableKey => f.write_str("a token key can't be used"),
            Self::NoEntropy => NoEntropy.fmt(f),
            Self::Providers(error) => error.fmt(f),
            Self::Scores(error) => write!(f, "the table of high scores could not be made: {error}"),
            Self::LogOrigin(origin) => {
                write!(f, "the log's origin {origin:?} can't be used: it has no spaces and no plus signs")
            }
        }
    }
}

impl std::error::Error for StartError {}

impl From<LedgerError> for StartError {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}

impl From<KeyError> for StartError {
    fn from(error: KeyError) -> Self {
        Self::Keys(error)
    }
}

impl From<BadProvider> for StartError {
    fn from(error: BadProvider) -> Self {
        Self::Providers(error)
    }
}

/// A service that listens.
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    server: Server,
    dealer: Dealer,
    background: Background,
}

/// Stops a service.
pub struct Stopper {
    dealer: Dealer,
    server: ServerHandle,
}

impl Stopper {
    /// Takes no new connections, ends the streams with a hint to resume elsewhere, and waits until what was begun is
    /// done, for [`SHUTDOWN_SECONDS`] at most.
    pub async fn stop(&self) {
        self.dealer.feed().close();
        self.server.stop(true).await;
    }

    /// Stops at once, whatever was begun.
    pub fn abort(&self) {
        // It is told when this is called, not when it is waited for.
        drop(self.server.stop(false));
    }
}

/// What goes on beside the requests; ended when dropped, at any moment.
struct Background(Vec<tokio::task::JoinHandle<()>>);

impl Drop for Background {
    fn drop(&mut self) {
        self.0.iter().for_each(tokio::task::JoinHandle::abort);
    }
}

impl Running {
    /// What stops it.
    pub fn stopper(&self) -> Stopper {
        Stopper { dealer: self.dealer.clone(), server: self.server.handle() }
    }

    /// Serves until it is stopped, or the process is told to end (SIGTERM, SIGINT).
    ///
    /// # Errors
    ///
    /// When serving fails.
    pub async fn serve(self) -> std::io::Result<()> {
        let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        let stopper = self.stopper();
        let told = tokio::spawn(async move {
            tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
            tracing::info!("told to stop: finishing what was begun");
            stopper.stop().await;
        });
        let served = self.server.await;
        told.abort();
        drop(self.background);
        served
    }
}

/// Migrates the database, if somebody who may do so is configured.
///
/// # Errors
///
/// When a migration fails.
pub fn migrate_database(settings: &Settings) -> Result<Vec<String>, StartError> {
    let url = settings.database_url.as_ref().ok_or(StartError::NoDatabase)?;
    let owner = settings.database_owner_url.as_ref().unwrap_or(url);
    let role = user_of(url).filter(|_| owner != url);
    migrate(owner, role.as_deref()).map_err(StartError::Migrate)
}

/// Says that the database was restored from a backup and may lack what was acknowledged since: games that were not over
/// are cut short. While no instance runs.
///
/// # Errors
///
/// When it can't be migrated, or refuses.
pub fn cut_short(settings: &Settings, inputs: &Inputs) -> Result<CutShort, StartError> {
    migrate_database(settings)?;
    let url = settings.database_owner_url.as_ref().or(settings.database_url.as_ref());
    ledger::cut_short(url.ok_or(StartError::NoDatabase)?, inputs.now()).map_err(StartError::Migrate)
}

/// Starts the service. The database is migrated already.
///
/// # Errors
///
/// See [`StartError`].
pub async fn start(settings: &Settings, inputs: Inputs) -> Result<Running, StartError> {
    let service = open(settings, inputs).await?;
    let pause = Duration::from_secs(settings.sweep_seconds.max(1).into());
    let sweeper = tokio::spawn(sweep(service.dealer.clone(), pause));
    let filler = tokio::spawn(fill_log(service.dealer.clone()));
    let looker = tokio::spawn(look_for_ended_tokens(service.dealer.clone()));
    let dealer = service.dealer.clone();
    let teller = tokio::spawn(async move { dealer.send_notices().await });
    let forgetter = tokio::spawn(forget_idle(Arc::clone(&service)));
    let outside = Arc::clone(&service);
    // On this thread: its client does not move from one to another.
    let reader = actix_web::rt::spawn(async move { outside.outside.keep_reading().await });
    let dealer = service.dealer.clone();
    let hearer = tokio::spawn(async move { dealer.hear_notices().await });
    listen(settings, service, Background(vec![sweeper, filler, looker, forgetter, reader, teller, hearer]))
}

/// Makes the table of high scores anew from the logs; says how many runs stand in it. Blocks.
///
/// # Errors
///
/// See [`StartError`].
pub fn rebuild_scores(settings: &Settings, inputs: Inputs) -> Result<u64, StartError> {
    actix_web::rt::System::new().block_on(async {
        let service = open(settings, inputs).await?;
        service.dealer.rebuild_scores().await.map_err(StartError::Scores)
    })
}

/// All that handlers work with, on the database of the settings.
async fn open(settings: &Settings, inputs: Inputs) -> Result<Arc<Service>, StartError> {
    let url = settings.database_url.clone().ok_or(StartError::NoDatabase)?;
    let keys = match &settings.keys {
        Some(text) => Keyring::read(text, "CROUPIER_KEYS")?,
        None => Keyring::open(&settings.data, &inputs)?,
    };
    let secret_keys = SecretKeys::new(&keys.secrets()).map_err(|_| StartError::NoSecretKey)?;
    let ledger = Ledger::connect(LedgerSettings {
        url,
        read_url: settings.database_read_url.clone(),
        pool_size: settings.database_connections,
        batch: settings.write_batch,
        statement_cache: settings.statement_cache,
        secret_keys,
    })
    .await?;
    let missing = ledger.missing_secret_keys().await?;
    if !missing.is_empty() {
        return Err(StartError::MissingKeys(missing));
    }
    service(settings, ledger, keys, inputs).await
}

async fn service(
    settings: &Settings,
    ledger: Ledger,
    keys: Keyring,
    inputs: Inputs,
) -> Result<Arc<Service>, StartError> {
    let now = inputs.now();
    let jwks = publish(&ledger, &keys, now).await?;
    let signer = EventSigner::with_periods(keys.signing_keys(KeyUse::Event, now)?);
    let origin = settings.log_origin();
    let notary = Notary::new(origin.clone(), keys.signing_keys(KeyUse::Checkpoint, now)?);
    let restores = ledger.restores().await?;
    let notary = notary.ok_or(StartError::LogOrigin(origin))?.restored(restores.times);
    let token_keys = jwks.iter().filter(|jwk| jwk.croupier_use == KeyUse::Token).cloned().collect();
    let issuer = &settings.issuer;
    let seeds = keys.signing_seeds(KeyUse::Token, now)?;
    let tokens = Tokens::new(issuer.clone(), issuer.clone(), &seeds, token_keys);
    let tokens = tokens.map_err(|_| StartError::UnusableKey)?;
    let cache = settings.cache_mib.saturating_mul(1024 * 1024);
    let bounds = settings.limits.of_players();
    let dealer = Dealer::new(ledger, inputs, signer, notary, cache, bounds, restores.newest)
        .map_err(|_| StartError::NoEntropy)?;
    let outside = Outside::new(&settings.providers()?, issuer)?;
    let limits = Limits::new(settings.limits.of_requests());
    Ok(Arc::new(Service { dealer, tokens, outside, jwks, limits, document: Document::of_this_service() }))
}

/// Publishes keys that are new, and the end of keys that are known; all that are published.
async fn publish(ledger: &Ledger, keys: &Keyring, now: Timestamp) -> Result<Vec<Jwk>, StartError> {
    let own = keys.jwks();
    for jwk in &own {
        ledger.publish_signing_key(jwk, now).await?;
        if let Some(not_after) = jwk.not_after {
            ledger.retire_signing_key(jwk.kid, not_after).await?;
        }
    }
    let published = ledger.signing_keys().await?;
    // Whoever starts with the keys as they were before a rotation would sign on with a key that is at its end.
    match own.iter().find(|jwk| !published.contains(jwk)) {
        Some(jwk) => Err(KeyError::PublishedOtherwise(jwk.kid).into()),
        None => Ok(published),
    }
}

fn listen(settings: &Settings, service: Arc<Service>, background: Background) -> Result<Running, StartError> {
    let dealer = service.dealer.clone();
    let service = web::Data::from(service);
    let origins = settings.limits.cors_origins.clone();
    let enrolled = dealer.clone();
    let factory = move || {
        enrolled.ledger().workers().enrol();
        App::new()
            .configure(routes)
            .app_data(service.clone())
            .service(docs_page())
            .default_service(web::route().to(no_route))
            .wrap(from_fn(limit))
            .wrap(Condition::new(origins != Origins::Off, cors(&origins)))
            .wrap(from_fn(identify))
    };
    let failed = |error| StartError::Listen(settings.listen, error);
    // Signals are taken by `Running::serve`, which ends the streams first: they would never end by themselves.
    let mut server = HttpServer::new(factory).on_connect(watch).shutdown_timeout(SHUTDOWN_SECONDS);
    server = server.client_request_timeout(HEAD_TIME).client_disconnect_timeout(LINGER_TIME).keep_alive(IDLE_TIME);
    // Whoever hangs up is gone: else a stream would be kept, and counted, until its next heartbeat can't be written.
    server = server.h1_allow_half_closed(false);
    // Nagle's algorithm would hold an event back until the one before it is acknowledged, for up to 40 ms.
    server = server.disable_signals().tcp_nodelay(true);
    if let Some(workers) = settings.workers {
        server = server.workers(workers);
    }
    let server = server.bind(settings.listen).map_err(failed)?;
    let address = server.addrs().first().copied().unwrap_or(settings.listen);
    Ok(Running { address, server: server.run(), dealer, background })
}

/// Has a connection cut that asks for nothing; and by the system one whose other end takes nothing: a stream would wait
/// for it for ever. What it has not got it can resume after.
fn watch(connection: &dyn std::any::Any, data: &mut Extensions) {
    let Some(stream) = connection.downcast_ref::<TcpStream>() else { return };
    if let Some(watched) = Connection::watch(stream) {
        data.insert(watched);
    }
    #[cfg(target_os = "linux")]
    {
        use nix::sys::socket::{setsockopt, sockopt::TcpUserTimeout};
        // Where the system does not know the option, the connection is only kept longer.
        let _ = setsockopt(stream, TcpUserTimeout, &SLOW_READER_MILLIS);
    }
}

/// Logs time-outs, again and again.
async fn sweep(dealer: Dealer, pause: Duration) {
    loop {
        match dealer.sweep().await {
            Ok(swept) if swept != crate::dealer::Swept::default() => tracing::info!(?swept, "swept"),
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "could not look for time-outs"),
        }
        tokio::time::sleep(pause).await;
    }
}

/// Takes in whose tokens were ended, again and again.
async fn look_for_ended_tokens(dealer: Dealer) {
    loop {
        tokio::time::sleep(Duration::from_millis(LOOK_MILLIS)).await;
        if let Err(error) = dealer.look_for_ended_tokens().await {
            tracing::warn!(%error, "could not look for ended tokens");
        }
    }
}

/// Forgets who asked long ago, again and again.
async fn forget_idle(service: Arc<Service>) {
    loop {
        tokio::time::sleep(FORGET_PAUSE).await;
        service.limits.forget_idle();
    }
}

/// Brings the log of logs up to date, again and again.
async fn fill_log(dealer: Dealer) {
    loop {
        match dealer.fill_log().await {
            Ok(filled) if filled.more => continue,
            Ok(_) => {}
            Err(error @ DealerError::Log(_)) => tracing::error!(%error, "the log of logs is not signed"),
            Err(error) => tracing::warn!(%error, "could not fill the log of logs"),
        }
        dealer.something_to_log().await;
    }
}
