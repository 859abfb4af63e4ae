//! Bringing a database up to date.

use std::fmt;
use std::sync::Arc;

use diesel::migration::MigrationSource;
use diesel::pg::Pg;
use diesel::sql_types::{Bool, Text};
use diesel_async::{AsyncMigrationHarness, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use super::connector::Connector;
use super::lease::within;
use super::{Ledger, LedgerError};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations");

/// What the service's role may do.
const GRANTS: &str = include_str!("grants.sql");

/// Held while a database is migrated, so that instances that start at once go one after the other: "croupier" in
/// ASCII.
const LOCK: i64 = 0x63_72_6f_75_70_69_65_72;

/// Why a database could not be brought up to date. For the operator: the text may hold messages of the database.
#[derive(Debug)]
pub struct MigrateError(String);

impl fmt::Display for MigrateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the database could not be brought up to date: {}", self.0)
    }
}

impl std::error::Error for MigrateError {}

impl MigrateError {
    pub(super) fn new(doing: &str, error: impl fmt::Display) -> Self {
        Self(format!("{doing}: {error}"))
    }
}

/// Brings the database at this URL, whose user owns the tables, up to date, and gives the service's role its rights if
/// there is such a role. Says which migrations were run. Blocks, and may be called from anywhere, since it has a thread
/// and a runtime of its own.
///
/// # Errors
///
/// When the database can't be reached or refuses; a migration that failed left nothing behind.
pub fn migrate(owner_url: &str, service_role: Option<&str>) -> Result<Vec<String>, MigrateError> {
    let (url, role) = (owner_url.to_owned(), service_role.map(str::to_owned));
    on_a_thread(async move { run(&url, role.as_deref()).await })
}

/// Does the owner's work on a thread and a runtime of its own.
pub(super) fn on_a_thread<T: Send + 'static>(
    work: impl Future<Output = Result<T, MigrateError>> + Send + 'static,
) -> Result<T, MigrateError> {
    let work = || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| MigrateError::new("starting", error))?;
        // In a task, since the harness blocks and may do so on a worker of the runtime only.
        let task = runtime.spawn(work);
        runtime.block_on(task).map_err(|error| MigrateError::new("running", error))?
    };
    let panicked = |_| MigrateError("it panicked".to_owned());
    std::thread::scope(|scope| scope.spawn(work).join().map_err(panicked)?)
}

/// A connection for the owner's work, without the limits of the service's.
pub(super) async fn connect(url: &str) -> Result<AsyncPgConnection, MigrateError> {
    let connector = Connector::new(url).map_err(|error| MigrateError(error.detail().unwrap_or_default().to_owned()))?;
    Arc::new(connector).connect().await.map_err(|error| MigrateError::new("connecting", error))
}

async fn run(url: &str, role: Option<&str>) -> Result<Vec<String>, MigrateError> {
    let mut connection = connect(url).await?;
    prepare(&mut connection, role).await.map_err(|error| MigrateError::new("waiting for the lock", error))?;
    let mut harness = AsyncMigrationHarness::new(connection);
    let versions = harness.run_pending_migrations(MIGRATIONS).map_err(|error| MigrateError::new("migrating", error))?;
    let versions = versions.iter().map(ToString::to_string).collect();
    // The lock ends with the connection.
    let mut connection = harness.into_inner();
    connection.batch_execute(GRANTS).await.map_err(|error| MigrateError::new("granting", error))?;
    Ok(versions)
}

async fn prepare(connection: &mut AsyncPgConnection, role: Option<&str>) -> diesel::QueryResult<()> {
    // Guarded statements tell what they skip, and nobody listens.
    connection.batch_execute(&format!("SET client_min_messages = warning; SELECT pg_advisory_lock({LOCK})")).await?;
    diesel::sql_query("SELECT set_config('croupier.service_role', $1, false)")
        .bind::<Text, _>(role.unwrap_or_default())
        .execute(connection)
        .await
        .map(drop)
}

diesel::table! {
    __diesel_schema_migrations (version) {
        version -> Text,
    }
}

#[derive(diesel::QueryableByName)]
struct Answer {
    #[diesel(sql_type = Bool)]
    yes: bool,
}

impl Ledger {
    /// Whether the database has every migration that this program knows; it may have more, of a newer one.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn schema_is_current(&self) -> Result<bool, LedgerError> {
        let known = MigrationSource::<Pg>::migrations(&MIGRATIONS);
        let known = known.map_err(|error| LedgerError::Other(error.to_string()))?;
        if !self.ask("SELECT to_regclass('__diesel_schema_migrations') IS NOT NULL AS yes").await? {
            return Ok(false);
        }
        use diesel::query_dsl::methods::SelectDsl;
        let query = __diesel_schema_migrations::table.select(__diesel_schema_migrations::version);
        let mut lease = self.lease().await?;
        let result = within(query.load::<String>(lease.connection())).await;
        let run = lease.settle(result).await?;
        Ok(known.iter().all(|migration| run.contains(&migration.name().version().to_string())))
    }

    /// Whether the service's role may change or remove events as far as privileges go, as it does where it owns the
    /// tables: then the trigger alone stands before the log.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn may_rewrite_events(&self) -> Result<bool, LedgerError> {
        self.ask("SELECT has_table_privilege('events', 'UPDATE, DELETE, TRUNCATE') AS yes").await
    }

    async fn ask(&self, question: &'static str) -> Result<bool, LedgerError> {
        let mut lease = self.lease().await?;
        let result = within(diesel::sql_query(question).get_result::<Answer>(lease.connection())).await;
        lease.settle(result).await.map(|answer| answer.yes)
    }
}
