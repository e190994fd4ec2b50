//! The engine: what it is and how a turn runs. Pure: no file, no clock, no network, no runtime; what it needs of the
//! outside is handed in.

pub mod config;
pub mod expression;
pub mod memory;
pub mod transcript;

mod early_answer;
pub mod ports;
pub mod step;
mod steps;
pub mod turn;

pub(crate) mod claims;
pub mod completeness;
pub mod context;
pub mod extraction;
pub mod handoff;
pub mod obligations;
pub mod phases;
pub mod qa;
pub mod reading;
pub mod replies;
pub mod rule;
pub mod sensitive;
pub mod sidebar;
pub mod strategy;

pub mod answer_card;
pub mod brief;
pub mod brief_changes;
pub mod budget;
pub mod changes;
pub mod edit;
pub mod figures;
pub(crate) mod given_back;
pub mod open_points;
pub mod opening;
pub mod outline;
pub mod prompt;
pub mod recap;
pub mod report;

mod probe;
pub(crate) mod this_machine;
pub mod tokens;
pub mod tools;
pub mod values;
pub(crate) mod wording;
pub mod words;

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

use config::{Definition, EngineFiles, Field, Intent, Library, Mode, ModeBlend, Obligation, Phase, Sayings, Technique};
use expression::{MemoryView, Program};
use extraction::{Slice, Slices};
use memory::WorkingMemory;
use qa::aim::Aims;
use reading::Reader;
use words::{Folded, content_words};

/// An engine that has passed every check and can run sessions.
#[derive(Debug)]
pub struct Engine {
    definition: Arc<Definition>,
    program: Arc<Program>,
    prompt: String,
    /// What every request begins with.
    preamble: Preamble,
    /// The same for a small model.
    short_preamble: Preamble,
    brief: String,
    techniques: Vec<Technique>,
    fields: HashMap<String, usize>,
    phases: HashMap<String, usize>,
    /// The fields each obligation is about, by its id.
    about: HashMap<String, Vec<String>>,
    /// The words of each obligation's question that carry meaning, by its id.
    question_words: HashMap<String, BTreeSet<String>>,
    /// The phrases of each intent as they are looked for, in the order of the definition.
    intent_phrases: Vec<Vec<Folded>>,
    /// What messages are read with.
    reader: Arc<Reader>,
    /// What analyses are told, by the fields they look for.
    slices: Slices,
    /// What questions are recognised by, by language; put together when the first answer is checked.
    aims: OnceLock<HashMap<String, Aims>>,
    hash: String,
}

/// The texts that belong to a definition.
#[derive(Debug)]
pub(in crate::engine) struct Texts<'t> {
    pub prompt: &'t str,
    pub brief: String,
    pub sayings: Sayings,
}

/// What every request begins with, its tokens counted once.
#[derive(Debug)]
pub struct Preamble {
    pub text: String,
    pub tokens: u32,
}

impl Preamble {
    fn new(text: String) -> Self {
        Self { tokens: tokens::estimate(&text), text }
    }
}

/// What an engine is made of besides its definition.
struct Parts {
    program: Arc<Program>,
    prompt: String,
    brief: String,
    techniques: Vec<Technique>,
    reader: Arc<Reader>,
    hash: String,
}

impl Engine {
    /// Puts the checked parts together; `None` only if the prompt cannot be rendered after all.
    pub(in crate::engine) fn assemble(
        definition: Definition,
        library: &Library,
        texts: Texts<'_>,
        program: Program,
        files: &EngineFiles,
    ) -> Option<Arc<Self>> {
        let definition = Arc::new(definition);
        let prompt = prompt::render(&program, &definition, texts.prompt).ok()?;
        let available = &definition.techniques.available;
        let techniques =
            library.techniques.iter().filter(|technique| available.contains(&technique.id)).cloned().collect();
        let hash = content_hash(files);
        let reader = Arc::new(Reader::new(&definition, &library.lexicons, &Arc::new(texts.sayings)));
        let brief = texts.brief;
        let parts = Parts { program: Arc::new(program), prompt, brief, techniques, reader, hash };
        Some(Arc::new(Self::of_parts(definition, parts)))
    }

    /// The same engine with another definition, which must ask for no expression that this one lacks. For test benches
    /// that try what a change would do; the hash stays that of the files.
    pub(crate) fn varied(&self, definition: Definition) -> Arc<Self> {
        // Cues are compiled anew only where fields differ.
        let reader = if definition.fields == self.definition.fields {
            Arc::clone(&self.reader)
        } else {
            Arc::new(Reader::new(&definition, &self.reader.lexicons(), self.reader.sayings()))
        };
        let parts = Parts {
            program: Arc::clone(&self.program),
            prompt: self.prompt.clone(),
            brief: self.brief.clone(),
            techniques: self.techniques.clone(),
            reader,
            hash: self.hash.clone(),
        };
        Arc::new(Self::of_parts(Arc::new(definition), parts))
    }

