//! An engine's folder on disk, read with care: only its own files, and never more of them than could be right.

use std::collections::BTreeMap;

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::engine::config::EngineFiles;
use crate::files::{inside, plain};

/// The files an engine is made of. Its scenarios are tests, not part of it.
pub(crate) const FILES: &[&str] = &["engine.toml", "prompt.md", "brief.md", "examples.toml"];

/// Reading stops here; the loader refuses files of this size anyway.
const MAX_READ: u64 = 1024 * 1024;

/// A folder or file that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}: {source}", path.display())]
pub struct FolderError {
    pub path: PathBuf,
    pub source: io::Error,
}

/// The folders below `root` that hold an engine, by name. A root that does not exist has none.
pub(crate) fn engine_folders(root: &Path) -> Result<Vec<PathBuf>, FolderError> {
    let fail = |source| FolderError { path: root.to_owned(), source };
    let entries = match std::fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(fail(error)),
    };
    let mut folders = Vec::new();
    for entry in entries {
        let path = entry.map_err(fail)?.path();
        if path.join("engine.toml").is_file() {
            folders.push(path);
        }
    }
    folders.sort();
    Ok(folders)
}

/// The languages in a folder, by the name of their file. A folder that does not exist has none.
pub(crate) fn languages(root: &Path) -> Result<BTreeMap<String, Vec<u8>>, FolderError> {
    let fail = |source| FolderError { path: root.to_owned(), source };
    let entries = match std::fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(fail(error)),
    };
    let mut found = BTreeMap::new();
    for entry in entries {
        let path = entry.map_err(fail)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if path.extension().is_some_and(|extension| extension == "toml") {
            found.insert(name, read_capped(&path)?);
        }
    }
    Ok(found)
}

/// The examples that belong to a language in a folder, if it has any.
pub(crate) fn examples(root: &Path, language: &str) -> Result<Option<Vec<u8>>, FolderError> {
    let path = root.join("examples").join(language);
    if path.is_file() { read_capped(&path).map(Some) } else { Ok(None) }
}

/// The engine in a folder.
pub fn read(path: &Path) -> Result<EngineFiles, FolderError> {
    let path =
        if path.file_name().is_some_and(|name| name == "engine.toml") { path.parent().unwrap_or(path) } else { path };
    // The name of "." or ".." is that of the folder it stands for.
    let whole = path.canonicalize().map_err(|source| FolderError { path: path.to_owned(), source })?;
    let folder = whole.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    if !path.join("engine.toml").exists() {
        let message = "it is not an engine's folder: there is no engine.toml in it (`elenchus engines new` starts one)";
        let source = io::Error::new(io::ErrorKind::NotFound, message);
        return Err(FolderError { path: path.to_owned(), source });
    }
    let (mut files, mut refused) = (BTreeMap::new(), BTreeMap::new());
    for name in FILES.iter().filter(|name| path.join(name).exists()) {
        match read_inside(path, Path::new(name))? {
            Ok(bytes) => drop(files.insert((*name).to_owned(), bytes)),
            Err(why) => drop(refused.insert((*name).to_owned(), why)),
        }
    }
    Ok(EngineFiles { origin: path.display().to_string(), folder, files, refused })
}

/// The first megabyte of a file in a folder, or why it is not read: what an engine is made of stands in its folder, and
/// a link could have any file of the user sent to an endpoint.
pub(super) fn read_inside(folder: &Path, name: &Path) -> Result<Result<Vec<u8>, String>, FolderError> {
    match inside::existing(folder, name) {
        Ok(file) => read_capped(&file).map(Ok),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(Err(error.to_string())),
        Err(source) => Err(FolderError { path: folder.join(name), source }),
    }
}

/// The first megabyte of a regular file; anything else (a pipe, a device) is refused rather than waited for.
pub(crate) fn read_capped(path: &Path) -> Result<Vec<u8>, FolderError> {
    let fail = |source| FolderError { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    plain::open(path).map_err(fail)?.take(MAX_READ).read_to_end(&mut bytes).map_err(fail)?;
    Ok(bytes)
}
