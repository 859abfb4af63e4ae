//! Who calls: access tokens, from issuing to checking.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

mod outside;

pub use outside::{BadProvider, Outside, Outsider, ProviderSettings};

use crate::dealer::Recent;
use crate::ids::PlayerId;
use crate::keys::{Jwk, KeyId, PublicKey};
use crate::timestamp::Timestamp;

/// For how many seconds a token is good: 7 days.
const TOKEN_SECONDS: u32 = 7 * 24 * 3600;
/// How many tokens are remembered.
const REMEMBERED: usize = 32 * 1024;
/// What a token allows.
const SCOPE: &str = "play";

/// What a token says (RFC 7519).
#[derive(Debug, Serialize, Deserialize)]
struct Claims {
    sub: PlayerId,
    iss: String,
    aud: String,
    exp: i64,
    iat: i64,
    scope: String,
    /// The player's generation of tokens: a later one ends all earlier.
    generation: u32,
}

/// Who a good token names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bearer {
    /// The player.
    pub player: PlayerId,
    /// The generation of the token; the player's own may be a later one, and then the token is ended.
    pub generation: u32,
}

/// A token and its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuedToken {
    /// The token: a JWT, signed with EdDSA.
    pub token: String,
    /// From when on it is no good.
    pub expires_at: Timestamp,
}

/// Why a token is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadToken {
    /// It is no token of this service.
    Invalid,
    /// It was good, until its end.
    Expired,
}

impl fmt::Display for BadToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Invalid => "the token is none of this service",
            Self::Expired => "the token has expired",
        })
    }
}

impl std::error::Error for BadToken {}

/// Why keys can't serve for tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnusableKey;

/// Issues and checks tokens.
pub struct Tokens {
    issuer: String,
    audience: String,
    /// The keys that tokens are signed with, each in its period.
    signing: Vec<(Jwk, EncodingKey)>,
    /// All keys that tokens may be signed with, by id.
    checking: BTreeMap<KeyId, (Jwk, DecodingKey)>,
    /// What good tokens said, by their SHA-256: checking a signature costs more than the rest of a move.
    good: Mutex<Recent<[u8; 32], Good>>,
}

/// What a token says that was checked.
#[derive(Clone, Copy)]
struct Good {
    bearer: Bearer,
    /// From which second on it is no good any more.
    exp: i64,
}

impl Tokens {
    /// Tokens of this issuer for this audience, signed with these keys, each in its period. `published` are the token
    /// keys that are known, the signing ones included.
    ///
    /// # Errors
    ///
    /// When a key can't be read by the token library.
    pub fn new(
        issuer: String,
        audience: String,
        signing: &[(Jwk, Zeroizing<[u8; 32]>)],
        published: Vec<Jwk>,
    ) -> Result<Self, UnusableKey> {
        let encode = |(jwk, seed): &(Jwk, Zeroizing<[u8; 32]>)| (jwk.clone(), EncodingKey::from_ed_der(&pkcs8(seed)));
        let signing = signing.iter().map(encode).collect();
        let decode = |jwk: Jwk| Ok((jwk.kid, (jwk.clone(), decoding_key(&jwk.x)?)));
        let checking = published.into_iter().map(decode).collect::<Result<_, UnusableKey>>()?;
        Ok(Self { issuer, audience, signing, checking, good: Mutex::new(Recent::new(REMEMBERED)) })
    }

    /// Issues a token.
    ///
    /// # Errors
    ///
    /// When no key signs now, or the library can't sign.
    pub fn issue(&self, bearer: Bearer, now: Timestamp) -> Result<IssuedToken, UnusableKey> {
        let expires_at = now.plus_seconds(TOKEN_SECONDS);
        let claims = Claims {
            sub: bearer.player,
            iss: self.issuer.clone(),
            aud: self.audience.clone(),
            exp: expires_at.millis().div_euclid(1000),
            iat: now.millis().div_euclid(1000),
            scope: SCOPE.to_owned(),
            generation: bearer.generation,
        };
        let mut header = Header::new(Algorithm::EdDSA);
        let (jwk, key) = self.signing.iter().find(|(jwk, _)| jwk.signs_at(now)).ok_or(UnusableKey)?;
        header.kid = Some(jwk.kid.to_string());
        let token = jsonwebtoken::encode(&header, &claims, key).map_err(|_| UnusableKey)?;
        Ok(IssuedToken { token, expires_at })
    }

