//! The 32-byte values of the protocol, written as 64 lower-case hex digits.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use subtle::ConstantTimeEq;

/// Why a text is no 32-byte value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotHex32;

impl fmt::Display for NotHex32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be 64 lower-case hex digits")
    }
}

impl std::error::Error for NotHex32 {}

/// Writes 32 bytes as 64 lower-case hex digits.
fn encode(bytes: &[u8; 32]) -> [u8; 64] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = [0; 64];
    for (i, byte) in bytes.iter().enumerate() {
        text[2 * i] = DIGITS[usize::from(byte >> 4)];
        text[2 * i + 1] = DIGITS[usize::from(byte & 15)];
    }
    text
}

/// Reads exactly 64 lower-case hex digits.
fn decode(text: &str) -> Result<[u8; 32], NotHex32> {
    let digit = |c: u8| match c {
        b'0'..=b'9' => Ok(c - b'0'),
        b'a'..=b'f' => Ok(c - b'a' + 10),
        _ => Err(NotHex32),
    };
    let text = text.as_bytes();
    if text.len() != 64 {
        return Err(NotHex32);
    }
    let mut bytes = [0; 32];
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = (digit(text[2 * i])? << 4) | digit(text[2 * i + 1])?;
    }
    Ok(bytes)
}

/// Defines a 32-byte value of its own type, so that a nonce can't stand where a seed belongs. Comparison takes the
/// same time whatever the bytes are, since some of these values are secret until the protocol opens them.
macro_rules! hex32 {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name([u8; 32]);

        impl $name {
            /// The value of these bytes.
            pub const fn new(bytes: [u8; 32]) -> Self {
                Self(bytes)
            }

            /// The raw bytes.
            pub const fn as_bytes(&self) -> &[u8; 32] {
                &self.0
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.0.ct_eq(&other.0).into()
            }
        }

        impl Eq for $name {}

        impl FromStr for $name {
            type Err = NotHex32;

            fn from_str(text: &str) -> Result<Self, NotHex32> {
                decode(text).map(Self)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let text = encode(&self.0);
                serializer.serialize_str(std::str::from_utf8(&text).map_err(serde::ser::Error::custom)?)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

/// As [`hex32!`], for values that are public from the moment they exist and so may be shown.
macro_rules! public_hex32 {
    ($(#[$doc:meta])* $name:ident) => {
        hex32! { $(#[$doc])* $name }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                encode(&self.0).iter().try_for_each(|digit| fmt::Write::write_char(f, char::from(*digit)))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }
    };
}

/// As [`hex32!`], for values that are secret until the protocol opens them: wiped when dropped by [`zeroize`], and
/// shown nowhere by accident.
macro_rules! secret_hex32 {
    ($(#[$doc:meta])* $name:ident) => {
        hex32! { $(#[$doc])* $name }

        impl zeroize::Zeroize for $name {
            fn zeroize(&mut self) {
                self.0.zeroize();
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(…)"))
            }
        }
    };
}

public_hex32! {
    /// A SHA-256 digest: a hash of the log, an anchor, a commitment.
    Hash
}

secret_hex32! {
    /// A player's part in every draw of a game, secret from its commitment until `seed_opened`.
    PlayerSeed
}

secret_hex32! {
    /// The server's part in one draw, `s[k]` of the seed chain, secret until disclosed.
    ServerSeed
}

secret_hex32! {
    /// What blinds the commitment to a move, secret until the move is opened.
    Nonce
}

impl Hash {
    /// Sixty-four zeros: what stands for the hash before a log's first event.
    pub const ZERO: Self = Self([0; 32]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes_and_nothing_else() {
        let text = "00ff".repeat(16);
        assert_eq!(text.parse::<Hash>().unwrap().to_string(), text);
        for wrong in ["", "00", &text.to_uppercase(), &format!("{text}0"), &text.replace("ff", "fg")] {
            assert_eq!(wrong.parse::<Hash>(), Err(NotHex32), "{wrong}");
        }
    }

    #[test]
    fn secrets_do_not_show() {
        assert_eq!(format!("{:?}", Nonce::new([7; 32])), "Nonce(…)");
    }
}
