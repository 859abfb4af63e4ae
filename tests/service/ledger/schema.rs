//! Migrations and privileges.

use std::collections::BTreeSet;

use croupier::ledger::migrate;

use crate::story::{Story, stored_player};
use crate::support::{TestDatabase, connect, raw, sql};

#[tokio::test]
async fn migrations_may_run_again_and_all_at_once() {
    let database = TestDatabase::empty();
    let fresh = connect(&database.url, &[1]).await.unwrap();
    assert!(!fresh.schema_is_current().await.unwrap());
    let runs = std::thread::scope(|scope| {
        let threads = (0..4).map(|_| scope.spawn(|| database.migrate())).collect::<Vec<_>>();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(runs.iter().filter(|run| run.is_empty()).count(), 3, "{runs:?}");
    assert_eq!(database.migrate(), Vec::<String>::new());
    assert!(fresh.schema_is_current().await.unwrap());
    Story::stored(&fresh, stored_player(&fresh, "Ada").await).await;

    // A database of a newer program will do, one of an older won't.
    let owner = raw(&database.owner_url).await;
    sql(&owner, "INSERT INTO __diesel_schema_migrations (version) VALUES ('9999')").await.unwrap();
    assert!(fresh.schema_is_current().await.unwrap());
    sql(&owner, "DELETE FROM __diesel_schema_migrations WHERE version = '0003'").await.unwrap();
    assert!(!fresh.schema_is_current().await.unwrap());
}

#[tokio::test]
async fn a_database_that_is_not_there_is_an_error_that_says_so() {
    let database = TestDatabase::empty();
    let nowhere = format!("{}_gone", database.owner_url);
    let error = migrate(&nowhere, None).unwrap_err().to_string();
    assert!(error.contains("does not exist"), "{error}");
}

#[tokio::test]
async fn a_role_that_is_not_there_gets_nothing_and_is_not_made() {
    let database = TestDatabase::empty();
    for role in [None, Some(""), Some("nobody's"), Some("croupier_owner")] {
        migrate(&database.owner_url, role).unwrap();
    }
    let owner = raw(&database.owner_url).await;
    let roles = owner.query("SELECT FROM pg_roles WHERE rolname = 'nobody''s'", &[]).await.unwrap();
    assert!(roles.is_empty());
    let service = raw(&database.url).await;
    assert_eq!(sql(&service, "SELECT FROM events").await, Err("42501".to_owned()));
    // It gets its rights once it is named, though nothing is left to migrate.
    assert_eq!(database.migrate(), Vec::<String>::new());
    assert_eq!(sql(&service, "SELECT FROM events").await, Ok(()));
}

/// Every privilege of the service's role, on tables and on columns alone.
const GRANTED: &[&str] = &[
    "__diesel_schema_migrations SELECT",
    "best_scores DELETE",
    "best_scores INSERT",
    "best_scores SELECT",
    "best_scores UPDATE elapsed",
    "best_scores UPDATE finished_at",
    "best_scores UPDATE game_id",
    "best_scores UPDATE steps",
    "checkpoints INSERT",
    "checkpoints SELECT",
    "events INSERT",
    "events SELECT",
    "games INSERT",
    "games SELECT",
    "games UPDATE check_at",
    "games UPDATE over_logged",
    "games UPDATE rematch",
    "games UPDATE result",
    "games UPDATE started_logged",
    "games UPDATE status",
    "games UPDATE updated_at",
    "idempotency_keys DELETE",
    "idempotency_keys INSERT",
    "idempotency_keys SELECT",
    "log_entries INSERT",
    "log_entries SELECT",
    "players INSERT",
    "players SELECT",
    "players UPDATE token_generation",
    "players UPDATE tokens_ended_at",
    "players UPDATE tokens_ended_stored_at",
    "restores SELECT",
    "scores DELETE",
    "scores INSERT",
    "scores SELECT",
    "seatings DELETE",
    "seatings INSERT",
    "seatings SELECT",
    "secrets DELETE",
    "secrets INSERT",
    "secrets SELECT",
    "signing_keys INSERT",
    "signing_keys SELECT",
    "signing_keys UPDATE not_after",
];

#[tokio::test]
async fn the_service_has_the_privileges_it_needs_and_no_other() {
    let database = TestDatabase::new();
    let owner = raw(&database.owner_url).await;
    // As the server judges it, whatever the role has them from.
    let rows = owner
        .query(
            "WITH relations AS (
                SELECT c.oid, c.relname::text AS name FROM pg_class c
                WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v', 'p', 'm', 'S', 'f')
                    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
            ), whole AS (
                SELECT r.oid, r.name, p.privilege FROM relations r, unnest(ARRAY[
                    'SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS p (privilege)
                WHERE has_table_privilege('croupier', r.oid, p.privilege)
            )
            SELECT name || ' ' || privilege FROM whole
            UNION ALL
            SELECT r.name || ' ' || p.privilege || ' ' || a.attname
            FROM relations r JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped,
                unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) AS p (privilege)
            WHERE has_column_privilege('croupier', r.oid, a.attnum, p.privilege)
                AND NOT EXISTS (SELECT FROM whole w WHERE w.oid = r.oid AND w.privilege = p.privilege)",
            &[],
        )
        .await
        .unwrap();
    let found = rows.iter().map(|row| row.get::<_, String>(0)).collect::<BTreeSet<_>>();
    assert_eq!(found, GRANTED.iter().map(|grant| (*grant).to_owned()).collect());
    let service = raw(&database.url).await;
    assert_eq!(sql(&service, "CREATE TABLE mine ()").await, Err("42501".to_owned()));
}
