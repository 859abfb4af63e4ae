//! The table of high scores (WF-9): a projection of the logs of finished runs.
//!
//! `scores` holds every run, `best_scores` one row a player; both in the order that the rules tell, and a page begins
//! after the last row of the one before, so that its cost hangs on its length alone.

use diesel::data_types::PgTimestamp;
use diesel::sql_types::{BigInt, Integer, Nullable, Timestamptz, Uuid as SqlUuid};
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, QueryResult, QueryableByName, sql_query};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::games::Visibility;
use super::lease::within;
use super::moment;
use super::schema::{games, players};
use super::{Ledger, LedgerError};
use crate::event::PlayerRef;
use crate::ids::{GameId, PlayerId};
use crate::timestamp::Timestamp;

/// A finished run, as its log tells of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewScore {
    /// Whose run.
    pub player: PlayerId,
    /// How long it took, in milliseconds.
    pub elapsed: i64,
    /// How many steps it took.
    pub steps: u64,
    /// When it was finished.
    pub finished_at: Timestamp,
}

/// Where a run stands in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoreKey {
    /// In milliseconds.
    pub elapsed: i64,
    /// How many steps.
    pub steps: i64,
    /// When it was finished.
    pub finished_at: Timestamp,
    /// The game.
    pub game: GameId,
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Score {
    /// Whose run.
    pub player: PlayerRef,
    /// The run, and where it stands.
    pub key: ScoreKey,
}

/// Which runs are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoreFilter {
    /// Each player's best only.
    pub best: bool,
    /// Those of one player.
    pub player: Option<PlayerId>,
}

impl ScoreFilter {
    const fn table(self) -> &'static str {
        if self.best { "best_scores" } else { "scores" }
    }
}

/// What the database holds of a run.
#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    game_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    player_id: Uuid,
    #[diesel(sql_type = BigInt)]
    elapsed: i64,
    #[diesel(sql_type = BigInt)]
    steps: i64,
    #[diesel(sql_type = Timestamptz)]
    finished_at: PgTimestamp,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// A score as it is written.
pub(super) struct ScoreRow {
    player: Uuid,
    elapsed: i64,
    steps: i64,
    finished_at: PgTimestamp,
}

impl ScoreRow {
    pub(super) fn new(score: &NewScore) -> Self {
        Self {
            player: score.player.uuid(),
            elapsed: score.elapsed,
            // A run of so many steps would take longer than the day that it may take.
            steps: i64::try_from(score.steps).unwrap_or(i64::MAX),
            finished_at: moment::stored(score.finished_at),
        }
    }
}

const INSERT: &str = "INSERT INTO scores (game_id, player_id, elapsed, steps, finished_at) VALUES ($1, $2, $3, $4, $5) \
    ON CONFLICT (game_id) DO NOTHING";
const INSERT_BEST: &str = "INSERT INTO best_scores AS best (game_id, player_id, elapsed, steps, finished_at) \
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT (player_id) DO UPDATE \
    SET game_id = excluded.game_id, elapsed = excluded.elapsed, steps = excluded.steps, finished_at = excluded.finished_at \
    WHERE (excluded.elapsed, excluded.steps, excluded.finished_at, excluded.game_id) \
        < (best.elapsed, best.steps, best.finished_at, best.game_id)";

/// Writes a finished run of a public game into the table; that of an unlisted one stands nowhere.
pub(super) async fn write(connection: &mut AsyncPgConnection, game: Uuid, score: &ScoreRow) -> QueryResult<()> {
    let visibility = games::table.filter(games::game_id.eq(game)).select(games::visibility);
    let visibility: Option<String> = visibility.first(connection).await.optional()?;
    if visibility.as_deref() != Some(Visibility::Public.name()) {
        return Ok(());
    }
    for statement in [INSERT, INSERT_BEST] {
        sql_query(statement)
            .bind::<SqlUuid, _>(game)
            .bind::<SqlUuid, _>(score.player)
            .bind::<BigInt, _>(score.elapsed)
            .bind::<BigInt, _>(score.steps)
            .bind::<Timestamptz, _>(score.finished_at)
            .execute(connection)
            .await?;
    }
    Ok(())
}

