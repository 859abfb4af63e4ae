//! Finding games.

use std::collections::HashMap;

use diesel::pg::Pg;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, OptionalExtension, QueryDsl, QueryResult, SelectableHelper,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::games::{StoredGame, status_name};
use super::lease::within;
use super::moment;
use super::schema::{games, players, seatings};
use super::{GameRow, Ledger, LedgerError, Seating};
use crate::event::PlayerRef;
use crate::games::Kind;
use crate::ids::{GameId, PlayerId};
use crate::seat::Seat;
use crate::table::Status;
use crate::timestamp::Timestamp;

/// Which games are looked for. Public ones only, unless a player looks for its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameFilter {
    /// Of one kind.
    pub kind: Option<Kind>,
    /// With one status.
    pub status: Option<Status>,
    /// At which this player sits.
    pub player: Option<PlayerId>,
    /// Who asks: whoever looks for its own games finds the unlisted ones too.
    pub viewer: Option<PlayerId>,
    /// After this game: when it was created, and its id.
    pub cursor: Option<(Timestamp, GameId)>,
    /// How many at most.
    pub limit: u32,
}

/// Who sits at which game, by game.
type Seatings = HashMap<Uuid, Vec<Seating>>;

/// What the database holds of a seating.
type SeatingRow = (Uuid, i16, Uuid, String);

impl Ledger {
    /// One game; `None` when there is no such game.
    ///
    /// # Errors
    ///
    /// When the database fails; `Corrupt` when the game can't be read.
    pub async fn game(&self, game: GameId) -> Result<Option<GameRow>, LedgerError> {
        let query = games::table.filter(games::game_id.eq(game.uuid())).select(StoredGame::as_select());
        let mut lease = self.lease().await?;
        let result = within(async {
            let Some(stored) = query.get_result(lease.connection()).await.optional()? else { return Ok(None) };
            Ok(Some((stored, load_seatings(lease.connection(), vec![game.uuid()]).await?)))
        });
        let result = result.await;
        let Some((stored, rows)) = lease.settle(result).await? else { return Ok(None) };
        let mut seatings = read_seatings(rows)?;
        stored.read(seatings.remove(&game.uuid()).unwrap_or_default()).map(Some)
    }

    /// The games that are looked for, the newest first: two queries, however many there are.
    ///
    /// # Errors
    ///
    /// As [`Ledger::game`].
    pub async fn games(&self, filter: &GameFilter) -> Result<Vec<GameRow>, LedgerError> {
        let mut lease = self.lease().await?;
        let result = within(async {
            let found = find(lease.connection(), filter).await?;
            let ids = found.iter().map(|game| game.game_id).collect::<Vec<_>>();
            Ok((found, load_seatings(lease.connection(), ids).await?))
        });
        let result = result.await;
        let (found, rows) = lease.settle(result).await?;
        let mut seatings = read_seatings(rows)?;
        let with_seatings = |game: StoredGame| {
            let seatings = seatings.remove(&game.game_id).unwrap_or_default();
            game.read(seatings)
        };
        found.into_iter().map(with_seatings).collect()
    }
}

impl Ledger {
    /// How many open games a player hosts; those past `most` are not told apart.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn open_games_of(&self, host: PlayerId, most: u32) -> Result<u32, LedgerError> {
        let open = games::host.eq(host.uuid()).and(games::status.eq(status_name(Status::Open)));
        let query = games::table.filter(open).select(games::game_id).limit(most.into());
        let mut lease = self.lease().await?;
        let result = within(query.load::<Uuid>(lease.connection())).await;
        Ok(u32::try_from(lease.settle(result).await?.len()).unwrap_or(u32::MAX))
    }

    /// At how many games that are not over a player sits; those past `most` are not told apart.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn seats_of(&self, player: PlayerId, most: u32) -> Result<u32, LedgerError> {
        let going_on = [Status::Open, Status::Closed, Status::Playing].map(status_name);
        let seated = seatings::table.inner_join(games::table.on(games::game_id.eq(seatings::game_id)));
        let query = seated.filter(seatings::player_id.eq(player.uuid()).and(games::status.eq_any(going_on)));
        let query = query.select(seatings::game_id).limit(most.into());
        let mut lease = self.lease().await?;
        let result = within(query.load::<Uuid>(lease.connection())).await;
        Ok(u32::try_from(lease.settle(result).await?.len()).unwrap_or(u32::MAX))
    }
}

async fn find(connection: &mut AsyncPgConnection, filter: &GameFilter) -> QueryResult<Vec<StoredGame>> {
    let GameFilter { kind, status, player, viewer, cursor, limit } = filter;
    let mut query = games::table.select(StoredGame::as_select()).into_boxed::<Pg>();
    if player.is_none() || player != viewer {
        query = query.filter(games::visibility.eq("public"));
    }
    if let Some(kind) = kind {
        query = query.filter(games::kind.eq(kind.name()));
    }
    if let Some(status) = status {
        query = query.filter(games::status.eq(status_name(*status)));
    }
    if let Some(player) = player {
        let own = seatings::table.filter(seatings::player_id.eq(player.uuid())).select(seatings::game_id);
        query = query.filter(games::game_id.eq_any(own));
    }
    if let Some((created_at, game)) = cursor {
        let created_at = moment::stored(*created_at);
        // The first condition alone lets the index begin at the cursor.
        let after = games::created_at.lt(created_at).or(games::game_id.lt(game.uuid()));
        query = query.filter(games::created_at.le(created_at).and(after));
    }
    let query = query.order((games::created_at.desc(), games::game_id.desc())).limit(i64::from(*limit));
    query.load(connection).await
}

async fn load_seatings(connection: &mut AsyncPgConnection, games: Vec<Uuid>) -> QueryResult<Vec<SeatingRow>> {
    let joined = seatings::table.inner_join(players::table);
    let query = joined.filter(seatings::game_id.eq_any(games)).order((seatings::game_id, seatings::seat));
    query.select((seatings::game_id, seatings::seat, players::id, players::name)).load(connection).await
}

fn read_seatings(rows: Vec<SeatingRow>) -> Result<Seatings, LedgerError> {
    let mut seatings = Seatings::new();
    for (game, seat, player, name) in rows {
        let seat = usize::try_from(seat).ok().and_then(|seat| Seat::new(seat).ok());
        let (Some(seat), Ok(id)) = (seat, PlayerId::new(player)) else {
            return Err(LedgerError::corrupt(&format!("a seating of game {game}"), "no seat or no player"));
        };
        seatings.entry(game).or_default().push(Seating { seat, player: PlayerRef { id, name } });
    }
    Ok(seatings)
}
