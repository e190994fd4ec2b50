//! Opening: everything that must be known before the first word is written.

use std::path::Path;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use rusqlite_migration::{M, Migrations};

use super::files::{self, OpeningLock};
use super::head::{self, Head};
use super::instance::{self, Instance};
use super::{Access, SqliteBackend, erase, faults};
use crate::store::{Clock, LogKey, Store, StoreError, system_clock};

/// Marks the file as ours ("ELNC"), so that the database of another program is never migrated.
const APPLICATION_ID: i64 = 0x454C_4E43;

/// The oldest format that can be opened. Format 1 was never released; its tables were other ones.
const OLDEST: i64 = 2;

/// Every migration since, in order, after one that stands for the format before. Append only.
const MIGRATIONS: &[M<'_>] = &[
    M::up("-- Format 1: refused."),
    M::up(include_str!("migrations/001_sessions.sql")),
    M::up(include_str!("migrations/002_filing.sql")),
];

/// Says how a database is opened.
#[derive(Clone)]
pub struct SqliteOptions {
    pub clock: Clock,
    /// How long to wait for another process before giving up with [`StoreError::Locked`].
    pub patience: Duration,
    /// The most pages (of 4 KiB) the database may grow to; none for as many as the disk holds.
    pub max_pages: Option<u32>,
    /// The key that events are sealed with.
    pub log_key: Option<LogKey>,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self { clock: system_clock(), patience: Duration::from_secs(5), max_pages: None, log_key: None }
    }
}

impl Store {
    /// Opens the embedded database at this path, or makes it, with its folder. One that may not be written, or whose
    /// folder may not, is opened to be read.
    pub fn open_sqlite(path: &Path, options: SqliteOptions) -> Result<Self, StoreError> {
        let backend = match SqliteBackend::open(path, &options) {
            // A file that is not there cannot be read either.
            Err(StoreError::ReadOnly { .. }) if path.is_file() => SqliteBackend::open_to_read(path, &options)?,
            opened => opened?,
        };
        Self::over(Box::new(backend), options.clock)
    }

    /// Opens a database to be read and nothing else: a backup, for example. No file is made or changed.
    pub fn open_sqlite_to_read(path: &Path, options: SqliteOptions) -> Result<Self, StoreError> {
        let backend = SqliteBackend::open_to_read(path, &options)?;
        Self::over(Box::new(backend), options.clock)
    }
}

impl SqliteBackend {
    /// An erasure that could not be finished is tried again.
    fn open(path: &Path, options: &SqliteOptions) -> Result<Self, StoreError> {
        files::make_folder(path)?;
        files::check_writable(path)?;
        let mut lock = OpeningLock::take(path, options.patience)?;
        lock.check_not_emptied(path)?;
        files::make_private(path)?;
        let conn = connect(path, options)?;
        lock.mark_set_up();
        instance::sweep(path);
        let instance = Instance::begin(path).map_err(|error| files::of_io(&error, path))?;
        let fault = |error: rusqlite::Error| faults::of_sqlite(&error, path);
        let mut head = Head::open(path, true);
        head::settle(&conn, &mut head).map_err(fault)?;
        erase::retry(&conn).map_err(fault)?;
        let (path, instance, log_key) = (path.to_owned(), Some(instance), options.log_key.clone());
        Ok(Self { conn, path, instance, head, log_key, access: Access::Read })
    }

    /// Makes and changes no file. A database without a log beside it is read as it lies there; with one, SQLite needs the
    /// files beside it. One of an older format is brought up to date in the memory.
    pub(super) fn open_to_read(path: &Path, options: &SqliteOptions) -> Result<Self, StoreError> {
        let fault = |error: rusqlite::Error| faults::of_sqlite(&error, path);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let mode = if files::has_log(path) { "mode=ro" } else { "immutable=1" };
        let conn = Connection::open_with_flags(files::uri(path, mode), flags).map_err(fault)?;
        conn.busy_timeout(options.patience).map_err(fault)?;
        check_identity(&conn, path)?;
        let conn = if is_of_today(&conn).map_err(fault)? { conn } else { brought_up_to_date(&conn, path)? };
        conn.set_prepared_statement_cache_capacity(128);
        let (head, log_key) = (Head::open(path, false), options.log_key.clone());
        Ok(Self { conn, path: path.to_owned(), instance: None, head, log_key, access: Access::Read })
    }
}

