//! The service's keys: made at first start, kept in a file or in the configuration, never shown.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::canonical;
use crate::dealer::inputs::{Inputs, NoEntropy};
use crate::hex32::{Nonce, NotHex32};
use crate::keys::{Jwk, KeyId, KeyUse, SigningKey, SigningKeys};
use crate::timestamp::Timestamp;

mod rotation;

pub use rotation::{Rotated, rotate};

/// The file's name in the data folder.
const FILE: &str = "keys.json";

/// Why there are no keys to work with.
#[derive(Debug)]
pub enum KeyError {
    /// The file can't be read or written.
    File(PathBuf, io::Error),
    /// What is configured has not the form of keys. Says nothing of what was found.
    Form(String),
    /// For this use no key signs now.
    NoneSigns(KeyUse),
    /// Another period of this key is published.
    PublishedOtherwise(KeyId),
    /// A key begins to sign only later: the last rotation is not over.
    Rotating(KeyId),
    /// Somebody else rotates, or was interrupted: this file is there.
    Locked(PathBuf),
    /// There is no randomness to make keys from.
    NoEntropy,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path, error) => write!(f, "the keys in {} can't be read or made: {error}", path.display()),
            Self::Form(where_) => write!(f, "the keys in {where_} have not the form that they must have"),
            Self::NoneSigns(usage) => write!(f, "no key of the use {usage:?} signs now"),
            Self::PublishedOtherwise(id) => write!(
                f,
                "the key {id} is published with another period than it has here: start with the keys as they were \
                 rotated, since what a key signs after its end nobody will believe"
            ),
            Self::Rotating(id) => write!(f, "the last rotation is not over: the key {id} signs only later"),
            Self::Locked(path) => write!(
                f,
                "somebody else rotates these keys now; if nobody does, a rotation was interrupted: remove {}",
                path.display()
            ),
            Self::NoEntropy => NoEntropy.fmt(f),
        }
    }
}

impl std::error::Error for KeyError {}

impl From<NoEntropy> for KeyError {
    fn from(_: NoEntropy) -> Self {
        Self::NoEntropy
    }
}

/// 32 secret bytes in a file of keys; wiped when dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
struct Secret([u8; 32]);

impl Serialize for Secret {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A nonce is written in the same digits.
        Nonce::new(self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Zeroizing::new(String::deserialize(deserializer)?);
        let nonce: Nonce = text.parse().map_err(|_: NotHex32| serde::de::Error::custom("not 64 hex digits"))?;
        Ok(Self(*nonce.as_bytes()))
    }
}

/// A key that signs, with its period.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    secret: Secret,
    not_before: Option<Timestamp>,
    not_after: Option<Timestamp>,
}

impl Entry {
    fn jwk(&self, usage: KeyUse) -> Jwk {
        Jwk::new(SigningKey::new(&self.secret.0).public(), usage, self.not_before, self.not_after)
    }
}

/// The 32 secret bytes of a key.
pub type Seed = Zeroizing<[u8; 32]>;

/// What keys are for.
const USES: [KeyUse; 3] = [KeyUse::Event, KeyUse::Token, KeyUse::Checkpoint];

/// All keys of the service. For each use the first that signs now is the one that signs.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keyring {
    event: Vec<Entry>,
    token: Vec<Entry>,
    checkpoint: Vec<Entry>,
    /// Keys that encrypt secrets at rest; the first encrypts.
    secrets: Vec<Secret>,
}

impl Keyring {
    /// Reads keys from their JSON text.
    ///
    /// # Errors
    ///
    /// When it has not the form of keys.
    pub fn read(text: &str, from: &str) -> Result<Self, KeyError> {
        canonical::parse_as(text.as_bytes()).map_err(|_| KeyError::Form(from.to_owned()))
    }

