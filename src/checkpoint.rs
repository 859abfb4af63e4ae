//! Checkpoints of the log of logs: C2SP `tlog-checkpoint`s, which are signed notes.
//!
//! ```text
//! croupier.example/log
//! 42
//! CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
//!
//! — croupier.example/log Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
//! ```

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::hex32::Hash;
use crate::keys::{PublicKey, Signature, SigningKey, Verifies};

/// How long a note may be, in bytes; a checkpoint with a hundred witnesses is shorter.
const MAX_NOTE_BYTES: usize = 64 * 1024;
/// What marks a plain Ed25519 key in a signed note.
const ED25519: u8 = 1;

/// The state of the log of logs at one size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The log's name, which is its key's name too.
    pub origin: String,
    /// How many entries the log has.
    pub size: u64,
    /// The root of its tree.
    pub root: Hash,
}

/// The signatures of a note: whose name they bear, and their bytes.
type Signatures<'a> = Vec<(&'a str, Vec<u8>)>;

/// Why a text is no checkpoint with a good signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotACheckpoint {
    /// It has not the form of one.
    Form,
    /// It bears no signature of the key.
    NotSigned,
    /// The signature of the key is not good.
    BadSignature,
}

impl fmt::Display for NotACheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Form => "it has not the form of a checkpoint",
            Self::NotSigned => "it bears no signature of the log's key",
            Self::BadSignature => "the signature of the log's key is not good",
        })
    }
}

impl std::error::Error for NotACheckpoint {}

/// The first four bytes of the hash over a key and its name, by which a note names its key.
fn key_id(name: &str, key: &PublicKey) -> [u8; 4] {
    let hash = Sha256::new().chain_update(name).chain_update([b'\n', ED25519]).chain_update(key.as_bytes()).finalize();
    [hash[0], hash[1], hash[2], hash[3]]
}

/// Whether a text can be a log's name: not empty, and without spaces, plus signs and control characters.
pub fn is_origin(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c.is_control() || c == '+')
}

/// The key in the form in which verifiers of signed notes take it: `name+id+key`.
pub fn verifier_key(name: &str, key: &PublicKey) -> String {
    let id: String = key_id(name, key).iter().map(|byte| format!("{byte:02x}")).collect();
    let mut bytes = vec![ED25519];
    bytes.extend_from_slice(key.as_bytes());
    format!("{name}+{id}+{}", STANDARD.encode(bytes))
}

impl Checkpoint {
    /// The text that is signed.
    fn text(&self) -> String {
        format!("{}\n{}\n{}\n", self.origin, self.size, STANDARD.encode(self.root.as_bytes()))
    }

    /// The signed note.
    pub fn sign(&self, key: &SigningKey) -> String {
        let text = self.text();
        let mut signature = key_id(&self.origin, &key.public()).to_vec();
        signature.extend_from_slice(key.sign(text.as_bytes()).as_bytes());
        format!("{text}\n— {} {}\n", self.origin, STANDARD.encode(signature))
    }

    /// What a note says, whoever signed it.
    ///
    /// # Errors
    ///
    /// When it is no checkpoint.
    pub fn unverified(note: &str) -> Result<Self, NotACheckpoint> {
        Self::read(note).map(|(checkpoint, _)| checkpoint)
    }

    /// Reads a signed note. Signatures of others, as of witnesses, are let pass.
    ///
    /// # Errors
    ///
    /// When it is no checkpoint, or bears no good signature of the key.
    pub fn open(note: &str, key: &impl Verifies) -> Result<Self, NotACheckpoint> {
        let (checkpoint, signatures) = Self::read(note)?;
        let id = key_id(&checkpoint.origin, key.key());
        let own = signatures.iter().find(|(name, bytes)| *name == checkpoint.origin && bytes.starts_with(&id));
        let (_, bytes) = own.ok_or(NotACheckpoint::NotSigned)?;
        let signature: [u8; 64] = bytes[id.len()..].try_into().map_err(|_| NotACheckpoint::BadSignature)?;
        if key.verifies(checkpoint.text().as_bytes(), &Signature::new(signature)) {
            Ok(checkpoint)
        } else {
            Err(NotACheckpoint::BadSignature)
        }
    }

