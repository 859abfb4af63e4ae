//! Tokens of outside identity providers: whose they are, by the keys that the provider publishes.
//!
//! The algorithm is the one of the published key, never one that a token asks for; only signatures count (EdDSA, ES256,
//! RS256), so that no public key can serve as a shared secret.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use awc::http::Uri;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::Validation;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::BadToken;
use crate::dealer::Recent;
use crate::ids::PlayerId;
use crate::ledger::Identity;
use crate::timestamp::Timestamp;

mod keys;
mod reading;

use keys::Key;
use reading::Published;

/// How many tokens are remembered.
const REMEMBERED: usize = 32 * 1024;
/// How many seconds a provider's clock may be ahead of ours.
const LEEWAY: i64 = 30;
/// How long an issuer or a subject may be, in bytes.
const LONGEST: usize = 255;

/// A provider, as an operator names it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderSettings {
    /// `iss` of its tokens.
    pub issuer: String,
    /// `aud` of its tokens: what it calls this service.
    pub audience: String,
    /// Where its keys are (RFC 7517): an address that begins with `https://`, or a file.
    pub jwks: String,
}

/// Why providers can't be used as they are named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadProvider(pub String);

impl fmt::Display for BadProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the identity providers can't be used: {}", self.0)
    }
}

impl std::error::Error for BadProvider {}

/// Where a provider's keys are.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    Url(String),
    File(PathBuf),
}

impl Source {
    fn new(jwks: &str) -> Result<Self, BadProvider> {
        if !jwks.contains("://") {
            return Ok(Self::File(PathBuf::from(jwks)));
        }
        let bad = |why: &str| BadProvider(format!("{jwks}: {why}"));
        let uri: Uri = jwks.parse().map_err(|_| bad("it is no address"))?;
        match (uri.scheme_str(), uri.host()) {
            (Some("https"), Some(_)) => Ok(Self::Url(jwks.to_owned())),
            (Some("http"), Some(host)) if is_loopback(host) => Ok(Self::Url(jwks.to_owned())),
            _ => Err(bad("keys come by https://, or from this very machine")),
        }
    }
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse();
    host == "localhost" || address.is_ok_and(|address: IpAddr| address.is_loopback())
}

/// A provider whose tokens are good here.
struct Provider {
    issuer: String,
    audience: String,
    published: Published,
}

/// The providers whose tokens are good here, none by default.
pub struct Outside {
    providers: Vec<Provider>,
    /// What good tokens said, by their SHA-256.
    good: Mutex<Recent<[u8; 32], Arc<Outsider>>>,
}

/// Whom a good token of a provider names.
pub struct Outsider {
    /// Who it is, for its provider.
    pub identity: Identity,
    /// How it would like to be called, the best first.
    pub names: Vec<String>,
    /// When the token was issued.
    pub issued_at: Timestamp,
    /// Who it is here, once that is known.
    pub player: OnceLock<PlayerId>,
    exp: i64,
    key: Arc<Key>,
    provider: usize,
}

/// What a token says (RFC 7519, OpenID Connect Core).
#[derive(Debug, Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    exp: i64,
    iat: i64,
    #[serde(default)]
    nbf: Option<i64>,
    #[serde(default)]
    preferred_username: Option<String>,
    #[serde(default)]
    name: Option<String>,
}

impl Outside {
    /// These providers; `own` is the issuer that nobody outside may be.
    ///
    /// # Errors
    ///
    /// When one can't be used: an address that is none, a file without keys, an issuer that is there already.
    pub fn new(settings: &[ProviderSettings], own: &str) -> Result<Self, BadProvider> {
        let mut providers: Vec<Provider> = Vec::new();
        for ProviderSettings { issuer, audience, jwks } in settings {
            let taken = issuer == own || providers.iter().any(|provider| provider.issuer == *issuer);
            if taken || issuer.is_empty() || issuer.len() > LONGEST || audience.is_empty() {
                return Err(BadProvider(format!("{issuer:?} is no issuer, or one twice, or has no audience")));
            }
            let published = Published::new(Source::new(jwks)?)?;
            providers.push(Provider { issuer: issuer.clone(), audience: audience.clone(), published });
        }
        Ok(Self { providers, good: Mutex::new(Recent::new(REMEMBERED)) })
    }

    /// Reads the providers' keys again and again, for ever: to be run on one thread that serves requests.
    pub async fn keep_reading(&self) {
        futures_util::future::join_all(self.providers.iter().map(|provider| provider.published.keep_reading())).await;
    }