    /// Reads the keys of a data folder, or makes them at first start.
    ///
    /// # Errors
    ///
    /// When the file can't be read or made, or has not the form of keys.
    pub fn open(data: &Path, inputs: &Inputs) -> Result<Self, KeyError> {
        let path = data.join(FILE);
        let failed = |error| KeyError::File(path.clone(), error);
        let read = || match fs::read_to_string(&path) {
            Ok(text) => Ok(Some(Zeroizing::new(text))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(error)),
        };
        if let Some(text) = read()? {
            return Self::read(&text, &path.display().to_string());
        }
        fs::create_dir_all(data).map_err(failed)?;
        let made = Self::generate(inputs)?;
        save_first(&path, &made, inputs)?;
        // Whoever was first, this or another instance: what is in the file now holds.
        let text = read()?.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        Self::read(&text, &path.display().to_string())
    }

    fn generate(inputs: &Inputs) -> Result<Self, KeyError> {
        let secret = || inputs.bytes().map(Secret);
        let entry = || Ok::<_, NoEntropy>(vec![Entry { secret: secret()?, not_before: None, not_after: None }]);
        Ok(Self { event: entry()?, token: entry()?, checkpoint: entry()?, secrets: vec![secret()?] })
    }

    fn entries_mut(&mut self, usage: KeyUse) -> &mut Vec<Entry> {
        match usage {
            KeyUse::Event => &mut self.event,
            KeyUse::Token => &mut self.token,
            KeyUse::Checkpoint => &mut self.checkpoint,
        }
    }

    fn entries(&self, usage: KeyUse) -> &[Entry] {
        match usage {
            KeyUse::Event => &self.event,
            KeyUse::Token => &self.token,
            KeyUse::Checkpoint => &self.checkpoint,
        }
    }

    /// The public halves of all keys that sign.
    pub fn jwks(&self) -> Vec<Jwk> {
        let of_use = |usage| self.entries(usage).iter().map(move |entry| entry.jwk(usage));
        USES.into_iter().flat_map(of_use).collect()
    }

    /// The keys of a use, each with its public half and its period.
    ///
    /// # Errors
    ///
    /// When none of them signs now.
    pub fn signing_seeds(&self, usage: KeyUse, now: Timestamp) -> Result<Vec<(Jwk, Seed)>, KeyError> {
        let keys: Vec<_> =
            self.entries(usage).iter().map(|entry| (entry.jwk(usage), Zeroizing::new(entry.secret.0))).collect();
        let signs = keys.iter().any(|(jwk, _)| jwk.signs_at(now));
        if signs { Ok(keys) } else { Err(KeyError::NoneSigns(usage)) }
    }

    /// As [`Keyring::signing_seeds`], ready to sign.
    ///
    /// # Errors
    ///
    /// When none of them signs now.
    pub fn signing_keys(&self, usage: KeyUse, now: Timestamp) -> Result<SigningKeys, KeyError> {
        let seeds = self.signing_seeds(usage, now)?;
        let keys = seeds.into_iter().map(|(jwk, seed)| (jwk, SigningKey::new(&seed))).collect();
        SigningKeys::of(keys).ok_or(KeyError::NoneSigns(usage))
    }

    /// The keys that encrypt secrets at rest, the first of which encrypts.
    pub fn secrets(&self) -> Vec<Zeroizing<[u8; 32]>> {
        self.secrets.iter().map(|secret| Zeroizing::new(secret.0)).collect()
    }
}

/// Writes the file whole or not at all, and only if there is none: two instances may start at once.
fn save_first(path: &Path, keys: &Keyring, inputs: &Inputs) -> Result<(), KeyError> {
    let failed = |error| KeyError::File(path.to_owned(), error);
    let mark = uuid::Uuid::from_bytes(inputs.bytes()?).simple().to_string();
    let draft = path.with_extension(mark);
    // A hard link is made only where there is no file of that name.
    let linked = write_draft(&draft, keys).and_then(|()| fs::hard_link(&draft, path));
    let removed = fs::remove_file(&draft);
    match linked {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(failed(error)),
        Ok(()) => removed.map_err(failed),
    }
}

/// Writes keys to a file that is not there yet, for its owner alone to read.
fn write_draft(draft: &Path, keys: &Keyring) -> io::Result<()> {
    let text = Zeroizing::new(serde_json::to_vec_pretty(keys)?);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(draft)?;
    file.write_all(&text)?;
    file.sync_all()
}
