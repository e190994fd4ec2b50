//! Where engines come from: those in the binary, those in the user's folder, and any folder named by its path.

mod embedded;
mod folder;
mod scenarios;

pub(crate) use folder::FILES;
pub use folder::FolderError;
pub use scenarios::CaseFiles;
pub(crate) use scenarios::{is_frame, is_scenario};

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::decode::{Diagnostic, nearest};
use crate::engine::config::{EngineFiles, Library, Loaded, load, load_language, load_techniques};
use crate::engine::{Engine, content_hash};

/// How many compiled engines are kept. A session that watches its engine makes a new one with every change.
const KEPT: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In the binary.
    Embedded,
    /// In the user's engine folder.
    User,
    /// At a path that was named.
    Path,
}

impl Origin {
    /// The word for people and scripts.
    pub fn word(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::User => "user",
            Self::Path => "path",
        }
    }
}

/// Why an engine was not found.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// No engine has the name.
    #[error("there is no engine `{name}`{}", suggestion(near.as_deref()))]
    Unknown {
        name: String,
        /// A name that looks like it.
        near: Option<String>,
    },
    /// The folder could not be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

fn suggestion(near: Option<&str>) -> String {
    match near {
        Some(near) => format!("; did you mean `{near}`?"),
        None => "; `elenchus engines list` shows those there are, and a path to a folder works too".to_owned(),
    }
}

/// All engines that can be named, and the techniques and languages they share.
#[derive(Debug)]
pub struct Catalogue {
    entries: BTreeMap<String, Entry>,
    library: Library,
    /// Sound engines by the name of their folder and a hash of their files, so that each content is compiled once.
    compiled: Mutex<HashMap<(String, String), Arc<Engine>>>,
    /// What is wrong with the techniques and languages.
    pub library_problems: Vec<Diagnostic>,
}

#[derive(Debug)]
enum Entry {
    Embedded(EngineFiles),
    User(PathBuf),
}

impl Catalogue {
    /// The embedded engines and those in `user_folder`, which shadow them by name. A folder that does not exist is empty.
    pub fn open(user_folder: &Path) -> Result<Self, FolderError> {
        let (mut techniques, mut library_problems) = load_techniques("techniques.toml", embedded::techniques());
        let mut entries: BTreeMap<String, Entry> =
            embedded::engines().map(|files| (files.folder.clone(), Entry::Embedded(files))).collect();
        for path in folder::engine_folders(user_folder)? {
            if let Some(name) = path.file_name().and_then(|name| name.to_str()) {
                entries.insert(name.to_owned(), Entry::User(path.clone()));
            }
        }
        let own = user_folder.join("techniques.toml");
        if own.is_file() {
            let (more, problems) = load_techniques(&own.display().to_string(), &folder::read_capped(&own)?);
            techniques.retain(|known| !more.iter().any(|technique| technique.id == known.id));
            techniques.extend(more);
            library_problems.extend(problems);
        }
        let mut lexicons = Vec::new();
        let own = folder::languages(&user_folder.join("language"))?;
        let names: Vec<&String> = own.keys().collect();
        let shipped = embedded::languages().filter(|(name, _)| !names.contains(&name));
        for (name, bytes) in shipped.chain(own.iter().map(|(name, bytes)| (name.clone(), bytes.clone()))) {
            let examples = folder::examples(&user_folder.join("language"), &name)?;
            let examples = examples.as_deref().or_else(|| embedded::examples(&name));
            let (lexicon, problems) = load_language(&name, &bytes, examples);
            lexicons.extend(lexicon);
            library_problems.extend(problems);
        }
        let library = Library { techniques, lexicons };
        Ok(Self { entries, library, compiled: Mutex::default(), library_problems })
    }

    pub fn ids(&self) -> Vec<String> {
        self.entries.keys().cloned().collect()
    }

    /// What all engines share.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The files of the engine of that name, or in the folder of that path.
    pub fn files(&self, name: &str) -> Result<(EngineFiles, Origin), CatalogueError> {
        match self.entries.get(name) {
            Some(Entry::Embedded(files)) => return Ok((files.clone(), Origin::Embedded)),
            Some(Entry::User(path)) => return Ok((folder::read(path)?, Origin::User)),
            None => {}
        }
        let path = Path::new(name);
        if path.is_dir() || name.contains(std::path::MAIN_SEPARATOR) {
            return Ok((folder::read(path)?, Origin::Path));
        }
        if path.is_file() && path.file_name().is_some_and(|file| file == "engine.toml") {
            return Ok((folder::read(Path::new("."))?, Origin::Path));
        }
        let known: Vec<&str> = self.entries.keys().map(String::as_str).collect();
        let near = nearest(name, &known).map(ToOwned::to_owned);
        Err(CatalogueError::Unknown { name: name.to_owned(), near })
    }

    /// Whether these very files are part of the binary, wherever they were read from.
    pub fn is_embedded(&self, files: &EngineFiles) -> bool {
        embedded::engines().any(|embedded| embedded.files == files.files)
    }

    /// The folder of the engine of that name, if it has one of the user's.
    pub fn folder(&self, name: &str) -> Option<&Path> {
        match self.entries.get(name) {
            Some(Entry::User(path)) => Some(path),
            _ => None,
        }
    }

    /// Reads and checks the engine of that name or path.
    pub fn load(&self, name: &str) -> Result<(Loaded, Origin), CatalogueError> {
        let (files, origin) = self.files(name)?;
        Ok((self.check(&files), origin))
    }

    /// The engine that these files make. It is compiled once for each content; an engine with errors is checked again.
    pub fn compiled(&self, files: &EngineFiles) -> Result<Arc<Engine>, Vec<Diagnostic>> {
        let key = (files.folder.clone(), content_hash(files));
        let kept = || self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = kept().get(&key) {
            return Ok(Arc::clone(engine));
        }
        let Loaded { engine, diagnostics } = self.check(files);
        let engine = engine.ok_or(diagnostics)?;
        let mut kept = kept();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(key, Arc::clone(&engine));
        Ok(engine)
    }

    /// Checks an engine's files against this catalogue.
    pub fn check(&self, files: &EngineFiles) -> Loaded {
        load(files, &self.library, &self.ids())
    }
}
