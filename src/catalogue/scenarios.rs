//! Scenarios of engines: read for a test, never at start-up, and no part of an engine's hash.

use std::collections::BTreeMap;
use std::path::Path;

use super::folder::{FolderError, read_inside};
use super::{Catalogue, CatalogueError, Entry, embedded};

/// A folder of scenarios as it was found: scenarios at the top, persons below.
#[derive(Clone, Debug, Default)]
pub struct CaseFiles {
    /// Where it is, for messages.
    pub origin: String,
    /// The engine it belongs to, by name or path; `None` where the files must name one.
    pub engine: Option<String>,
    /// Contents by path within the folder.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Files that are there and were not read, with the reason.
    pub refused: BTreeMap<String, String>,
    /// The scenarios to run; all at the top, when empty.
    pub chosen: Vec<String>,
    /// Whether it is a folder on disk, and not in the binary.
    pub on_disk: bool,
}

/// The folder of an engine that holds its scenarios.
const FOLDER: &str = "scenarios";

/// Whether a file of that name belongs to scenarios.
pub(crate) fn is_scenario(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "toml")
}

/// Whether a file of that name is a picture that a scenario expects.
pub(crate) fn is_frame(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "frame")
}

impl Catalogue {
    /// The engines in a folder of engines. A name or path that is no such folder is returned as it is.
    pub fn engines_in(&self, name: &str) -> Vec<String> {
        let path = Path::new(name);
        let itself = || vec![name.to_owned()];
        if self.entries.contains_key(name) || path.join("engine.toml").is_file() {
            return itself();
        }
        let folders = entries(path).unwrap_or_default().into_iter().filter(|entry| entry.join("engine.toml").is_file());
        let found: Vec<String> = folders.map(|folder| folder.display().to_string()).collect();
        if found.is_empty() { itself() } else { found }
    }

    /// The scenarios at a path, or of the engine of that name.
    pub fn scenarios(&self, name: &str) -> Result<CaseFiles, CatalogueError> {
        match self.entries.get(name) {
            Some(Entry::Embedded) => {
                let (origin, files) = (format!("engines/{name}/{FOLDER}"), embedded::scenarios(name));
                let engine = Some(name.to_owned());
                return Ok(CaseFiles { origin, engine, files, ..CaseFiles::default() });
            }
            Some(Entry::User(path)) => return Ok(of_engine(path)?),
            None => {}
        }
        let path = Path::new(name);
        if path.join("engine.toml").is_file() {
            return Ok(of_engine(path)?);
        }
        if path.is_dir() {
            return Ok(of_folder(path, Vec::new())?);
        }
        if path.is_file() {
            let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            return Ok(of_folder(folder, vec![file])?);
        }
        // There is no such thing: fails with the same words as for an engine.
        self.files(name).map(|_| CaseFiles::default())
    }
}

fn of_engine(path: &Path) -> Result<CaseFiles, FolderError> {
    let mut found = of_folder(&path.join(FOLDER), Vec::new())?;
    found.engine = Some(path.display().to_string());
    Ok(found)
}

fn of_folder(path: &Path, chosen: Vec<String>) -> Result<CaseFiles, FolderError> {
    let engine = path.canonicalize().ok().and_then(|whole| {
        let parent = whole.parent()?;
        let inside = whole.file_name().is_some_and(|name| name == FOLDER) && parent.join("engine.toml").is_file();
        inside.then(|| parent.display().to_string())
    });
    let (mut files, mut refused) = (BTreeMap::new(), BTreeMap::new());
    for (prefix, folder) in folders(path)? {
        for entry in entries(&folder)? {
            let name = entry.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            if entry.is_file() && (is_scenario(&name) || is_frame(&name)) {
                let name = format!("{prefix}{name}");
                match read_inside(path, Path::new(&name))? {
                    Ok(bytes) => drop(files.insert(name, bytes)),
                    Err(why) => drop(refused.insert(name, why)),
                }
            }
        }
    }
    Ok(CaseFiles { origin: path.display().to_string(), engine, files, refused, chosen, on_disk: true })
}

/// The folder itself and those in it, each with what stands before the names of its files.
fn folders(path: &Path) -> Result<Vec<(String, std::path::PathBuf)>, FolderError> {
    let mut found = vec![(String::new(), path.to_owned())];
    for entry in entries(path)? {
        if let Some(name) = entry.file_name().and_then(|name| name.to_str()).filter(|_| entry.is_dir()) {
            found.push((format!("{name}/"), entry.clone()));
        }
    }
    Ok(found)
}

fn entries(path: &Path) -> Result<Vec<std::path::PathBuf>, FolderError> {
    let fail = |source| FolderError { path: path.to_owned(), source };
    if !path.exists() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).map_err(fail)? {
        found.push(entry.map_err(fail)?.path());
    }
    found.sort();
    Ok(found)
}
