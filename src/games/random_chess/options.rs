//! The options of Random Chess.

use serde::{Deserialize, Serialize, Serializer};

use super::course::Profile;
use super::man::Side;
use super::square::Square;
use super::variant::{ARRAYS, Variant};

/// Options as they are sent.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = RandomChessOptions))]
#[serde(deny_unknown_fields)]
pub struct OptionsDraft {
    /// What is played (RC-7).
    #[serde(default = "default_variant")]
    #[cfg_attr(feature = "server", schema(value_type = VariantName, default = "chess"))]
    variant: String,
    /// When shuffling to and fro ends the game (RC-4).
    #[serde(default = "default_profile")]
    #[cfg_attr(feature = "server", schema(value_type = Profile, default = "server"))]
    profile: String,
    /// The number of the array, for `chess960` only; null to have it drawn (RC-7).
    #[serde(default)]
    #[cfg_attr(feature = "server", schema(minimum = 0, maximum = 959, default = json!(null)))]
    number: Option<i64>,
    /// Whether Black may castle; false for `maharaja` only (RC-7).
    #[serde(default = "default_castling")]
    #[cfg_attr(feature = "server", schema(default = true))]
    castling: bool,
    /// Where the maharaja begins, for `maharaja` only: a square of ranks 1 to 3, `random` to have it drawn, or null for
    /// e1 (RC-7).
    #[serde(default)]
    #[cfg_attr(feature = "server", schema(pattern = "^([a-h][1-3]|random)$", default = json!(null), example = "d2"))]
    maharaja_square: Option<String>,
    /// Whether seat 0 plays a side, and which (RC-9).
    #[serde(default = "default_play")]
    #[cfg_attr(feature = "server", schema(value_type = Play, default = "none"))]
    play: String,
}

fn default_variant() -> String {
    Variant::Chess.name().to_owned()
}

fn default_profile() -> String {
    Profile::Server.name().to_owned()
}

const fn default_castling() -> bool {
    true
}

fn default_play() -> String {
    Play::None.name().to_owned()
}

/// The names of the variants, for the OpenAPI document.
#[cfg(feature = "server")]
#[derive(utoipa::ToSchema, serde::Serialize)]
#[schema(as = ChessVariant)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, dead_code, reason = "only its schema is of use")]
pub enum VariantName {
    Chess,
    Maharaja,
    Hecatomb,
    UpsideDown,
    PeasantsRevolt,
    Weak,
    LightBrigade,
    PawnEndgame,
    AdvanceChess,
    PawnsPassed,
    PawnsPushed,
    ReversedRoyals,
    Transposed,
    Dunsany,
    Horde,
    Chess960,
    Amazon,
    Knightmate,
}

/// Which side seat 0 plays (RC-9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = ChessPlay))]
#[serde(rename_all = "snake_case")]
pub enum Play {
    /// None: the program plays both.
    None,
    /// White.
    White,
    /// Black.
    Black,
}

impl Play {
    /// All three.
    pub const ALL: [Self; 3] = [Self::None, Self::White, Self::Black];

    /// The name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::White => "white",
            Self::Black => "black",
        }
    }

    /// The side that seat 0 plays.
    pub const fn side(self) -> Option<Side> {
        match self {
            Self::None => None,
            Self::White => Some(Side::White),
            Self::Black => Some(Side::Black),
        }
    }
}

/// Where the maharaja begins (RC-7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaharajaSquare {
    /// There.
    Named(Square),
    /// Where a draw says.
    Random,
}

impl Serialize for MaharajaSquare {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Named(square) => square.serialize(serializer),
            Self::Random => serializer.serialize_str("random"),
        }
    }
}

/// The squares on which the maharaja may begin: a1, b1, … h3 (RC-7).
pub(super) fn maharaja_squares() -> impl ExactSizeIterator<Item = Square> {
    Square::all().take(24)
}

/// Options within their limits, each with a variant that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema), schema(as = RandomChessChosen))]
#[serde(try_from = "OptionsDraft")]
pub struct Options {
    /// What is played (RC-7).
    #[cfg_attr(feature = "server", schema(value_type = VariantName))]
    variant: Variant,
    /// When shuffling to and fro ends the game (RC-4).
    profile: Profile,
    /// The number of the array for `chess960`; null where it is drawn, and in other variants (RC-7).
    #[cfg_attr(feature = "server", schema(required, minimum = 0, maximum = 959))]
    number: Option<u16>,
    /// Whether Black may castle in `maharaja` (RC-7).
    castling: bool,
    /// Where the maharaja begins: a square, `random`, or null for e1 (RC-7).
    #[cfg_attr(feature = "server", schema(required, value_type = Option<String>, pattern = "^([a-h][1-3]|random)$"))]
    maharaja_square: Option<MaharajaSquare>,
    /// Which side seat 0 plays (RC-9).
    play: Play,
}

impl Options {
    /// What is played.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// When shuffling to and fro ends the game.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The number of the Chess960 array, if one is named.
    pub fn number(&self) -> Option<u16> {
        self.number
    }

    /// Whether Black may castle in Maharaja.
    pub fn castling(&self) -> bool {
        self.castling
    }

    /// Where the maharaja begins, if not on e1.
    pub fn maharaja_square(&self) -> Option<MaharajaSquare> {
        self.maharaja_square
    }

    /// Which side seat 0 plays.
    pub fn play(&self) -> Play {
        self.play
    }
}

fn named<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str, text: &str) -> Option<T> {
    all.iter().copied().find(|one| name(*one) == text)
}

impl TryFrom<OptionsDraft> for Options {
    type Error = &'static str;

    fn try_from(draft: OptionsDraft) -> Result<Self, Self::Error> {
        let variant = named(&Variant::ALL, Variant::name, &draft.variant).ok_or("variant must be one of the list")?;
        let number = match draft.number {
            None => None,
            Some(number) => {
                let number = u16::try_from(number).ok().filter(|number| *number < ARRAYS);
                Some(number.ok_or("number must be 0 to 959, or null")?)
            }
        };
        let maharaja_square = match draft.maharaja_square.as_deref() {
            None => None,
            Some("random") => Some(MaharajaSquare::Random),
            Some(text) => {
                let square = text.parse().ok().filter(|square| maharaja_squares().any(|one| one == *square));
                Some(MaharajaSquare::Named(square.ok_or("maharaja_square must be a1 to h3, \"random\" or null")?))
            }
        };
        if number.is_some() && variant != Variant::Chess960 {
            return Err("number belongs to chess960 alone");
        }
        if (maharaja_square.is_some() || !draft.castling) && variant != Variant::Maharaja {
            return Err("maharaja_square, and castling false, belong to maharaja alone");
        }
        Ok(Self {
            variant,
            profile: named(&Profile::ALL, Profile::name, &draft.profile)
                .ok_or("profile must be \"server\" or \"fide\"")?,
            number,
            castling: draft.castling,
            maharaja_square,
            play: named(&Play::ALL, Play::name, &draft.play).ok_or("play must be \"none\", \"white\" or \"black\"")?,
        })
    }
}
