//! Keys under which many signatures are verified, as those of the server are by an auditor.
//!
//! The verdict is the same as [`PublicKey::verifies`] gives, for any signature: the same equation is computed, from
//! tables of multiples of the base point and of the key, so that no doublings are left to do.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use curve25519_dalek::constants::ED25519_BASEPOINT_POINT;
use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use sha2::{Digest, Sha512};

use super::{PublicKey, Signature};

/// A table costs about as much time as this many signatures without it.
const WORTH_A_TABLE: u32 = 48;
/// The digits of a scalar to the base 256.
const DIGITS: usize = 32;
/// The largest digit, since digits may be negative.
const LARGEST: usize = 128;

/// For each digit of a scalar, that digit's multiples of a point: 1 to 128 times 256^place.
struct Multiples(Vec<EdwardsPoint>);

impl Multiples {
    fn of(point: EdwardsPoint) -> Self {
        let mut multiples = Vec::with_capacity(DIGITS * LARGEST);
        let mut unit = point;
        for _ in 0..DIGITS {
            let mut multiple = unit;
            for _ in 1..LARGEST {
                multiples.push(multiple);
                multiple += unit;
            }
            multiples.push(multiple);
            unit = multiple + multiple;
        }
        Self(multiples)
    }

    /// The points whose sum is `scalar * point`. In variable time: all of it is public.
    fn summands(&self, scalar: &Scalar) -> impl Iterator<Item = Summand> {
        let mut carry = 0;
        scalar.to_bytes().into_iter().enumerate().filter_map(move |(place, byte)| {
            let digit = i32::from(byte) + carry;
            // A scalar is below 2^253, so the last digit leaves nothing to carry.
            carry = i32::from(digit > LARGEST as i32);
            let digit = digit - 256 * carry;
            let index = usize::try_from(digit.abs()).ok().and_then(|size| size.checked_sub(1))?;
            Some(Summand { point: self.0[place * LARGEST + index], negative: digit < 0 })
        })
    }

    fn of_base() -> &'static Self {
        static BASE: OnceLock<Multiples> = OnceLock::new();
        BASE.get_or_init(|| Self::of(ED25519_BASEPOINT_POINT))
    }
}

/// A point that is added, or taken away.
struct Summand {
    point: EdwardsPoint,
    negative: bool,
}

/// A key that makes a table of its own once that is worth it.
pub struct PreparedKey {
    key: PublicKey,
    verified: AtomicU32,
    /// Multiples of the negative of the key's point.
    table: OnceLock<Multiples>,
}

impl PreparedKey {
    /// Prepares a key.
    pub fn new(key: PublicKey) -> Self {
        Self { key, verified: AtomicU32::new(0), table: OnceLock::new() }
    }
}

/// What can verify signatures of one key.
pub trait Verifies {
    /// The key.
    fn key(&self) -> &PublicKey;

    /// As [`PublicKey::verifies`].
    fn verifies(&self, message: &[u8], signature: &Signature) -> bool;
}

impl Verifies for PublicKey {
    fn key(&self) -> &PublicKey {
        self
    }

    fn verifies(&self, message: &[u8], signature: &Signature) -> bool {
        Self::verifies(self, message, signature)
    }
}

impl Verifies for PreparedKey {
    fn key(&self) -> &PublicKey {
        &self.key
    }

    fn verifies(&self, message: &[u8], signature: &Signature) -> bool {
        self.begin(message, signature).is_some_and(|begun| Begun::settle(&[begun]) == [true])
    }
}

impl PreparedKey {
    /// Verifies a signature but for the last step, which [`Begun::settle`] takes. `None` if it is wrong already.
    pub fn begin(&self, message: &[u8], signature: &Signature) -> Option<Begun> {
        if self.table.get().is_none() && self.verified.fetch_add(1, Ordering::Relaxed) < WORTH_A_TABLE {
            return self.begin_once(message, signature);
        }
        let table = self.table.get_or_init(|| Multiples::of(-self.key.0.to_edwards()));
        let [s, k] = self.scalars(message, signature)?;
        // All are fetched before the first is added: the tables are larger than the nearest caches.
        let summands: Vec<Summand> = Multiples::of_base().summands(&s).chain(table.summands(&k)).collect();
        let expected = summands.iter().fold(
            EdwardsPoint::default(),
            |sum, Summand { point, negative }| {
                if *negative { sum - point } else { sum + point }
            },
        );
        Some(Begun { expected, r: first_half(signature) })
    }

    /// As [`PreparedKey::begin`], for a key that is not to have a table.
    pub fn begin_once(&self, message: &[u8], signature: &Signature) -> Option<Begun> {
        let [s, k] = self.scalars(message, signature)?;
        let expected = EdwardsPoint::vartime_double_scalar_mul_basepoint(&k, &-self.key.0.to_edwards(), &s);
        Some(Begun { expected, r: first_half(signature) })
    }

