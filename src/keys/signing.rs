//! The server's keys of one use, of which one signs at a time.

use super::{Jwk, KeyId, KeyUse, SigningKey};
use crate::timestamp::Timestamp;

/// Keys of one use, each with its period: at least one.
pub struct SigningKeys {
    first: (Jwk, SigningKey),
    others: Vec<(Jwk, SigningKey)>,
}

impl SigningKeys {
    /// One key that signs for ever.
    pub fn new(key: SigningKey, usage: KeyUse) -> Self {
        Self { first: (Jwk::new(key.public(), usage, None, None), key), others: Vec::new() }
    }

    /// These keys, with the period that the public half names; `None` for no keys.
    pub fn of(keys: Vec<(Jwk, SigningKey)>) -> Option<Self> {
        let mut keys = keys.into_iter();
        let first = keys.next()?;
        Some(Self { first, others: keys.collect() })
    }

    /// The first key of all.
    pub fn first(&self) -> (KeyId, &SigningKey) {
        (self.first.0.kid, &self.first.1)
    }

    /// The key that signs at this moment: the first in whose period it is.
    pub fn at(&self, at: Timestamp) -> Option<(KeyId, &SigningKey)> {
        let mut keys = std::iter::once(&self.first).chain(&self.others);
        keys.find(|(jwk, _)| jwk.signs_at(at)).map(|(jwk, key)| (jwk.kid, key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_signs_in_its_period() {
        let at = |millis| Timestamp::from_millis(millis).unwrap();
        let key = |byte, from, until| {
            let key = SigningKey::new(&[byte; 32]);
            (Jwk::new(key.public(), KeyUse::Event, from, until), key)
        };
        let (old, new) = (key(1, None, Some(at(10))), key(2, Some(at(10)), Some(at(20))));
        let (old_id, new_id) = (old.0.kid, new.0.kid);
        let keys = SigningKeys::of(vec![old, new]).unwrap();
        let signs = |millis| keys.at(at(millis)).map(|(id, _)| id);
        assert_eq!([9, 10, 19, 20].map(signs), [Some(old_id), Some(new_id), Some(new_id), None]);
        assert!(SigningKeys::of(Vec::new()).is_none());
    }
}
