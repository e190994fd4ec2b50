//! Backups: a copy of the whole store as it is at one moment, checked before it gets its name.

use std::io::Read as _;
use std::path::Path;

use super::Store;
use crate::store::{Report, StoreError};

impl Store {
    /// Copies everything into a file that only its owner can read, while others go on writing. The copy is checked as
    /// [`verify`](Self::verify) checks, and gets its name afterwards; what was found is returned, and the copy is kept all
    /// the same: it holds what there is. A file that is there already is replaced only where `replace` says so, and only
    /// a plain one that is no part of the store.
    pub fn backup(&mut self, file: &Path, replace: bool) -> Result<Report, StoreError> {
        if !replace && file.symlink_metadata().is_ok() {
            let there = file.display();
            let reason = format!("{there} is there already: choose another name, or have it replaced with --force");
            return Err(StoreError::Refused(reason));
        }
        let mut part = file.as_os_str().to_owned();
        part.push(".part");
        let part = Path::new(&part);
        if !is_left_over(part) {
            let there = part.display();
            return Err(StoreError::Refused(format!(
                "{there} is in the way and no copy of a store: choose another name"
            )));
        }
        self.backend.check_copy(file)?;
        self.backend.check_copy(part)?;
        let copy = self.backend.copy_to(part)?;
        let report = Self::over(copy, self.clock.clone())?.verify(None)?;
        std::fs::rename(part, file)
            .map_err(|error| StoreError::Unreachable { path: file.to_owned(), reason: error.to_string() })?;
        Ok(report)
    }
}

/// Whether there is nothing at a place, or what a backup has left that did not come to its end.
fn is_left_over(part: &Path) -> bool {
    const HEAD: &[u8] = b"SQLite format 3\0";
    let Ok(file) = std::fs::File::open(part) else { return part.symlink_metadata().is_err() };
    let mut head = Vec::new();
    let read = file.take(HEAD.len() as u64).read_to_end(&mut head);
    read.is_ok() && (head.is_empty() || head == HEAD)
}
