//! A provider's keys, from JSON (RFC 7517) to what checks a signature.

use std::collections::HashMap;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;

/// How many keys a provider may publish.
const MOST: usize = 100;
/// How long the modulus of an RSA key is, in bytes: 2048 to 8192 bits.
const MODULUS: std::ops::RangeInclusive<usize> = 256..=1024;

/// A key that checks signatures of one algorithm.
pub struct Key {
    /// Its id.
    pub id: String,
    /// The one algorithm that it is for.
    pub algorithm: Algorithm,
    /// What checks.
    pub decoding: DecodingKey,
    jwk: Jwk,
}

/// A set of keys.
#[derive(Deserialize)]
struct Set {
    keys: Vec<serde_json::Value>,
}

/// What counts of a key; the rest is ignored, as the standard says.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Jwk {
    kty: String,
    kid: String,
    #[serde(rename = "use")]
    usage: Option<String>,
    alg: Option<String>,
    crv: Option<String>,
    x: Option<String>,
    y: Option<String>,
    n: Option<String>,
    e: Option<String>,
}

/// The keys by their ids.
pub type Keys = HashMap<String, Arc<Key>>;

/// Reads a set of keys. Those that this service has no use for are left out; one that was there before stays the very
/// same.
///
/// # Errors
///
/// When it is no set of keys.
pub fn read(json: &[u8], before: &Keys) -> Result<Keys, &'static str> {
    let set: Set = serde_json::from_slice(json).map_err(|_| "it is no JSON Web Key Set")?;
    if set.keys.len() > MOST {
        return Err("it has more than 100 keys");
    }
    let mut keys = Keys::new();
    for jwk in set.keys.into_iter().filter_map(|key| serde_json::from_value::<Jwk>(key).ok()) {
        let known = before.get(&jwk.kid).filter(|key| key.jwk == jwk).cloned();
        if let Some(key) = known.or_else(|| key(jwk).map(Arc::new)) {
            keys.entry(key.id.clone()).or_insert(key);
        }
    }
    Ok(keys)
}

fn key(jwk: Jwk) -> Option<Key> {
    let (algorithm, decoding) = match (jwk.kty.as_str(), jwk.crv.as_deref()) {
        ("OKP", Some("Ed25519")) => (Algorithm::EdDSA, DecodingKey::from_ed_components(jwk.x.as_deref()?)),
        ("EC", Some("P-256")) => {
            (Algorithm::ES256, DecodingKey::from_ec_components(jwk.x.as_deref()?, jwk.y.as_deref()?))
        }
        ("RSA", _) => {
            let (n, e) = (jwk.n.as_deref()?, jwk.e.as_deref()?);
            let length = URL_SAFE_NO_PAD.decode(n).ok()?.iter().skip_while(|byte| **byte == 0).count();
            MODULUS.contains(&length).then_some(())?;
            (Algorithm::RS256, DecodingKey::from_rsa_components(n, e))
        }
        _ => return None,
    };
    let named = match algorithm {
        Algorithm::EdDSA => &["EdDSA", "Ed25519"][..],
        Algorithm::ES256 => &["ES256"],
        _ => &["RS256"],
    };
    let fits = jwk.alg.as_deref().is_none_or(|alg| named.contains(&alg));
    let signs = jwk.usage.as_deref().is_none_or(|usage| usage == "sig");
    (fits && signs).then_some(())?;
    Some(Key { id: jwk.kid.clone(), algorithm, decoding: decoding.ok()?, jwk })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const X: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

    fn of(jwk: &Value) -> Option<Algorithm> {
        let keys = read(json!({ "keys": [jwk] }).to_string().as_bytes(), &Keys::new()).unwrap();
        keys.get("k").map(|key| key.algorithm)
    }

    #[test]
    fn the_key_says_its_algorithm() {
        let okp = json!({ "kty": "OKP", "crv": "Ed25519", "kid": "k", "x": X });
        let (x, y) = ("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0");
        let ec = json!({ "kty": "EC", "crv": "P-256", "kid": "k", "x": x, "y": y, "alg": "ES256", "use": "sig" });
        let rsa = |bytes: usize| {
            json!({
                "kty": "RSA", "kid": "k", "e": "AQAB", "n": URL_SAFE_NO_PAD.encode(vec![0xc5; bytes]),
            })
        };
        assert_eq!([&okp, &ec, &rsa(256)].map(of), [Algorithm::EdDSA, Algorithm::ES256, Algorithm::RS256].map(Some));
        let with = |jwk: &Value, field: &str, value: &str| {
            let mut jwk = jwk.clone();
            jwk[field] = json!(value);
            jwk
        };
        for none in [
            with(&okp, "alg", "ES256"),
            with(&okp, "alg", "HS256"),
            with(&okp, "use", "enc"),
            with(&okp, "crv", "X25519"),
            with(&okp, "x", "short"),
            with(&ec, "crv", "P-384"),
            with(&rsa(256), "alg", "RS512"),
            with(&rsa(256), "alg", "HS256"),
            rsa(128),
            rsa(2048),
            json!({ "kty": "oct", "kid": "k", "k": "c2VjcmV0" }),
            json!({ "kty": "OKP", "crv": "Ed25519", "x": X }),
            json!("key"),
        ] {
            assert_eq!(of(&none), None, "{none}");
        }
    }

    #[test]
    fn a_key_that_stays_stays_the_same() {
        let set = |x: &str| json!({ "keys": [{ "kty": "OKP", "crv": "Ed25519", "kid": "k", "x": x }] }).to_string();
        let first = read(set(X).as_bytes(), &Keys::new()).unwrap();
        let again = read(set(X).as_bytes(), &first).unwrap();
        assert!(Arc::ptr_eq(&first["k"], &again["k"]));
        let other = read(set("d75AmAGCsQq31Uv-08lkBzoO4XLz2qYjJa8CGmj3B1E").as_bytes(), &first).unwrap();
        assert!(!other.get("k").is_some_and(|key| Arc::ptr_eq(&first["k"], key)));
        for bad in ["", "{}", "[]", "{\"keys\":{}}", "keys"] {
            assert!(read(bad.as_bytes(), &first).is_err(), "{bad}");
        }
    }
}
