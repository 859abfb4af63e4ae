//! Games as others find them.

use super::{Dealer, DealerError};
use crate::event::PlayerRef;
use crate::games::Kind;
use crate::ids::{GameId, PlayerId};
use crate::ledger::{GameFilter, GameRow, LedgerError};
use crate::seat::Seat;
use crate::table::{Status, Table};
use crate::timestamp::Timestamp;

/// What a game is, and who is in it.
#[derive(Debug, Clone)]
pub struct GameSummary {
    /// The game, as the lobby lists it.
    pub row: GameRow,
    /// The newest event.
    pub seq: u64,
    /// Who sits where, ascending by seat.
    pub seated: Vec<Sitting>,
}

/// Who sits on a seat.
#[derive(Debug, Clone)]
pub struct Sitting {
    /// Where.
    pub seat: Seat,
    /// Who.
    pub player: PlayerRef,
    /// Whether it committed to a seed.
    pub seed_committed: bool,
    /// Whether it has opened the seed.
    pub seed_opened: bool,
    /// Whether it signs with a key of its own.
    pub has_key: bool,
}

/// Which games a list holds.
#[derive(Debug, Clone, Default)]
pub struct LobbyFilter {
    /// Of this kind.
    pub kind: Option<Kind>,
    /// With this status.
    pub status: Option<Status>,
    /// With this player.
    pub player: Option<PlayerId>,
}

/// One page of games, the newest first.
#[derive(Debug, Clone)]
pub struct GamePage {
    /// The games.
    pub games: Vec<GameRow>,
    /// Where the next page begins, if there is one.
    pub next: Option<(Timestamp, GameId)>,
}

impl Dealer {
    /// What a game is, and who is in it.
    ///
    /// # Errors
    ///
    /// When there is no such game, or the database is away.
    pub async fn summary(&self, game: GameId) -> Result<GameSummary, DealerError> {
        let row = self.ledger().game(game).await?.ok_or(DealerError::UnknownGame)?;
        let (status, result, seq, seated) = self
            .read(game, |table| {
                // The row was read a moment before the log: what both hold is told as the log has it. A game that was cut
                // short has no end there.
                let status = if self.is_cut_short(table) { row.status } else { table.status() };
                (status, table.result().cloned(), table.seq(), sittings(table))
            })
            .await?;
        Ok(GameSummary { row: GameRow { status, result, ..row }, seq, seated })
    }

    /// A page of games, the newest first; unlisted ones only where their own player asks for its games.
    ///
    /// # Errors
    ///
    /// When the database is away.
    pub async fn games(
        &self,
        filter: LobbyFilter,
        viewer: Option<PlayerId>,
        from: Option<(Timestamp, GameId)>,
        limit: u32,
    ) -> Result<GamePage, DealerError> {
        let LobbyFilter { kind, status, player } = filter;
        let filter = GameFilter { kind, status, player, viewer, cursor: from, limit: limit.saturating_add(1) };
        let mut games = match self.ledger().replica() {
            // A list is a moment old when it is read; one's own games are not, or a player would miss the seat it took.
            Some(replica) if player.is_none() || player != viewer => match replica.games(&filter).await {
                Err(LedgerError::Unavailable(_)) => self.ledger().games(&filter).await?,
                result => result?,
            },
            _ => self.ledger().games(&filter).await?,
        };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = games.len() > limit;
        games.truncate(limit);
        let next = games.last().filter(|_| more).map(|row| (row.created_at, row.game));
        Ok(GamePage { games, next })
    }
}

fn sittings(table: &Table) -> Vec<Sitting> {
    let opened = table.seeds_opened();
    let sitting = |(seat, place): (Seat, &Option<&crate::table::Place>)| {
        place.map(|place| Sitting {
            seat,
            player: place.player.clone(),
            seed_committed: place.seed_commitment.is_some(),
            seed_opened: opened.contains(&seat),
            has_key: place.key.is_some(),
        })
    };
    table.places().iter().filter_map(sitting).collect()
}
