//! The process of a server, known by the file `postmaster.pid` that it keeps in its cluster.
//!
//! The file alone proves nothing: after a kill -9 it stays, its number may since belong to some other process, and
//! where process 1 does not reap, the dead server stays too, as a zombie, which Postgres's own tools take for running.
//! Where there is /proc, we ask it who works in the cluster's folder: every process of a server does.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::own_postgres::error::ClusterError;

/// What `postmaster.pid` says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PidFile {
    pub(super) pid: i32,
    /// Whether the server accepts connections.
    pub(super) ready: bool,
}

impl PidFile {
    pub(super) fn read(cluster: &Path) -> Option<PidFile> {
        PidFile::parse(&fs::read_to_string(cluster.join("postmaster.pid")).ok()?)
    }

    fn parse(text: &str) -> Option<PidFile> {
        let mut lines = text.lines().map(str::trim);
        let pid = lines.next()?.parse().ok().filter(|pid| *pid > 1)?;
        Some(PidFile { pid, ready: lines.nth(6) == Some("ready") })
    }

    /// What has become of the server that wrote the file, with all its processes.
    pub(super) fn fate(&self, cluster: &Path) -> Fate {
        let number_is_free = kill(Pid::from_raw(self.pid), None) == Err(Errno::ESRCH);
        let seen = processes_in(cluster);
        let unseen = !number_is_free && !Path::new(&format!("/proc/{}", self.pid)).exists();
        match seen {
            Some(Seen { here: false, hidden: false }) if !unseen => Fate::Gone,
            Some(Seen { here: true, .. }) => Fate::Alive,
            _ if number_is_free => Fate::GoneByNumber,
            _ => Fate::Alive,
        }
    }

    /// Removes what a dead server left, which the next one would take for the traces of a living one.
    pub(super) fn remove_leftovers(&self, cluster: &Path, socket: &Path) -> Result<(), ClusterError> {
        for file in [cluster.join("postmaster.pid"), socket.to_path_buf(), socket.with_file_name(".s.PGSQL.5432.lock")]
        {
            match fs::remove_file(&file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(ClusterError::io("remove", &file)(error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// What is known of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It lives, or some of its processes do.
    Alive,
    /// It is gone for certain, and all its processes are.
    Gone,
    /// Its number is not in use, and more can't be seen: whether its children live, Postgres finds out at its start.
    GoneByNumber,
}

/// Ends the server of a cluster that nobody wants any more: without a checkpoint, and with force if it lingers.
pub(in crate::own_postgres) fn put_an_end_to(cluster: &Path) -> Result<(), ClusterError> {
    let Some(file) = PidFile::read(cluster) else {
        return Ok(());
    };
    for signal in [Signal::SIGQUIT, Signal::SIGKILL] {
        if file.fate(cluster) != Fate::Alive {
            return Ok(());
        }
        // Should the server be gone and its children linger, they notice that by themselves.
        let _ = kill(Pid::from_raw(file.pid), signal);
        let patient_until = Instant::now() + Duration::from_secs(20);
        while Instant::now() < patient_until {
            if file.fate(cluster) != Fate::Alive {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
    Err(ClusterError::Unresponsive { pid: file.pid, folder: cluster.to_path_buf() })
}

/// The Postgres processes that live, as far as they may concern a cluster.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    /// Some work in the cluster's folder.
    here: bool,
    /// Some don't show us where they work: root may not see that of others in a container without CAP_SYS_PTRACE.
    hidden: bool,
}

/// Looks for the Postgres processes that work in `cluster`; nothing where there is no /proc to ask.
fn processes_in(cluster: &Path) -> Option<Seen> {
    fs::read_link("/proc/self/cwd").ok()?;
    let cluster = cluster.canonicalize().ok()?;
    let owner = fs::metadata(&cluster).ok()?.uid();
    let mut seen = Seen::default();
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let status = fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        if !is_living_postgres(&status, owner) {
            continue;
        }
        match fs::read_link(entry.path().join("cwd")) {
            Ok(folder) => seen.here |= folder == cluster,
            Err(error) => seen.hidden |= error.kind() != io::ErrorKind::NotFound,
        }
    }
    Some(seen)
}

/// Reads `/proc/<pid>/status`: the name (somebody's shell may stand in the cluster's folder too), that it is no zombie,
/// and the user.
fn is_living_postgres(status: &str, owner: u32) -> bool {
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    field("Name:").is_some_and(|name| name.starts_with("postgres"))
        && field("State:").is_some_and(|state| !state.starts_with(['Z', 'X']))
        && field("Uid:").and_then(|uids| uids.split_whitespace().next()) == Some(owner.to_string().as_str())
}

#[cfg(test)]
mod tests {
    use super::{PidFile, is_living_postgres, processes_in};

    #[test]
    fn the_eighth_line_tells_whether_the_server_is_ready() {
        let file = |status: &str| format!("4711\n/data\n1700000000\n5432\n../socket\n\n  1 2\n{status}\n");
        assert_eq!(PidFile::parse(&file("ready   ")), Some(PidFile { pid: 4711, ready: true }));
        assert_eq!(PidFile::parse(&file("starting")), Some(PidFile { pid: 4711, ready: false }));
        assert_eq!(PidFile::parse("4711\n/data\n"), Some(PidFile { pid: 4711, ready: false }));
    }

    #[test]
    fn a_half_written_or_bogus_file_names_no_process() {
        for text in ["", "\n", "x\n", "0\n", "-1\n", "1\n"] {
            assert_eq!(PidFile::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_process_that_is_no_postgres_does_not_count() -> std::io::Result<()> {
        // The test itself works in the current folder.
        let here = std::env::current_dir()?;
        assert!(processes_in(&here).is_none_or(|seen| !seen.here));
        Ok(())
    }

    #[test]
    fn zombies_shells_and_other_users_servers_do_not_count() {
        let status = |name, state, uid| {
            format!("Name:\t{name}\nUmask:\t0077\nState:\t{state}\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\n")
        };
        assert!(is_living_postgres(&status("postgres", "S (sleeping)", 101), 101));
        assert!(!is_living_postgres(&status("postgres", "Z (zombie)", 101), 101));
        assert!(!is_living_postgres(&status("bash", "S (sleeping)", 101), 101));
        assert!(!is_living_postgres(&status("postgres", "S (sleeping)", 101), 1010));
        assert!(!is_living_postgres("", 101));
    }
}
