//! Where engines come from: those in the binary, those in the user's folder, and any folder named by its path.

mod embedded;
mod folder;
mod head;
mod scenarios;

pub(crate) use folder::FILES;
pub use folder::FolderError;
pub use head::EngineHead;
pub use scenarios::CaseFiles;
pub(crate) use scenarios::{is_frame, is_scenario};

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

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
    own: OwnLibrary,
    /// Read when an engine is first compiled: listing the engines does not need it.
    library: OnceLock<(Library, Vec<Diagnostic>)>,
    /// Sound engines by the name of their folder and a hash of their files, so that each content is compiled once.
    compiled: Mutex<HashMap<(String, String), Arc<Engine>>>,
}

#[derive(Debug)]
enum Entry {
    Embedded,
    User(PathBuf),
}

/// What the user has of their own beside the techniques and languages in the binary.
#[derive(Debug, Default)]
struct OwnLibrary {
    /// The name and the text of their file of techniques.
    techniques: Option<(String, Vec<u8>)>,
    languages: BTreeMap<String, Vec<u8>>,
    /// Examples by the name of the language.
    examples: BTreeMap<String, Vec<u8>>,
}

impl OwnLibrary {
    fn find(user_folder: &Path) -> Result<Self, FolderError> {
        let file = user_folder.join("techniques.toml");
        let techniques =
            if file.is_file() { Some((file.display().to_string(), folder::read_capped(&file)?)) } else { None };
        let root = user_folder.join("language");
        let languages = folder::languages(&root)?;
        let mut examples = BTreeMap::new();
        for name in embedded::language_names().chain(languages.keys().cloned()) {
            if let Some(bytes) = folder::examples(&root, &name)? {
                examples.insert(name, bytes);
            }
        }
        Ok(Self { techniques, languages, examples })
    }

    /// All techniques and languages, and what is wrong with them. Those of the user take the place of ours.
    fn with_embedded(&self) -> (Library, Vec<Diagnostic>) {
        let (mut techniques, mut problems) = load_techniques("techniques.toml", embedded::techniques());
        if let Some((name, bytes)) = &self.techniques {
            let (more, found) = load_techniques(name, bytes);
            techniques.retain(|known| !more.iter().any(|technique| technique.id == known.id));
            techniques.extend(more);
            problems.extend(found);
        }
        let mut lexicons = Vec::new();
        let shipped = embedded::languages().filter(|(name, _)| !self.languages.contains_key(name));
        for (name, bytes) in shipped.chain(self.languages.clone()) {
            let examples = self.examples.get(&name).map(Vec::as_slice).or_else(|| embedded::examples(&name));
            let (lexicon, found) = load_language(&name, &bytes, examples);
            lexicons.extend(lexicon);
            problems.extend(found);
        }
        (Library { techniques, lexicons }, problems)
    }
}

impl Catalogue {
    /// The embedded engines and those in `user_folder`, which shadow them by name. A folder that does not exist is empty.
    pub fn open(user_folder: &Path) -> Result<Self, FolderError> {
        let mut entries: BTreeMap<String, Entry> = embedded::names().map(|name| (name, Entry::Embedded)).collect();
        for path in folder::engine_folders(user_folder)? {
            if let Some(name) = path.file_name().and_then(|name| name.to_str()) {
                entries.insert(name.to_owned(), Entry::User(path.clone()));
            }
        }
        let own = OwnLibrary::find(user_folder)?;
        Ok(Self { entries, own, library: OnceLock::new(), compiled: Mutex::default() })
    }

    pub fn ids(&self) -> Vec<String> {
        self.entries.keys().cloned().collect()
    }

    /// What all engines share.
    pub fn library(&self) -> &Library {
        &self.read_library().0
    }

    /// What is wrong with the techniques and languages.
    pub fn library_problems(&self) -> &[Diagnostic] {
        &self.read_library().1
    }

    fn read_library(&self) -> &(Library, Vec<Diagnostic>) {
        self.library.get_or_init(|| self.own.with_embedded())
    }

    /// Every engine with what it is offered with. Nothing is checked or compiled for it; a file that cannot be read or
    /// does not say it is left out.
    pub fn heads(&self) -> Vec<(String, EngineHead)> {
        let head = |name: &String, entry: &Entry| match entry {
            Entry::Embedded => head::read(embedded::engine_file(name)?),
            Entry::User(path) => head::read(&folder::read_inside(path, Path::new("engine.toml")).ok()?.ok()?),
        };
        self.entries.iter().filter_map(|(name, entry)| Some((name.clone(), head(name, entry)?))).collect()
    }

    /// The files of the engine of that name, or in the folder of that path.
    pub fn files(&self, name: &str) -> Result<(EngineFiles, Origin), CatalogueError> {
        match self.entries.get(name) {
            Some(Entry::Embedded) => {
                if let Some(files) = embedded::engine(name) {
                    return Ok((files, Origin::Embedded));
                }
            }
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
        embedded::names().filter_map(|name| embedded::engine(&name)).any(|embedded| embedded.files == files.files)
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
        load(files, self.library(), &self.ids())
    }
}
