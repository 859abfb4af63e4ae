//! The ledger: what is stored, in Postgres. The only place with SQL.
//!
//! An append is a compare-and-swap on (game, seq), so that no correctness rests on what a process remembers. One code
//! base runs on plain Postgres and on Citus, distributed by game; so a lost race is SQLSTATE 23505 and nothing more is
//! read into it, and nothing here expects one moment across games.
//!
//! A future of the ledger that is dropped before it is done leaves the outcome of its write open, as
//! [`LedgerError::Unknown`] does; whoever must know runs it where nobody drops it.

use std::sync::Arc;

use deadpool::managed::QueueMode;
use diesel_async::AsyncPgConnection;
use diesel_async::RunQueryDsl;
use diesel_async::pooled_connection::deadpool::Pool;
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod};
use futures_util::FutureExt;

mod append;
mod connector;
mod error;
mod event_rows;
mod games;
mod gather;
mod group_commit;
mod group_read;
mod idempotency;
mod lease;
mod lobby;
mod log_entries;
mod migrate;
mod moment;
mod notifications;
mod players;
mod restores;
mod schema;
mod scores;
mod secret_keys;
mod secrets;
mod signing_keys;
mod workers;

pub use append::{Append, GameChange, NewGame, SeatingChange};
pub use connector::{tls_config, user_of};
pub use error::LedgerError;
pub use games::{GameRow, Seating, Visibility};
pub use idempotency::{Idempotency, IdempotencyKey};
pub use lobby::GameFilter;
pub use log_entries::{LogEntry, Mark, StoredCheckpoint, Unmarked};
pub use migrate::{MigrateError, migrate};
pub use notifications::{Listener, MAX_ANNOUNCEMENT};
pub use players::{ENDED_LATELY_MINUTES, Identity, Player};
pub use restores::{CutShort, Restores, cut_short};
pub use scores::{NewScore, Score, ScoreFilter, ScoreKey};
pub use secret_keys::{NoSecretKey, SecretKeys};
pub use secrets::{GameSecrets, NewSecret, Secret, SecretId};
pub use workers::Workers;

use crate::metrics::Metrics;
use connector::Connector;
use group_commit::GroupCommit;
use group_read::GroupRead;
use lease::{Lease, STATEMENT_LIMIT, within};

/// How a ledger is reached.
pub struct LedgerSettings {
    /// `postgres://user@host:port/database`. With `sslmode=require` or `verify-full` the connection is by TLS, and the
    /// server's certificate is verified.
    pub url: String,
    /// A replica, for reads that may be a moment old: the same database with the same roles, another server. Without one
    /// they go to the database itself.
    pub read_url: Option<String>,
    /// How many connections there are at most, besides those that write; and as many to the replica.
    pub pool_size: usize,
    /// How many appends are written together at most, and how many games asked about. With 1 each goes by itself, beside
    /// others: what suits a distributed database, where one statement over many games is slower than many.
    pub batch: usize,
    /// Whether statements stay prepared from one use to the next. Off for a pooler that can't keep them: each piece of
    /// work is a transaction then, which costs two more round trips.
    pub statement_cache: bool,
    /// What encrypts the secrets.
    pub secret_keys: SecretKeys,
}

/// The ledger; a clone is another handle to the same.
#[derive(Clone)]
pub struct Ledger {
    pool: Pool<AsyncPgConnection>,
    /// Connections to the replica, if there is one.
    replica: Option<Pool<AsyncPgConnection>>,
    group_commit: GroupCommit,
    group_read: GroupRead,
    workers: Arc<Workers>,
    writing: Pool<AsyncPgConnection>,
    metrics: Arc<Metrics>,
    connector: Arc<Connector>,
    secret_keys: Arc<SecretKeys>,
    statement_cache: bool,
    batch: usize,
}

