//! Private folders that are there while something goes on, and that no kill leaves behind for good.

use std::fs::File;
use std::io::Result;
use std::path::{Path, PathBuf};

use super::private;

/// Held for as long as the folder is in use. The system lets go of it when the process ends, however that happens.
const LOCK: &str = "lock";

/// A folder of this process. Dropping it removes it.
#[derive(Debug)]
pub struct HeldFolder {
    path: PathBuf,
    _lock: File,
}

impl HeldFolder {
    /// Makes the folder anew.
    pub fn create(path: &Path) -> Result<Self> {
        private::remove(path)?;
        private::folder(path)?;
        // Relative paths would mean something else to a program that runs in there.
        let path = path.canonicalize()?;
        let lock = File::create(path.join(LOCK))?;
        lock.try_lock()?;
        Ok(Self { path, _lock: lock })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for HeldFolder {
    fn drop(&mut self) {
        // What cannot be removed now is removed the next time.
        let _ = private::remove(&self.path);
    }
}

/// Removes the folders in here whose process has ended: there may be a user's words in them.
pub fn clear(folders: &Path) {
    for entry in std::fs::read_dir(folders).into_iter().flatten().flatten() {
        let path = entry.path();
        let in_use = File::open(path.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_err());
        if !in_use && let Err(error) = private::remove(&path) {
            tracing::warn!(%error, "a folder that a killed process left could not be removed");
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_use_stays_and_what_was_left_goes_even_if_it_was_shut() {
        use std::os::unix::fs::PermissionsExt;
        let all = tempfile::tempdir().unwrap();
        let used = HeldFolder::create(&all.path().join("used")).unwrap();
        let shut = all.path().join("left/shut");
        std::fs::create_dir_all(&shut).unwrap();
        std::fs::write(shut.join("words"), "private").unwrap();
        std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o300)).unwrap();
        std::fs::write(all.path().join("left/lock"), "").unwrap();
        clear(all.path());
        assert!(used.path().exists() && !all.path().join("left").exists());
        drop(used);
        assert_eq!(std::fs::read_dir(all.path()).unwrap().count(), 0);
    }
}
