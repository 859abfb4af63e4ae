//! The keys that encrypt what is secret while it is stored (XChaCha20-Poly1305).

use std::fmt;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use serde::Serialize;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::secrets::SecretId;
use crate::canonical::to_jcs;
use crate::ids::GameId;

/// How many bytes a nonce has: enough that drawing each at random never gives the same twice.
pub(super) const NONCE_BYTES: usize = 24;

/// There must be one key at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoSecretKey;

impl fmt::Display for NoSecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there must be at least one key for secrets")
    }
}

impl std::error::Error for NoSecretKey {}

/// Why something encrypted can't be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotOpened {
    /// The key with this id is not among those configured.
    MissingKey(String),
    /// It is not what was encrypted for this place under this key.
    Forged,
}

impl fmt::Display for NotOpened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingKey(id) => write!(f, "the key {id} is missing"),
            Self::Forged => f.write_str("it is not what was encrypted for this place"),
        }
    }
}

/// The keys of a service. The first encrypts, all decrypt; the instances on one database share them.
pub struct SecretKeys {
    first: SecretKey,
    others: Vec<SecretKey>,
}

struct SecretKey {
    id: String,
    cipher: XChaCha20Poly1305,
}

/// Something encrypted, with what is needed to decrypt it but the key.
pub(super) struct Sealed {
    pub(super) key_id: String,
    pub(super) nonce: [u8; NONCE_BYTES],
    pub(super) ciphertext: Vec<u8>,
}

impl SecretKey {
    fn new(key: &[u8; 32]) -> Self {
        let digest = Sha256::new().chain_update(b"croupier/v1/secret-key\0").chain_update(key).finalize();
        let id = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Self { id, cipher: XChaCha20Poly1305::new(key.into()) }
    }
}

impl SecretKeys {
    /// These keys, of which the first encrypts.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn new(keys: &[Zeroizing<[u8; 32]>]) -> Result<Self, NoSecretKey> {
        let (first, others) = keys.split_first().ok_or(NoSecretKey)?;
        Ok(Self { first: SecretKey::new(first), others: others.iter().map(|key| SecretKey::new(key)).collect() })
    }

    /// The ids of the keys, the one that encrypts first. An id is 16 hex digits and tells nothing of its key.
    pub fn ids(&self) -> Vec<&str> {
        self.all().map(|key| key.id.as_str()).collect()
    }

    fn all(&self) -> impl Iterator<Item = &SecretKey> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// Encrypts something for one place; `nonce` must be fresh. `None` for something of unheard-of length.
    pub(super) fn seal(&self, game: GameId, id: SecretId, plain: &[u8], nonce: [u8; NONCE_BYTES]) -> Option<Sealed> {
        let key = &self.first;
        let payload = Payload { msg: plain, aad: &bound_to(game, id, &key.id) };
        let ciphertext = key.cipher.encrypt(&XNonce::from(nonce), payload).ok()?;
        Some(Sealed { key_id: key.id.clone(), nonce, ciphertext })
    }

    /// Decrypts what stands at a place.
    ///
    /// # Errors
    ///
    /// When the key is not configured, or this was not encrypted under it for this very place.
    pub(super) fn open(&self, game: GameId, id: SecretId, sealed: &Sealed) -> Result<Zeroizing<Vec<u8>>, NotOpened> {
        let key = self.all().find(|key| key.id == sealed.key_id);
        let key = key.ok_or_else(|| NotOpened::MissingKey(sealed.key_id.clone()))?;
        let payload = Payload { msg: &sealed.ciphertext, aad: &bound_to(game, id, &key.id) };
        let plain = key.cipher.decrypt(&XNonce::from(sealed.nonce), payload).map_err(|_| NotOpened::Forged)?;
        Ok(Zeroizing::new(plain))
    }
}

/// What binds something encrypted to its place, so that it decrypts nowhere else.
fn bound_to(game: GameId, id: SecretId, key: &str) -> Vec<u8> {
    #[derive(Serialize)]
    struct Place<'a> {
        kind: &'static str,
        game: GameId,
        what: &'static str,
        seat: i16,
        step: u32,
        key: &'a str,
    }
    let (what, seat, step) = id.columns();
    to_jcs(&Place { kind: "croupier/v1/secret", game, what, seat, step, key })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seat::Seat;

    fn keys(bytes: &[u8]) -> SecretKeys {
        SecretKeys::new(&bytes.iter().map(|byte| Zeroizing::new([*byte; 32])).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn opens_at_its_own_place_only() {
        let games = ["db61bc31-8842-7734-a23f-d5a6499745c2", "db61bc31-8842-7734-a23f-d5a6499745c3"];
        let games = games.map(|id| id.parse::<GameId>().unwrap());
        let place = |seat, step| SecretId::Move { seat: Seat::new(seat).unwrap(), step };
        let keys = keys(&[1, 2]);
        let plain = b"the queen of spades";
        let sealed = keys.seal(games[0], place(1, 7), plain, [9; 24]).unwrap();
        assert_eq!(keys.open(games[0], place(1, 7), &sealed).unwrap().as_slice(), plain);
        assert!(!sealed.ciphertext.windows(5).any(|window| plain.windows(5).any(|part| part == window)));
        for (game, id) in [
            (games[1], place(1, 7)),
            (games[0], place(2, 7)),
            (games[0], place(1, 8)),
            (games[0], place(1, 77)),
            (games[0], SecretId::Root),
        ] {
            assert_eq!(keys.open(game, id, &sealed), Err(NotOpened::Forged));
        }
        let changed = Sealed { nonce: [8; 24], key_id: sealed.key_id.clone(), ciphertext: sealed.ciphertext.clone() };
        assert_eq!(keys.open(games[0], place(1, 7), &changed), Err(NotOpened::Forged));
        let under_other_name = Sealed { key_id: keys.ids()[1].to_owned(), ..sealed };
        assert_eq!(keys.open(games[0], place(1, 7), &under_other_name), Err(NotOpened::Forged));
    }

    #[test]
    fn an_old_key_still_opens_and_a_missing_one_is_named() {
        let game = "db61bc31-8842-7734-a23f-d5a6499745c2".parse::<GameId>().unwrap();
        let old = keys(&[1]);
        let sealed = old.seal(game, SecretId::Root, &[5; 32], [0; 24]).unwrap();
        assert_eq!(keys(&[2, 1]).open(game, SecretId::Root, &sealed).unwrap().as_slice(), [5; 32]);
        let id = old.ids()[0].to_owned();
        assert_eq!(id.len(), 16);
        assert_eq!(keys(&[2, 3]).open(game, SecretId::Root, &sealed), Err(NotOpened::MissingKey(id)));
        assert!(SecretKeys::new(&[]).is_err());
    }
}
