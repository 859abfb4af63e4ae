//! Databases on a Citus cluster, where the tests run beside one (tests/beside-citus.sh).

use std::time::Duration;

use croupier::ledger::MigrateError;

use crate::support::{raw, sql, variable, with_database};

/// How long to wait before a node is added once more.
const RETRY: Duration = Duration::from_millis(100);

/// The workers, as host:port; `None` on plain Postgres.
pub fn workers() -> Option<Vec<String>> {
    let workers = std::env::var("TEST_CITUS_WORKERS").ok()?;
    Some(workers.split_whitespace().map(str::to_owned).collect())
}

/// The URL for the superuser, at this node or at the coordinator.
fn superuser_url(node: Option<&str>, database: &str) -> String {
    let url = with_database(&variable("TEST_DATABASE_SUPERUSER_URL"), database);
    node.map_or_else(|| url.clone(), |node| url.replace(&address(&url), node))
}

/// Where a URL leads, as host:port.
fn address(url: &str) -> String {
    let (_, address) = url.split_once('@').expect("the URL names a user");
    address.split('/').next().unwrap_or_default().to_owned()
}

/// Makes a cluster of the database that the coordinator has under this name.
pub async fn distribute(database: &str, workers: &[String]) {
    let coordinator = raw(&superuser_url(None, database)).await;
    sql(&coordinator, "CREATE EXTENSION citus").await.unwrap();
    let named = |address: &str| address.replace(':', "', ");
    let own = named(&address(&variable("TEST_DATABASE_SUPERUSER_URL")));
    sql(&coordinator, &format!("SELECT citus_set_coordinator_host('{own})")).await.unwrap();
    for worker in workers {
        forget_on(worker, database).await;
        let outside = raw(&superuser_url(Some(worker), "postgres")).await;
        sql(&outside, &format!("CREATE DATABASE {database} OWNER croupier_owner")).await.unwrap();
        sql(&raw(&superuser_url(Some(worker), database)).await, "CREATE EXTENSION citus").await.unwrap();
        let add = format!("SELECT citus_add_node('{})", named(worker));
        // It fails where another database does the same at this moment.
        let mut attempts = 0;
        while let Err(code) = sql(&coordinator, &add).await {
            attempts += 1;
            assert!(code == "XX000" && attempts < 50, "{code}");
            tokio::time::sleep(RETRY).await;
        }
    }
}

/// Migrates a database, once more where another one's migration was in its way: nodes and roles are shared by all.
pub fn patiently(migrate: impl Fn() -> Result<Vec<String>, MigrateError>) {
    let mut attempts = 0;
    while let Err(error) = migrate() {
        attempts += 1;
        assert!(error.to_string().contains("tuple concurrently updated") && attempts < 50, "{error}");
        std::thread::sleep(RETRY);
    }
}

/// Removes a database from the workers.
pub async fn forget(database: &str, workers: &[String]) {
    for worker in workers {
        forget_on(worker, database).await;
    }
}

async fn forget_on(worker: &str, database: &str) {
    let outside = raw(&superuser_url(Some(worker), "postgres")).await;
    sql(&outside, &format!("DROP DATABASE IF EXISTS {database} WITH (FORCE)")).await.ok();
}