    /// S, if it is below the order of the group, and the hash of all (RFC 8032, 5.1.7).
    fn scalars(&self, message: &[u8], signature: &Signature) -> Option<[Scalar; 2]> {
        let (r, s) = signature.0.split_at(32);
        let s = Option::from(Scalar::from_canonical_bytes(s.try_into().ok()?))?;
        let challenge =
            Sha512::new().chain_update(r).chain_update(self.key.as_bytes()).chain_update(message).finalize();
        Some([s, Scalar::from_bytes_mod_order_wide(&challenge.into())])
    }
}

fn first_half(signature: &Signature) -> [u8; 32] {
    std::array::from_fn(|index| signature.0[index])
}

/// A signature of which only this is open: whether the point that its R must be is written as R is. Writing a point
/// takes a division, and many divisions cost together little more than one.
pub struct Begun {
    expected: EdwardsPoint,
    r: [u8; 32],
}

impl Begun {
    /// Which of these signatures are good.
    pub fn settle(begun: &[Self]) -> Vec<bool> {
        let points: Vec<EdwardsPoint> = begun.iter().map(|one| one.expected).collect();
        let written = EdwardsPoint::compress_batch_alloc(&points);
        written.iter().zip(begun).map(|(written, one)| *written.as_bytes() == one.r).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::SigningKey;
    use curve25519_dalek::constants::EIGHT_TORSION;

    /// A key whose table is made already.
    fn with_table(key: PublicKey) -> PreparedKey {
        let prepared = PreparedKey::new(key);
        assert!(prepared.table.set(Multiples::of(-key.0.to_edwards())).is_ok());
        prepared
    }

    /// The verdict of all three ways: by the library, with a table and without.
    fn judged(key: &PreparedKey, message: &[u8], signature: &Signature) -> bool {
        let verdict = key.key.verifies(message, signature);
        let settled = |begun: Option<Begun>| begun.is_some_and(|begun| Begun::settle(&[begun]) == [true]);
        assert_eq!(settled(key.begin(message, signature)), verdict);
        assert_eq!(settled(key.begin_once(message, signature)), verdict);
        verdict
    }

    #[test]
    fn a_table_changes_no_verdict() {
        let secret = SigningKey::new(&[5; 32]);
        let key = with_table(secret.public());
        for number in 0..200u32 {
            let message = number.to_le_bytes();
            let good = secret.sign(&message);
            assert!(judged(&key, &message, &good));
            let mut bad = good.0;
            bad[number as usize % 64] ^= 1 << (number % 8);
            assert!(!judged(&key, &message, &Signature(bad)));
            assert!(!judged(&key, b"another", &good));
        }
    }

    /// Each of many gets its own verdict.
    #[test]
    fn many_are_settled_at_once() {
        let secret = SigningKey::new(&[5; 32]);
        let key = PreparedKey::new(secret.public());
        let good = |number: &usize| !number.is_multiple_of(3) && !number.is_multiple_of(7);
        let begun = (0..150_usize).map(|number| {
            let signed = if good(&number) { number } else { number + 1 };
            key.begin(&number.to_le_bytes(), &secret.sign(&signed.to_le_bytes())).unwrap()
        });
        let verdicts = Begun::settle(&begun.collect::<Vec<_>>());
        assert_eq!(verdicts, (0..150).map(|number| good(&number)).collect::<Vec<_>>());
        assert!(Begun::settle(&[]).is_empty());
    }

    /// S beyond the order of the group, and points with a part of small order: with the cofactor some of these would be
    /// good signatures.
    #[test]
    fn the_corners_are_judged_the_same() {
        let secret = SigningKey::new(&[5; 32]);
        let key = with_table(secret.public());
        let good = secret.sign(b"message");
        let order = {
            let mut bytes = (-Scalar::ONE).to_bytes();
            bytes[0] += 1;
            bytes
        };
        let mut beyond = good.0;
        let mut carry = 0;
        for (byte, add) in beyond[32..].iter_mut().zip(order) {
            let sum = u16::from(*byte) + u16::from(add) + carry;
            *byte = sum as u8;
            carry = sum >> 8;
        }
        assert!(!judged(&key, b"message", &Signature(beyond)));
        assert!(judged(&key, b"message", &good));
        assert!(!judged(&key, b"message", &Signature([0; 64])) && !judged(&key, b"message", &Signature([0xff; 64])));
        for torsion in EIGHT_TORSION {
            let mixed = (secret.public().0.to_edwards() + torsion).compress().to_bytes();
            let mixed = with_table(PublicKey::new(&mixed).unwrap());
            for number in 0..40u8 {
                judged(&mixed, &[number], &secret.sign(&[number]));
                let mut r = good.0;
                r[..32].copy_from_slice(torsion.compress().as_bytes());
                judged(&mixed, &[number], &Signature(r));
            }
        }
    }

    #[test]
    fn a_key_that_is_used_often() {
        let secret = SigningKey::new(&[6; 32]);
        let key = PreparedKey::new(secret.public());
        for number in 0..WORTH_A_TABLE + 10 {
            assert!(key.verifies(&number.to_le_bytes(), &secret.sign(&number.to_le_bytes())));
            assert!(!key.verifies(b"another", &secret.sign(&number.to_le_bytes())));
        }
        assert!(key.table.get().is_some());
    }
}
