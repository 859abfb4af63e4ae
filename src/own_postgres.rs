//! A Postgres of the service's own: found or installed, set up, started, reused and stopped without anybody's help.
//!
//! A **durable** cluster ([`Cluster::open`]) lives in a data folder and survives restarts, crashes and upgrades of the
//! machine. All processes that open one data folder share one server: the first starts it, the last one out stops it,
//! and whoever was killed instead leaves it running, to be found by the next. A **throw-away** cluster
//! ([`Cluster::throw_away`]) lives in a temporary folder and vanishes with its value.
//!
//! ```text
//! <data folder>/                the service's; its key file may lie here too
//!   postgres-starting.lock      held while somebody opens or closes the cluster
//!   postgres-users.lock         held, shared, by every process that uses it
//!   postgres-15/                Postgres's, one a major version; as root this alone belongs to another user
//!     cluster/                  what initdb made; made as `cluster.new-<pid>`, renamed when complete
//!     socket/                   the only way in: the server listens on no network address
//!     log/  start.log
//! ```
//!
//! Whoever may enter the socket folder (mode 0700) may connect as any role, so there are no passwords to keep.
//! Roles and database are made in single-user mode while the cluster is made: that needs the `postgres` program alone
//! (some packagings have no psql), no server that others could meet half set up, and stops at the first error.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use account::Account;
use data_folder::DataFolder;
use installation::SearchRoots;
use server::Server;
use throw_away::TemporaryFolder;

pub use errand::run_with_throw_away;
pub use error::ClusterError;
pub use installation::Major;

mod account;
mod data_folder;
mod errand;
mod error;
mod installation;
mod provision;
mod server;
mod throw_away;

/// The database that a cluster is made with.
pub const DATABASE: &str = "croupier";
/// The role that owns [`DATABASE`] and runs migrations; it may create further databases, and is no superuser.
pub const OWNER_ROLE: &str = "croupier_owner";
/// The role that the service runs under: it may connect, and has no more rights than the migrations grant.
pub const SERVICE_ROLE: &str = "croupier";
/// How often it is looked whether a server that is to be kept running does.
const LOOK: Duration = Duration::from_secs(2);
/// The cluster's superuser.
const SUPERUSER: &str = "postgres";

/// Whether a throw-away cluster waits for the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// As in earnest: fsync on. For measurements, and for tests that kill the server.
    Full,
    /// Commits are not flushed: fast, and lost if the machine (not merely the server) goes down.
    None,
}

/// A running Postgres server of our own.
///
/// Dropping it does what [`Cluster::stop`] does, but can't report what went wrong.
#[derive(Debug)]
pub struct Cluster {
    server: Server,
    hold: Hold,
    stopped: bool,
}

/// What keeps others from stopping the server, and says what to do in the end.
#[derive(Debug)]
enum Hold {
    Durable { folder: DataFolder, users: File },
    ThrowAway(TemporaryFolder),
}

impl Cluster {
    /// Opens the durable cluster in the folder `data`, which is made if need be; `say` is told what takes long.
    ///
    /// A server that runs there already is reused, one that was killed is started again. With several PostgreSQL
    /// versions installed the newest is taken for a new cluster, and the one that wrote it for an existing one. With
    /// none installed, root on a system with apt-get installs it.
    ///
    /// # Errors
    /// No usable PostgreSQL; data of a version that isn't installed; a folder that the user of the server can't enter,
    /// or whose path is too long for a socket; and whatever goes wrong in making or starting the cluster.
    pub fn open(data: &Path, say: &dyn Fn(&str)) -> Result<Cluster, ClusterError> {
        // Only to refuse before anything is made; the server finds out for itself, when Postgres is there for certain.
        let account = if account::we_are_root() { Account::for_postgres().ok() } else { None };
        let folder = DataFolder::prepare(data, account.as_ref())?;
        let _starting = folder.lock_starting(say)?;
        let existing = folder.newest_major()?;
        let installation = installation::obtain(&SearchRoots::of_this_machine(), existing, folder.path(), &|| {
            provision::install(existing, say)
        })?;
        let server = Server::durable(folder.path(), installation)?;
        let users = folder.join_users()?;
        server.ensure_made(say)?;
        server.ensure_running(say)?;
        Ok(Cluster { server, hold: Hold::Durable { folder, users }, stopped: false })
    }

    /// Makes and starts a throw-away cluster in a temporary folder; with it goes what earlier ones left behind when
    /// their processes were killed.
    ///
    /// # Errors
    /// As [`Cluster::open`], but for those of existing data.
    pub fn throw_away(durability: Durability, say: &dyn Fn(&str)) -> Result<Cluster, ClusterError> {
        let installation = installation::obtain(&SearchRoots::of_this_machine(), None, Path::new(""), &|| {
            provision::install(None, say)
        })?;
        let account = if account::we_are_root() { Some(Account::for_postgres()?) } else { None };
        let folder = TemporaryFolder::make(account.as_ref(), &installation, say)?;
        let server = Server::throw_away(folder.path(), installation, durability)?;
        // From here on an error drops the cluster, which removes what there is of it.
        let cluster = Cluster { server, hold: Hold::ThrowAway(folder), stopped: false };
        cluster.server.ensure_made(say)?;
        cluster.server.ensure_running(say)?;
        Ok(cluster)
    }

    /// The connection URL of [`OWNER_ROLE`].
    pub fn owner_url(&self) -> String {
        url(OWNER_ROLE, self.server.socket_folder().as_os_str(), DATABASE)
    }

