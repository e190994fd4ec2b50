//! The engine: what it is and how a turn runs. Pure: no file, no clock, no network, no runtime; what it needs of the
//! outside is handed in.

pub mod brief;
pub mod config;
pub mod expression;
pub mod handoff;
pub mod memory;
pub mod obligations;
pub mod opening;
mod probe;
pub mod prompt;
pub mod values;
pub mod words;

use std::collections::HashMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use config::{Definition, EngineFiles, Field, Mode, ModeBlend, Obligation, Phase, Technique};
use expression::{MemoryView, Program};
use memory::WorkingMemory;

/// An engine that has passed every check and can run sessions.
#[derive(Debug)]
pub struct Engine {
    definition: Arc<Definition>,
    program: Program,
    prompt: String,
    brief: String,
    techniques: Vec<Technique>,
    fields: HashMap<String, usize>,
    phases: HashMap<String, usize>,
    hash: String,
}

impl Engine {
    /// Puts the checked parts together; `None` only if the prompt cannot be rendered after all.
    pub(in crate::engine) fn assemble(
        definition: Definition,
        library: &[Technique],
        prompt: String,
        brief: String,
        program: Program,
        files: &EngineFiles,
    ) -> Option<Arc<Self>> {
        let definition = Arc::new(definition);
        let prompt = prompt::render(&program, &definition, &prompt).ok()?;
        let available = &definition.techniques.available;
        let techniques = library.iter().filter(|technique| available.contains(&technique.id)).cloned().collect();
        let fields = definition.fields.iter().enumerate().map(|(at, field)| (field.path.to_string(), at)).collect();
        let phases = definition.phases.iter().enumerate().map(|(at, phase)| (phase.id.to_string(), at)).collect();
        let hash = content_hash(files);
        Some(Arc::new(Self { definition, program, prompt, brief, techniques, fields, phases, hash }))
    }

    /// What its files say.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Its compiled expressions and templates.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Its system prompt, the same in every turn.
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// The source of its brief.
    pub fn brief_source(&self) -> &str {
        &self.brief
    }

    /// The techniques it may use, in the library's order.
    pub fn techniques(&self) -> &[Technique] {
        &self.techniques
    }

    /// A hash of everything it was made from.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The field at a path.
    pub fn field(&self, path: &str) -> Option<&Field> {
        self.fields.get(path).map(|at| &self.definition.fields[*at])
    }

    /// The phase of an id.
    pub fn phase(&self, id: &str) -> Option<&Phase> {
        self.phases.get(id).map(|at| &self.definition.phases[*at])
    }

    /// The phase the memory is in.
    pub fn current_phase(&self, memory: &WorkingMemory) -> &Phase {
        self.phase(&memory.phase.current).unwrap_or(&self.definition.phases[0])
    }

    /// The obligation of an id.
    pub fn obligation(&self, id: &str) -> Option<&Obligation> {
        self.definition.obligations.iter().find(|obligation| *obligation.id == *id)
    }

    /// The blend that the current phase aims at.
    pub fn target_blend(&self, memory: &WorkingMemory) -> &ModeBlend {
        &self.current_phase(memory).mode_blend
    }

    /// The memory as expressions see it.
    pub fn view(&self, memory: &WorkingMemory) -> MemoryView {
        MemoryView::new(&self.definition, memory)
    }

    /// The definition, shared.
    pub fn shared_definition(&self) -> &Arc<Definition> {
        &self.definition
    }

    /// Modes with their target share in the current phase, those without one left out.
    pub fn target_modes(&self, memory: &WorkingMemory) -> impl Iterator<Item = (Mode, u32)> {
        let blend = self.target_blend(memory);
        Mode::ALL.iter().map(|mode| (*mode, blend.share(*mode))).filter(|(_, share)| *share > 0)
    }
}

/// SHA-256 over the names and contents of the files, in order of name.
fn content_hash(files: &EngineFiles) -> String {
    let mut hasher = Sha256::new();
    for (name, bytes) in &files.files {
        hasher.update((name.len() as u64).to_le_bytes());
        hasher.update(name.as_bytes());
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
