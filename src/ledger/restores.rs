//! A database that was restored from a backup, which may lack what was acknowledged after it was made.

use std::fmt;

use diesel::data_types::PgTimestamp;
use diesel::sql_types::{BigInt, Nullable, Timestamptz};
use diesel::{ExpressionMethods, QueryDsl, QueryableByName};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};

use super::lease::within;
use super::migrate::{MigrateError, connect, on_a_thread};
use super::schema::restores;
use super::{Ledger, LedgerError, moment};
use crate::timestamp::Timestamp;

/// How often a database was restored, and when last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Restores {
    /// How often.
    pub times: usize,
    /// When last. What was not over then is never continued.
    pub newest: Option<Timestamp>,
}

/// What was done with a restored database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutShort {
    /// How many games were not over, and are never continued.
    pub games: u64,
    /// The moment that divides them from those to come.
    pub at: Timestamp,
}

impl fmt::Display for CutShort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, at } = self;
        write!(
            f,
            "{games} games that were not over are cut short and never continued; games that are created after {at} are \
             dealt as ever. The log of logs begins under a new name."
        )
    }
}

const NOT_OVER: &str = "status IN ('open', 'closed', 'playing')";

#[derive(QueryableByName)]
struct Newest {
    #[diesel(sql_type = Nullable<Timestamptz>)]
    at: Option<PgTimestamp>,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    games: i64,
}

/// Says that the database at this URL, whose user owns the tables, was restored, and that what was acknowledged since
/// the backup may be missing: all games that are not over are cut short. To be called while no instance runs. Blocks,
/// and may be called from anywhere.
///
/// # Errors
///
/// When the database can't be reached or refuses; then nothing was changed.
pub fn cut_short(owner_url: &str, now: Timestamp) -> Result<CutShort, MigrateError> {
    let url = owner_url.to_owned();
    on_a_thread(async move {
        let mut connection = connect(&url).await?;
        let work = run(&mut connection, now);
        work.await.map_err(|error| MigrateError::new("cutting games short", error))
    })
}

/// In one transaction; an error drops the connection, and so the transaction.
async fn run(connection: &mut AsyncPgConnection, now: Timestamp) -> diesel::QueryResult<CutShort> {
    connection.batch_execute("BEGIN").await?;
    // The clocks of the instances may have been ahead of this one.
    let newest = format!("SELECT max(e.at) AS at FROM events e JOIN games g USING (game_id) WHERE g.{NOT_OVER}");
    let newest = diesel::sql_query(newest).get_result::<Newest>(connection).await?.at;
    let newest =
        newest.map(moment::read).transpose().map_err(|error| diesel::result::Error::QueryBuilderError(error.into()))?;
    let at = newest.map_or(now, |newest| newest.max(now));
    let count = format!("SELECT count(*) AS games FROM games WHERE {NOT_OVER}");
    let games = diesel::sql_query(count).get_result::<Count>(connection).await?.games;
    // Nobody finds them in the lobby, nothing becomes late there, and they have no end that could be logged.
    let close = format!("UPDATE games SET status = 'voided', check_at = NULL, over_logged = true WHERE {NOT_OVER}");
    diesel::sql_query(close).execute(connection).await?;
    diesel::insert_into(restores::table).values(restores::at.eq(moment::stored(at))).execute(connection).await?;
    connection.batch_execute("COMMIT").await?;
    Ok(CutShort { games: games.unsigned_abs(), at })
}

impl Ledger {
    /// How often the database was restored, and when last.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn restores(&self) -> Result<Restores, LedgerError> {
        let query = restores::table.select(restores::at).order(restores::at);
        let mut lease = self.lease().await?;
        let result = within(query.load::<PgTimestamp>(lease.connection())).await;
        let rows = lease.settle(result).await?;
        Ok(Restores { times: rows.len(), newest: rows.last().copied().map(moment::read).transpose()? })
    }
}
