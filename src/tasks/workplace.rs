//! Where a program works: a private folder that is there while it runs, with a copy of the files it brings.

use std::path::{Path, PathBuf};

use super::failure::AttemptFailure;
use super::handler::process::Place;
use super::pin::{self, PinnedFile};
use crate::files::held::HeldFolder;
use crate::files::private;

/// The folders of one attempt. Dropping it removes them.
#[derive(Debug)]
pub(crate) struct Workplace {
    _root: HeldFolder,
    home: PathBuf,
    scratch: PathBuf,
    own: PathBuf,
}

impl Workplace {
    /// Makes the folders anew. What an interrupted attempt left is not this one's business.
    pub fn create(root: &Path) -> Result<Self, AttemptFailure> {
        Self::made(root).map_err(|error| AttemptFailure::failed(format!("there is no working folder for it: {error}")))
    }

    fn made(root: &Path) -> std::io::Result<Self> {
        let root = HeldFolder::create(root)?;
        let folders = ["home", "tmp", "own"].map(|name| root.path().join(name));
        for folder in &folders {
            private::folder(folder)?;
        }
        let [home, scratch, own] = folders;
        Ok(Self { _root: root, home, scratch, own })
    }

    /// Copies the files of an engine's folder in, and says what was copied.
    pub fn bring(&self, folder: &Path) -> Result<Vec<PinnedFile>, String> {
        pin::copy(folder, &self.own)
    }

    /// Where a file of the engine's folder is in here.
    pub fn own(&self, name: &str) -> PathBuf {
        self.own.join(name)
    }

    pub fn place(&self) -> Place<'_> {
        Place { home: &self.home, scratch: &self.scratch, own: Some(&self.own) }
    }
}
