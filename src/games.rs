//! The closed list of games, and the one place that tells them apart: everything above works with the enums here.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::canonical::read_exactly;
use crate::game::{
    Action, Chance, Decided, ForfeitReason, Game, Illegal, NoDraw, Outcome, Reason, Refused, Viewer, act, play,
};
use crate::hex32::Hash;
use crate::seat::Seat;
use crate::timestamp::Timestamp;

mod common;
pub mod fatetst_rpg;
pub mod generals;
pub mod migraine;
pub mod piles;
pub mod random_chess;
pub mod spite_and_malice;
pub mod tau_heed_kept;

pub use common::{CommonFact, Malformed};

/// Reads a move or a fact.
fn tagged<T: for<'de> Deserialize<'de> + Serialize>(value: Value) -> Result<T, Malformed> {
    read_exactly(&value).map_err(|e| Malformed(e.to_string()))
}

/// One game's rules in one version, as published.
#[derive(Debug, Clone, Copy)]
pub struct RulesText {
    /// Counted from 1.
    pub version: u32,
    /// Markdown, with the numbered clauses that refusals name.
    pub text: &'static str,
    /// The SHA-256 of the text, which `created` names.
    pub sha256: Hash,
}

/// Writes the enums over all games and the functions that only pass a call on. A game is added by adding its line
/// below.
macro_rules! games {
    ($($(#[$doc:meta])* $variant:ident = $module:ident, $name:literal;)+) => {
        /// A kind of game.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Kind {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)+
        }

        impl Kind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name in the API and in the log.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The fewest and the most seats.
            pub const fn seats(self) -> (u8, u8) {
                match self { $(Self::$variant => <$module::Rules as Game>::SEATS,)+ }
            }

            const fn rules_texts(self) -> &'static [&'static str] {
                match self { $(Self::$variant => <$module::Rules as Game>::RULES,)+ }
            }

            /// As [`Game::LONGEST_SECONDS`].
            pub const fn longest_seconds(self) -> Option<u32> {
                match self { $(Self::$variant => <$module::Rules as Game>::LONGEST_SECONDS,)+ }
            }

            /// The reasons that a result can name.
            pub const fn reasons(self) -> &'static [Reason] {
                match self { $(Self::$variant => <$module::Rules as Game>::REASONS,)+ }
            }

            /// The names of its moves.
            pub const fn move_types(self) -> &'static [&'static str] {
                match self { $(Self::$variant => $module::Move::TYPES,)+ }
            }

            /// The names of its facts, but for those that every game has.
            pub const fn fact_types(self) -> &'static [&'static str] {
                match self { $(Self::$variant => $module::Fact::TYPES,)+ }
            }

            /// Reads the options of a game, with the defaults for those that are not given.
            ///
            /// # Errors
            ///
            /// For an unknown name and for a value outside its limits (RU-7).
            pub fn read_options(self, value: Value) -> Result<Options, Malformed> {
                if !value.is_object() {
                    return Err(Malformed("options must be an object".to_owned()));
                }
                match self {
                    $(Self::$variant => {
                        serde_json::from_value(value).map(Options::$variant).map_err(|e| Malformed(e.to_string()))
                    })+
                }
            }

            /// Reads a move of this game: exact fields and types, whatever the texts and numbers.
            ///
            /// # Errors
            ///
            /// When the value is no move of this game's form.
            pub fn read_move(self, value: Value) -> Result<Move, Malformed> {
                match self { $(Self::$variant => tagged(value).map(Move::$variant),)+ }
            }
        }

        /// The options of a game, all defaults filled in.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        #[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
        #[serde(untagged)]
        pub enum Options {
            $(#[doc = concat!("Of `", $name, "`.")] $variant($module::Options),)+
        }

        impl Options {
            /// Whose options they are.
            pub const fn kind(&self) -> Kind {
                match self { $(Self::$variant(_) => Kind::$variant,)+ }
            }

            /// Judges whether a table with so many seats can be started.
            ///
            /// # Errors
            ///
            /// The clause that speaks against it.
            pub fn fits(&self, seats: usize) -> Result<(), Illegal> {
                match self { $(Self::$variant(options) => <$module::Rules as Game>::fits(options, seats),)+ }
            }
        }

        /// The options of each game as they are sent: for the OpenAPI document.
        #[cfg(feature = "server")]
        #[derive(utoipa::ToSchema)]
        #[allow(dead_code, missing_docs, reason = "only its schema is of use")]
        #[serde(untagged)]
        pub enum SentOptions {
            $($variant($module::OptionsDraft),)+
        }

        /// A move as the API takes it.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        #[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
        #[serde(untagged)]
        pub enum Move {
            $(#[doc = concat!("Of `", $name, "`.")] $variant($module::Move),)+
        }

        impl Move {
            /// Reads a move of any game.
            ///
            /// # Errors
            ///
            /// When the value is no move's form.
            pub fn read(value: Value) -> Result<Self, Malformed> {
                let name = value.get("type").and_then(Value::as_str).unwrap_or_default();
                $(if $module::Move::TYPES.contains(&name) {
                    return tagged(value).map(Self::$variant);
                })+
                Err(Malformed(format!("{name:?} is no move of any game")))
            }

            /// Whose move it is.
            pub const fn kind(&self) -> Kind {
                match self { $(Self::$variant(_) => Kind::$variant,)+ }
            }

            /// The move with its sets in canonical order (RU-2).
            #[must_use]
            pub fn canonical(&self) -> Self {
                match self { $(Self::$variant(mv) => Self::$variant(<$module::Rules as Game>::canonical(mv)),)+ }
            }

            /// Whether the move is a decision, and so takes the step at hand (RU-10).
            pub fn is_decision(&self) -> bool {
                match self { $(Self::$variant(mv) => <$module::Rules as Game>::is_decision(mv),)+ }
            }
        }

        /// Something that the rules made public.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        #[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
        #[serde(untagged)]
        pub enum Fact {
            /// Of every game.
            Common(CommonFact),
            $(#[doc = concat!("Of `", $name, "`.")] $variant($module::Fact),)+
        }

        $(impl From<$module::Fact> for Fact {
            fn from(fact: $module::Fact) -> Self {
                Self::$variant(fact)
            }
        })+

        impl Fact {
            /// Reads a fact of any game.
            ///
            /// # Errors
            ///
            /// When the value is no fact's form.
            pub fn read(value: Value) -> Result<Self, Malformed> {
                let name = value.get("type").and_then(Value::as_str).unwrap_or_default();
                if CommonFact::TYPES.contains(&name) {
                    return tagged(value).map(Self::Common);
                }
                $(if $module::Fact::TYPES.contains(&name) {
                    return tagged(value).map(Self::$variant);
                })+
                Err(Malformed(format!("{name:?} is no fact of any game")))
            }

            /// What of the fact was decided by draws alone: cards that were dealt, a lot that was cast; null if nothing
            /// was. An auditor that finds another value knows that a draw was not kept, rather than a rule.
            pub fn drawn(&self) -> Value {
                match self {
                    Self::Common(fact) => fact.drawn(),
                    $(Self::$variant(fact) => fact.drawn(),)+
                }
            }
        }

        /// The state of a game as a viewer sees it.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
        #[serde(untagged)]
        pub enum State {
            $(#[doc = concat!("Of `", $name, "`.")] $variant($module::View),)+
        }

        /// A game of any kind under way.
        #[derive(Clone)]
        pub enum AnyGame {
            $(#[doc = concat!("Of `", $name, "`.")] $variant($module::Rules),)+
        }

        impl AnyGame {
            /// As [`Game::deal`].
            ///
            /// # Errors
            ///
            /// As [`Game::deal`].
            pub fn deal(
                options: &Options,
                seats: usize,
                at: Timestamp,
                chance: &mut Chance<'_>,
            ) -> Result<Self, NoDraw> {
                match options {
                    $(Options::$variant(options) => {
                        $module::Rules::deal(options, seats, at, chance).map(Self::$variant)
                    })+
                }
            }

            /// As [`Game::legal`].
            pub fn legal(&self, seat: Seat) -> Vec<Move> {
                match self {
                    $(Self::$variant(game) => game.legal(seat).into_iter().map(Move::$variant).collect(),)+
                }
            }

            /// As [`Game::judge`].
            ///
            /// # Errors
            ///
            /// As [`Game::judge`].
            pub fn judge(&self, seat: Seat, mv: &Move) -> Result<(), Illegal> {
                match (self, mv) {
                    $((Self::$variant(game), Move::$variant(mv)) => game.judge(seat, mv).map(drop),)+
                    _ => Err(other_game()),
                }
            }

            /// As [`play`].
            ///
            /// # Errors
            ///
            /// As [`play`].
            pub fn play(
                &mut self,
                seat: Seat,
                mv: &Move,
                at: Timestamp,
                chance: &mut Chance<'_>,
            ) -> Result<Decided, Refused> {
                match (self, mv) {
                    $((Self::$variant(game), Move::$variant(mv)) => play(game, seat, mv, at, chance),)+
                    _ => Err(Refused::Illegal(other_game())),
                }
            }

            /// Takes the moves of a sealed step, each judged by [`AnyGame::judge`] before, into the state.
            ///
            /// # Errors
            ///
            /// When one of them is illegal after all, or a draw is not known; the state is of no use then.
            pub fn play_sealed(
                &mut self,
                moves: &[(Seat, Move)],
                at: Timestamp,
                chance: &mut Chance<'_>,
            ) -> Result<Decided, Refused> {
                match self {
                    $(Self::$variant(game) => {
                        let mut legal = Vec::with_capacity(moves.len());
                        for (seat, mv) in moves {
                            match mv {
                                Move::$variant(mv) => {
                                    legal.push((*seat, game.judge(*seat, mv).map_err(Refused::Illegal)?));
                                }
                                _ => return Err(Refused::Illegal(other_game())),
                            }
                        }
                        act(game, Action::Sealed(legal), at, chance).map_err(Refused::Draw)
                    })+
                }
            }

            /// A seat forfeits.
            ///
            /// # Errors
            ///
            /// As [`Game::apply`].
            pub fn forfeit(
                &mut self,
                seat: Seat,
                why: ForfeitReason,
                at: Timestamp,
                chance: &mut Chance<'_>,
            ) -> Result<Decided, NoDraw> {
                match self { $(Self::$variant(game) => act(game, Action::Forfeit(seat, why), at, chance),)+ }
            }

            /// These seats, ascending, missed the deadline of the decision at hand.
            ///
            /// # Errors
            ///
            /// As [`Game::apply`].
            pub fn time_out(
                &mut self,
                seats: Vec<Seat>,
                at: Timestamp,
                chance: &mut Chance<'_>,
            ) -> Result<Decided, NoDraw> {
                match self { $(Self::$variant(game) => act(game, Action::TimedOut(seats), at, chance),)+ }
            }

            /// As [`Game::outcome`].
            pub fn outcome(&self) -> Outcome<'_> {
                match self { $(Self::$variant(game) => game.outcome(),)+ }
            }

            /// As [`Game::is_in`].
            pub fn is_in(&self, seat: Seat) -> bool {
                match self { $(Self::$variant(game) => game.is_in(seat),)+ }
            }

            /// As [`Game::disclosable`].
            pub fn disclosable(&self) -> u32 {
                match self { $(Self::$variant(game) => game.disclosable(),)+ }
            }

            /// As [`Game::grown`].
            pub fn grown(&self) -> usize {
                match self { $(Self::$variant(game) => game.grown(),)+ }
            }

            /// As [`Game::view`].
            pub fn view(&self, viewer: Viewer) -> State {
                match self { $(Self::$variant(game) => State::$variant(game.view(viewer)),)+ }
            }
        }
    };
}

games! {
    /// Migraine, also called U.C.G.: two players, sixteen cards, sealed discards.
    Migraine = migraine, "migraine";
    /// Spite & Malice: two players race to empty their pay-off piles; kings are wild.
    SpiteAndMalice = spite_and_malice, "spite_and_malice";
    /// Generals: two to twenty players, face-down attacks, the last one with cards wins.
    Generals = generals, "generals";
    /// Tau Heed Kept: one to eight players, each with a deck; cards grow on a common table, and corners are claimed.
    TauHeedKept = tau_heed_kept, "tau_heed_kept";
    /// Random Chess: the house plays chess and its variants against itself, every move drawn.
    RandomChess = random_chess, "random_chess";
    /// The World's Fatetst RPG: one player, a hero, a hidden tree, and a clock.
    FatetstRpg = fatetst_rpg, "fatetst_rpg";
}

fn other_game() -> Illegal {
    Illegal::new("RU-2", "this is a move of another game")
}

fn sha256(text: &str) -> Hash {
    Hash::new(Sha256::digest(text).into())
}

impl Kind {
    /// The version of the rules that new games are played by.
    pub const fn rules_version(self) -> u32 {
        // A handful of versions, so the cast loses nothing.
        self.rules_texts().len() as u32
    }

    /// The published rules of a version, if there is such a version.
    pub fn rules(self, version: u32) -> Option<&'static RulesText> {
        static ALL: LazyLock<BTreeMap<(Kind, u32), RulesText>> = LazyLock::new(|| {
            let of_kind = |kind: &Kind| {
                let hashed = |(text, version)| ((*kind, version), RulesText { version, text, sha256: sha256(text) });
                kind.rules_texts().iter().copied().zip(1..).map(hashed).collect::<Vec<_>>()
            };
            Kind::ALL.iter().flat_map(of_kind).collect()
        });
        ALL.get(&(self, version))
    }
}

impl<'de> Deserialize<'de> for Move {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Fact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
