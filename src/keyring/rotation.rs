//! New keys for old ones.

use std::fs;
use std::io;
use std::path::Path;

use super::{Entry, FILE, KeyError, Keyring, Secret, USES, write_draft};
use crate::dealer::inputs::Inputs;
use crate::keys::Jwk;
use crate::timestamp::Timestamp;

/// What a rotation did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotated {
    /// When the new keys begin to sign, and the old ones stop.
    pub at: Timestamp,
    /// The public halves of the new keys.
    pub new: Vec<Jwk>,
    /// Those of the old keys that now have an end.
    pub closed: Vec<Jwk>,
}

impl Keyring {
    /// Adds a new key for each use, which signs from so many seconds from now on, and ends the old ones then.
    fn rotate(&mut self, inputs: &Inputs, after: u32) -> Result<Rotated, KeyError> {
        let now = inputs.now();
        let at = now.plus_seconds(after);
        if let Some(later) = self.jwks().into_iter().find(|jwk| jwk.not_before.is_some_and(|from| from > now)) {
            return Err(KeyError::Rotating(later.kid));
        }
        let mut rotated = Rotated { at, new: Vec::new(), closed: Vec::new() };
        for usage in USES {
            let entries = self.entries_mut(usage);
            for old in entries.iter_mut().filter(|old| old.not_after.is_none_or(|until| until > at)) {
                old.not_after = Some(at);
                rotated.closed.push(old.jwk(usage));
            }
            let new = Entry { secret: Secret(inputs.bytes()?), not_before: Some(at), not_after: None };
            rotated.new.push(new.jwk(usage));
            entries.push(new);
        }
        Ok(rotated)
    }
}

/// Rotates the keys in a data folder: the file has the new ones or the old ones, whenever this is interrupted. Every
/// instance must be started anew with the file before the new keys begin to sign.
///
/// # Errors
///
/// When there is no file, it can't be read or written, somebody else rotates, or the last rotation is not over.
pub fn rotate(data: &Path, inputs: &Inputs, after: u32) -> Result<Rotated, KeyError> {
    let path = data.join(FILE);
    let failed = |error| KeyError::File(path.clone(), error);
    // It is the lock too: of two who make it one succeeds.
    let draft = path.with_extension("rotating");
    let text = zeroize::Zeroizing::new(fs::read_to_string(&path).map_err(failed)?);
    let mut keys = Keyring::read(&text, &path.display().to_string())?;
    let rotated = keys.rotate(inputs, after)?;
    match write_draft(&draft, &keys) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(KeyError::Locked(draft)),
        written => written.map_err(failed)?,
    }
    // Somebody may have finished a rotation since the file was read: then it stays as it is.
    let unchanged = fs::read_to_string(&path).map(zeroize::Zeroizing::new).is_ok_and(|now| now == text);
    if !unchanged {
        fs::remove_file(&draft).map_err(failed)?;
        return Err(KeyError::Locked(draft));
    }
    fs::rename(&draft, &path).map_err(failed)?;
    fs::File::open(data).and_then(|folder| folder.sync_all()).map_err(failed)?;
    Ok(rotated)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::keys::KeyUse;

    #[test]
    fn old_keys_stay_and_new_ones_follow_without_a_gap() {
        let inputs = Inputs::system();
        let folder = std::env::temp_dir().join(format!("croupier-rotation-{}", std::process::id()));
        assert!(matches!(rotate(&folder, &inputs, 600), Err(KeyError::File(..))));
        let before = Keyring::open(&folder, &inputs).unwrap().jwks();
        let rotated = rotate(&folder, &inputs, 600).unwrap();
        assert_eq!((rotated.new.len(), rotated.closed.len()), (3, 3));
        let file = folder.join(FILE);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let after = Keyring::open(&folder, &inputs).unwrap();
        for usage in USES {
            let old = before.iter().find(|jwk| jwk.croupier_use == usage).unwrap();
            let keys = after.signing_keys(usage, inputs.now()).unwrap();
            let last = Timestamp::from_millis(rotated.at.millis() - 1).unwrap();
            assert_eq!(keys.at(last).unwrap().0, old.kid);
            let new = rotated.new.iter().find(|jwk| jwk.croupier_use == usage).unwrap();
            assert_eq!(keys.at(rotated.at).unwrap().0, new.kid);
            assert_eq!(keys.at(Timestamp::MAX).unwrap().0, new.kid);
        }
        // Not twice at once, and nothing is changed by trying.
        let text = fs::read_to_string(&file).unwrap();
        assert!(matches!(rotate(&folder, &inputs, 600), Err(KeyError::Rotating(_))));
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn who_finds_anothers_draft_leaves_it() {
        let inputs = Inputs::system();
        let folder = std::env::temp_dir().join(format!("croupier-rotation-locked-{}", std::process::id()));
        let before = Keyring::open(&folder, &inputs).unwrap().jwks();
        let draft = folder.join("keys.rotating");
        fs::write(&draft, "").unwrap();
        assert!(matches!(rotate(&folder, &inputs, 600), Err(KeyError::Locked(path)) if path == draft));
        assert!(draft.exists());
        let after = Keyring::open(&folder, &inputs).unwrap();
        assert_eq!(after.jwks(), before);
        assert!(after.signing_keys(KeyUse::Event, inputs.now()).is_ok());
        fs::remove_dir_all(&folder).unwrap();
    }
}
