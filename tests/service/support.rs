//! A database for each test.

use std::cell::Cell;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Once, OnceLock};
use std::time::Duration;

use croupier::ledger::{Ledger, LedgerError, LedgerSettings, SecretKeys, migrate, user_of};
use diesel::connection::{Instrumentation, InstrumentationEvent, set_default_instrumentation};
use sha2::{Digest, Sha256};
use tokio_postgres::{Client, NoTls};
use zeroize::Zeroizing;

use crate::citus;

/// Held while the template is built, by whichever test process is first: "template" in ASCII.
const LOCK: i64 = 0x74_65_6d_70_6c_61_74_65;

/// A database of its own, gone when dropped.
pub struct TestDatabase {
    name: String,
    /// For the role that owns the tables.
    pub owner_url: String,
    /// For the role of the service.
    pub url: String,
}

pub fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set: run these tests by `make test`"))
}

fn owner_url() -> String {
    variable("TEST_DATABASE_OWNER_URL")
}

/// The URL of another database of the same cluster, for the same user.
pub fn with_database(url: &str, database: &str) -> String {
    let (address, parameters) = url.split_once('?').map_or((url, None), |(address, rest)| (address, Some(rest)));
    let (server, _) = address.rsplit_once('/').expect("the URL names a database");
    let parameters = parameters.map(|parameters| format!("?{parameters}")).unwrap_or_default();
    format!("{server}/{database}{parameters}")
}

/// Runs to its end on a thread and a runtime of its own, so that it may be called from inside another.
pub fn block_on<T: Send>(work: impl Future<Output = T> + Send) -> T {
    let run = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work);
    std::thread::scope(|scope| scope.spawn(run).join().unwrap())
}

/// A connection past the ledger.
pub async fn raw(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Runs statements past the ledger; the error is the SQLSTATE of the first that fails.
pub async fn sql(client: &Client, statements: &str) -> Result<(), String> {
    let result = client.batch_execute(statements).await;
    result.map_err(|error| error.code().map_or_else(|| error.to_string(), |code| code.code().to_owned()))
}

/// The template that the tests' databases are copies of. Its name tells what it was made by, so that several test
/// processes, and several runs, share it.
fn template() -> &'static str {
    static TEMPLATE: OnceLock<String> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let name = format!("croupier_template_{}", fingerprint());
        block_on(build_template(&name));
        name
    })
}

fn fingerprint() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = std::fs::read_dir(root.join("migrations")).unwrap();
    let mut files = folders.map(|folder| folder.unwrap().path().join("up.sql")).collect::<Vec<_>>();
    files.push(root.join("src/ledger/grants.sql"));
    files.sort();
    let mut digest = Sha256::new();
    for file in files {
        digest.update(std::fs::read(file).unwrap());
    }
    digest.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

async fn build_template(name: &str) {
    let owner = raw(&owner_url()).await;
    sql(&owner, &format!("SELECT pg_advisory_lock({LOCK})")).await.unwrap();
    let found = owner.query("SELECT FROM pg_database WHERE datname = $1", &[&name]).await.unwrap();
    if found.is_empty() {
        // Under another name until it is complete.
        let unfinished = format!("{name}_unfinished");
        sql(&owner, &format!("DROP DATABASE IF EXISTS {unfinished} WITH (FORCE)")).await.unwrap();
        sql(&owner, &format!("CREATE DATABASE {unfinished}")).await.unwrap();
        let service = user_of(&variable("TEST_DATABASE_URL")).unwrap();
        migrate(&with_database(&owner_url(), &unfinished), Some(&service)).unwrap();
        // The session that migrated may take a moment to end.
        retry(&owner, &format!("ALTER DATABASE {unfinished} RENAME TO {name}")).await;
    }
}

/// Runs a statement that fails while somebody is in the database (SQLSTATE 55006).
async fn retry(client: &Client, statement: &str) {
    for _ in 0..100 {
        match sql(client, statement).await {
            Err(code) if code == "55006" => tokio::time::sleep(Duration::from_millis(50)).await,
            result => return result.unwrap(),
        }
    }
    panic!("{statement}: somebody stays in the database");
}

impl TestDatabase {
    /// With all tables.
    pub fn new() -> Self {
        if citus::workers().is_some() {
            // A cluster has no templates.
            let database = Self::empty();
            citus::patiently(|| migrate(&database.owner_url, user_of(&database.url).as_deref()));
            return database;
        }
        Self::create(&format!("TEMPLATE {}", template()))
    }

    /// Without any table.
    pub fn empty() -> Self {
        Self::create("")
    }

    fn create(options: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("croupier_test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        block_on(async {
            let owner = raw(&owner_url()).await;
            sql(&owner, &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await.unwrap();
            retry(&owner, &format!("CREATE DATABASE {name} {options}")).await;
            if let Some(workers) = citus::workers() {
                citus::distribute(&name, &workers).await;
            }
        });
        Self {
            owner_url: with_database(&owner_url(), &name),
            url: with_database(&variable("TEST_DATABASE_URL"), &name),
            name,
        }
    }

    /// The database of another cluster, which goes with that cluster.
    pub fn elsewhere(owner_url: String, url: String) -> Self {
        Self { name: String::new(), owner_url, url }
    }