impl Ledger {
    /// Writes a finished run into the table again, if it is missing there.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn restore_score(&self, game: GameId, score: &NewScore) -> Result<(), LedgerError> {
        let row = ScoreRow::new(score);
        let mut lease = self.lease().await?;
        let result = within(write(lease.connection(), game.uuid(), &row)).await;
        lease.settle(result).await
    }

    /// Empties the table, which is to be made anew from the logs.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn clear_scores(&self) -> Result<(), LedgerError> {
        let mut lease = self.lease().await?;
        let result = within(async {
            sql_query("DELETE FROM scores").execute(lease.connection()).await?;
            sql_query("DELETE FROM best_scores").execute(lease.connection()).await
        });
        let result = result.await;
        lease.settle(result).await.map(drop)
    }

    /// Where a run stands in the table; `None` if it does not.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn score_of(&self, filter: ScoreFilter, game: GameId) -> Result<Option<ScoreKey>, LedgerError> {
        let query = format!("{} WHERE game_id = $1", select(filter));
        let mut lease = self.lease().await?;
        let query = sql_query(query).bind::<SqlUuid, _>(game.uuid());
        let result = within(async { query.get_result::<Row>(lease.connection()).await.optional() }).await;
        lease.settle(result).await?.map(|row| row.key()).transpose()
    }

    /// How many runs stand before this one.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn scores_before(&self, filter: ScoreFilter, key: ScoreKey) -> Result<u64, LedgerError> {
        let query = format!(
            "SELECT count(*) AS count FROM {} WHERE (elapsed, steps, finished_at, game_id) < ($1, $2, $3, $4) \
             AND ($5 IS NULL OR player_id = $5)",
            filter.table()
        );
        let mut lease = self.lease().await?;
        let query = sql_query(query)
            .bind::<BigInt, _>(key.elapsed)
            .bind::<BigInt, _>(key.steps)
            .bind::<Timestamptz, _>(moment::stored(key.finished_at))
            .bind::<SqlUuid, _>(key.game.uuid())
            .bind::<Nullable<SqlUuid>, _>(filter.player.map(|player| player.uuid()));
        let result = within(query.get_result::<Count>(lease.connection())).await;
        let Count { count } = lease.settle(result).await?;
        u64::try_from(count).map_err(|error| LedgerError::corrupt("a count", error))
    }

    /// So many rows of the table at most, the best first, after one of them (`included`: from it on).
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn scores(
        &self,
        filter: ScoreFilter,
        from: Option<(ScoreKey, bool)>,
        limit: u32,
    ) -> Result<Vec<Score>, LedgerError> {
        let mut lease = self.lease().await?;
        let result = within(async {
            let rows = find(lease.connection(), filter, from, limit).await?;
            let ids: Vec<Uuid> = rows.iter().map(|row| row.player_id).collect();
            let names = players::table.filter(players::id.eq_any(ids)).select((players::id, players::name));
            let names: Vec<(Uuid, String)> = names.load(lease.connection()).await?;
            Ok((rows, names))
        });
        let result = result.await;
        let (rows, names) = lease.settle(result).await?;
        let score = |row: Row| {
            let name = names.iter().find(|(id, _)| *id == row.player_id).map(|(_, name)| name.clone());
            let id = PlayerId::new(row.player_id).map_err(|error| LedgerError::corrupt("a score's player", error))?;
            let name = name.ok_or_else(|| LedgerError::corrupt("a score's player", "there is none"))?;
            Ok(Score { player: PlayerRef { id, name }, key: row.key()? })
        };
        rows.into_iter().map(score).collect()
    }
}

fn select(filter: ScoreFilter) -> String {
    format!("SELECT game_id, player_id, elapsed, steps, finished_at FROM {}", filter.table())
}

/// The first page begins before every run: no time is less than none.
async fn find(
    connection: &mut AsyncPgConnection,
    filter: ScoreFilter,
    from: Option<(ScoreKey, bool)>,
    limit: u32,
) -> QueryResult<Vec<Row>> {
    let after = if from.is_some_and(|(_, included)| included) { ">=" } else { ">" };
    let of_player = if filter.player.is_some() { "player_id = $6" } else { "$6 IS NULL" };
    let query = format!(
        "{} WHERE (elapsed, steps, finished_at, game_id) {after} ($1, $2, $3, $4) AND {of_player} \
         ORDER BY elapsed, steps, finished_at, game_id LIMIT $5",
        select(filter)
    );
    let (elapsed, steps, at, game) = match from {
        Some((key, _)) => (key.elapsed, key.steps, moment::stored(key.finished_at), key.game.uuid()),
        None => (-1, -1, PgTimestamp(0), Uuid::nil()),
    };
    sql_query(query)
        .bind::<BigInt, _>(elapsed)
        .bind::<BigInt, _>(steps)
        .bind::<Timestamptz, _>(at)
        .bind::<SqlUuid, _>(game)
        // A page has at most a hundred rows and one more.
        .bind::<Integer, _>(i32::try_from(limit).unwrap_or(i32::MAX))
        .bind::<Nullable<SqlUuid>, _>(filter.player.map(|player| player.uuid()))
        .load(connection)
        .await
}

impl Row {
    fn key(&self) -> Result<ScoreKey, LedgerError> {
        let game = GameId::new(self.game_id).map_err(|error| LedgerError::corrupt("a score's game", error))?;
        Ok(ScoreKey { elapsed: self.elapsed, steps: self.steps, finished_at: moment::read(self.finished_at)?, game })
    }
}
