//! How much a player may have at once, so that nobody fills the lobby, or every table, alone.
//!
//! What is stored is counted in the ledger, and what is under way on this instance is added, so that many requests at
//! once don't slip through together. On several instances as many more may as ask at the very same moment.

use super::live::Live;
use super::passes::{Pass, Passes};
use super::{Dealer, DealerError};
use crate::event::Event;
use crate::hex32::Nonce;
use crate::ids::PlayerId;
use crate::table::{Command, Decision};

/// The bounds; nothing is counted where there is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bounds {
    /// How many open games a player may host.
    pub open_games: Option<u32>,
    /// At how many games that are not over a player may sit.
    pub seats: Option<u32>,
}

/// The bounds, and what is under way.
pub(super) struct Bounded {
    bounds: Bounds,
    creating: Passes<PlayerId>,
    sitting_down: Passes<PlayerId>,
}

impl Bounded {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { bounds, creating: Passes::new(), sitting_down: Passes::new() }
    }
}

impl Dealer {
    /// Lets the player create one more game, for as long as the pass is held.
    pub(super) async fn may_host(&self, player: PlayerId) -> Result<Option<Pass<PlayerId>>, DealerError> {
        let bounded = &self.shared.bounded;
        let Some(most) = bounded.bounds.open_games else { return Ok(None) };
        let pass = bounded.creating.take(player);
        let hosted = self.ledger().open_games_of(player, most).await?;
        if hosted.saturating_add(pass.number()) > most { Err(DealerError::TooManyGames(most)) } else { Ok(Some(pass)) }
    }

    /// Lets the player sit down once more, for as long as the pass is held.
    async fn may_sit_down(&self, player: PlayerId) -> Result<Option<Pass<PlayerId>>, DealerError> {
        let bounded = &self.shared.bounded;
        let Some(most) = bounded.bounds.seats else { return Ok(None) };
        let pass = bounded.sitting_down.take(player);
        let seats = self.ledger().seats_of(player, most).await?;
        if seats.saturating_add(pass.number()) > most { Err(DealerError::TooManySeats(most)) } else { Ok(Some(pass)) }
    }

    /// Makes a decision durable, unless its player would have too much then.
    pub(super) async fn append_within_bounds(
        &self,
        live: &mut Live,
        command: &Command,
        decision: Decision,
    ) -> Result<(Vec<Event>, Option<Nonce>), DealerError> {
        let _pass = match command {
            Command::Sit { player, .. } => self.may_sit_down(player.id).await?,
            _ => None,
        };
        Ok(self.append(live, decision).await?)
    }
}
