//! Asking whether games go on after what is known of them: questions that come while one is under way go out together.
//!
//! A view is served at the newest event of its game, also where another instance appended it, so each needs to ask; as
//! with writes, what makes the difference is that many ask at once.

use std::collections::HashMap;
use std::sync::Arc;

use diesel::QueryResult;
use diesel::pg::Pg;
use diesel::query_builder::{AsQuery, AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Uuid as SqlUuid};
use diesel_async::pooled_connection::deadpool::Pool;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::event_rows::EventRow;
use super::gather::{Gather, Order, Unanswered};
use super::lease::{Lease, within};
use super::schema::events;
use super::workers::Workers;
use super::{Ledger, LedgerError};
use crate::event::Event;
use crate::ids::GameId;

/// How many questions may be on their way beside one that takes long, or once enough wait for another.
const MORE_READERS: usize = 1;

/// A game, and how many of its events are known.
type Known = (GameId, u64);
/// Whether it has more.
type Answer = Result<bool, LedgerError>;

/// Which of these games have more events than are known, and the newest of each; it reads only what is new of each.
/// Written by hand so that it stays prepared, however many games there are. A single game is asked about without a join:
/// where the table is distributed, its node alone is asked, instead of all.
struct Newer {
    games: Vec<Uuid>,
    lengths: Vec<i64>,
}

impl Newer {
    fn than(known: &[Known]) -> Self {
        let stored = |(game, length): &Known| (game.uuid(), i64::try_from(*length).unwrap_or(i64::MAX));
        let (games, lengths) = known.iter().map(stored).unzip();
        Self { games, lengths }
    }

    /// `FROM events`, and of them only those that are new.
    fn walk_new<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        if let ([game], [length]) = (self.games.as_slice(), self.lengths.as_slice()) {
            out.push_sql(" FROM events WHERE events.game_id = ");
            out.push_bind_param::<SqlUuid, _>(game)?;
            out.push_sql(" AND events.seq >= ");
            return out.push_bind_param::<BigInt, _>(length);
        }
        out.push_sql(" FROM events JOIN unnest(");
        out.push_bind_param::<Array<SqlUuid>, _>(&self.games)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<BigInt>, _>(&self.lengths)?;
        out.push_sql(") AS known (game_id, length) ON events.game_id = known.game_id AND events.seq >= known.length");
        Ok(())
    }
}

impl QueryId for Newer {
    type QueryId = ();
    /// The text of the statement is what tells it from others.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl QueryFragment<Pg> for Newer {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT events.game_id, max(events.seq)");
        self.walk_new(&mut out)?;
        out.push_sql(" GROUP BY events.game_id");
        Ok(())
    }
}

impl Query for Newer {
    type SqlType = (SqlUuid, BigInt);
}

/// The events that these games have beside those that are known, in order: `Newer` with the events themselves.
struct NewEvents(Newer);

impl QueryId for NewEvents {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl QueryFragment<Pg> for NewEvents {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT events.game_id, seq, prev, at, actor, type, data, hash, key, signature");
        self.0.walk_new(&mut out)?;
        out.push_sql(" ORDER BY events.game_id, events.seq");
        Ok(())
    }
}

impl Query for NewEvents {
    type SqlType = <events::table as AsQuery>::SqlType;
}

/// Where questions are handed in.
#[derive(Clone)]
pub(super) struct GroupRead {
    gather: Gather<Known, Answer>,
}

impl GroupRead {
    /// Starts asking over these connections, about up to so many games at once, on the runtime at hand.
    pub(super) fn start(
        pool: Pool<AsyncPgConnection>,
        always_transaction: bool,
        batch: usize,
        workers: &Arc<Workers>,
    ) -> Self {
        let more = if batch > 1 { MORE_READERS } else { pool.status().max_size / 2 };
        let gather = Gather::start(more, batch, workers, move |batch| {
            let pool = pool.clone();
            async move { answer(&pool, always_transaction, batch).await }
        });
        Self { gather }
    }
}

async fn answer(pool: &Pool<AsyncPgConnection>, transaction: bool, batch: Vec<Order<Known, Answer>>) {
    let known: Vec<Known> = batch.iter().map(|order| order.question).collect();
    let newer = newer(pool, transaction, &known).await;
    for Order { question: (game, length), answer } in batch {
        let more = newer.as_ref().map(|newer| newer.get(&game).is_some_and(|newest| *newest >= length));
        // Whoever hung up has no use for it.
        let _ = answer.send(more.map_err(Clone::clone));
    }
}

async fn newer(
    pool: &Pool<AsyncPgConnection>,
    transaction: bool,
    known: &[Known],
) -> Result<HashMap<GameId, u64>, LedgerError> {
    let mut lease = Lease::new(pool, transaction).await?;
    let result = within(Newer::than(known).load::<(Uuid, i64)>(lease.connection())).await;
    let read = |(game, seq): (Uuid, i64)| Some((GameId::new(game).ok()?, u64::try_from(seq).ok()?));
    Ok(lease.settle(result).await?.into_iter().filter_map(read).collect())
}

impl Ledger {
    /// Whether a game has more events than so many, at some moment after this was asked.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn goes_on(&self, game: GameId, length: u64) -> Result<bool, LedgerError> {
        match self.group_read.gather.ask((game, length)).await {
            Ok(answer) => answer,
            Err(Unanswered::Full) => Err(LedgerError::Unavailable("too many questions are waiting".to_owned())),
            Err(Unanswered::Dropped) => Err(LedgerError::Unavailable("the question was given up".to_owned())),
        }
    }

    /// Of these games, each with the number of its events that are known, those that have more, with the newest event.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn newer(&self, known: &[(GameId, u64)]) -> Result<HashMap<GameId, u64>, LedgerError> {
        newer(&self.pool, !self.statement_cache, known).await
    }

    /// The events that these games have beside so many of each that are known: in one question, game by game, ascending.
    ///
    /// # Errors
    ///
    /// When the database fails; `Corrupt` when an event can't be read.
    pub async fn new_events(&self, known: &[(GameId, u64)]) -> Result<Vec<Event>, LedgerError> {
        if known.is_empty() {
            return Ok(Vec::new());
        }
        let mut lease = self.lease().await?;
        let result = within(NewEvents(Newer::than(known)).load::<EventRow>(lease.connection())).await;
        lease.settle(result).await?.into_iter().map(EventRow::read).collect()
    }
}
