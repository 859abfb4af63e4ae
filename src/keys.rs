//! Ed25519 keys and signatures as the protocol has them (protocol, One primitive; Keys).
//!
//! Signatures are verified without cofactor; keys and signatures are canonical unpadded base64url; a key of small
//! order, or one that is not the canonical encoding of its point, is refused.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signer, Verifier};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use crate::timestamp::Timestamp;

mod prepared;

pub use prepared::{Begun, PreparedKey, Verifies};

mod signing;

pub use signing::SigningKeys;

/// Why a text is no key, signature or key id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAKey {
    /// Not canonical unpadded base64url, or not of the right length.
    Encoding,
    /// Not the canonical encoding of a point of the curve, or a point of small order.
    Point,
}

impl fmt::Display for NotAKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Encoding => "must be canonical base64url without padding, of the right length",
            Self::Point => "must be an Ed25519 public key that is canonical and not of small order",
        })
    }
}

impl std::error::Error for NotAKey {}

fn decode<const N: usize>(text: &str) -> Result<[u8; N], NotAKey> {
    // This engine refuses padding and trailing bits, so each value has one text only.
    let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| NotAKey::Encoding)?;
    bytes.try_into().map_err(|_| NotAKey::Encoding)
}

/// Serialises by `Display` and reads by `FromStr`.
macro_rules! as_text {
    ($name:ident) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }
    };
}

/// A key's id: its RFC 7638 thumbprint.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId([u8; 32]);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl FromStr for KeyId {
    type Err = NotAKey;

    fn from_str(text: &str) -> Result<Self, NotAKey> {
        decode(text).map(Self)
    }
}

as_text!(KeyId);

/// A signature's 64 bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Signature([u8; 64]);

impl Signature {
    /// The signature with these bytes.
    pub const fn new(bytes: [u8; 64]) -> Self {
        Self(bytes)
    }

    /// The raw bytes.
    pub const fn as_bytes(&self) -> &[u8; 64] {
        &self.0
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl FromStr for Signature {
    type Err = NotAKey;

    fn from_str(text: &str) -> Result<Self, NotAKey> {
        decode(text).map(Self)
    }
}

as_text!(Signature);

/// Whether a point's y, which is all but the highest bit, is below 2^255 - 19.
fn is_in_field(point: &[u8; 32]) -> bool {
    let [lowest, middle @ .., highest] = point;
    *lowest < 0xed || highest & 0x7f != 0x7f || middle.iter().any(|byte| *byte != 0xff)
}

/// A public key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(ed25519_dalek::VerifyingKey);

impl PublicKey {
    /// The key with these bytes.
    ///
    /// # Errors
    ///
    /// When the bytes are not the canonical encoding of a point, or the point is of small order.
    pub fn new(bytes: &[u8; 32]) -> Result<Self, NotAKey> {
        let key = ed25519_dalek::VerifyingKey::from_bytes(bytes).map_err(|_| NotAKey::Point)?;
        // Written otherwise than it is read back are only a y beyond the field, and x = 0 with the sign of another; those
        // points are of small order.
        if is_in_field(bytes) && !key.is_weak() { Ok(Self(key)) } else { Err(NotAKey::Point) }
    }

    /// The raw bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// Whether the signature is this key's over the message (RFC 8032, without cofactor).
    pub fn verifies(&self, message: &[u8], signature: &Signature) -> bool {
        self.0.verify(message, &ed25519_dalek::Signature::from_bytes(&signature.0)).is_ok()
    }

    /// The key's id.
    pub fn id(&self) -> KeyId {
        // RFC 7638: the required members of an OKP key, names in order, no spaces.
        KeyId(Sha256::digest(format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{self}"}}"#)).into())
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&URL_SAFE_NO_PAD.encode(self.as_bytes()))
    }
}

impl FromStr for PublicKey {
    type Err = NotAKey;

    fn from_str(text: &str) -> Result<Self, NotAKey> {
        Self::new(&decode(text)?)
    }
}

as_text!(PublicKey);

/// A secret key; wiped when dropped.
pub struct SigningKey(ed25519_dalek::SigningKey);

impl SigningKey {
    /// The key with this seed of 32 bytes.
    pub fn new(seed: &[u8; 32]) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(seed))
    }

    /// The public half.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// Signs the message.
    pub fn sign(&self, message: &[u8]) -> Signature {
        Signature(self.0.sign(message).to_bytes())
    }
}

/// What a key of the server is for; each serves its use only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum KeyUse {
    /// Signs the events of games.
    Event,
    /// Signs access tokens.
    Token,
    /// Signs checkpoints of the log of logs.
    Checkpoint,
}

