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
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::Instant;

use super::LedgerError;
use super::append::{Prepared, write};
use super::connector::CONNECT_LIMIT;
use super::lease::{Lease, WORK_LIMIT, within};
use crate::metrics::{AppendOutcome, Metrics};

/// How many appends may wait for their turn; more are refused, since they would wait too long.
const QUEUE: usize = 4096;
/// How many batches may be on their way at a time.
pub(super) const WRITERS: usize = 2;
/// How long an append may take, its wait in the queue included, before its caller is told that nobody knows: as long as
/// a batch takes at most, and its appends one by one after that.
const LIMIT: Duration = Duration::from_secs(2 * (CONNECT_LIMIT.as_secs() + WORK_LIMIT.as_secs()));

/// An append and who waits for it.
struct Order {
    append: Prepared,
    outcome: oneshot::Sender<Result<(), LedgerError>>,
}

/// Where appends are handed in. When the last handle is gone, what is waiting is still written.
#[derive(Clone)]
pub(super) struct GroupCommit {
    orders: mpsc::Sender<Order>,
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
        metrics: Arc<Metrics>,
    ) -> Self {
        let (orders, queue) = mpsc::channel(QUEUE);
        let writer = Writer { pool, always_transaction, metrics: Arc::clone(&metrics) };
        tokio::spawn(run(writer, queue, batch.max(1)));
        Self { orders, metrics }
    }

    /// Writes an append, together with whatever else is to be written now.
    ///
    /// # Errors
    ///
    /// As [`super::Ledger::append`].
    pub(super) async fn append(&self, append: Prepared) -> Result<(), LedgerError> {
        let begin = Instant::now();
        let result = self.order(append).await;
        let outcome = match &result {
            Ok(()) => AppendOutcome::Done,
            Err(LedgerError::Conflict) => AppendOutcome::Conflict,
            Err(LedgerError::Unknown(_)) => AppendOutcome::Unknown,
            Err(_) => AppendOutcome::Failed,
        };
        self.metrics.append(outcome, begin.elapsed());
        result
    }

    async fn order(&self, append: Prepared) -> Result<(), LedgerError> {
        let (outcome, told) = oneshot::channel();
        let too_many = |_| LedgerError::Unavailable("too many writes are waiting".to_owned());
        self.orders.try_send(Order { append, outcome }).map_err(too_many)?;
        match tokio::time::timeout(LIMIT, told).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(LedgerError::Unknown("the write was given up".to_owned())),
            Err(_) => Err(LedgerError::Unknown("no answer in time".to_owned())),
        }
    }
}

async fn run(writer: Writer, mut queue: mpsc::Receiver<Order>, size: usize) {
    let turns = Arc::new(Semaphore::new(WRITERS));
    // The semaphore is never closed.
    while let Ok(turn) = Arc::clone(&turns).acquire_owned().await {
        let mut batch = Vec::new();
        if queue.recv_many(&mut batch, size).await == 0 {
            return;
        }
        // Whoever waits no longer has been told that nobody knows, and may have come again.
        batch.retain(|order| !order.outcome.is_closed());
        // In one order everywhere, so that two batches over the same games wait for each other and not in a ring.
        batch.sort_by_key(|order| order.append.game());
        let writer = writer.clone();
        tokio::spawn(async move {
            writer.write(batch).await;
            drop(turn);
        });
    }
}

impl Writer {
    async fn write(&self, batch: Vec<Order>) {
        let appends: Vec<&Prepared> = batch.iter().map(|order| &order.append).collect();
        let result = self.write_together(&appends).await;
        match &result {
            // One of them stands in the way of the rest, or its part of the database is away.
            Err(LedgerError::Conflict | LedgerError::Unavailable(_) | LedgerError::Other(_)) if batch.len() > 1 => {
                let alone = batch.into_iter().map(|order| async move {
                    let result = self.write_together(&[&order.append]).await;
                    let _ = order.outcome.send(result);
                });
                join_all(alone).await;
            }
            _ => batch.into_iter().for_each(|order| drop(order.outcome.send(result.clone()))),
        }
    }

    /// All of it or nothing. Events alone are one statement; with anything else it is one transaction.
    async fn write_together(&self, appends: &[&Prepared]) -> Result<(), LedgerError> {
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
