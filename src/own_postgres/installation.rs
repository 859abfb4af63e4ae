//! Which PostgreSQL: where its programs may be, which versions are there, and which of them to take.

use std::env;
use std::fmt;
use std::fs;
use std::path::{self, Path, PathBuf};
use std::process::Stdio;

use super::account;
use super::error::ClusterError;

/// The programs that we need; psql is not among them.
const PROGRAMS: [&str; 3] = ["initdb", "postgres", "pg_ctl"];

/// A major version of PostgreSQL: data written by one is not read by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Major(u32);

impl Major {
    /// The oldest that will do.
    const OLDEST: Major = Major(14);

    /// Reads what `postgres --version` prints, such as `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`.
    fn from_version_line(line: &str) -> Option<Major> {
        Major::from_digits(line.split_once("(PostgreSQL)")?.1.trim_start())
    }

    /// Reads the name of a folder of ours, such as `postgres-15`.
    pub(super) fn from_folder_name(name: &str) -> Option<Major> {
        let digits = name.strip_prefix("postgres-")?;
        Major::from_digits(digits).filter(|major| major.to_string() == digits)
    }

    pub(super) fn folder_name(self) -> String {
        format!("postgres-{self}")
    }

    fn from_digits(text: &str) -> Option<Major> {
        text.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok().map(Major)
    }
}

impl fmt::Display for Major {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A folder with the programs of one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Installation {
    pub(super) bin: PathBuf,
    pub(super) major: Major,
}

impl Installation {
    /// What is in `folder`, if all programs are.
    fn in_folder(folder: &Path) -> Option<Installation> {
        let complete = PROGRAMS.iter().all(|program| folder.join(program).is_file());
        let version = complete.then(|| account::command(&folder.join("postgres"), None))?;
        let said = { version }.arg("--version").stdout(Stdio::piped()).output().ok()?;
        let major = Major::from_version_line(&String::from_utf8_lossy(&said.stdout))?;
        Some(Installation { bin: folder.to_path_buf(), major })
    }

    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }
}

/// Where to look. A value, not a habit, so that a test can look nowhere.
#[derive(Clone, Debug, Default)]
pub(super) struct SearchRoots {
    /// `PG_BIN`: somebody said where.
    explicit: Option<PathBuf>,
    /// Other folders that may hold the programs.
    folders: Vec<PathBuf>,
}

impl SearchRoots {
    /// `PG_BIN`, `PATH` with its links followed, and where distributions, Homebrew and Postgres.app keep versions.
    pub(super) fn of_this_machine() -> SearchRoots {
        let path = env::var_os("PATH").unwrap_or_default();
        // What is relative would mean another folder by the time it is run.
        let on_path = env::split_paths(&path).filter(|folder| folder.is_absolute());
        let on_path = on_path.flat_map(|folder| [behind_link(&folder), Some(folder)]).flatten();
        let shelves = [
            ("/usr/lib/postgresql", "", "bin"),                          // Debian, Ubuntu
            ("/usr", "pgsql-", "bin"),                                   // the PostgreSQL project's RPMs
            ("/usr/lib", "postgresql", "bin"),                           // SUSE
            ("/usr/libexec", "postgresql", ""),                          // Alpine
            ("/opt/homebrew/opt", "postgresql", "bin"),                  // Homebrew
            ("/usr/local/opt", "postgresql", "bin"),                     // Homebrew on older Macs
            ("/home/linuxbrew/.linuxbrew/opt", "postgresql", "bin"),     // Homebrew on Linux
            ("/Applications/Postgres.app/Contents/Versions", "", "bin"), // Postgres.app
        ];
        let shelved = shelves.iter().flat_map(|(shelf, prefix, inside)| on_shelf(Path::new(shelf), prefix, inside));
        SearchRoots {
            explicit: env::var_os("PG_BIN").filter(|name| !name.is_empty()).and_then(|name| path::absolute(name).ok()),
            folders: on_path.chain(shelved).collect(),
        }
    }

