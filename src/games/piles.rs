//! Piles of cards that only some may see, as views of several games show them.

use serde::Serialize;

use crate::cards::Card;

/// A pile that lies face down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct FaceDown {
    /// How many cards it has.
    pub size: usize,
    /// Its cards, from the top down, for who may see them: nobody while the game is on.
    #[cfg_attr(feature = "server", schema(required))]
    pub cards: Option<Vec<Card>>,
}

/// A hand of cards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct Hand {
    /// How many cards it has.
    pub size: usize,
    /// Its cards, in the order in which they joined; null for who may not see them.
    #[cfg_attr(feature = "server", schema(required))]
    pub cards: Option<Vec<Card>>,
}
