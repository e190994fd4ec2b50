//! Engines as the host finds them: by name, by path, or as a session was pinned to one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Host;
use super::protocol::{EngineChange, EngineChoice};
use super::{HostError, Session, queries};
use crate::catalogue::Origin;
use crate::decode::{Diagnostic, Severity};
use crate::engine::Engine;
use crate::engine::changes::changes;
use crate::engine::config::EngineFiles;
use crate::store::PinnedEngine;
use crate::tasks::Provenance;

/// An engine with its files and where it comes from.
pub(super) struct FoundEngine {
    pub engine: Arc<Engine>,
    pub files: EngineFiles,
    pub provenance: Provenance,
}

impl FoundEngine {
    /// The engine as a session is pinned to it.
    pub fn pin(&self) -> PinnedEngine {
        let definition = self.engine.definition();
        let text = |(name, bytes): (&String, &Vec<u8>)| (name.clone(), String::from_utf8_lossy(bytes).into_owned());
        let texts: BTreeMap<String, String> = self.files.files.iter().map(text).collect();
        PinnedEngine::new(definition.id.to_string(), definition.version.value.clone(), texts)
    }
}

impl Host {
    /// The engines that a session can be started with, at once.
    pub fn engines_on_offer(&self) -> Vec<EngineChoice> {
        queries::engines(self, self.settings.language.value.words())
    }

    /// The engine of a name or path.
    pub fn engine(&self, name: &str) -> Result<Arc<Engine>, HostError> {
        self.found(name).map(|found| found.engine)
    }

    /// The engine of a name or path, with where it comes from.
    pub fn engine_from(&self, name: &str) -> Result<(Arc<Engine>, Provenance), HostError> {
        self.found(name).map(|found| (found.engine, found.provenance))
    }

    pub(super) fn found(&self, name: &str) -> Result<FoundEngine, HostError> {
        let (files, origin) = self.catalogue.files(name)?;
        let folder = (origin != Origin::Embedded).then(|| PathBuf::from(&files.origin));
        let folder = folder.and_then(|folder| folder.canonicalize().ok());
        self.compiled(name, files, folder)
    }

    /// The engine a session began with, whatever has become of its folder.
    pub(super) fn pinned(
        &self,
        pinned: &PinnedEngine,
        folder: Option<PathBuf>,
    ) -> Result<(Arc<Engine>, Provenance), HostError> {
        let files = EngineFiles {
            origin: format!("{} {} (pinned)", pinned.engine_id, pinned.version),
            folder: pinned.engine_id.clone(),
            files: pinned.files.iter().map(|(name, text)| (name.clone(), text.clone().into_bytes())).collect(),
            refused: BTreeMap::new(),
        };
        let folder = folder.or_else(|| self.catalogue.folder(&pinned.engine_id)?.canonicalize().ok());
        let found = self.compiled(&pinned.engine_id, files, folder)?;
        Ok((found.engine, found.provenance))
    }

    fn compiled(&self, name: &str, files: EngineFiles, folder: Option<PathBuf>) -> Result<FoundEngine, HostError> {
        let provenance = Provenance { embedded: self.catalogue.is_embedded(&files), folder };
        match self.catalogue.compiled(&files) {
            Ok(engine) => Ok(FoundEngine { engine, files, provenance }),
            Err(diagnostics) => Err(HostError::Engine { name: name.to_owned(), errors: errors(diagnostics) }),
        }
    }

    /// The engine as it is now in the folder it was read from; of that name, where there is no such folder any more.
    pub(super) fn current(&self, id: &str, folder: Option<&Path>) -> Result<FoundEngine, HostError> {
        match folder.filter(|folder| folder.join("engine.toml").is_file()) {
            Some(folder) => self.found(&folder.display().to_string()),
            None => self.found(id),
        }
    }

    /// How the engine of a session is named so that it is found again: by its id, or else by the path of its folder.
    pub fn engine_name(&self, session: &Session) -> String {
        let id = &session.record().engine_id;
        let own = self.catalogue.folder(id).and_then(|folder| folder.canonicalize().ok());
        match session.engine_folder() {
            Some(folder) if own.as_deref() != Some(folder) => folder.display().to_string(),
            _ => id.clone(),
        }
    }

    /// How the engine differs now, if it does and can be used.
    pub(super) fn change_since(&self, pinned: &Engine, folder: Option<&Path>) -> Option<EngineChange> {
        let current = self.current(&pinned.definition().id, folder).ok()?.engine;
        if current.hash() == pinned.hash() {
            return None;
        }
        Some(EngineChange {
            pinned_version: pinned.definition().version.value.clone(),
            current_version: current.definition().version.value.clone(),
            differences: changes(pinned, &current),
        })
    }
}

fn errors(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect()
}