    /// The checkpoint that a note holds, and the names and bytes of its signatures, not checked.
    fn read(note: &str) -> Result<(Self, Signatures<'_>), NotACheckpoint> {
        if note.len() > MAX_NOTE_BYTES {
            return Err(NotACheckpoint::Form);
        }
        let (text, signatures) = note.split_once("\n\n").ok_or(NotACheckpoint::Form)?;
        let checkpoint = Self::read_text(text).ok_or(NotACheckpoint::Form)?;
        let lines = signatures.strip_suffix('\n').ok_or(NotACheckpoint::Form)?.split('\n');
        let signatures = lines.map(|line| {
            let (name, signature) = line.strip_prefix("— ")?.split_once(' ')?;
            Some((name, STANDARD.decode(signature).ok().filter(|bytes| bytes.len() > 4)?))
        });
        let signatures = signatures.collect::<Option<Vec<_>>>().ok_or(NotACheckpoint::Form)?;
        Ok((checkpoint, signatures))
    }

    /// Origin, size and root, and nothing more: our checkpoints have no extension lines.
    fn read_text(text: &str) -> Option<Self> {
        let mut lines = text.split('\n');
        let (origin, size, root) = (lines.next()?, lines.next()?, lines.next()?);
        if lines.next().is_some() || !is_origin(origin) {
            return None;
        }
        let number: u64 = size.parse().ok()?;
        let root: [u8; 32] = STANDARD.decode(root).ok()?.try_into().ok()?;
        // No sign and no leading zeros: one text a number.
        (number.to_string() == size).then(|| Self { origin: origin.to_owned(), size: number, root: Hash::new(root) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint() -> Checkpoint {
        Checkpoint { origin: "croupier.example/log".to_owned(), size: 42, root: Hash::new([7; 32]) }
    }

    #[test]
    fn opens_what_it_signed() {
        let key = SigningKey::new(&[3; 32]);
        let note = checkpoint().sign(&key);
        assert_eq!(Checkpoint::open(&note, &key.public()), Ok(checkpoint()));
        let with_witness = format!("{note}— witness.example AAAAAAAA\n");
        assert_eq!(Checkpoint::open(&with_witness, &key.public()), Ok(checkpoint()));
    }

    #[test]
    fn refuses_all_else() {
        let key = SigningKey::new(&[3; 32]);
        let note = checkpoint().sign(&key);
        let open = |note: &str| Checkpoint::open(note, &key.public());
        assert_eq!(Checkpoint::open(&note, &SigningKey::new(&[4; 32]).public()), Err(NotACheckpoint::NotSigned));
        assert_eq!(open(&note.replacen("42", "43", 1)), Err(NotACheckpoint::BadSignature));
        assert_eq!(open(&note.replace("croupier.example/log\n42", "other/log\n42")), Err(NotACheckpoint::NotSigned));
        for form in ["042", "+42", "-1", "42\nextension", "", "99999999999999999999"] {
            assert_eq!(open(&note.replacen("42", form, 1)), Err(NotACheckpoint::Form), "{form}");
        }
        for form in [note.trim_end(), &note.replace("— ", "- "), &note[1..], "", "\n\n", &"x".repeat(100_000)] {
            assert!(open(form).is_err(), "{form:.30}");
        }
    }

    #[test]
    fn the_verifier_key_has_the_form_of_signed_notes() {
        let text = verifier_key("croupier.example/log", &SigningKey::new(&[3; 32]).public());
        let parts: Vec<&str> = text.splitn(3, '+').collect();
        assert_eq!((parts[0], parts[1].len()), ("croupier.example/log", 8));
        assert_eq!(STANDARD.decode(parts[2]).unwrap().len(), 33);
    }
}
