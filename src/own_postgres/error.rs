//! What can go wrong with a Postgres of our own, each in one sentence that says what to do.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;

use super::installation::Major;

/// Why there is no cluster.
#[derive(Debug)]
pub enum ClusterError {
    /// No PostgreSQL that is new enough, and none could be installed.
    NotInstalled {
        /// The command that installs it here, or what to look for.
        hint: String,
        /// The newest version found, if all are too old.
        too_old: Option<Major>,
    },
    /// `PG_BIN` names a folder without the programs.
    NothingInPgBin(PathBuf),
    /// The data was written by a version that isn't installed, though others are.
    OtherVersion {
        /// The data folder.
        data: PathBuf,
        /// The version that wrote the data.
        wrote: Major,
        /// The versions that are installed.
        installed: Vec<Major>,
    },
    /// apt-get refused.
    Apt {
        /// The command that failed.
        command: String,
    },
    /// We are root, and there is nobody else to run Postgres as.
    NoAccount,
    /// The user that Postgres runs as can't get at a folder.
    Barred {
        /// The folder that it needs.
        folder: PathBuf,
        /// The parent (or the folder itself) that keeps it out.
        at: PathBuf,
        /// The user.
        account: String,
    },
    /// The socket's path exceeds what the operating system allows.
    PathTooLong(PathBuf),
    /// initdb, postgres or pg_ctl failed.
    Program {
        /// What was being done.
        doing: &'static str,
        /// The end of what the program said.
        said: String,
    },
    /// A server is there and does not answer.
    Unresponsive {
        /// Its process id.
        pid: i32,
        /// Its folder.
        folder: PathBuf,
    },
    /// A signal came before the command was started.
    Interrupted,
    /// There is no command to run.
    NoCommand,
    /// The command to run could not be started.
    CommandNotStarted {
        /// The command.
        command: OsString,
        /// Why.
        source: io::Error,
    },
    /// The operating system refused something.
    Io {
        /// What was being done, with the path.
        doing: String,
        /// Why.
        source: io::Error,
    },
}

impl ClusterError {
    /// For `map_err`: wraps the operating system's refusal with what was being done.
    pub(super) fn io(doing: &str, path: &std::path::Path) -> impl FnOnce(io::Error) -> ClusterError {
        let doing = format!("{doing} {}", path.display());
        move |source| ClusterError::Io { doing, source }
    }
}

impl fmt::Display for ClusterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInstalled { hint, too_old: None } => {
                write!(f, "No PostgreSQL (14 or newer) was found: {hint}, or set DATABASE_URL to a database of yours.")
            }
            Self::NotInstalled { hint, too_old: Some(major) } => write!(
                f,
                "Only PostgreSQL {major} was found, and 14 or newer is needed: {hint}, or set DATABASE_URL to a \
                 database of yours."
            ),
            Self::NothingInPgBin(folder) => write!(
                f,
                "PG_BIN is {}, where initdb, postgres and pg_ctl of PostgreSQL 14 or newer are not all to be found: \
                 set it to a folder that has them, or unset it.",
                folder.display()
            ),
            Self::OtherVersion { data, wrote, installed } => write!(
                f,
                "The data in {} was written by PostgreSQL {wrote}, which is not installed (found: {}): install \
                 PostgreSQL {wrote} too (then dump the database and restore it under the new version), or choose \
                 another data folder.",
                data.display(),
                installed.iter().map(Major::to_string).collect::<Vec<_>>().join(", ")
            ),
            Self::Apt { command } => write!(
                f,
                "Installing PostgreSQL failed at `{command}` (its own words are above): install PostgreSQL 14 or newer \
                 by hand, or set DATABASE_URL to a database of yours."
            ),
            Self::NoAccount => f.write_str(
                "Postgres refuses to run as root, and there is neither a user postgres nor a user nobody to run it as: \
                 create the system user postgres, or run this as an ordinary user.",
            ),
            Self::Barred { folder, at, account } => write!(
                f,
                "Postgres refuses to run as root, and the user {account} that it would run as can't reach {} because \
                 {} is closed to it: use a folder elsewhere (for data, /var/lib/croupier will do), or open that one \
                 with chmod o+x, or run this as an ordinary user.",
                folder.display(),
                at.display()
            ),
            Self::PathTooLong(socket) => write!(
                f,
                "The socket {} would have a longer path than the 103 bytes that operating systems allow: choose a data \
                 folder with a shorter path.",
                socket.display()
            ),
            Self::Program { doing, said } if said.is_empty() => {
                write!(
                    f,
                    "Postgres failed at {doing} without a word: try again, or set DATABASE_URL to a database of yours."
                )
            }
            Self::Program { doing, said } => write!(f, "Postgres failed at {doing}, mend what it complains of: {said}"),
            Self::Unresponsive { pid, folder } => write!(
                f,
                "The Postgres in {} (process {pid}) neither answers nor ends: look at its log in that folder, stop \
                 that process, and try again.",
                folder.display()
            ),
            Self::Interrupted => f.write_str("Interrupted before the command was started: run it again when you like."),
            Self::NoCommand => f.write_str("There is no command to run: name one after --."),
            Self::CommandNotStarted { command, source } => {
                write!(f, "{} could not be started, check its name: {source}.", command.display())
            }
            Self::Io { doing, source } => {
                write!(f, "Could not {doing}: {source}; make that possible, or choose another data folder.")
            }
        }
    }
}

impl std::error::Error for ClusterError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::CommandNotStarted { source, .. } | Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
