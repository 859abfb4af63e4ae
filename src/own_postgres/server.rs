//! One server over one folder: made, started, watched and stopped with Postgres's own programs.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::Durability;
use super::account::{self, Account};
use super::error::ClusterError;
use super::installation::{Installation, Major};
use postmaster::{Fate, PidFile};

pub(super) use postmaster::put_an_end_to;

mod making;
mod postmaster;

/// What a complete cluster is called.
const CLUSTER: &str = "cluster";
/// What the server says until its own log is open.
const START_LOG: &str = "start.log";
/// How long a server may take to start (a crash may leave much to recover) or to stop.
const PATIENCE: Duration = Duration::from_secs(120);
/// The longest path of a socket, everywhere: macOS has 104 bytes, with a zero at the end.
const LONGEST_SOCKET_PATH: usize = 103;

/// Settings of every server, given anew at each start. The socket folder is relative to the cluster's, so that the
/// data folder may be moved, and that no character in its name can be mistaken by a shell or a list.
const COMMON: &str = "-c listen_addresses= -c port=5432 -c unix_socket_directories=../socket \
    -c unix_socket_permissions=0700 -c timezone=UTC -c log_timezone=UTC -c cluster_name=croupier";
/// A week of logs, one file a day, overwritten.
const DURABLE: &str = "-c fsync=on -c full_page_writes=on -c synchronous_commit=on -c logging_collector=on \
    -c log_directory=../log -c log_filename=postgresql-%a.log -c log_truncate_on_rotation=on -c log_rotation_age=1d \
    -c log_rotation_size=0";
const THROW_AWAY: &str = "-c max_connections=400";
const NOT_FLUSHED: &str = "-c fsync=off -c full_page_writes=off -c synchronous_commit=off";

/// How a server is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Connections are ended, everything is written.
    Fast,
    /// At once; the next start recovers.
    Immediate,
}

/// A server, running or not.
#[derive(Debug)]
pub(super) struct Server {
    home: PathBuf,
    installation: Installation,
    account: Option<Account>,
    settings: String,
    flushed: bool,
}

impl Server {
    /// The server of the durable cluster in the folder `data`.
    pub(super) fn durable(data: &Path, installation: Installation) -> Result<Server, ClusterError> {
        Server::in_folder(data, installation, format!("{COMMON} {DURABLE}"), true)
    }

    /// The server of a cluster that is thrown away with the folder `data`.
    pub(super) fn throw_away(
        data: &Path,
        installation: Installation,
        durability: Durability,
    ) -> Result<Server, ClusterError> {
        match durability {
            Durability::Full => Server::in_folder(data, installation, format!("{COMMON} {THROW_AWAY}"), true),
            Durability::None => {
                Server::in_folder(data, installation, format!("{COMMON} {THROW_AWAY} {NOT_FLUSHED}"), false)
            }
        }
    }

    fn in_folder(
        data: &Path,
        installation: Installation,
        settings: String,
        flushed: bool,
    ) -> Result<Server, ClusterError> {
        let home = data.join(installation.major.folder_name());
        let account = match account::we_are_root() {
            false => None,
            // Whoever made the data keeps it, even if a user that suits better has appeared since.
            true => Some(Account::owner_of(&home).map_or_else(Account::for_postgres, Ok)?),
        };
        if let Some(account) = &account {
            account.check_reach(data)?;
            account.check_reach(&installation.bin)?;
        }
        let server = Server { home, installation, account, settings, flushed };
        match socket_fits(data, &server.installation) {
            true => Ok(server),
            false => Err(ClusterError::PathTooLong(server.socket())),
        }
    }

    pub(super) fn home(&self) -> &Path {
        &self.home
    }