    #[cfg(test)]
    pub(super) fn finds_something(&self) -> bool {
        self.find().is_ok_and(|found| !found.usable.is_empty())
    }

    fn find(&self) -> Result<Found, ClusterError> {
        let mut found = Found::default();
        if let Some(folder) = &self.explicit {
            let installation = Installation::in_folder(folder).filter(|found| found.major >= Major::OLDEST);
            found.explicit = true;
            found.usable.push(installation.ok_or_else(|| ClusterError::NothingInPgBin(folder.clone()))?);
        }
        let mut seen: Vec<&PathBuf> = Vec::new();
        for folder in &self.folders {
            if seen.contains(&folder) {
                continue;
            }
            seen.push(folder);
            match Installation::in_folder(folder) {
                Some(installation) if installation.major < Major::OLDEST => {
                    found.too_old = found.too_old.max(Some(installation.major));
                }
                Some(installation) => found.usable.push(installation),
                None => {}
            }
        }
        Ok(found)
    }
}

/// What a search brought, in the order of the roots.
#[derive(Debug, Default)]
struct Found {
    /// Whether the first was asked for by name.
    explicit: bool,
    usable: Vec<Installation>,
    too_old: Option<Major>,
}

/// What to do about what was found.
#[derive(Debug, PartialEq, Eq)]
enum Choice<'a> {
    Take(&'a Installation),
    /// Nothing is installed at all.
    Install,
    /// There is data, and all that is installed is of other versions.
    Refuse,
}

impl Found {
    /// Existing data decides, then whoever asked by name, then the newest; among equals the first.
    fn choose(&self, existing: Option<Major>) -> Choice<'_> {
        let chosen = match existing {
            Some(major) => self.usable.iter().find(|found| found.major == major),
            None if self.explicit => self.usable.first(),
            None => self.usable.iter().rev().max_by_key(|found| found.major),
        };
        match chosen {
            Some(installation) => Choice::Take(installation),
            None if self.usable.is_empty() => Choice::Install,
            None => Choice::Refuse,
        }
    }

    fn majors(&self) -> Vec<Major> {
        let mut majors: Vec<Major> = self.usable.iter().map(|found| found.major).collect();
        majors.sort_unstable();
        majors.dedup();
        majors
    }
}

/// The installation to use for new data, or for `existing` data in the folder `data`; `install` is tried, once, where
/// there is none.
pub(super) fn obtain(
    roots: &SearchRoots,
    existing: Option<Major>,
    data: &Path,
    install: &dyn Fn() -> Result<(), ClusterError>,
) -> Result<Installation, ClusterError> {
    let mut found = roots.find()?;
    if found.choose(existing) == Choice::Install {
        install().map_err(|error| with_too_old(error, found.too_old))?;
        found = SearchRoots { folders: SearchRoots::of_this_machine().folders, ..roots.clone() }.find()?;
    }
    match (found.choose(existing), existing) {
        (Choice::Take(installation), _) => Ok(installation.clone()),
        (Choice::Refuse, Some(wrote)) => {
            Err(ClusterError::OtherVersion { data: data.to_path_buf(), wrote, installed: found.majors() })
        }
        (Choice::Refuse | Choice::Install, _) => Err(ClusterError::NotInstalled {
            hint: "what was installed just now is not to be found, so put its folder into PG_BIN".to_owned(),
            too_old: found.too_old,
        }),
    }
}

fn with_too_old(error: ClusterError, too_old: Option<Major>) -> ClusterError {
    match error {
        ClusterError::NotInstalled { hint, .. } => ClusterError::NotInstalled { hint, too_old },
        other => other,
    }
}

/// The folder in which `pg_ctl` really lies, when `folder` has a link to it.
fn behind_link(folder: &Path) -> Option<PathBuf> {
    folder.join("pg_ctl").canonicalize().ok()?.parent().map(Path::to_path_buf)
}

