//! The data folder of a durable cluster: where it is, who may pass, and the two locks that its users share it by.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::account::{self, Account};
use super::error::ClusterError;
use super::installation::Major;

/// A data folder that exists, by its real name.
#[derive(Debug)]
pub(super) struct DataFolder {
    path: PathBuf,
}

/// See [`super::default_data_dir`].
pub(super) fn default_for(root: bool, data_home: Option<PathBuf>, home: Option<PathBuf>) -> PathBuf {
    if root {
        return PathBuf::from("/var/lib/croupier");
    }
    // A relative XDG_DATA_HOME is to be ignored, says its specification.
    let data_home = data_home.filter(|folder| folder.is_absolute());
    let data_home = data_home.or_else(|| home.map(|home| home.join(".local/share")));
    data_home.map_or_else(|| PathBuf::from("croupier-data"), |folder| folder.join("croupier"))
}

impl DataFolder {
    /// Makes the folder, unless the user that Postgres will run as could not get at it: then nothing is made.
    pub(super) fn prepare(data: &Path, account: Option<&Account>) -> Result<DataFolder, ClusterError> {
        let wanted = std::path::absolute(data).map_err(ClusterError::io("find", data))?;
        let there = wanted.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
        check_reach(there, account)?;
        if !wanted.exists() {
            if let Some(parent) = wanted.parent() {
                fs::create_dir_all(parent).map_err(ClusterError::io("make the folder", parent))?;
            }
            let mode = if account::we_are_root() { 0o711 } else { 0o700 };
            let made = DirBuilder::new().recursive(true).mode(mode).create(&wanted);
            made.map_err(ClusterError::io("make the folder", &wanted))?;
        }
        check_reach(&wanted, account)?;
        let path = wanted.canonicalize().map_err(ClusterError::io("find", &wanted))?;
        Ok(DataFolder { path })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The newest version that data of ours is there of.
    pub(super) fn newest_major(&self) -> Result<Option<Major>, ClusterError> {
        let entries = fs::read_dir(&self.path).map_err(ClusterError::io("read the folder", &self.path))?;
        let majors = entries.flatten().filter_map(|entry| {
            let major = Major::from_folder_name(&entry.file_name().to_string_lossy())?;
            entry.path().join("cluster/PG_VERSION").exists().then_some(major)
        });
        Ok(majors.max())
    }

    /// Waits until nobody else opens or closes the cluster. Dropping the file lets the next one in.
    pub(super) fn lock_starting(&self, say: &dyn Fn(&str)) -> Result<File, ClusterError> {
        let (file, path) = self.lock_file("postgres-starting.lock")?;
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {
                say("Waiting for another process that is starting or leaving the same Postgres.")
            }
            Err(TryLockError::Error(error)) => return Err(ClusterError::io("lock", &path)(error)),
        }
        file.lock().map_err(ClusterError::io("lock", &path))?;
        Ok(file)
    }

    /// Counts us among the users until the file is dropped, or our process ends in whatever way.
    /// To be called under [`DataFolder::lock_starting`].
    pub(super) fn join_users(&self) -> Result<File, ClusterError> {
        let (file, path) = self.lock_file("postgres-users.lock")?;
        file.lock_shared().map_err(ClusterError::io("lock", &path))?;
        Ok(file)
    }

    /// Counts us out again, and tells whether nobody else is left.
    /// To be called under [`DataFolder::lock_starting`], which must be held until the server is stopped.
    pub(super) fn was_last_user(&self, users: &File) -> Result<bool, ClusterError> {
        users.unlock().map_err(ClusterError::io("unlock postgres-users.lock in", &self.path))?;
        let alone = users.try_lock().is_ok();
        if alone {
            // Not to be mistaken for a user by whoever comes while this file is still open.
            users.unlock().map_err(ClusterError::io("unlock postgres-users.lock in", &self.path))?;
        }
        Ok(alone)
    }

    fn lock_file(&self, name: &str) -> Result<(File, PathBuf), ClusterError> {
        let path = self.path.join(name);
        let opened = File::options().create(true).truncate(false).write(true).mode(0o600).open(&path);
        Ok((opened.map_err(ClusterError::io("open", &path))?, path))
    }
}

fn check_reach(folder: &Path, account: Option<&Account>) -> Result<(), ClusterError> {
    let Some(account) = account else { return Ok(()) };
    account.check_reach(&folder.canonicalize().map_err(ClusterError::io("find", folder))?)
}

#[cfg(test)]
mod tests {
    use super::{DataFolder, default_for};
    use crate::own_postgres::ClusterError;
    use std::fs;
    use std::path::{Path, PathBuf};

    fn scratch(name: &str) -> Result<DataFolder, ClusterError> {
        let path = std::env::temp_dir().join(format!("croupier-data-{name}-{}", std::process::id()));
        DataFolder::prepare(&path, None)
    }

    #[test]
    fn the_default_is_a_system_folder_for_root_and_in_the_home_for_others() {
        let at = |text: &str| Some(PathBuf::from(text));
        assert_eq!(default_for(true, at("/x"), at("/root")), Path::new("/var/lib/croupier"));
        assert_eq!(default_for(false, at("/x"), at("/home/a")), Path::new("/x/croupier"));
        assert_eq!(default_for(false, at("relative"), at("/home/a")), Path::new("/home/a/.local/share/croupier"));
        assert_eq!(default_for(false, None, at("/home/a")), Path::new("/home/a/.local/share/croupier"));
        assert_eq!(default_for(false, None, None), Path::new("croupier-data"));
    }

    #[test]
    fn only_complete_data_counts_and_the_newest_is_named() -> Result<(), Box<dyn std::error::Error>> {
        let folder = scratch("majors")?;
        assert_eq!(folder.newest_major()?, None);
        for (name, complete) in [("postgres-9", true), ("postgres-15", true), ("postgres-17", false)] {
            fs::create_dir_all(folder.path().join(name).join("cluster"))?;
            if complete {
                fs::write(folder.path().join(name).join("cluster/PG_VERSION"), "")?;
            }
        }
        assert_eq!(folder.newest_major()?.map(|major| major.to_string()), Some("15".to_owned()));
        Ok(fs::remove_dir_all(folder.path())?)
    }

    #[test]
    fn the_last_one_out_knows_it() -> Result<(), Box<dyn std::error::Error>> {
        let folder = scratch("users")?;
        let (one, two) = (folder.join_users()?, folder.join_users()?);
        assert!(!folder.was_last_user(&one)?);
        let three = folder.join_users()?;
        assert!(!folder.was_last_user(&two)?);
        assert!(folder.was_last_user(&three)?);
        let four = folder.join_users()?;
        assert!(folder.was_last_user(&four)?);
        Ok(fs::remove_dir_all(folder.path())?)
    }
}