    /// Checks a token: algorithm, key, signature, issuer, audience, time, scope. A good one is remembered, so that only
    /// its time is looked at when it comes again.
    ///
    /// # Errors
    ///
    /// See [`BadToken`].
    pub fn check(&self, token: &str, now: Timestamp) -> Result<Bearer, BadToken> {
        let id: [u8; 32] = Sha256::digest(token).into();
        // The map is whole between two statements, so a panic elsewhere leaves it usable.
        let known = self.good.lock().unwrap_or_else(PoisonError::into_inner).get_mut(&id).copied();
        let good = match known {
            Some(good) => good,
            None => self.read(token)?,
        };
        if good.exp <= now.millis().div_euclid(1000) {
            return Err(BadToken::Expired);
        }
        if known.is_none() {
            self.good.lock().unwrap_or_else(PoisonError::into_inner).insert(id, good);
        }
        Ok(good.bearer)
    }

    /// Checks everything of a token but its time.
    fn read(&self, token: &str) -> Result<Good, BadToken> {
        let header = jsonwebtoken::decode_header(token).map_err(|_| BadToken::Invalid)?;
        let id: KeyId = header.kid.as_deref().and_then(|kid| kid.parse().ok()).ok_or(BadToken::Invalid)?;
        let (jwk, key) = self.checking.get(&id).ok_or(BadToken::Invalid)?;
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.audience]);
        validation.set_required_spec_claims(&["sub", "iss", "aud", "exp"]);
        // The library would read the clock itself; time comes in at one place, so it is compared by the caller.
        validation.validate_exp = false;
        let claims = jsonwebtoken::decode::<Claims>(token, key, &validation).map_err(|_| BadToken::Invalid)?.claims;
        let issued = claims.iat.checked_mul(1000).and_then(|millis| Timestamp::from_millis(millis).ok());
        // A key's period is to the millisecond and a token's time to the second, so its first second is let pass.
        let in_period = issued.is_some_and(|issued| jwk.signs_at(issued) || jwk.signs_at(issued.plus_seconds(1)));
        if claims.scope != SCOPE || !in_period {
            return Err(BadToken::Invalid);
        }
        Ok(Good { bearer: Bearer { player: claims.sub, generation: claims.generation }, exp: claims.exp })
    }
}

/// An Ed25519 seed in the PKCS#8 form that the library reads (RFC 8410): a fixed head, and the 32 bytes.
fn pkcs8(seed: &[u8; 32]) -> Zeroizing<Vec<u8>> {
    const HEAD: [u8; 16] = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
    let mut der = Zeroizing::new(Vec::with_capacity(HEAD.len() + seed.len()));
    der.extend_from_slice(&HEAD);
    der.extend_from_slice(seed);
    der
}

