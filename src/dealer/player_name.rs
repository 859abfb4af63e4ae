//! Names of players: parsed once, legal from then on.

use std::fmt;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// The most characters that a name has.
const MAX_CHARACTERS: usize = 32;

/// A name: 1 to 32 characters after NFKC and trimming, none of them a control or an invisible one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerName(String);

/// Why a text is no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAName {
    /// Nothing is left after trimming.
    Empty,
    /// More than 32 characters.
    TooLong,
    /// A control, an invisible character, or one that means nothing yet.
    Invisible(char),
}

impl fmt::Display for NotAName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a name has at least one visible character"),
            Self::TooLong => write!(f, "a name has at most {MAX_CHARACTERS} characters"),
            Self::Invisible(c) => write!(f, "a name can't hold the control or invisible character U+{:04X}", *c as u32),
        }
    }
}

impl std::error::Error for NotAName {}

impl PlayerName {
    /// Reads a name.
    ///
    /// # Errors
    ///
    /// See [`NotAName`].
    pub fn parse(text: &str) -> Result<Self, NotAName> {
        // NFKC lengthens a text at most 18-fold; what is longer than that can't become a name, whatever it is.
        if text.chars().count() > MAX_CHARACTERS * 18 {
            return Err(NotAName::TooLong);
        }
        let name: String = text.nfkc().collect();
        let name = name.trim();
        if name.is_empty() {
            return Err(NotAName::Empty);
        }
        if let Some(c) = name.chars().find(|c| is_invisible(*c)) {
            return Err(NotAName::Invisible(c));
        }
        if name.chars().count() > MAX_CHARACTERS {
            return Err(NotAName::TooLong);
        }
        Ok(Self(name.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What names are compared by: the same for names that differ in case alone.
    pub fn key(&self) -> String {
        // Upper case first joins what has several small forms (ς and σ, ſ and s, ß and ss).
        self.0.to_uppercase().to_lowercase().nfkc().collect()
    }
}

fn is_invisible(c: char) -> bool {
    let group = c.general_category_group();
    let unseen = matches!(group, GeneralCategoryGroup::Other) || (group == GeneralCategoryGroup::Separator && c != ' ');
    unseen || is_default_ignorable(c)
}

/// Characters of visible categories that show nothing (Unicode's `Default_Ignorable_Code_Point`, as far as it is not
/// of the category Other), and the empty Braille pattern.
fn is_default_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{34f}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{2065}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{ffa0}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_trimmed_and_normalised() {
        assert_eq!(PlayerName::parse("  Ａｎｎａ\u{a0} ").unwrap().as_str(), "Anna");
        assert_eq!(PlayerName::parse(&"x".repeat(32)).unwrap().as_str().len(), 32);
        assert_eq!(PlayerName::parse("Zoë de Vries").unwrap().as_str(), "Zoë de Vries");
    }

    #[test]
    fn names_differ_in_more_than_case() {
        let key = |name: &str| PlayerName::parse(name).unwrap().key();
        for (one, other) in [("Anna", "aNNA"), ("Straße", "STRASSE"), ("ΣΟΦΟΣ", "σοφος"), ("ﬁne", "FINE")]
        {
            assert_eq!(key(one), key(other));
        }
        assert_ne!(key("Anna"), key("Anne"));
    }

    #[test]
    fn what_cannot_be_seen_is_no_name() {
        for empty in ["", "   ", "\u{a0}\u{3000}"] {
            assert_eq!(PlayerName::parse(empty), Err(NotAName::Empty), "{empty:?}");
        }
        for c in
            ['\0', '\n', '\u{200b}', '\u{202e}', '\u{ad}', '\u{feff}', '\u{2060}', '\u{3164}', '\u{e000}', '\u{378}']
        {
            assert!(matches!(PlayerName::parse(&format!("a{c}b")), Err(NotAName::Invisible(_))), "{c:?}");
        }
        for long in ["x".repeat(33), "ﷺ".repeat(2), "x".repeat(10_000)] {
            assert_eq!(PlayerName::parse(&long), Err(NotAName::TooLong));
        }
    }
}
