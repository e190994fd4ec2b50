//! Copies of a database: made by SQLite while others write, and put in its place.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::files::{self, OpeningLock};
use super::head::Head;
use super::open::SqliteOptions;
use super::{SqliteBackend, erase, faults, instance, integrity};
use crate::store::backend::Access;
use crate::store::ledger::call_the_roll;
use crate::store::{Finding, Report, Store, StoreError};

/// Copies the database as it is at one moment into a new file that only its owner can read.
pub(super) fn copy(from: &Connection, file: &Path) -> Result<(), StoreError> {
    let fault = |error: rusqlite::Error| faults::of_sqlite(&error, file);
    let _ = fs::remove_file(file);
    let made = files::private(OpenOptions::new().write(true).create_new(true)).open(file);
    let made = made.map_err(|error| files::of_io(&error, file))?;
    let mut to = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(fault)?;
    let backup = Backup::new(from, &mut to).map_err(fault)?;
    // All pages in one step: that is one moment of the database, and what others write meanwhile does not make it begin
    // anew.
    match backup.step(-1).map_err(fault)? {
        StepResult::Done => {}
        StepResult::Busy | StepResult::Locked => return Err(StoreError::Locked { path: file.to_owned() }),
        _ => return Err(StoreError::Fault("the copy did not come to its end".to_owned())),
    }
    drop(backup);
    // A copy is one file, without a log beside it.
    to.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(())).map_err(fault)?;
    to.close().map_err(|(_, error)| fault(error))?;
    made.sync_all().map_err(|error| files::of_io(&error, file))
}

/// Refuses a place for a copy where the database has its own files, and one where something stands that is no plain file:
/// a device, a link, a folder. In the folder of the database only a copy gives way to a copy.
pub(super) fn check_target(database: &Path, file: &Path) -> Result<(), StoreError> {
    let refuse = |why: &str| Err(StoreError::Refused(format!("{} {why}: choose another name", file.display())));
    let found = file.symlink_metadata().ok();
    if found.as_ref().is_some_and(|found| !found.is_file()) {
        return refuse("is no plain file and is not replaced");
    }
    let folder_of = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        folder.canonicalize().ok()
    };
    let (Some(own), Some(folder)) = (folder_of(database), folder_of(file)) else { return Ok(()) };
    if !folder.starts_with(&own) {
        return Ok(());
    }
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let is_own = folder == own && name(file).starts_with(&name(database));
    if is_own || (found.is_some() && !files::is_database(file)) {
        return refuse("belongs to the sessions themselves");
    }
    Ok(())
}

/// Says what was restored.
#[derive(Debug)]
pub struct Restored {
    /// What checking the backup said; it has no findings.
    pub report: Report,
    /// Where the database that was there before is kept.
    pub kept: Option<PathBuf>,
}

/// Puts a backup in the place of the database. The backup is checked first; the database that was there is kept beside it.
/// Refused while another process has the database open.
pub fn restore_sqlite(database: &Path, backup: &Path, options: &SqliteOptions) -> Result<Restored, StoreError> {
    files::check_plain(backup)?;
    let source = SqliteBackend::open_to_read(backup, options)?;
    let report = Store::open_sqlite_to_read(backup, options.clone())?.verify(None)?;
    if !report.is_clean() {
        return Err(StoreError::FaultyBackup { path: backup.to_owned(), findings: report.findings });
    }
    files::make_folder(database)?;
    files::check_writable(database)?;
    let mut lock = OpeningLock::take(database, options.patience)?;
    if instance::sweep(database) {
        return Err(StoreError::Locked { path: database.to_owned() });
    }
    let fresh = files::beside(database, ".restoring");
    copy(&source.conn, &fresh)?;
    let problems = prepare(&fresh, options)?;
    if !problems.is_empty() {
        let _ = fs::remove_file(&fresh);
        let finding = |problem| Finding { session_id: None, seq: None, problem };
        let findings = problems.into_iter().map(finding).collect();
        return Err(StoreError::FaultyBackup { path: backup.to_owned(), findings });
    }
    let kept = set_aside(database)?;
    rename(&fresh, database)?;
    // What it counted belongs to the database that was there before.
    let _ = fs::remove_file(files::beside(database, ".head"));
    lock.mark_set_up();
    sync_folder(database);
    Ok(Restored { report, kept })
}

/// Makes a copy ready to be the database, and says what is wrong with it that a file which is only read does not show:
/// indexes that do not fit.
///
/// What engines may run was decided on the machine that the backup comes from, perhaps by somebody else: it is asked
/// again here. The list of what is sealed was found to be right, so with the key it is sealed as it is without them.
fn prepare(file: &Path, options: &SqliteOptions) -> Result<Vec<String>, StoreError> {
    let fault = |error: rusqlite::Error| faults::of_sqlite(&error, file);
    let conn = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(fault)?;
    let (head, log_key) = (Head::none(), options.log_key.clone());
    let mut fresh =
        SqliteBackend { conn, path: file.to_owned(), instance: None, head, log_key, access: Access::WriteLightly };
    let problems = integrity::check(&fresh.conn, file, true)?;
    let sql = "BEGIN; DELETE FROM trust; DELETE FROM seals WHERE kind = 'trust';";
    fresh.conn.execute_batch(sql).map_err(fault)?;
    call_the_roll(&mut fresh)?;
    fresh.conn.execute_batch("COMMIT").map_err(fault)?;
    fresh.conn.flush_prepared_statement_cache();
    fresh.conn.close().map_err(|(_, error)| fault(error))?;
    Ok(problems)
}

/// Keeps the database under another name, with its log. A kill at any moment leaves all of it under one of the names.
fn set_aside(database: &Path) -> Result<Option<PathBuf>, StoreError> {
    if !database.exists() {
        return Ok(None);
    }
    // Moved into the file, the log need not be moved along. A damaged database cannot do that; then it is.
    if let Ok(conn) = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_WRITE) {
        let _ = erase::empty_log(&conn);
    }
    let stamp = Timestamp::now().strftime("%Y%m%d-%H%M%S").to_string();
    let names = (0..).map(|n| if n == 0 { format!(".before-{stamp}") } else { format!(".before-{stamp}-{n}") });
    let kept = names.map(|name| files::beside(database, &name)).find(|kept| !kept.exists());
    let Some(kept) = kept else { return Err(StoreError::Fault("no name is free".to_owned())) };
    // A second name first, so that there is never none.
    if fs::hard_link(database, &kept).is_err() {
        fs::copy(database, &kept).map_err(|error| files::of_io(&error, &kept))?;
    }
    if files::has_log(database) {
        rename(&files::beside(database, "-wal"), &files::beside(&kept, "-wal"))?;
    }
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(files::beside(database, suffix));
    }
    Ok(Some(kept))
}

fn rename(from: &Path, to: &Path) -> Result<(), StoreError> {
    fs::rename(from, to).map_err(|error| files::of_io(&error, to))
}

/// Lets the new name outlive a power cut, where the system can do that.
pub(super) fn sync_folder(file: &Path) {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}