fn decoding_key(key: &PublicKey) -> Result<DecodingKey, UnusableKey> {
    DecodingKey::from_ed_components(&key.to_string()).map_err(|_| UnusableKey)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{KeyUse, SigningKey};

    fn tokens(seed: u8, issuer: &str, audience: &str) -> Tokens {
        let jwk = Jwk::new(SigningKey::new(&[seed; 32]).public(), KeyUse::Token, None, None);
        let signing = [(jwk.clone(), Zeroizing::new([seed; 32]))];
        Tokens::new(issuer.to_owned(), audience.to_owned(), &signing, vec![jwk]).unwrap_or_else(|_| unreachable!())
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis).unwrap()
    }

    #[test]
    fn only_a_token_of_this_service_is_good_and_only_for_seven_days() {
        let bearer = Bearer { player: "019b7a5d-0f3e-76bd-ae5c-76030dd90abe".parse().unwrap(), generation: 3 };
        let now = at(1_800_000_000_500);
        let own = tokens(1, "us", "us");
        let token = own.issue(bearer, now).unwrap_or_else(|_| unreachable!()).token;
        assert_eq!(own.check(&token, now), Ok(bearer));
        assert_eq!(own.check(&token, at(1_800_000_000_500 + 7 * 86_400_000 - 1000)), Ok(bearer));
        assert_eq!(own.check(&token, at(1_800_000_000_500 + 7 * 86_400_000)), Err(BadToken::Expired));
        for other in [tokens(2, "us", "us"), tokens(1, "them", "us"), tokens(1, "us", "them")] {
            assert_eq!(other.check(&token, now), Err(BadToken::Invalid));
        }
        for forged in ["", "a.b.c", &token[..token.len() - 4], &format!("{token}A")] {
            assert_eq!(own.check(forged, now), Err(BadToken::Invalid));
        }
    }

    #[test]
    fn each_key_issues_in_its_period_and_is_checked_for_as_long_as_its_tokens_last() {
        let bearer = Bearer { player: "019b7a5d-0f3e-76bd-ae5c-76030dd90abe".parse().unwrap(), generation: 0 };
        let turn = 1_800_000_000_000;
        let key = |seed, from, until| {
            let jwk = Jwk::new(SigningKey::new(&[seed; 32]).public(), KeyUse::Token, from, until);
            (jwk, Zeroizing::new([seed; 32]))
        };
        let keys = [key(1, None, Some(at(turn))), key(2, Some(at(turn)), Some(at(turn + 60_000)))];
        let jwks: Vec<Jwk> = keys.iter().map(|(jwk, _)| jwk.clone()).collect();
        let tokens = Tokens::new("us".to_owned(), "us".to_owned(), &keys, jwks).unwrap_or_else(|_| unreachable!());
        for (now, signer) in [(turn - 1000, 0), (turn - 1, 0), (turn, 1), (turn + 59_000, 1)] {
            let token = tokens.issue(bearer, at(now)).unwrap_or_else(|_| unreachable!()).token;
            let kid = jsonwebtoken::decode_header(&token).unwrap().kid.unwrap();
            assert_eq!(kid, keys[signer].0.kid.to_string(), "{now}");
            assert_eq!(tokens.check(&token, at(now + 86_400_000)), Ok(bearer));
        }
        assert!(tokens.issue(bearer, at(turn + 60_000)).is_err());
    }

    #[test]
    fn other_algorithms_are_refused() {
        let own = tokens(1, "us", "us");
        let public = SigningKey::new(&[1; 32]).public();
        let claims = serde_json::json!({
            "sub": "019b7a5d-0f3e-76bd-ae5c-76030dd90abe", "iss": "us", "aud": "us", "exp": 4_000_000_000u64,
            "iat": 1_800_000_000, "scope": "play", "generation": 0
        });
        // Signed with the public key as if it were a shared secret.
        let mut header = Header::new(Algorithm::HS256);
        header.kid = Some(public.id().to_string());
        for secret in [public.as_bytes().to_vec(), public.to_string().into_bytes()] {
            let token = jsonwebtoken::encode(&header, &claims, &EncodingKey::from_secret(&secret).unwrap()).unwrap();
            assert_eq!(own.check(&token, at(1_800_000_000_000)), Err(BadToken::Invalid));
        }
        // Not signed at all.
        let part = |json: String| {
            use base64::Engine;
            base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(json)
        };
        let header = part(format!(r#"{{"alg":"none","kid":"{}"}}"#, public.id()));
        let token = format!("{header}.{}.", part(claims.to_string()));
        assert_eq!(own.check(&token, at(1_800_000_000_000)), Err(BadToken::Invalid));
    }
}
