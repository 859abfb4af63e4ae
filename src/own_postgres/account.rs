//! The user that Postgres runs as: ourselves, or, as root, somebody else, for Postgres refuses root.

use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::unistd::{Uid, User};

use super::error::ClusterError;

/// What programs that we start get to see of our environment. Not more: a server would keep the service's keys in
/// plain sight of its own user for as long as it runs, and `PG…` variables would change what it does.
const KEPT: [&str; 6] = ["PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "TZ", "TZDIR"];

/// Another user, whom root lets run Postgres.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Account {
    name: String,
    uid: u32,
    gid: u32,
    home: PathBuf,
}

/// Whether this process runs as root.
pub(super) fn we_are_root() -> bool {
    Uid::effective().is_root()
}

impl Account {
    /// The user `postgres`, else `nobody`.
    pub(super) fn for_postgres() -> Result<Account, ClusterError> {
        ["postgres", "nobody"]
            .iter()
            .find_map(|name| User::from_name(name).ok().flatten())
            .map(Account::from)
            .ok_or(ClusterError::NoAccount)
    }

    /// Whom an existing folder of Postgres belongs to; nobody, if it is root's.
    pub(super) fn owner_of(folder: &Path) -> Option<Account> {
        let uid = fs::symlink_metadata(folder).ok()?.uid();
        let user = User::from_uid(Uid::from_raw(uid)).ok().flatten()?;
        (uid != 0).then(|| Account::from(user))
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Hands a folder of ours over to the user.
    pub(super) fn take_over(&self, folder: &Path) -> Result<(), ClusterError> {
        std::os::unix::fs::lchown(folder, Some(self.uid), Some(self.gid))
            .map_err(ClusterError::io("change the owner of", folder))
    }

    /// Whether the user can get at what is in `folder`; if not, the error names the first parent that is closed.
    pub(super) fn check_reach(&self, folder: &Path) -> Result<(), ClusterError> {
        match barred_at(folder, self.uid, self.gid).map_err(ClusterError::io("look at", folder))? {
            None => Ok(()),
            Some(at) => Err(ClusterError::Barred { folder: folder.to_path_buf(), at, account: self.name.clone() }),
        }
    }
}

impl From<User> for Account {
    fn from(user: User) -> Account {
        Account { name: user.name, uid: user.uid.as_raw(), gid: user.gid.as_raw(), home: user.dir }
    }
}

/// A command with a bare environment and no terminal, to be run as `account` (or as ourselves).
pub(super) fn command(program: &Path, account: Option<&Account>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("LC_ALL", "C").current_dir("/");
    command.envs(KEPT.iter().filter_map(|name| env::var_os(name).map(|value| (name, value))));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match account {
        // With a user set, the standard library also drops root's supplementary groups.
        Some(account) => command.uid(account.uid).gid(account.gid).env("HOME", &account.home),
        None => command.envs(env::var_os("HOME").map(|home| ("HOME", home))),
    };
    command
}

/// The first folder on the way to `folder`, which must exist and be absolute, that the user may not pass.
fn barred_at(folder: &Path, uid: u32, gid: u32) -> io::Result<Option<PathBuf>> {
    let way: Vec<&Path> = folder.ancestors().collect();
    for step in way.into_iter().rev() {
        let about = fs::metadata(step)?;
        if !may_pass(about.mode(), (about.uid(), about.gid()), (uid, gid)) {
            return Ok(Some(step.to_path_buf()));
        }
    }
    Ok(None)
}

/// The search permission, as Unix decides it: only the first class that fits counts.
fn may_pass(mode: u32, owner: (u32, u32), who: (u32, u32)) -> bool {
    let bit = match who {
        (uid, _) if uid == owner.0 => 0o100,
        (_, gid) if gid == owner.1 => 0o010,
        _ => 0o001,
    };
    mode & bit != 0
}

#[cfg(test)]
mod tests {
    use super::{barred_at, may_pass};
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    #[test]
    fn only_the_first_class_that_fits_counts() {
        assert!(may_pass(0o700, (7, 7), (7, 9)));
        assert!(!may_pass(0o077, (7, 7), (7, 7)));
        assert!(may_pass(0o710, (0, 7), (5, 7)));
        assert!(!may_pass(0o701, (0, 7), (5, 7)));
        assert!(may_pass(0o711, (0, 0), (5, 7)));
        assert!(!may_pass(0o700, (0, 0), (5, 7)));
    }

    #[test]
    fn a_closed_parent_is_named() -> std::io::Result<()> {
        let top = std::env::temp_dir().canonicalize()?.join(format!("croupier-parents-{}", std::process::id()));
        let inner = top.join("closed/inner");
        fs::create_dir_all(&inner)?;
        let closed = top.join("closed");
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o700))?;
        let owner = fs::metadata(&closed)?;
        assert_eq!(barred_at(&inner, owner.uid(), owner.gid())?, None);
        assert_eq!(barred_at(&inner, owner.uid() + 1, owner.gid() + 1)?, Some(closed));
        fs::remove_dir_all(&top)
    }
}