/// `shelf/<prefix>*/inside`, whatever of it exists, by name.
fn on_shelf(shelf: &Path, prefix: &str, inside: &str) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(shelf)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .map(|entry| entry.path().join(inside))
        .collect();
    folders.sort_unstable();
    folders
}

#[cfg(test)]
mod tests {
    use super::{Choice, Found, Installation, Major, SearchRoots, obtain};
    use crate::own_postgres::ClusterError;
    use std::path::{Path, PathBuf};

    fn found(explicit: bool, majors: &[u32]) -> Found {
        let usable = majors
            .iter()
            .enumerate()
            .map(|(place, &major)| Installation { bin: PathBuf::from(format!("/{place}")), major: Major(major) })
            .collect();
        Found { explicit, usable, too_old: None }
    }

    fn chosen(found: &Found, existing: Option<u32>) -> Option<&str> {
        match found.choose(existing.map(Major)) {
            Choice::Take(installation) => installation.bin.to_str(),
            Choice::Install | Choice::Refuse => None,
        }
    }

    #[test]
    fn versions_are_read_from_what_postgres_says_of_itself() {
        let read = |line| Major::from_version_line(line).map(|major| major.0);
        assert_eq!(read("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n"), Some(15));
        assert_eq!(read("postgres (PostgreSQL) 18beta1"), Some(18));
        assert_eq!(read("postgres (PostgreSQL) 9.6.24"), Some(9));
        assert_eq!(read("mysqld  Ver 8.0"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn folders_are_read_back_as_they_are_named() {
        assert_eq!(Major::from_folder_name(&Major(17).folder_name()), Some(Major(17)));
        for other in ["postgres-", "postgres-15.old", "postgres-015", "postgres-starting.lock", "key"] {
            assert_eq!(Major::from_folder_name(other), None, "{other}");
        }
    }

    #[test]
    fn the_newest_wins_and_among_equals_the_first() {
        assert_eq!(chosen(&found(false, &[15, 17, 17, 16]), None), Some("/1"));
    }

    #[test]
    fn who_is_asked_for_by_name_wins_over_the_newest() {
        assert_eq!(chosen(&found(true, &[15, 17]), None), Some("/0"));
    }

    #[test]
    fn existing_data_wins_over_everything() {
        assert_eq!(chosen(&found(false, &[17, 15]), Some(15)), Some("/1"));
        assert_eq!(chosen(&found(true, &[17, 15]), Some(15)), Some("/1"));
        assert_eq!(found(false, &[17, 16]).choose(Some(Major(15))), Choice::Refuse);
        assert_eq!(found(false, &[]).choose(Some(Major(15))), Choice::Install);
    }

    #[test]
    fn without_a_postgres_one_sentence_says_what_to_do() {
        let refuse = || Err(ClusterError::NotInstalled { hint: "install it with `x`".to_owned(), too_old: None });
        let error = obtain(&SearchRoots::default(), None, Path::new("/d"), &refuse).unwrap_err();
        assert_eq!(
            error.to_string(),
            "No PostgreSQL (14 or newer) was found: install it with `x`, or set DATABASE_URL to a database of yours."
        );
    }

    #[test]
    fn a_pg_bin_without_programs_is_refused_and_nothing_installed() {
        let roots = SearchRoots { explicit: Some(PathBuf::from("/nowhere")), folders: Vec::new() };
        let error = obtain(&roots, None, Path::new("/d"), &|| panic!("must not install")).unwrap_err();
        assert!(error.to_string().starts_with("PG_BIN is /nowhere, where initdb"), "{error}");
    }

    #[test]
    fn data_of_another_version_is_refused_with_both_versions_named() {
        let error =
            ClusterError::OtherVersion { data: "/d".into(), wrote: Major(15), installed: vec![Major(16), Major(17)] };
        assert!(
            error.to_string().contains("written by PostgreSQL 15, which is not installed (found: 16, 17)"),
            "{error}"
        );
    }
}
