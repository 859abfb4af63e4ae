//! `docker/roles.sql`, as the Postgres of `compose.yaml` runs it: what it makes is enough for a service, and no more.

use std::process::Command;

use croupier::ledger::migrate;

use crate::app::{Setup, TestFolder};
use crate::clients::Table;
use crate::support::{TestDatabase, block_on, query, raw, sql};

#[test]
fn the_roles_of_the_composed_service_are_enough_for_it_and_no_more() {
    let superuser = std::env::var("TEST_DATABASE_SUPERUSER_URL").expect("run by `make test`");
    // Under names of its own: this cluster has roles and a database of the same names already.
    let name = format!("composed_{}", std::process::id());
    let file = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docker/roles.sql")).unwrap();
    let folder = TestFolder::new();
    let path = folder.0.join("roles.sql");
    std::fs::write(&path, file.replace("croupier", &name)).unwrap();
    let run = Command::new("psql")
        .args([&superuser, "--quiet", "--set=ON_ERROR_STOP=1", "--file"])
        .arg(&path)
        .env("CROUPIER_OWNER_PASSWORD", "owners")
        .env("CROUPIER_PASSWORD", "services")
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let of = |role: &str| {
        let (_, server) = superuser.split_once('@').unwrap();
        let (server, _) = server.rsplit_once('/').unwrap();
        format!("postgres://{role}@{server}/{name}")
    };
    let (owner, service) = (of(&format!("{name}_owner")), of(&name));
    migrate(&owner, Some(&name)).unwrap();
    {
        let app = Setup::default().spawn_on(TestDatabase::elsewhere(owner, service.clone()), TestFolder::new());
        let table = Table::new(&app);
        table.deal(&app);
    }
    block_on(async {
        let service = raw(&service).await;
        for refused in ["UPDATE events SET seq = 0", "DELETE FROM events", "CREATE TABLE mine ()", "CREATE ROLE mine"] {
            assert_eq!(sql(&service, refused).await, Err("42501".to_owned()), "{refused}");
        }
    });
    let powers = format!(
        "SELECT rolname FROM pg_roles WHERE rolname LIKE '{name}%' AND (rolsuper OR rolcreatedb OR rolcreaterole)"
    );
    assert_eq!(query(&superuser, &powers), Vec::<String>::new());
    block_on(async {
        let superuser = raw(&superuser).await;
        sql(&superuser, &format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
        sql(&superuser, &format!("DROP ROLE {name}_owner; DROP ROLE {name}")).await.unwrap();
    });
}
