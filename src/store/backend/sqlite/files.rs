//! The files of the database: where they are, who may read them, and what can be told before SQLite touches them.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::instance;
use crate::store::StoreError;

/// Returns the path of a file that stands beside the database and begins with its name.
pub(super) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Lets a file be made for its owner only.
pub(super) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Makes the folder, for its owner only, if there is none. One that exists is left as it is: it may
/// belong to another user.
pub(super) fn make_folder(database: &Path) -> Result<(), StoreError> {
    let Some(folder) = database.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| of_io(&error, folder))
}

/// Makes the database file if there is none, and makes sure that only its owner can read it. SQLite gives the files it
/// puts beside it (`-wal`, `-shm`) the same mode.
pub(super) fn make_private(database: &Path) -> Result<(), StoreError> {
    let made = private(OpenOptions::new().read(true).write(true).create(true).truncate(false)).open(database);
    let file = made.map_err(|error| of_io(&error, database))?;
    let metadata = file.metadata().map_err(|error| of_io(&error, database))?;
    if metadata.is_dir() {
        return Err(StoreError::NotADatabase { path: database.to_owned() });
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        for suffix in ["", "-wal", "-shm"] {
            let path = beside(database, suffix);
            let open = std::fs::metadata(&path).is_ok_and(|found| found.permissions().mode() & 0o077 != 0);
            if open {
                let only_owner = std::fs::Permissions::from_mode(0o600);
                std::fs::set_permissions(&path, only_owner).map_err(|error| of_io(&error, &path))?;
            }
        }
    }
    Ok(())
}

/// Refuses what may not be written. What says so of itself is believed, also where the user may write everything.
pub(super) fn check_writable(database: &Path) -> Result<(), StoreError> {
    let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty());
    for path in folder.into_iter().chain([database]) {
        if std::fs::metadata(path).is_ok_and(|found| found.permissions().readonly()) {
            return Err(StoreError::ReadOnly { path: path.to_owned() });
        }
    }
    Ok(())
}

/// Whether a log stands beside the database that has not been moved into it.
pub(super) fn has_log(database: &Path) -> bool {
    std::fs::metadata(beside(database, "-wal")).is_ok_and(|found| found.len() > 0)
}

/// The path as SQLite wants it where there is more to say about it than the path.
pub(super) fn uri(path: &Path, with: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-~".contains(byte);
    let encoded: String = path
        .as_os_str()
        .as_encoded_bytes()
        .iter()
        .map(|byte| if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    format!("file:{encoded}?{with}")
}

/// Is held while the database is opened: two processes that open a new database at once would both try to set it up.
pub(super) struct OpeningLock(File);

/// What the lock file holds once the database has been set up. A database that is empty although it was set up has been
/// cut to nothing, and must not be mistaken for a new one.
const SET_UP: &[u8] = b"set up\n";

/// The least that SQLite takes for a database; anything shorter it takes for an empty file.
const SMALLEST: u64 = 512;

impl OpeningLock {
    /// Waits for the lock as long as told.
    pub(super) fn take(database: &Path, patience: Duration) -> Result<Self, StoreError> {
        let path = beside(database, ".lock");
        let opened = private(OpenOptions::new().read(true).write(true).create(true).truncate(false)).open(&path);
        let file = opened.map_err(|error| of_io(&error, &path))?;
        let since = Instant::now();
        while !instance::try_lock(&file).map_err(|error| of_io(&error, &path))? {
            if since.elapsed() >= patience {
                return Err(StoreError::Locked { path: database.to_owned() });
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(Self(file))
    }

    /// Refuses a database that has been cut to less than a header. SQLite would take it for a new one and throw away the
    /// log beside it.
    pub(super) fn check_not_emptied(&mut self, database: &Path) -> Result<(), StoreError> {
        let length = |path: &Path| std::fs::metadata(path).map_or(0, |found| found.len());
        let found = length(database);
        if found >= SMALLEST {
            return Ok(());
        }
        let mut mark = Vec::new();
        // A lock file that cannot be read says nothing either way.
        let _ = self.0.read_to_end(&mut mark);
        if mark == SET_UP || length(&beside(database, "-wal")) > 0 {
            let reason = format!("the file has {found} bytes, but it held sessions before");
            return Err(StoreError::Corrupt { path: database.to_owned(), reason });
        }
        if found > 0 { Err(StoreError::NotADatabase { path: database.to_owned() }) } else { Ok(()) }
    }

    /// Notes that the database has been set up.
    pub(super) fn mark_set_up(&mut self) {
        if self.0.metadata().is_ok_and(|found| found.len() == 0) {
            // Only a precaution fails with it.
            let _ = self.0.write_all(SET_UP);
        }
    }
}

/// Refuses what is no plain file before SQLite waits for it.
pub(super) fn check_plain(path: &Path) -> Result<(), StoreError> {
    let found = std::fs::metadata(path).map_err(|error| of_io(&error, path))?;
    if found.is_file() { Ok(()) } else { Err(StoreError::NotADatabase { path: path.to_owned() }) }
}

/// Whether a file begins as every database of SQLite does.
pub(super) fn is_database(path: &Path) -> bool {
    const START: &[u8; 16] = b"SQLite format 3\0";
    let mut start = [0; START.len()];
    std::fs::File::open(path).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut start)).is_ok()
        && start == *START
}

/// The databases that `restore` has set aside and that are still there.
pub fn set_aside(database: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (database.parent(), database.file_name()) else { return Vec::new() };
    let start = format!("{}.before-", name.to_string_lossy());
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut kept: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&start))
        .map(|entry| entry.path())
        .collect();
    kept.sort();
    kept
}

/// Turns what the system says about a file into what the caller does next.
pub(super) fn of_io(error: &std::io::Error, path: &Path) -> StoreError {
    let path = path.to_owned();
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly { path },
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => StoreError::DiskFull { path },
        ErrorKind::IsADirectory => StoreError::NotADatabase { path },
        _ => StoreError::Unreachable { path, reason: error.to_string() },
    }
}