    /// Checks a token: provider, key, algorithm, signature, audience, time.
    ///
    /// # Errors
    ///
    /// See [`BadToken`].
    pub async fn check(&self, token: &str, now: Timestamp) -> Result<Arc<Outsider>, BadToken> {
        if self.providers.is_empty() {
            return Err(BadToken::Invalid);
        }
        let id: [u8; 32] = Sha256::digest(token).into();
        let known = self.known(&id);
        let is_new = known.is_none();
        let outsider = match known {
            Some(outsider) => outsider,
            None => Arc::new(self.read(token, now).await?),
        };
        if outsider.exp <= now.millis().div_euclid(1000) {
            return Err(BadToken::Expired);
        }
        if is_new {
            // The map is whole between two statements, so a panic elsewhere leaves it usable.
            self.good.lock().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::clone(&outsider));
        }
        Ok(outsider)
    }

    /// What a token said that was good, as long as its key is published.
    fn known(&self, id: &[u8; 32]) -> Option<Arc<Outsider>> {
        let known = self.good.lock().unwrap_or_else(PoisonError::into_inner).get_mut(id).cloned()?;
        let key = self.providers.get(known.provider)?.published.key(&known.key.id)?;
        Arc::ptr_eq(&key, &known.key).then_some(known)
    }

    /// Checks everything of a token but its end.
    async fn read(&self, token: &str, now: Timestamp) -> Result<Outsider, BadToken> {
        let kid = jsonwebtoken::decode_header(token).ok().and_then(|header| header.kid).ok_or(BadToken::Invalid)?;
        let issuer = claimed_issuer(token).ok_or(BadToken::Invalid)?;
        let provider = self.providers.iter().position(|provider| provider.issuer == issuer);
        let number = provider.ok_or(BadToken::Invalid)?;
        let provider = self.providers.get(number).ok_or(BadToken::Invalid)?;
        let key = provider.published.find(&kid).await.ok_or(BadToken::Invalid)?;
        let mut validation = Validation::new(key.algorithm);
        validation.set_issuer(&[&provider.issuer]);
        validation.set_audience(&[&provider.audience]);
        validation.set_required_spec_claims(&["sub", "iss", "aud", "exp"]);
        // The library would read the clock itself; time comes in at one place, so it is compared here.
        validation.validate_exp = false;
        let claims = jsonwebtoken::decode::<Claims>(token, &key.decoding, &validation);
        let claims = claims.map_err(|_| BadToken::Invalid)?.claims;
        outsider(claims, key, number, now).ok_or(BadToken::Invalid)
    }
}

/// What the claims say, unless they are of another time or of nobody.
fn outsider(claims: Claims, key: Arc<Key>, provider: usize, now: Timestamp) -> Option<Outsider> {
    let Claims { iss, sub, exp, iat, nbf, preferred_username, name } = claims;
    let latest = now.millis().div_euclid(1000).saturating_add(LEEWAY);
    let begun = iat <= latest && nbf.is_none_or(|nbf| nbf <= latest);
    let somebody = !sub.is_empty() && sub.len() <= LONGEST && !sub.contains('\0');
    let issued_at = iat.checked_mul(1000).and_then(|millis| Timestamp::from_millis(millis).ok())?;
    (begun && somebody).then(|| Outsider {
        identity: Identity { issuer: iss, subject: sub },
        names: [preferred_username, name].into_iter().flatten().collect(),
        issued_at,
        player: OnceLock::new(),
        exp,
        key,
        provider,
    })
}

/// Who says to have issued a token; nothing is believed of it but whose keys to try.
fn claimed_issuer(token: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Issuer {
        iss: String,
    }
    let payload = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    serde_json::from_slice::<Issuer>(&payload).ok().map(|issuer| issuer.iss)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_by_tls_or_from_this_machine() {
        for good in ["https://id.example/jwks", "http://127.0.0.1:9/jwks", "http://[::1]:9/", "http://localhost/x"] {
            assert_eq!(Source::new(good), Ok(Source::Url(good.to_owned())));
        }
        assert_eq!(Source::new("/etc/keys.json"), Ok(Source::File("/etc/keys.json".into())));
        for bad in ["http://id.example/jwks", "ftp://id.example/", "http://127.0.0.1.evil.example/", "https://"] {
            assert!(Source::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_issuer_is_named_once_and_is_not_ourselves() {
        let provider = |issuer: &str| ProviderSettings {
            issuer: issuer.to_owned(),
            audience: "us".to_owned(),
            jwks: "https://id.example/jwks".to_owned(),
        };
        assert!(Outside::new(&[provider("a"), provider("b")], "us").is_ok());
        for bad in [&[provider("us")][..], &[provider("a"), provider("a")], &[provider("")]] {
            assert!(Outside::new(bad, "us").is_err());
        }
    }
}
