//! A place in the list of games, as a text that means nothing to anybody else.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Deserializer};

use crate::ids::GameId;
use crate::timestamp::Timestamp;

/// Behind which game a page of the list begins: the newest come first, and of one moment's by their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// When that game was created.
    pub created_at: Timestamp,
    /// That game.
    pub game: GameId,
}

/// Why a text is no cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotACursor;

impl fmt::Display for NotACursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cursor must be the `next` of a page")
    }
}

impl std::error::Error for NotACursor {}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&URL_SAFE_NO_PAD.encode(format!("{} {}", self.created_at, self.game)))
    }
}

impl FromStr for Cursor {
    type Err = NotACursor;

    fn from_str(text: &str) -> Result<Self, NotACursor> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| NotACursor)?;
        let text = String::from_utf8(bytes).map_err(|_| NotACursor)?;
        let (created_at, game) = text.split_once(' ').ok_or(NotACursor)?;
        let created_at = created_at.parse().map_err(|_| NotACursor)?;
        Ok(Self { created_at, game: game.parse().map_err(|_| NotACursor)? })
    }
}

impl<'de> Deserialize<'de> for Cursor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_is_written() {
        let (at, game) = ("2026-01-02T03:04:05.006Z", "01980000-0000-7000-8000-00000000659e");
        let cursor = Cursor { created_at: at.parse().unwrap(), game: game.parse().unwrap() };
        let text = cursor.to_string();
        assert_eq!(text.parse(), Ok(cursor));
        for wrong in ["", "=", &text[1..], &format!("{text}="), &text.to_uppercase(), &URL_SAFE_NO_PAD.encode(at)] {
            assert_eq!(wrong.parse::<Cursor>(), Err(NotACursor), "{wrong}");
        }
    }
}
