//! What was found out about endpoints, kept from one run of the program to the next.
//!
//! A small JSON file, by endpoint and model. It is only a shortcut: a file that cannot be read or written
//! costs a few refused requests, never a conversation.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::structured::Capabilities;
use crate::files::plain;

/// The most endpoints that are remembered.
const MOST: usize = 200;

/// The file, and what it is known to hold.
#[derive(Debug)]
pub struct Remembered {
    path: PathBuf,
    kept: Mutex<BTreeMap<String, Capabilities>>,
}

impl Remembered {
    /// Reads the file; one that is missing or makes no sense is empty.
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned(), kept: Mutex::new(read(path)) }
    }

    /// What is known of an endpoint and model.
    pub fn get(&self, name: &str) -> Option<Capabilities> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Keeps what was found out, if that is news.
    pub fn keep(&self, name: &str, found: &Capabilities) {
        let found = found.settled();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.get(name).cloned().unwrap_or_default() == found {
            return;
        }
        // Another process may have found out something else meanwhile.
        let mut all = read(&self.path);
        all.insert(name.to_owned(), found);
        while all.len() > MOST {
            let other = all.keys().find(|key| *key != name).cloned();
            all.remove(&other.unwrap_or_default());
        }
        // Without the file the next run finds out again.
        let _ = write(&self.path, &all);
        *kept = all;
    }
}

fn read(path: &Path) -> BTreeMap<String, Capabilities> {
    let text = plain::text(path, plain::SETTINGS).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Writes beside the file and then puts it in its place, so that nobody ever reads half of it.
fn write(path: &Path, all: &BTreeMap<String, Capabilities>) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer_pretty(&mut file, all)?;
    file.write_all(b"\n")?;
    file.persist(path)?;
    Ok(())
}