    pub(super) fn major(&self) -> Major {
        self.installation.major
    }

    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.installation.program(name)
    }

    pub(super) fn socket_folder(&self) -> PathBuf {
        self.home.join("socket")
    }

    pub(super) fn postmaster_pid(&self) -> Option<i32> {
        let file = PidFile::read(&self.cluster())?;
        (file.fate(&self.cluster()) == Fate::Alive).then_some(file.pid)
    }

    fn cluster(&self) -> PathBuf {
        self.home.join(CLUSTER)
    }

    fn socket(&self) -> PathBuf {
        self.socket_folder().join(".s.PGSQL.5432")
    }

    /// A program, run in our folder and to be told of names in it, not of paths: pg_ctl hands them to a shell.
    fn command(&self, program: &str) -> Command {
        let mut command = account::command(&self.installation.program(program), self.account.as_ref());
        command.current_dir(&self.home);
        command
    }

    fn pg_ctl(&self, verb: &str) -> Command {
        let mut pg_ctl = self.command("pg_ctl");
        pg_ctl.args([verb, "--silent", "--wait", "--timeout", &PATIENCE.as_secs().to_string(), "--pgdata", CLUSTER]);
        pg_ctl
    }

    /// Whether somebody accepts connections there.
    pub(super) fn accepts(&self) -> bool {
        UnixStream::connect(self.socket()).is_ok()
    }

    /// Leaves with a server that accepts connections: the one that runs, or one that is started.
    pub(super) fn ensure_running(&self, say: &dyn Fn(&str)) -> Result<(), ClusterError> {
        if self.wait_for_running(say)? {
            return Ok(());
        }
        let started = self.start(say);
        // It may have failed because the one that a killed process of ours had begun to start came first.
        if started.is_err() && self.wait_for_running(say)? { Ok(()) } else { started }
    }

    /// Whether a server runs, once that is clear. If none does, no traces are left that would keep one from starting.
    fn wait_for_running(&self, say: &dyn Fn(&str)) -> Result<bool, ClusterError> {
        let patient_until = Instant::now() + PATIENCE;
        let mut told = false;
        while let Some(file) = PidFile::read(&self.cluster()) {
            // First, for it holds even for a server in another container, whose processes we don't see.
            if file.ready && self.accepts() {
                return Ok(true);
            }
            match file.fate(&self.cluster()) {
                Fate::Alive if Instant::now() >= patient_until => {
                    return Err(ClusterError::Unresponsive { pid: file.pid, folder: self.home.clone() });
                }
                Fate::Alive => {}
                Fate::GoneByNumber => return Ok(false),
                Fate::Gone => {
                    file.remove_leftovers(&self.cluster(), &self.socket())?;
                    return Ok(false);
                }
            }
            if !told {
                say("Waiting for a Postgres that is starting or ending.");
                told = true;
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(false)
    }

    fn start(&self, say: &dyn Fn(&str)) -> Result<(), ClusterError> {
        say(&format!("Starting PostgreSQL {} ({}).", self.major(), self.installation.bin.display()));
        let log = self.home.join(START_LOG);
        let _ = fs::remove_file(&log); // pg_ctl would append to it
        let mut pg_ctl = self.pg_ctl("start");
        pg_ctl.args(["--log", START_LOG, "--options", &self.settings]);
        // All its output goes nowhere: the server inherits it, and would keep a pipe open for as long as it lives.
        let status = pg_ctl.status().map_err(ClusterError::io("run pg_ctl for", &self.home))?;
        if status.success() {
            return Ok(());
        }
        Err(failed("starting the server", &fs::read(&log).unwrap_or_default()))
    }

    /// Stops the server, if it runs.
    pub(super) fn stop(&self, manner: Manner) -> Result<(), ClusterError> {
        let Some(pid) = self.postmaster_pid() else {
            return Ok(());
        };
        let manner = match manner {
            Manner::Fast => "fast",
            Manner::Immediate => "immediate",
        };
        let status = self.pg_ctl("stop").args(["--mode", manner]).status();
        let status = status.map_err(ClusterError::io("run pg_ctl for", &self.home))?;
        if status.success() || self.postmaster_pid().is_none() {
            return Ok(());
        }
        Err(ClusterError::Unresponsive { pid, folder: self.home.clone() })
    }

    /// Stops a server whose data nobody wants any more.
    pub(super) fn stop_for_good(&self) -> Result<(), ClusterError> {
        put_an_end_to(&self.cluster())
    }
}

/// Whether a socket in the folder `data` would have a path that can be connected to.
pub(super) fn socket_fits(data: &Path, installation: &Installation) -> bool {
    let socket = data.join(installation.major.folder_name()).join("socket/.s.PGSQL.5432");
    socket.as_os_str().as_bytes().len() <= LONGEST_SOCKET_PATH
}

/// An error with the last lines of what a program said.
fn failed(doing: &'static str, said: &[u8]) -> ClusterError {
    let said = String::from_utf8_lossy(said);
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    ClusterError::Program { doing, said: lines[lines.len().saturating_sub(5)..].join(" | ") }
}

#[cfg(test)]
mod tests {
    use super::{failed, socket_fits};
    use crate::own_postgres::installation::{Installation, Major};
    use std::path::{Path, PathBuf};

    #[test]
    fn a_socket_path_may_have_103_bytes_and_not_one_more() {
        let major = Major::from_folder_name("postgres-15");
        let installation = major.map(|major| Installation { bin: PathBuf::new(), major });
        let fits = |length: usize| {
            let data = format!("/{}", "x".repeat(length - 1));
            installation.as_ref().is_some_and(|installation| socket_fits(Path::new(&data), installation))
        };
        let rest = "/postgres-15/socket/.s.PGSQL.5432".len();
        assert!(fits(103 - rest));
        assert!(!fits(104 - rest));
    }

    #[test]
    fn a_failure_shows_the_last_lines() {
        let said = failed("testing", b"1\n2\n\n3\n4\n5\n6\n").to_string();
        assert!(said.ends_with("2 | 3 | 4 | 5 | 6"), "{said}");
    }
}
