//! What a provider publishes, read again and again: its keys change, and a token may be the first to say so.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use awc::Connector;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};

use super::keys::{self, Key, Keys};
use super::{BadProvider, Source};
use crate::ledger::tls_config;

/// How often keys are read from an address.
const URL_PAUSE: Duration = Duration::from_secs(300);
/// How often keys are read from a file: it is near.
const FILE_PAUSE: Duration = Duration::from_secs(2);
/// How often they are read at most because a token names a key that is not known.
const LEAST_PAUSE: Duration = Duration::from_secs(10);
/// How long reading may take, and whoever waits for it.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long keys are believed that can't be read again.
const BELIEVED: Duration = Duration::from_secs(24 * 3600);
/// How long a set of keys may be, in bytes.
const LARGEST: usize = 256 * 1024;

/// A provider's keys, as they were read last.
pub struct Published {
    source: Source,
    keys: RwLock<Read>,
    /// Somebody needs a key that is not known.
    wanted: Notify,
    /// When they were last asked for, whether that succeeded or not.
    tried: watch::Sender<Option<Instant>>,
}

struct Read {
    keys: Keys,
    at: Instant,
}

impl Published {
    /// A file is read at once, an address a moment later.
    ///
    /// # Errors
    ///
    /// When it is a file without keys, or TLS can't be had.
    pub fn new(source: Source) -> Result<Self, BadProvider> {
        let keys = match &source {
            Source::File(_) => read_file(&source, &Keys::new()).map_err(BadProvider)?,
            Source::Url(url) => tls_for(url).map(|_| Keys::new()).map_err(BadProvider)?,
        };
        let keys = RwLock::new(Read { keys, at: Instant::now() });
        Ok(Self { source, keys, wanted: Notify::new(), tried: watch::channel(None).0 })
    }

    /// A key that is known.
    pub fn key(&self, id: &str) -> Option<Arc<Key>> {
        // What is kept is replaced as a whole, so a panic elsewhere leaves it usable.
        let read = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        read.keys.get(id).filter(|_| read.at.elapsed() < BELIEVED).cloned()
    }

    /// A key; where it is not known the provider is asked, unless it just was.
    pub async fn find(&self, id: &str) -> Option<Arc<Key>> {
        if let Some(key) = self.key(id) {
            return Some(key);
        }
        let mut tried = self.tried.subscribe();
        if tried.borrow_and_update().is_some_and(|at| at.elapsed() < LEAST_PAUSE) {
            return None;
        }
        self.wanted.notify_one();
        // Whether it came, or whoever reads is gone: what is known now is all there is.
        let _ = timeout(PATIENCE, tried.changed()).await;
        self.key(id)
    }

    /// Reads the keys again and again.
    pub async fn keep_reading(&self) {
        let pause = match self.source {
            Source::Url(_) => URL_PAUSE,
            Source::File(_) => FILE_PAUSE,
        };
        loop {
            if let Err(why) = self.read().await {
                tracing::warn!(source = ?self.source, why, "the keys of an identity provider can't be read");
            }
            self.tried.send_replace(Some(Instant::now()));
            tokio::select! {
                () = sleep(pause) => {}
                () = self.wanted.notified() => {}
            }
        }
    }

    async fn read(&self) -> Result<(), String> {
        let before = self.keys.read().unwrap_or_else(PoisonError::into_inner).keys.clone();
        let keys = match &self.source {
            Source::File(_) => read_file(&self.source, &before)?,
            Source::Url(url) => keys::read(&fetch(url).await?, &before)?,
        };
        if keys.is_empty() {
            tracing::warn!(source = ?self.source, "an identity provider publishes no key of use");
        }
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Read { keys, at: Instant::now() };
        Ok(())
    }
}

fn read_file(source: &Source, before: &Keys) -> Result<Keys, String> {
    let Source::File(path) = source else { return Err("it is no file".to_owned()) };
    let told = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    let text = std::fs::read(path).map_err(|error| told(&error))?;
    keys::read(&text, before).map_err(|why| told(&why))
}

/// What verifies who answers there, unless it is this very machine.
fn tls_for(url: &str) -> Result<Option<Arc<rustls::ClientConfig>>, String> {
    let tls = url.starts_with("https:").then(tls_config).transpose();
    tls.map(|tls| tls.map(Arc::new)).map_err(|error| error.detail().unwrap_or_default().to_owned())
}

async fn fetch(url: &str) -> Result<Vec<u8>, String> {
    let builder = awc::Client::builder().timeout(PATIENCE).disable_redirects();
    let client = match tls_for(url)? {
        Some(tls) => builder.connector(Connector::new().rustls_0_23(tls)).finish(),
        None => builder.finish(),
    };
    let asking = async {
        let asked = client.get(url).insert_header(("Accept", "application/json")).send().await;
        let mut answer = asked.map_err(|error| error.to_string())?;
        if answer.status() != 200 {
            return Err(format!("it answers {}", answer.status()));
        }
        let body = answer.body().limit(LARGEST).await;
        body.map(|body| body.to_vec()).map_err(|error| error.to_string())
    };
    timeout(PATIENCE, asking).await.unwrap_or_else(|_| Err("it takes too long".to_owned()))
}