/// A published key of the server (RFC 7517, RFC 8037), with what it is for and when it signs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Jwk {
    #[cfg_attr(feature = "server", schema(inline))]
    kty: Okp,
    #[cfg_attr(feature = "server", schema(inline))]
    crv: Curve,
    #[serde(rename = "use")]
    #[cfg_attr(feature = "server", schema(inline))]
    usage: Sig,
    #[cfg_attr(feature = "server", schema(inline))]
    alg: Alg,
    /// The key's RFC 7638 thumbprint.
    pub kid: KeyId,
    /// The public key.
    pub x: PublicKey,
    /// What the key is for.
    pub croupier_use: KeyUse,
    /// From when on it signs; null: from ever on.
    #[cfg_attr(feature = "server", schema(required))]
    pub not_before: Option<Timestamp>,
    /// From when on it signs no more; null: not known yet.
    #[cfg_attr(feature = "server", schema(required))]
    pub not_after: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
enum Okp {
    #[serde(rename = "OKP")]
    Okp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
enum Curve {
    Ed25519,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
enum Sig {
    #[serde(rename = "sig")]
    Sig,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
enum Alg {
    #[serde(rename = "EdDSA")]
    EdDsa,
}

impl Jwk {
    /// The published form of a key.
    pub fn new(x: PublicKey, usage: KeyUse, not_before: Option<Timestamp>, not_after: Option<Timestamp>) -> Self {
        Self {
            kty: Okp::Okp,
            crv: Curve::Ed25519,
            usage: Sig::Sig,
            alg: Alg::EdDsa,
            kid: x.id(),
            x,
            croupier_use: usage,
            not_before,
            not_after,
        }
    }

    /// Whether the key signs at this moment: `not_before <= at < not_after`.
    pub fn signs_at(&self, at: Timestamp) -> bool {
        self.not_before.is_none_or(|from| from <= at) && self.not_after.is_none_or(|until| at < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_small_order_or_not_canonical_is_refused() {
        let identity = {
            let mut bytes = [0; 32];
            bytes[0] = 1;
            bytes
        };
        // y = p + 1, the identity again, written with a number that is not below p.
        let mut beyond = [0xff; 32];
        beyond[0] = 0xee;
        beyond[31] = 0x7f;
        for wrong in [[0; 32], identity, beyond] {
            assert_eq!(PublicKey::new(&wrong), Err(NotAKey::Point));
        }
    }

    /// All encodings whose y is about the end of the field, with either sign: those that are read are written the same.
    #[test]
    fn one_encoding_a_key() {
        let mut read = 0;
        for (lowest, sign) in (0..=0xff).flat_map(|lowest| [(lowest, 0x7f), (lowest, 0xff)]) {
            for end in [0x00, 0x7f, 0xff] {
                let mut bytes = [if end == 0 { 0 } else { 0xff }; 32];
                (bytes[0], bytes[31]) = (lowest, if end == 0 { sign & 0x80 } else { end & sign });
                let point = curve25519_dalek::edwards::CompressedEdwardsY(bytes).decompress();
                let good = point.is_some_and(|point| point.compress().0 == bytes && !point.is_small_order());
                assert_eq!(PublicKey::new(&bytes).is_ok(), good, "{bytes:x?}");
                read += u32::from(good);
            }
        }
        assert!(read > 100);
    }

    #[test]
    fn one_text_a_value() {
        let key = SigningKey::new(&[7; 32]);
        let text = key.sign(b"x").to_string();
        assert!(text.parse::<Signature>().is_ok());
        // 64 bytes leave four bits over in the last digit; another text of the same bytes is refused.
        let other = format!("{}{}", &text[..85], if text.ends_with('A') { 'B' } else { 'h' });
        for wrong in [format!("{text}=="), other, text[1..].to_owned(), text.replace(['-', '_'], "+") + "+"] {
            assert!(wrong.parse::<Signature>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_key_signs_in_its_period_only() {
        let at = |millis| Timestamp::from_millis(millis).unwrap();
        let key = Jwk::new(SigningKey::new(&[7; 32]).public(), KeyUse::Event, Some(at(10)), Some(at(20)));
        assert_eq!([9, 10, 19, 20].map(|millis| key.signs_at(at(millis))), [false, true, true, false]);
    }
}
