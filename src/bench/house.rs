//! Databases and instances of the service.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::{Bench, BenchError};
use crate::own_postgres::Cluster;

/// How long an instance may take to start.
const PATIENCE: Duration = Duration::from_secs(120);
/// What is measured is the service, and not how well it refuses.
const NO_LIMITS: [&str; 10] = [
    "--limit-moves=off",
    "--limit-reads=off",
    "--limit-lobby=off",
    "--limit-sign-up=off",
    "--limit-sign-in=off",
    "--limit-audits=off",
    "--max-open-games=off",
    "--max-seats=off",
    "--max-streams=off",
    "--max-address-streams=off",
];
/// What an instance says before its address.
const GREETING: &str = "Croupier deals at http://";

/// Everything that is started here.
pub struct House<'a> {
    cluster: &'a Cluster,
    /// Where the keys of each database's instances are.
    folder: PathBuf,
    /// This program.
    program: PathBuf,
    serve: &'a [String],
}

/// A database without games.
pub struct Database<'a> {
    house: &'a House<'a>,
    name: String,
}

/// An instance of the service, stopped when dropped.
pub struct Instance {
    child: Child,
    /// Where it listens.
    pub address: String,
}

impl<'a> House<'a> {
    /// On this cluster.
    ///
    /// # Errors
    ///
    /// When there is no place for keys.
    pub fn new(cluster: &'a Cluster, bench: &'a Bench) -> Result<Self, BenchError> {
        let program = std::env::current_exe().map_err(|error| BenchError::Io("find this program", error))?;
        let folder = std::env::temp_dir().join(format!("croupier-bench-{}", std::process::id()));
        std::fs::create_dir(&folder).map_err(|error| BenchError::Io("make a folder", error))?;
        Ok(Self { cluster, folder, program, serve: &bench.serve })
    }

    /// The number of the database's first process.
    pub fn postmaster(&self) -> u32 {
        self.cluster.postmaster_pid().and_then(|pid| u32::try_from(pid).ok()).unwrap_or_default()
    }

    /// One of PostgreSQL's programs: of this installation, or else the one that the path finds.
    pub fn postgres_program(&self, name: &'static str) -> PathBuf {
        let own = self.cluster.program(name);
        if own.exists() { own } else { PathBuf::from(name) }
    }

    /// This program, with as many open files as it may have: each game and each watcher needs some.
    pub fn command(&self) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -n \"$(ulimit -Hn)\" 2>/dev/null; exec \"$0\" \"$@\""]).arg(&self.program);
        command
    }

    /// A new database.
    ///
    /// # Errors
    ///
    /// When it can't be made.
    pub fn database(&'a self, name: &str) -> Result<Database<'a>, BenchError> {
        let name = format!("bench_{name}");
        let owner = crate::own_postgres::OWNER_ROLE;
        self.psql(&self.cluster.superuser_url(), &format!("CREATE DATABASE {name} OWNER {owner}"))?;
        Ok(Database { house: self, name })
    }

    fn psql(&self, url: &str, statement: &str) -> Result<(), BenchError> {
        let mut psql = Command::new(self.postgres_program("psql"));
        psql.args(["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--command", statement, url]);
        output(psql, "psql").map(drop)
    }
}

impl Drop for House<'_> {
    fn drop(&mut self) {
        // What stays behind lies among temporary files.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Runs a program to its end: what it wrote.
///
/// # Errors
///
/// When there is no such program, or it fails.
pub fn output(mut command: Command, name: &'static str) -> Result<String, BenchError> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => BenchError::NoProgram(name),
        _ => BenchError::Io("run a program", error),
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = [output.stderr, output.stdout].concat();
    Err(BenchError::Failed(format!("{name} failed ({}): {}", output.status, String::from_utf8_lossy(&said).trim())))
}

impl Database<'_> {
    /// Its address, as who may do everything.
    pub fn superuser_url(&self) -> String {
        self.at(&self.house.cluster.superuser_url())
    }

    fn at(&self, url: &str) -> String {
        let server = url.rsplit_once('/').map_or(url, |(server, _)| server);
        format!("{server}/{}", self.name)
    }

    /// Runs statements as who may do everything.
    ///
    /// # Errors
    ///
    /// When one fails.
    pub fn psql(&self, statement: &str) -> Result<(), BenchError> {
        self.house.psql(&self.superuser_url(), statement)
    }

    /// Starts an instance.
    ///
    /// # Errors
    ///
    /// When it does not start.
    pub fn instance(&self) -> Result<Instance, BenchError> {
        let (owner, own) = (self.at(&self.house.cluster.owner_url()), self.at(&self.house.cluster.service_url()));
        let data = self.house.folder.join(&self.name);
        let mut command = self.house.command();
        // One line a request is for operators; a pipe to here would be measured too.
        command.args(["serve", "--listen", "127.0.0.1:0", "--log", "warn", "--database-url", &own]);
        command
            .args(NO_LIMITS)
            .args(["--database-owner-url", &owner, "--data"])
            .arg::<&Path>(&data)
            .args(self.house.serve);
        start(command)
    }

    /// Starts so many.
    ///
    /// # Errors
    ///
    /// When one does not start.
    pub fn instances(&self, count: usize) -> Result<Vec<Instance>, BenchError> {
        (0..count).map(|_| self.instance()).collect()
    }
}

impl Drop for Database<'_> {
    fn drop(&mut self) {
        // It goes with the cluster at the latest.
        let _ = self
            .house
            .psql(&self.house.cluster.superuser_url(), &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name));
    }
}

fn start(mut command: Command) -> Result<Instance, BenchError> {
    // No setting of the one who measures gets through: what is not named here has its default.
    let settings = std::env::vars_os().map(|(name, _)| name);
    let ours = |name: &OsStr| {
        name.to_string_lossy().starts_with("CROUPIER") || name.to_string_lossy().starts_with("DATABASE_")
    };
    for name in settings.filter(|name| ours(name)) {
        command.env_remove(name);
    }
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let child = child.map_err(|error| BenchError::Io("start the service", error))?;
    // From here on an error stops it.
    let mut instance = Instance { child, address: String::new() };
    let (sender, greeting) = mpsc::channel();
    if let Some(stdout) = instance.child.stdout.take() {
        // It goes on reading, so that the service never waits for a reader.
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                match line.strip_prefix(GREETING) {
                    Some(address) => drop(sender.send(address.to_owned())),
                    None if line.contains("WARN") || line.contains("ERROR") => eprintln!("{line}"),
                    None => {}
                }
            }
        });
    }
    instance.address =
        greeting.recv_timeout(PATIENCE).map_err(|_| BenchError::Failed("the service did not start".to_owned()))?;
    Ok(instance)
}

impl Instance {
    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // Nothing that was acknowledged is only in its memory.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
