//! Tells living processes from dead ones.
//!
//! A running task belongs to a process. Whether that process lives cannot be told from a row it wrote; but a file it
//! keeps locked is unlocked by the system the moment it dies, however it dies.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::files;

/// Is this process's own sign of life, held as long as the store is open.
pub(super) struct Instance {
    pub(super) id: Uuid,
    path: PathBuf,
    _lock: File,
}

impl Instance {
    /// Puts up the sign. To be called under the lock of opening, so that no
    /// other process takes it down before it is locked.
    pub(super) fn begin(database: &Path) -> std::io::Result<Self> {
        let id = Uuid::now_v7();
        let path = sign(database, id);
        let lock = files::private(OpenOptions::new().write(true).create_new(true)).open(&path)?;
        lock.lock()?;
        Ok(Self { id, path, _lock: lock })
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // A sign that stays behind is unlocked, and the next opening takes it down.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn sign(database: &Path, id: Uuid) -> PathBuf {
    files::beside(database, &format!(".live-{id}"))
}

/// Tells whether the process with that id lives. In doubt it does: a task that seems to run is better than one that
/// runs twice.
pub(super) fn is_alive(database: &Path, id: Uuid) -> bool {
    locked(&sign(database, id))
}

fn locked(path: &Path) -> bool {
    match OpenOptions::new().write(true).open(path) {
        Ok(file) => !matches!(file.try_lock(), Ok(())),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// Takes down the signs of the dead. Says whether anyone lives.
pub(super) fn sweep(database: &Path) -> bool {
    let (Some(folder), Some(name)) = (database.parent(), database.file_name()) else { return false };
    let prefix = format!("{}.live-", name.to_string_lossy());
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    let mut living = false;
    for entry in entries.flatten() {
        if !entry.file_name().to_string_lossy().starts_with(&prefix) {
            continue;
        }
        if locked(&entry.path()) {
            living = true;
        } else {
            // Nothing depends on it being gone.
            let _ = std::fs::remove_file(entry.path());
        }
    }
    living
}

/// Tries to lock a file, and says whether that succeeded.
pub(super) fn try_lock(file: &File) -> std::io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