    fn of_parts(definition: Arc<Definition>, parts: Parts) -> Self {
        let Parts { program, prompt, brief, techniques, reader, hash } = parts;
        let fields = definition.fields.iter().enumerate().map(|(at, field)| (field.path.to_string(), at)).collect();
        let phases = definition.phases.iter().enumerate().map(|(at, phase)| (phase.id.to_string(), at)).collect();
        let about = definition.obligations.iter().map(|o| (o.id.to_string(), fields_about(o, &definition))).collect();
        let preamble = Preamble::new(context::preamble::write(&definition, &prompt));
        let short_preamble = Preamble::new(context::preamble::write_short(&definition, &prompt));
        let question_words = definition
            .obligations
            .iter()
            .map(|obligation| (obligation.id.to_string(), content_words(&obligation.question).collect()))
            .collect();
        let fold = |phrases: &[String]| phrases.iter().map(|phrase| Folded::new(phrase)).collect();
        let intent_phrases = definition.intents.iter().map(|intent| fold(&intent.phrases)).collect();
        Self {
            definition,
            program,
            prompt,
            preamble,
            short_preamble,
            brief,
            techniques,
            fields,
            phases,
            about,
            question_words,
            intent_phrases,
            reader,
            slices: Slices::default(),
            aims: OnceLock::new(),
            hash,
        }
    }

    /// What its files say.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Its system prompt, the same in every turn.
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// What every request to a model begins with: the system prompt, the contract, the catalogue.
    pub fn preamble(&self) -> &Preamble {
        &self.preamble
    }

    /// What every request to a small model begins with.
    pub fn short_preamble(&self) -> &Preamble {
        &self.short_preamble
    }

    pub(crate) fn brief_source(&self) -> &str {
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

    pub fn field(&self, path: &str) -> Option<&Field> {
        self.fields.get(path).map(|at| &self.definition.fields[*at])
    }

    pub fn phase(&self, id: &str) -> Option<&Phase> {
        self.phases.get(id).map(|at| &self.definition.phases[*at])
    }

    pub fn current_phase(&self, memory: &WorkingMemory) -> &Phase {
        self.phase(&memory.phase.current).unwrap_or(&self.definition.phases[0])
    }

    pub fn obligation(&self, id: &str) -> Option<&Obligation> {
        self.definition.obligations.iter().find(|obligation| *obligation.id == *id)
    }

    /// The fields an obligation is about: those that satisfy it, or those its condition reads.
    pub fn fields_of(&self, obligation: &str) -> &[String] {
        self.about.get(obligation).map_or(&[], Vec::as_slice)
    }

    /// The words of an obligation's question that carry meaning.
    pub(crate) fn question_words(&self, obligation: &str) -> &BTreeSet<String> {
        static NONE: BTreeSet<String> = BTreeSet::new();
        self.question_words.get(obligation).unwrap_or(&NONE)
    }

    /// What questions are recognised by in a language.
    pub(in crate::engine) fn aims(&self, language: Option<&str>) -> Option<&Aims> {
        let all = self.aims.get_or_init(|| {
            let lexicons = self.reader.lexicons();
            let of = |lexicon: &Arc<reading::Lexicon>| (lexicon.id().to_owned(), Aims::new(&self.definition, lexicon));
            lexicons.iter().map(of).collect()
        });
        all.get(self.reader.lexicon(language)?.id())
    }

    /// The intents whose phrases stand in a text.
    pub(crate) fn intents_in<'a>(&'a self, text: &'a Folded) -> impl Iterator<Item = &'a Intent> {
        let intents = self.definition.intents.iter().zip(&self.intent_phrases);
        intents.filter(|(_, phrases)| phrases.iter().any(|phrase| text.has(phrase.as_str()))).map(|(intent, _)| intent)
    }

    /// What an analysis looks for now, at most so many fields, with what a model is told about them.
    pub fn slice(&self, memory: &WorkingMemory, most: usize) -> Arc<Slice> {
        self.slices.at(self, memory, most)
    }

    /// What an analysis by a small model looks for: these fields and no others.
    pub fn short_slice(&self, paths: &BTreeSet<String>) -> Arc<Slice> {
        self.slices.short(self, paths)
    }

    /// What messages are read with.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    pub(crate) fn target_blend(&self, memory: &WorkingMemory) -> &ModeBlend {
        &self.current_phase(memory).mode_blend
    }

    /// The memory as expressions see it.
    pub fn view(&self, memory: &WorkingMemory) -> MemoryView {
        MemoryView::new(&self.definition, memory)
    }

    pub fn shared_definition(&self) -> &Arc<Definition> {
        &self.definition
    }

    /// Modes with their target share in the current phase, those without one left out.
    pub(crate) fn target_modes(&self, memory: &WorkingMemory) -> impl Iterator<Item = (Mode, u32)> {
        let blend = self.target_blend(memory);
        Mode::ALL.iter().map(|mode| (*mode, blend.share(*mode))).filter(|(_, share)| *share > 0)
    }
}

fn fields_about(obligation: &Obligation, definition: &Definition) -> Vec<String> {
    match &obligation.when {
        Some(when) => expression::fields_read(&when.0.text, definition),
        None => obligation.satisfied_by.iter().map(ToString::to_string).collect(),
    }
}

/// SHA-256 over the names and contents of the files, in order of name.
pub(crate) fn content_hash(files: &EngineFiles) -> String {
    let mut hasher = Sha256::new();
    for (name, bytes) in &files.files {
        hasher.update((name.len() as u64).to_le_bytes());
        hasher.update(name.as_bytes());
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }
    let mut hex = String::with_capacity(64);
    for byte in hasher.finalize() {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}
