//! A connection on loan from the pool, which goes back only if it is as good as before.

use std::time::Duration;

use diesel::QueryResult;
use diesel_async::pooled_connection::deadpool::{Object, Pool};
use diesel_async::{AsyncConnection, AsyncPgConnection, TransactionManager};
use tokio::time::timeout;

use super::LedgerError;
use super::connector::CONNECT_LIMIT;
use super::error::Failure;

type Manager = <AsyncPgConnection as AsyncConnection>::TransactionManager;

/// How long a statement may run before the server gives it up.
pub(super) const STATEMENT_LIMIT: Duration = Duration::from_secs(4);
/// How long the work with one connection may take before it is given up here.
pub(super) const WORK_LIMIT: Duration = Duration::from_secs(5);

/// A connection on loan. Unless it is settled it is closed: also when the work is dropped half-way, since nobody knows
/// then what still comes over it.
pub(super) struct Lease {
    /// `None` only once it is settled.
    object: Option<Object<AsyncPgConnection>>,
    in_transaction: bool,
}

/// Why settling gave no result.
struct Unsettled {
    failure: Failure,
    /// Whether something may have been written all the same.
    uncertain: bool,
}

/// Waits for the work, but not for ever.
pub(super) async fn within<T>(work: impl Future<Output = QueryResult<T>>) -> Result<T, Failure> {
    match timeout(WORK_LIMIT, work).await {
        Ok(result) => result.map_err(Failure::Query),
        Err(_) => Err(Failure::TimedOut),
    }
}

impl Lease {
    /// A connection of the pool, or a new one, in a transaction if one is asked for.
    ///
    /// # Errors
    ///
    /// `Unavailable` when there is none to be had in time.
    pub(super) async fn new(pool: &Pool<AsyncPgConnection>, transaction: bool) -> Result<Self, LedgerError> {
        let object = match timeout(CONNECT_LIMIT, pool.get()).await {
            Ok(Ok(object)) => object,
            Ok(Err(error)) => return Err(LedgerError::Unavailable(error.to_string())),
            Err(_) => return Err(LedgerError::Unavailable("no connection in time".to_owned())),
        };
        let mut lease = Self { object: Some(object), in_transaction: transaction };
        if transaction {
            within(Manager::begin_transaction(lease.connection())).await?;
        }
        Ok(lease)
    }

    /// The connection.
    pub(super) fn connection(&mut self) -> &mut AsyncPgConnection {
        // Settling takes the lease by value, so whoever can call this has not settled it.
        #[expect(clippy::expect_used)]
        self.object.as_mut().expect("a lease holds its connection until it is settled")
    }

    /// Ends the work: commits, if it was a transaction, and gives the connection back. For work that only reads, or
    /// that may be done twice.
    ///
    /// # Errors
    ///
    /// What the work failed with, or the commit.
    pub(super) async fn settle<T>(self, result: Result<T, Failure>) -> Result<T, LedgerError> {
        self.finish(result).await.map_err(|unsettled| unsettled.failure.into())
    }

    /// As [`Lease::settle`], for a write whose outcome matters.
    ///
    /// # Errors
    ///
    /// As [`Lease::settle`], and `Unknown` when the write may have been done.
    pub(super) async fn settle_write<T>(self, result: Result<T, Failure>) -> Result<T, LedgerError> {
        self.finish(result).await.map_err(|unsettled| match unsettled {
            Unsettled { failure, uncertain: true } => LedgerError::Unknown(failure.to_string()),
            Unsettled { failure, uncertain: false } => failure.into(),
        })
    }

    async fn finish<T>(mut self, result: Result<T, Failure>) -> Result<T, Unsettled> {
        let value = match result {
            Ok(value) => value,
            Err(failure) => {
                let judged = failure.is_judgement();
                if judged && self.roll_back().await {
                    self.give_back();
                }
                return Err(Unsettled { failure, uncertain: !judged && !self.in_transaction });
            }
        };
        if self.in_transaction
            && let Err(failure) = within(Manager::commit_transaction(self.connection())).await
        {
            return Err(Unsettled { uncertain: !failure.is_judgement(), failure });
        }
        self.give_back();
        Ok(value)
    }

    /// Whether nothing is left of the transaction, if there was one.
    async fn roll_back(&mut self) -> bool {
        !self.in_transaction || within(Manager::rollback_transaction(self.connection())).await.is_ok()
    }

    fn give_back(&mut self) {
        self.object = None;
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(object) = self.object.take() {
            drop(Object::take(object));
        }
    }
}
