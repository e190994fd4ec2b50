//! What can go wrong in the store, one variant per thing that the caller does next.

use std::path::PathBuf;

use super::{Finding, SessionId};

/// Says what went wrong, to what, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process holds the database longer than this one waits. Try again.
    #[error(
        "The sessions in {} are in use by another Elenchus process: wait for it or close it, then try again",
        path.display()
    )]
    Locked {
        /// The database.
        path: PathBuf,
    },
    /// The session moved on since the caller read it. Load it again.
    #[error(
        "Session {session} was changed by another window or process (it is at turn {found_turn}, revision \
         {found_revision}; this change was made for turn {expected_turn}, revision {expected_revision}): load it again"
    )]
    Conflict {
        session: SessionId,
        /// The turn the caller had seen.
        expected_turn: u32,
        /// The revision the caller had seen.
        expected_revision: u64,
        found_turn: u32,
        found_revision: u64,
    },
    /// Another living process has a turn of this session under way. Wait for it, then load the session again.
    #[error(
        "Session {session} has a turn under way in another window or process: wait for it to end, then load the session \
         again"
    )]
    TurnUnderWay { session: SessionId },
    /// The handoff was accepted before. Go on in the session that took it up.
    #[error("This handoff was accepted already: session {session}")]
    TakenUp {
        /// The session that took it up.
        session: SessionId,
    },
    /// There is no room. Nothing of the failed write was kept. Make room and try again.
    #[error("There is no space left to save to {}: free some space, then try again; nothing was lost", path.display())]
    DiskFull {
        /// The database.
        path: PathBuf,
    },
    /// The file or its folder may not be written. Fix the permissions or choose another folder.
    #[error(
        "{} cannot be written: make the file and its folder writable, or choose another folder with --data-dir",
        path.display()
    )]
    ReadOnly {
        /// The database or its folder.
        path: PathBuf,
    },
    /// The folder or file cannot be reached at all.
    #[error("{} cannot be opened ({reason}): check the path, or choose another folder with --data-dir", path.display())]
    Unreachable {
        /// What was to be opened.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A newer Elenchus wrote it. Use that one.
    #[error(
        "{} was written by a newer Elenchus (format {found}, this one knows {known}): use the newer version; nothing was \
         changed",
        path.display()
    )]
    NewerVersion {
        /// The database.
        path: PathBuf,
        /// The format of the file.
        found: i64,
        /// The newest format that this program knows.
        known: i64,
    },
    /// A version before the first release wrote it. Move it away.
    #[error(
        "{} was written by an early Elenchus (format {found}; this one reads {oldest} and later): move it away or choose \
         another folder with --data-dir; it was not changed",
        path.display()
    )]
    OlderVersion {
        /// The database.
        path: PathBuf,
        /// The format of the file.
        found: i64,
        /// The oldest format that this program reads.
        oldest: i64,
    },
    /// It is a file of something else. Choose another place.
    #[error(
        "{} is not an Elenchus database: move it away or choose another folder with --data-dir; it was not changed",
        path.display()
    )]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// It is damaged. Restore a copy.
    #[error(
        "{} is damaged ({reason}): keep a copy of it and of the files beside it, then put a backup in its place \
         with `elenchus restore FILE`",
        path.display()
    )]
    Corrupt {
        /// The database.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
    /// The log of this session is sealed with a key that was not handed over. Hand it over.
    #[error(
        "Session {session} is sealed with a log key that is not here: set ELENCHUS_LOG_KEY as it was (reading works \
         without it, and a copy made with `elenchus sessions fork` can be written)"
    )]
    KeyMissing { session: SessionId },
    /// The log of this session is sealed with another key, or was changed.
    #[error(
        "The end of the log of session {session} does not fit the log key: either ELENCHUS_LOG_KEY is another key than \
         before, or the log was changed; `elenchus sessions verify` says more"
    )]
    WrongKey { session: SessionId },
    /// A backup does not hold what it should. Choose another.
    #[error(
        "{} is not restored, because something in it is not as it was written ({} in all): {}",
        path.display(),
        findings.len(),
        findings.first().map_or("", |finding| finding.problem.as_str())
    )]
    FaultyBackup {
        /// The backup.
        path: PathBuf,
        findings: Vec<Finding>,
    },
    /// There is no such thing. Ask for another.
    #[error("There is no {what} {id}")]
    NotFound {
        /// The kind of thing.
        what: &'static str,
        /// The id or name that was asked for.
        id: String,
    },
    /// A short id fits several sessions. Ask with more of it.
    #[error("\"{prefix}\" fits {count} sessions: give more of the id")]
    Ambiguous {
        /// What was given.
        prefix: String,
        /// How many fit.
        count: usize,
    },
    /// The request makes no sense for the thing it names. The caller is wrong.
    #[error("{0}")]
    Refused(String),
    /// The store was closed before the job ran. Nothing was written.
    #[error("The store is closed: nothing more can be saved in this run")]
    Closed,
    /// The database did what it should not. A fault of the program.
    #[error("The store failed ({0}): this is a fault in Elenchus; nothing of the failed change was kept")]
    Fault(String),
}

impl StoreError {
    pub(crate) fn refused(reason: impl Into<String>) -> Self {
        Self::Refused(reason.into())
    }

    pub(crate) fn not_found(what: &'static str, id: impl std::fmt::Display) -> Self {
        Self::NotFound { what, id: id.to_string() }
    }
}
