//! Ids of games and players: lower-case hyphenated UUIDs of version 7.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::{Uuid, Variant, Version};

/// Why a text is no id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAnId;

impl fmt::Display for NotAnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be a lower-case hyphenated UUID of version 7")
    }
}

impl std::error::Error for NotAnId {}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// The id with this UUID.
            ///
            /// # Errors
            ///
            /// When the UUID is not of version 7.
            pub fn new(uuid: Uuid) -> Result<Self, NotAnId> {
                if uuid.get_version() == Some(Version::SortRand) && uuid.get_variant() == Variant::RFC4122 {
                    Ok(Self(uuid))
                } else {
                    Err(NotAnId)
                }
            }

            /// The UUID.
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl FromStr for $name {
            type Err = NotAnId;

            fn from_str(text: &str) -> Result<Self, NotAnId> {
                let id = Self::new(Uuid::try_parse(text).map_err(|_| NotAnId)?)?;
                // The uuid crate reads upper case, braces and URNs too; only our own form passes.
                if id.0.hyphenated().encode_lower(&mut Uuid::encode_buffer()) == text { Ok(id) } else { Err(NotAnId) }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self.0.as_hyphenated(), f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.0.hyphenated().encode_lower(&mut Uuid::encode_buffer()))
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

id! {
    /// A game's id.
    GameId
}

id! {
    /// A player's id.
    PlayerId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lower_case_hyphenated_version_7() {
        let right = "db61bc31-8842-7734-a23f-d5a6499745c2";
        assert_eq!(right.parse::<GameId>().unwrap().to_string(), right);
        for wrong in [
            &right.to_uppercase(),
            &right.replace('-', ""),
            &right.replace("-7734", "-4734"),
            &right.replace("-a23f", "-723f"),
            &format!("{{{right}}}"),
            &format!("urn:uuid:{right}"),
            "",
        ] {
            assert!(wrong.parse::<GameId>().is_err(), "{wrong}");
        }
    }
}
