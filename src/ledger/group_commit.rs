//! Group commit: appends that pile up while a write is under way go out together in the next one.
//!
//! A durable write costs the database about as much for sixteen events as for three, so under load this is what makes
//! the difference. What each caller is told stays exact: of a batch that failed, each append is tried by itself, so
//! that none answers for another.

use std::sync::Arc;
use std::time::Duration;

use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::Pool;
use futures_util::future::join_all;
use tokio::time::{Instant, timeout};

use super::LedgerError;
use super::append::{Prepared, write};
use super::connector::CONNECT_LIMIT;
use super::gather::{Gather, Order, Unanswered};
use super::lease::{Lease, WORK_LIMIT, within};
use super::workers::Workers;
use crate::metrics::{AppendOutcome, Metrics};

/// How many batches may be on their way beside one that takes long, or once enough wait for another.
const MORE_WRITERS: usize = 3;
/// How many connections write: as many as there may be batches, and as many again for appends of one that failed.
pub(super) const CONNECTIONS: usize = 2 * (1 + MORE_WRITERS);
/// How long an append may take, its wait in the queue included, before its caller is told that nobody knows: as long as
/// a batch takes at most, and its appends one by one after that.
const LIMIT: Duration = Duration::from_secs(2 * (CONNECT_LIMIT.as_secs() + WORK_LIMIT.as_secs()));

type Outcome = Result<(), LedgerError>;

/// Where appends are handed in.
#[derive(Clone)]
pub(super) struct GroupCommit {
    gather: Gather<Prepared, Outcome>,
    metrics: Arc<Metrics>,
}

/// How batches are written.
#[derive(Clone)]
struct Writer {
    pool: Pool<AsyncPgConnection>,
    /// Whether a single statement needs a transaction round it: see [`super::LedgerSettings::statement_cache`].
    always_transaction: bool,
    metrics: Arc<Metrics>,
}

impl GroupCommit {
    /// Starts writing over these connections, up to so many appends at once, on the runtime at hand.
    pub(super) fn start(
        pool: Pool<AsyncPgConnection>,
        always_transaction: bool,
        batch: usize,
        workers: &Arc<Workers>,
        metrics: Arc<Metrics>,
    ) -> Self {
        let writer = Writer { pool, always_transaction, metrics: Arc::clone(&metrics) };
        // Where each is written by itself, none is tried again.
        let more = if batch > 1 { MORE_WRITERS } else { CONNECTIONS - 1 };
        let gather = Gather::start(more, batch, workers, move |batch| {
            let writer = writer.clone();
            async move { writer.write(batch).await }
        });
        Self { gather, metrics }
    }

    /// Writes an append, together with whatever else is to be written now.
    ///
    /// # Errors
    ///
    /// As [`super::Ledger::append`].
    pub(super) async fn append(&self, append: Prepared) -> Outcome {
        let begin = Instant::now();
        let result = match timeout(LIMIT, self.gather.ask(append)).await {
            Ok(Ok(result)) => result,
            Ok(Err(Unanswered::Full)) => Err(LedgerError::Unavailable("too many writes are waiting".to_owned())),
            Ok(Err(Unanswered::Dropped)) => Err(LedgerError::Unknown("the write was given up".to_owned())),
            Err(_) => Err(LedgerError::Unknown("no answer in time".to_owned())),
        };
        let outcome = match &result {
            Ok(()) => AppendOutcome::Done,
            Err(LedgerError::Conflict) => AppendOutcome::Conflict,
            Err(LedgerError::Unknown(_)) => AppendOutcome::Unknown,
            Err(_) => AppendOutcome::Failed,
        };
        self.metrics.append(outcome, begin.elapsed());
        result
    }
}

impl Writer {
    async fn write(&self, mut batch: Vec<Order<Prepared, Outcome>>) {
        // In one order everywhere, so that two batches over the same games wait for each other and not in a ring.
        batch.sort_by_key(|order| order.question.game());
        let appends: Vec<&Prepared> = batch.iter().map(|order| &order.question).collect();
        let result = self.write_together(&appends).await;
        match &result {
            // One of them stands in the way of the rest, or its part of the database is away.
            Err(LedgerError::Conflict | LedgerError::Unavailable(_) | LedgerError::Other(_)) if batch.len() > 1 => {
                let alone = batch.into_iter().map(|order| async move {
                    let result = self.write_together(&[&order.question]).await;
                    let _ = order.answer.send(result);
                });
                join_all(alone).await;
            }
            _ => batch.into_iter().for_each(|order| drop(order.answer.send(result.clone()))),
        }
    }

    /// All of it or nothing. Events alone are one statement; with anything else it is one transaction.
    async fn write_together(&self, appends: &[&Prepared]) -> Outcome {
        if appends.is_empty() {
            return Ok(());
        }
        self.metrics.batch(appends.len());
        let transaction = self.always_transaction || !appends.iter().all(|append| append.is_plain());
        let mut lease = Lease::new(&self.pool, transaction).await?;
        let result = within(write(lease.connection(), appends)).await;
        lease.settle_write(result).await
    }
}