fn is_of_today(conn: &Connection) -> rusqlite::Result<bool> {
    let found: i64 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    Ok(usize::try_from(found) == Ok(MIGRATIONS.len()))
}

/// A copy of an older database in the newest format, in the memory: the file itself may not be changed.
fn brought_up_to_date(conn: &Connection, path: &Path) -> Result<Connection, StoreError> {
    let fault = |error: rusqlite::Error| faults::of_sqlite(&error, path);
    let mut copy = Connection::open_in_memory().map_err(fault)?;
    let backup = Backup::new(conn, &mut copy).map_err(fault)?;
    if backup.step(-1).map_err(fault)? != StepResult::Done {
        return Err(StoreError::Locked { path: path.to_owned() });
    }
    drop(backup);
    migrate(&mut copy, path)?;
    Ok(copy)
}

fn connect(path: &Path, options: &SqliteOptions) -> Result<Connection, StoreError> {
    let fault = |error: rusqlite::Error| faults::of_sqlite(&error, path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let mut conn = Connection::open_with_flags(path, flags).map_err(fault)?;
    conn.busy_timeout(options.patience).map_err(fault)?;
    check_identity(&conn, path)?;
    if conn.is_readonly("main").map_err(fault)? {
        return Err(StoreError::ReadOnly { path: path.to_owned() });
    }
    set_up(&conn, options).map_err(fault)?;
    migrate(&mut conn, path)?;
    Ok(conn)
}

fn set_up(conn: &Connection, options: &SqliteOptions) -> rusqlite::Result<()> {
    // Commits append to a log beside the file, so readers never wait for a writer.
    conn.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    // FULL syncs the log at every commit. A turn that was acknowledged survives SIGKILL with any setting, because the
    // system has the pages; with FULL it also survives a power cut, as far as the disk keeps its word. NORMAL would save
    // one sync of a few milliseconds per turn, which is not noticed beside the seconds a model takes.
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "foreign_keys", true)?;
    // What is deleted is overwritten in place; `erase` does the rest.
    conn.pragma_update(None, "secure_delete", true)?;
    conn.pragma_update(None, "cache_size", -8_000)?;
    conn.set_prepared_statement_cache_capacity(128);
    if let Some(pages) = options.max_pages {
        conn.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))?;
    }
    Ok(())
}

/// Refuses, before anything is written, what is not ours or not ours to understand.
fn check_identity(conn: &Connection, path: &Path) -> Result<(), StoreError> {
    let number = |sql| {
        let found = conn.query_row(sql, [], |row| row.get::<_, i64>(0));
        found.map_err(|error| faults::of_sqlite(&error, path))
    };
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    let application = number("PRAGMA application_id")?;
    let found = number("PRAGMA user_version")?;
    if tables > 0 && application != APPLICATION_ID {
        return Err(StoreError::NotADatabase { path: path.to_owned() });
    }
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    if found > known {
        return Err(StoreError::NewerVersion { path: path.to_owned(), found, known });
    }
    if tables > 0 && (1..OLDEST).contains(&found) {
        return Err(StoreError::OlderVersion { path: path.to_owned(), found, oldest: OLDEST });
    }
    Ok(())
}

/// An empty database of the newest format, in the memory.
pub(super) fn example() -> rusqlite::Result<Connection> {
    let mut conn = Connection::open_in_memory()?;
    match Migrations::from_slice(MIGRATIONS).to_latest(&mut conn) {
        Err(rusqlite_migration::Error::RusqliteError { err, .. }) => Err(err),
        // Nothing else can go wrong with migrations that every opening has made before.
        _ => Ok(conn),
    }
}

fn migrate(conn: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let fault = |error: rusqlite::Error| faults::of_sqlite(&error, path);
    // Set first: a crash between this and the tables leaves an empty database that says whose it is. And only once: it
    // writes, and an opening that has nothing to change should not wait for a lock.
    let marked: i64 = conn.query_row("PRAGMA application_id", [], |row| row.get(0)).map_err(fault)?;
    if marked != APPLICATION_ID {
        conn.pragma_update(None, "application_id", APPLICATION_ID).map_err(fault)?;
    }
    match Migrations::from_slice(MIGRATIONS).to_latest(conn) {
        Ok(()) => Ok(()),
        Err(rusqlite_migration::Error::RusqliteError { err, .. }) => Err(fault(err)),
        Err(error) => Err(StoreError::Fault(format!("the database could not be brought up to date: {error}"))),
    }
}
