//! Turns what SQLite reports into what the caller does next.

use std::path::Path;

use rusqlite::{ErrorCode, ffi};

use crate::store::StoreError;

pub(super) fn of_sqlite(error: &rusqlite::Error, path: &Path) -> StoreError {
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