    /// Brings the database up to date, as the owner's role.
    pub fn migrate(&self) -> Vec<String> {
        migrate(&self.owner_url, user_of(&self.url).as_deref()).unwrap()
    }

    /// Everything that is in it, as statements that any client of Postgres runs.
    pub fn dump(&self) -> String {
        let mut command = Command::new("pg_dump");
        command.args(["--inserts", "--rows-per-insert=50", "--no-owner", "--no-privileges", &self.owner_url]);
        let output = command.output().expect("pg_dump comes with PostgreSQL");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        // What only psql understands, or only the newest servers.
        let plain = |line: &&str| !line.starts_with('\\') && !line.starts_with("SET transaction_timeout");
        text.lines().filter(plain).map(|line| format!("{line}\n")).collect()
    }

    /// What was dumped, in a database of its own.
    pub fn restored(dump: &str) -> Self {
        let database = Self::empty();
        block_on(async { sql(&raw(&database.owner_url).await, dump).await.unwrap() });
        database
    }

    /// A ledger in this database, as the service's role.
    pub async fn ledger(&self) -> Ledger {
        connect(&self.url, &[1]).await.unwrap()
    }

    /// A connection to another database, as the owner's role.
    pub async fn outside(&self) -> Client {
        raw(&owner_url()).await
    }

    /// Ends all sessions that the service has in this database.
    pub async fn end_sessions(&self) {
        let service = raw(&variable("TEST_DATABASE_URL")).await;
        let end =
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND usename = current_user";
        service.query(end, &[&self.name]).await.unwrap();
    }

    /// Ends one session that the service has in this database, by chance; tells how many: one or none.
    pub async fn end_one_session(&self) -> u64 {
        let service = raw(&variable("TEST_DATABASE_URL")).await;
        let end = "SELECT pg_terminate_backend(pid) FROM (
                       SELECT pid FROM pg_stat_activity WHERE datname = $1 AND usename = current_user
                       ORDER BY random() LIMIT 1
                   ) AS one";
        service.execute(end, &[&self.name]).await.unwrap()
    }

    /// The name of the database.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if self.name.is_empty() {
            return;
        }
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        block_on(async {
            sql(&raw(&owner_url()).await, &statement).await.ok();
            if let Some(workers) = citus::workers() {
                citus::forget(&self.name, &workers).await;
            }
        });
    }
}

thread_local! {
    /// How many statements this thread sent to a database, and how many it prepared to be kept.
    static SENT: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// How many statements were sent on this thread by the work, and how many of them were prepared for it. Connections
/// count that were made after this was called the first time.
pub async fn statements<T>(work: impl Future<Output = T>) -> (usize, usize) {
    count_statements();
    let before = SENT.get();
    work.await;
    let after = SENT.get();
    (after.0 - before.0, after.1 - before.1)
}

/// From now on, connections count their statements.
pub fn count_statements() {
    static ONCE: Once = Once::new();
    fn counter() -> Option<Box<dyn Instrumentation>> {
        Some(Box::new(|event: InstrumentationEvent<'_>| {
            let (sent, prepared) = SENT.get();
            match event {
                InstrumentationEvent::StartQuery { .. } => SENT.set((sent + 1, prepared)),
                InstrumentationEvent::CacheQuery { .. } => SENT.set((sent, prepared + 1)),
                _ => {}
            }
        }))
    }
    ONCE.call_once(|| set_default_instrumentation(counter).unwrap());
}

/// A ledger with keys for secrets that consist of these bytes.
pub async fn connect(url: &str, keys: &[u8]) -> Result<Ledger, LedgerError> {
    connect_with(url, keys, true).await
}

/// As [`connect`], with or without statements that stay prepared.
pub async fn connect_with(url: &str, keys: &[u8], statement_cache: bool) -> Result<Ledger, LedgerError> {
    let keys = keys.iter().map(|key| Zeroizing::new([*key; 32])).collect::<Vec<_>>();
    let secret_keys = SecretKeys::new(&keys).unwrap();
    let url = url.to_owned();
    Ledger::connect(LedgerSettings { url, read_url: None, pool_size: 8, batch: 64, statement_cache, secret_keys }).await
}

/// The first column of what a query finds, as text.
pub fn query(url: &str, query: &str) -> Vec<String> {
    block_on(async {
        let rows = raw(url).await.simple_query(query).await.unwrap();
        let text = |message: tokio_postgres::SimpleQueryMessage| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap_or_default().to_owned()),
            _ => None,
        };
        rows.into_iter().filter_map(text).collect()
    })
}

/// Every row of every table that a request may change, as text, in order: not the log of logs, nor the marks of what is
/// in it, which follow games in the background.
pub fn contents(url: &str) -> Vec<String> {
    let tables = query(
        url,
        "SELECT tablename FROM pg_tables
         WHERE schemaname = 'public' AND tablename NOT IN ('log_entries', 'checkpoints') ORDER BY 1",
    );
    let row = "(to_jsonb(t) - 'started_logged' - 'over_logged')::text";
    let rows = |table: String| query(url, &format!("SELECT '{table} ' || {row} FROM {table} t ORDER BY 1"));
    tables.into_iter().flat_map(rows).collect()
}