impl Ledger {
    /// The ledger in a database that can be reached now.
    ///
    /// # Errors
    ///
    /// `Other` for settings that can't be used, `Unavailable` when the database can't be reached.
    pub async fn connect(settings: LedgerSettings) -> Result<Self, LedgerError> {
        let LedgerSettings { url, read_url, pool_size, batch, statement_cache, secret_keys } = settings;
        let connector = Arc::new(Connector::for_pool(&url, STATEMENT_LIMIT, statement_cache)?);
        let pool = pool(&url, &connector, pool_size)?;
        let to_replica = |url: String| {
            let connector = Connector::for_pool(&url, STATEMENT_LIMIT, statement_cache)?;
            self::pool(&url, &Arc::new(connector), pool_size)
        };
        let replica = read_url.map(to_replica).transpose()?;
        // Connections of their own, so that no crowd of readers keeps a write waiting.
        let writing = self::pool(&url, &connector, group_commit::CONNECTIONS)?;
        let metrics = Arc::<Metrics>::default();
        let workers = Arc::<Workers>::default();
        let group_commit = GroupCommit::start(writing.clone(), !statement_cache, batch, &workers, Arc::clone(&metrics));
        let group_read = GroupRead::start(pool.clone(), !statement_cache, batch, &workers);
        let ledger = Self {
            pool,
            replica,
            group_commit,
            group_read,
            workers,
            writing,
            metrics,
            connector,
            secret_keys: Arc::new(secret_keys),
            statement_cache,
            batch,
        };
        ledger.ping().await?;
        Ok(ledger)
    }

    /// The same ledger as its replica has it, if there is one: what was appended last may be missing.
    pub fn replica(&self) -> Option<Self> {
        let pool = self.replica.clone()?;
        Some(Self { pool, replica: None, ..self.clone() })
    }

    /// The threads from which it is asked: those that are known get to work before what they ask for is gathered.
    pub fn workers(&self) -> &Workers {
        &self.workers
    }

    /// What is counted here, and by whoever works with this ledger.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// How many connections to the database are open, and how many of them are at work.
    pub fn connections(&self) -> (usize, usize) {
        let count = |pool: &Pool<AsyncPgConnection>| {
            let status = pool.status();
            (status.size, status.size.saturating_sub(status.available))
        };
        let ((open, used), (writing, writing_used)) = (count(&self.pool), count(&self.writing));
        (open + writing, used + writing_used)
    }

    /// Asks the database for a sign of life.
    ///
    /// # Errors
    ///
    /// When it gives none.
    pub async fn ping(&self) -> Result<(), LedgerError> {
        let mut lease = self.lease().await?;
        let one = diesel::select(diesel::dsl::sql::<diesel::sql_types::Integer>("1"));
        let result = within(one.get_result::<i32>(lease.connection())).await;
        lease.settle(result).await.map(drop)
    }

    /// A connection for one statement.
    async fn lease(&self) -> Result<Lease, LedgerError> {
        // Without prepared statements that last, preparing one and running it must reach the same session of a pooler,
        // and only a transaction sees to that.
        Lease::new(&self.pool, !self.statement_cache).await
    }
}

/// A pool of at most so many connections; none is made before it is needed.
fn pool(url: &str, connector: &Arc<Connector>, size: usize) -> Result<Pool<AsyncPgConnection>, LedgerError> {
    let mut config = ManagerConfig::default();
    // The default asks the database each time a connection is taken: one more round trip for every statement.
    config.recycling_method = RecyclingMethod::Fast;
    let connector = Arc::clone(connector);
    config.custom_setup = Box::new(move |_| Arc::clone(&connector).connect().boxed());
    let manager = AsyncDieselConnectionManager::new_with_config(url, config);
    // The one that was used last: what its server process needs is still in the processor's cache, and the statement
    // prepared. With the default each takes its turn, which costs a statement about as much as another row does.
    let builder = Pool::builder(manager).max_size(size.max(1)).queue_mode(QueueMode::Lifo);
    builder.build().map_err(|error| LedgerError::Other(error.to_string()))
}
