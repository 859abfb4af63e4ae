//! The temporary folder of a throw-away cluster, and the removal of those that killed processes left behind.
//!
//! Such a folder holds a file that its process keeps locked for as long as it lives: where the lock is free, nobody
//! needs the folder any more. The file is locked before it gets its name, so that no moment of doubt is visible.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use super::account::{self, Account};
use super::error::ClusterError;
use super::installation::Installation;
use super::server;

const PREFIX: &str = "croupier-throw-away-";
const LOCK: &str = "in-use.lock";

/// A folder of ours alone (as root: that others may pass), locked until it is dropped.
#[derive(Debug)]
pub(super) struct TemporaryFolder {
    path: PathBuf,
    /// Never read: what counts is that it stays open.
    _lock: File,
}

impl TemporaryFolder {
    /// Makes one where temporary files go and Postgres can use it, after a look for abandoned ones.
    pub(super) fn make(
        account: Option<&Account>,
        installation: &Installation,
        say: &dyn Fn(&str),
    ) -> Result<TemporaryFolder, ClusterError> {
        let mut refusal = None;
        for place in [std::env::temp_dir(), PathBuf::from("/tmp"), PathBuf::from("/var/tmp")] {
            match usable(&place, account, installation) {
                Ok(place) => {
                    remove_abandoned(&place, say);
                    return TemporaryFolder::make_in(&place);
                }
                Err(error) => refusal = refusal.or(Some(error)),
            }
        }
        Err(refusal.unwrap_or(ClusterError::PathTooLong(std::env::temp_dir())))
    }

    fn make_in(place: &Path) -> Result<TemporaryFolder, ClusterError> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let mode = if account::we_are_root() { 0o711 } else { 0o700 };
        let path = loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = place.join(format!("{PREFIX}{}-{count}", process::id()));
            match DirBuilder::new().mode(mode).create(&path) {
                Ok(()) => break path,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(ClusterError::io("make the folder", &path)(error)),
            }
        };
        let lock = || {
            let nascent = path.join("new.lock");
            let file = File::options().create_new(true).write(true).mode(0o600).open(&nascent)?;
            file.lock()?;
            fs::rename(&nascent, path.join(LOCK)).map(|()| file)
        };
        let _lock = lock().map_err(ClusterError::io("lock the folder", &path))?;
        Ok(TemporaryFolder { path, _lock })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn remove(&self) -> Result<(), ClusterError> {
        remove(&self.path).map_err(ClusterError::io("remove", &self.path))
    }
}

fn usable(place: &Path, account: Option<&Account>, installation: &Installation) -> Result<PathBuf, ClusterError> {
    let place = place.canonicalize().map_err(ClusterError::io("find", place))?;
    if let Some(account) = account {
        account.check_reach(&place)?;
    }
    let longest = place.join(format!("{PREFIX}{}-{}", i32::MAX, 9999));
    if server::socket_fits(&longest, installation) { Ok(place) } else { Err(ClusterError::PathTooLong(longest)) }
}

/// Stops the servers in folders whose processes are gone, and removes them. What can't be removed is left for another
/// day: it is no reason not to start.
fn remove_abandoned(place: &Path, say: &dyn Fn(&str)) {
    let ours = nix::unistd::Uid::effective().as_raw();
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let folder = entry.path();
        if !entry.file_name().to_string_lossy().starts_with(PREFIX)
            || !fs::symlink_metadata(&folder).is_ok_and(|about| about.is_dir() && about.uid() == ours)
        {
            continue;
        }
        let Ok(lock) = File::options().write(true).open(folder.join(LOCK)) else {
            continue;
        };
        if lock.try_lock().is_ok() {
            say(&format!("Removing the throw-away Postgres in {}, whose process was killed.", folder.display()));
            for inner in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let _ = server::put_an_end_to(&inner.path().join("cluster"));
            }
            let _ = remove(&folder);
        }
    }
}

/// Removes a folder in which a server that was just stopped may still have been deleting, too.
fn remove(folder: &Path) -> io::Result<()> {
    let mut attempts = 0;
    loop {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !folder.exists() => return Ok(()),
            Err(_) if attempts < 20 => attempts += 1,
            result => return result,
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}
