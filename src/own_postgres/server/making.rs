//! Making a cluster: its folders, what initdb makes of them, and the roles and the database in it.

use std::fs::{self, DirBuilder, File};
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::process::{self, Stdio};

use super::{Server, failed};
use crate::own_postgres::error::ClusterError;
use crate::own_postgres::{DATABASE, OWNER_ROLE, SERVICE_ROLE, SUPERUSER};

/// What a cluster is called while it is being made, followed by the number of the process that makes it.
const UNFINISHED: &str = "cluster.new-";

impl Server {
    /// Makes the cluster with its roles and database, unless it is there. It gets its name when it is complete.
    pub(in crate::own_postgres) fn ensure_made(&self, say: &dyn Fn(&str)) -> Result<(), ClusterError> {
        if self.cluster().join("PG_VERSION").exists() {
            return Ok(());
        }
        let runner = self.account.as_ref().map(|account| format!(", run by the user {}", account.name()));
        say(&format!(
            "Setting up a PostgreSQL {} of our own in {}{}.",
            self.major(),
            self.home.display(),
            runner.unwrap_or_default()
        ));
        self.make_folders()?;
        // Never a name that was used before: an initdb whose parent was killed removes its folder if it fails.
        let name = format!("{UNFINISHED}{}", process::id());
        self.remove_unfinished();
        self.initdb(&name)?;
        self.make_roles_and_database(&name)?;
        let unfinished = self.home.join(name);
        fs::rename(&unfinished, self.cluster()).map_err(ClusterError::io("rename", &unfinished))?;
        if self.flushed {
            let home = File::open(&self.home).and_then(|home| home.sync_all());
            home.map_err(ClusterError::io("flush", &self.home))?;
        }
        Ok(())
    }

    /// What was begun and never completed is of no use. Should it resist, it only takes room.
    fn remove_unfinished(&self) {
        for entry in fs::read_dir(&self.home).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// The folders are handed over from the inside to the outside, so that we never work in somebody else's.
    fn make_folders(&self) -> Result<(), ClusterError> {
        for folder in [self.home.clone(), self.socket_folder()] {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
            made.map_err(ClusterError::io("make the folder", &folder))?;
        }
        let Some(account) = &self.account else { return Ok(()) };
        account.take_over(&self.socket_folder())?;
        account.take_over(&self.home)
    }

    fn initdb(&self, cluster: &str) -> Result<(), ClusterError> {
        let mut initdb = self.command("initdb");
        initdb.arg("--pgdata").arg(cluster);
        initdb.args(["--username", SUPERUSER, "--auth", "trust", "--encoding", "UTF8", "--locale", "C"]);
        initdb.arg("--data-checksums");
        if !self.flushed {
            initdb.arg("--no-sync");
        }
        let output = initdb.stderr(Stdio::piped()).output().map_err(ClusterError::io("run initdb for", &self.home))?;
        if output.status.success() { Ok(()) } else { Err(failed("making the cluster (initdb)", &output.stderr)) }
    }

    fn make_roles_and_database(&self, cluster: &str) -> Result<(), ClusterError> {
        let mut postgres = self.command("postgres");
        postgres.arg("--single");
        if !self.flushed {
            postgres.arg("-F");
        }
        postgres.arg("-D").arg(cluster).args(["-c", "exit_on_error=true", "template1"]);
        let run = || {
            let mut child = postgres.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
            let written = child.stdin.take().map_or(Ok(()), |mut input| input.write_all(first_statements().as_bytes()));
            let output = child.wait_with_output()?;
            // If it broke off, what it said is more telling than the broken pipe.
            if output.status.success() { written.map(|()| output) } else { Ok(output) }
        };
        let output = { run }().map_err(ClusterError::io("run postgres --single for", &self.home))?;
        if output.status.success() { Ok(()) } else { Err(failed("making roles and database", &output.stderr)) }
    }
}

/// What a cluster is made with, one statement a line, run in template1 so that every database starts out the same on
/// all versions: since 15, public belongs to the database's owner, and PUBLIC may create nothing there.
fn first_statements() -> String {
    [
        "ALTER SCHEMA public OWNER TO pg_database_owner".to_owned(),
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC".to_owned(),
        format!("CREATE ROLE {OWNER_ROLE} LOGIN NOSUPERUSER CREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS"),
        format!("CREATE ROLE {SERVICE_ROLE} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS"),
        format!("CREATE DATABASE {DATABASE} OWNER {OWNER_ROLE}"),
        format!("REVOKE ALL ON DATABASE {DATABASE} FROM PUBLIC"),
        format!("GRANT CONNECT ON DATABASE {DATABASE} TO {SERVICE_ROLE}"),
        "REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC".to_owned(),
    ]
    .join("\n")
        + "\n"
}

#[cfg(test)]
mod tests {
    use super::first_statements;

    #[test]
    fn single_user_mode_reads_one_statement_a_line() {
        assert!(first_statements().lines().all(|line| !line.is_empty() && !line.contains(';')));
        assert!(first_statements().ends_with('\n'));
    }
}
