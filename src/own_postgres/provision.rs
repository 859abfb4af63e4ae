//! Installing PostgreSQL where that needs no question: as root, with apt-get. Elsewhere a sentence says what to do.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::account;
use super::error::ClusterError;
use super::installation::Major;

/// Debian's packaging starts a cluster of its own, on port 5432, unless this says otherwise beforehand.
const NO_MAIN_CLUSTER: (&str, &str) = ("/etc/postgresql-common/createcluster.d", "create_main_cluster = false\n");

/// Installs PostgreSQL (of the version that `existing` data asks for) if we are root and there is apt-get.
///
/// # Errors
/// We can't, with a hint at what the user can do; or apt-get fails.
pub(super) fn install(existing: Option<Major>, say: &dyn Fn(&str)) -> Result<(), ClusterError> {
    if !account::we_are_root() || !is_on_path("apt-get") {
        return Err(ClusterError::NotInstalled { hint: hint(&is_on_path), too_old: None });
    }
    let package = existing.map_or_else(|| "postgresql".to_owned(), |major| format!("postgresql-{major}"));
    say(&format!(
        "No PostgreSQL is installed. Installing the package {package} with apt-get (some 60 MB; a minute or so)."
    ));
    let folder = PathBuf::from(NO_MAIN_CLUSTER.0);
    fs::create_dir_all(&folder).map_err(ClusterError::io("make the folder", &folder))?;
    let file = folder.join("croupier.conf");
    fs::write(&file, NO_MAIN_CLUSTER.1).map_err(ClusterError::io("write", &file))?;
    apt_get(&["-q", "update"])?;
    apt_get(&["-q", "-y", "--no-install-recommends", "install", &package])
}

fn apt_get(arguments: &[&str]) -> Result<(), ClusterError> {
    let failed = || ClusterError::Apt { command: format!("apt-get {}", arguments.join(" ")) };
    // What it says goes to standard error: standard output belongs to whoever called us.
    let errors = io::stderr().as_fd().try_clone_to_owned().map_err(|_| failed())?;
    let status = Command::new("apt-get")
        .args(["-o", "DPkg::Lock::Timeout=300"])
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .stdout(errors)
        .status();
    if status.is_ok_and(|status| status.success()) { Ok(()) } else { Err(failed()) }
}

/// The beginning of a sentence: how PostgreSQL is installed on this machine.
fn hint(has: &dyn Fn(&str) -> bool) -> String {
    let known = [
        ("apt-get", "sudo apt-get install --no-install-recommends postgresql"),
        ("dnf", "sudo dnf install postgresql-server"),
        ("zypper", "sudo zypper install postgresql-server"),
        ("pacman", "sudo pacman -S postgresql"),
        ("apk", "sudo apk add postgresql"),
        ("brew", "brew install postgresql@17"),
    ];
    known.iter().find(|(manager, _)| has(manager)).map_or_else(
        || "install it, put its folder with initdb and pg_ctl on PATH or into PG_BIN".to_owned(),
        |(_, command)| format!("install it with `{command}`"),
    )
}

fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths::<OsStr>(&path).any(|folder| Path::new(&folder).join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::hint;

    #[test]
    fn the_hint_fits_the_machine() {
        assert_eq!(hint(&|program| program == "brew"), "install it with `brew install postgresql@17`");
        assert!(hint(&|program| program == "apt-get").contains("apt-get install"));
        assert!(hint(&|_| false).contains("PG_BIN"));
    }
}