    /// The connection URL of [`SERVICE_ROLE`].
    pub fn service_url(&self) -> String {
        url(SERVICE_ROLE, self.server.socket_folder().as_os_str(), DATABASE)
    }

    /// The connection URL of the superuser, for tests that stop or inspect things.
    pub fn superuser_url(&self) -> String {
        url(SUPERUSER, self.server.socket_folder().as_os_str(), DATABASE)
    }

    /// The process id of the server, if one runs.
    pub fn postmaster_pid(&self) -> Option<i32> {
        self.server.postmaster_pid()
    }

    /// The major version of the server.
    pub fn major(&self) -> Major {
        self.server.major()
    }

    /// Where one of the programs of this PostgreSQL is, such as `psql`; packagings may lack some.
    pub fn program(&self, name: &str) -> PathBuf {
        self.server.program(name)
    }

    /// The folder in which the server keeps everything of its own.
    pub fn folder(&self) -> &Path {
        self.server.home()
    }

    /// Takes the server down at once, as a crash would, and keeps its data: for tests of a database that is away.
    ///
    /// # Errors
    /// The server does not stop.
    pub fn halt(&self) -> Result<(), ClusterError> {
        self.server.stop(server::Manner::Immediate)
    }

    /// Starts the server again after [`Cluster::halt`], or after somebody killed it.
    ///
    /// # Errors
    /// The server does not start.
    pub fn resume(&self, say: &dyn Fn(&str)) -> Result<(), ClusterError> {
        self.start_again(say)
    }

    /// Starts the server again whenever it has ended, killed or for want of space on the disk, until whoever holds the
    /// other end of `stop` drops it. `say` is told of each time, and of what keeps it from starting.
    pub fn keep_running(&self, stop: &Receiver<()>, say: &dyn Fn(&str)) {
        while stop.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            if !self.server.accepts()
                && let Err(error) = self.start_again(say)
            {
                say(&format!("PostgreSQL does not start: {error}"));
            }
        }
    }

    fn start_again(&self, say: &dyn Fn(&str)) -> Result<(), ClusterError> {
        let _starting = match &self.hold {
            Hold::Durable { folder, .. } => Some(folder.lock_starting(say)?),
            Hold::ThrowAway(_) => None,
        };
        self.server.ensure_running(say)
    }

    /// Leaves the cluster. The server of a durable one is stopped unless another process uses it too; a throw-away one
    /// is stopped and removed.
    ///
    /// # Errors
    /// The server does not stop, or the temporary folder can't be removed.
    pub fn stop(mut self) -> Result<(), ClusterError> {
        self.leave()
    }

    fn leave(&mut self) -> Result<(), ClusterError> {
        if self.stopped {
            return Ok(());
        }
        self.stopped = true;
        match &self.hold {
            Hold::Durable { folder, users } => {
                let _starting = folder.lock_starting(&|_| {})?;
                if folder.was_last_user(users)? { self.server.stop(server::Manner::Fast) } else { Ok(()) }
            }
            Hold::ThrowAway(folder) => {
                self.server.stop_for_good()?;
                folder.remove()
            }
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Nobody is left to tell; what stays behind is found by the next `open` or `throw_away`.
        let _ = self.leave();
    }
}

/// The data folder to use when nobody named one: a system state folder for root, else one in the user's home.
pub fn default_data_dir() -> PathBuf {
    data_folder::default_for(
        account::we_are_root(),
        std::env::var_os("XDG_DATA_HOME").map(PathBuf::from),
        std::env::home_dir(),
    )
}

fn url(role: &str, socket_folder: &OsStr, database: &str) -> String {
    format!("postgres://{role}@{}/{database}", percent_encoded(socket_folder.as_bytes()))
}

/// Encodes everything but RFC 3986's unreserved characters, so that a folder can stand where a URL has its host.
fn percent_encoded(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, &byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::{Cluster, ClusterError, Durability, url};
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn a_url_has_the_encoded_socket_folder_as_its_host() {
        assert_eq!(
            url("croupier", OsStr::new("/var/lib/croupier/postgres-15/socket"), "croupier"),
            "postgres://croupier@%2Fvar%2Flib%2Fcroupier%2Fpostgres-15%2Fsocket/croupier"
        );
    }

    #[test]
    fn a_url_survives_any_folder_name() {
        let odd = OsStr::from_bytes(b"/a b@c:d/\xc3\xa9%\xff");
        assert_eq!(url("r", odd, "d"), "postgres://r@%2Fa%20b%40c%3Ad%2F%C3%A9%25%FF/d");
    }

    /// Needs an installed PostgreSQL, and skips itself without one: nothing is installed by a unit test.
    #[test]
    fn a_throw_away_cluster_runs_comes_back_and_vanishes() -> Result<(), ClusterError> {
        if !super::installation::SearchRoots::of_this_machine().finds_something() {
            eprintln!("skipped: no PostgreSQL is installed");
            return Ok(());
        }
        let cluster = Cluster::throw_away(Durability::None, &|_| {})?;
        let folder = cluster.folder().to_path_buf();
        let first = cluster.postmaster_pid();
        assert!(first.is_some() && folder.join("cluster/PG_VERSION").exists());
        cluster.halt()?;
        assert_eq!(cluster.postmaster_pid(), None);
        cluster.resume(&|_| {})?;
        assert!(cluster.postmaster_pid().is_some());
        cluster.stop()?;
        assert!(!folder.exists() && folder.parent().is_some_and(|parent| !parent.exists()));
        Ok(())
    }
}
