//! Turns what SQLite reports into what the caller does next.

use std::path::Path;

use rusqlite::ErrorCode;
use rusqlite::ffi;

use crate::store::StoreError;

/// Is an error on its way out, before the path of the database is known to it.
#[derive(Debug)]
pub(super) enum Failure {
    Sql(rusqlite::Error),
    Said(StoreError),
}

/// Is the result of everything inside this module.
pub(super) type Outcome<T> = Result<T, Failure>;

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Said(error)
    }
}

impl Failure {
    /// Makes the error of a request that makes no sense.
    pub(super) fn refused(reason: impl Into<String>) -> Self {
        Self::Said(StoreError::Refused(reason.into()))
    }

    /// Makes the error of a thing that is not there.
    pub(super) fn not_found(what: &'static str, id: impl std::fmt::Display) -> Self {
        Self::Said(StoreError::NotFound { what, id: id.to_string() })
    }

    /// Makes the error of something that cannot be.
    pub(super) fn fault(reason: impl Into<String>) -> Self {
        Self::Said(StoreError::Fault(reason.into()))
    }

    /// Says it with the path of the database.
    pub(super) fn at(self, path: &Path) -> StoreError {
        match self {
            Self::Said(error) => error,
            Self::Sql(error) => of_sqlite(&error, path),
        }
    }
}

fn of_sqlite(error: &rusqlite::Error, path: &Path) -> StoreError {
    let path = path.to_owned();
    let reason = error.to_string();
    match error {
        rusqlite::Error::SqliteFailure(code, _) => match code.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Locked { path },
            ErrorCode::DiskFull => StoreError::DiskFull { path },
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => StoreError::ReadOnly { path },
            ErrorCode::DatabaseCorrupt => StoreError::Corrupt { path, reason },
            ErrorCode::NotADatabase => StoreError::NotADatabase { path },
            // A file that ends too early, or whose other half cannot be read, is damaged rather than unreachable.
            ErrorCode::SystemIoFailure
                if matches!(code.extended_code, ffi::SQLITE_IOERR_SHORT_READ | ffi::SQLITE_IOERR_CORRUPTFS) =>
            {
                StoreError::Corrupt { path, reason }
            }
            ErrorCode::CannotOpen | ErrorCode::SystemIoFailure => StoreError::Unreachable { path, reason },
            _ => StoreError::Fault(reason),
        },
        // A column holds what no version of this program writes there.
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::Utf8Error(..) => StoreError::Corrupt { path, reason },
        _ => StoreError::Fault(reason),
    }
}
