//! From the files of an engine to an engine that can run, or to everything that is wrong with them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::definition::Definition;
use super::fields::Sayings;
use super::language::{Examples, Language};
use super::techniques::{Technique, TechniqueFile};
use super::validate::{self, Surroundings};
use crate::decode::{Diagnostic, Problems, SourceText, parse};
use crate::engine::expression::Program;
use crate::engine::reading::Lexicon;
use crate::engine::{Engine, Texts};

/// The largest file of an engine, in bytes: the largest real one is a tenth of it.
const MAX_FILE: usize = 512 * 1024;

/// The files of an engine's folder as they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineFiles {
    /// Where the folder is, for messages.
    pub origin: String,
    /// The folder's own name.
    pub folder: String,
    /// Contents by name; a file too large to be read whole is given cut.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Files that are there and were not read, with the reason.
    pub refused: BTreeMap<String, String>,
}

/// An engine, if it has no errors, and what is to be said about its files.
#[derive(Debug)]
pub struct Loaded {
    /// The engine; `None` when there is an error.
    pub engine: Option<Arc<Engine>>,
    pub diagnostics: Vec<Diagnostic>,
}

/// What all engines share: techniques and languages.
#[derive(Clone, Debug, Default)]
pub struct Library {
    pub techniques: Vec<Technique>,
    pub lexicons: Vec<Arc<Lexicon>>,
}

/// Reads and checks an engine. `engines` are the ids that its exits may lead to.
pub fn load(files: &EngineFiles, library: &Library, engines: &[String]) -> Loaded {
    let blank = Arc::new(SourceText::new(files.origin.clone(), ""));
    let mut problems = Problems::new(blank);
    let main = read(files, "engine.toml", &mut problems);
    let prompt = read(files, "prompt.md", &mut problems);
    let brief = read(files, "brief.md", &mut problems);
    let sayings = sayings(files, &mut problems);
    problems.enter(main.clone());
    let definition = parse::<Definition>(&main.text, "the engine file", &mut problems);
    let mut program = Program::default();
    if let Some(definition) = &definition {
        let surroundings = Surroundings { files, main, prompt: &prompt, brief: &brief, library, engines };
        validate::validate(definition, &surroundings, &mut program, &mut problems);
        if let Some((source, sayings)) = &sayings {
            problems.enter(source.clone());
            validate::listening::check_sayings(definition, sayings, &mut problems);
        }
    }
    let engine = match definition {
        Some(definition) if !problems.any_error() => {
            let sayings = sayings.map(|(_, sayings)| sayings).unwrap_or_default();
            let texts = Texts { prompt: &prompt.text, brief: brief.text.clone(), sayings };
            Engine::assemble(definition, library, texts, program, files)
        }
        _ => None,
    };
    Loaded { engine, diagnostics: problems.into_sorted() }
}

/// The examples of an engine, where it has any: they are no part that must be there.
fn sayings(files: &EngineFiles, problems: &mut Problems) -> Option<(Arc<SourceText>, Sayings)> {
    const NAME: &str = "examples.toml";
    let there = files.files.contains_key(NAME) || files.refused.contains_key(NAME);
    let source = there.then(|| read(files, NAME, problems))?;
    problems.enter(source.clone());
    let sayings = parse::<Sayings>(&source.text, "the examples", problems)?;
    Some((source, sayings))
}

/// Reads the library of techniques that all engines share.
pub fn load_techniques(name: &str, bytes: &[u8]) -> (Vec<Technique>, Vec<Diagnostic>) {
    let (source, mut problems) = alone(name, bytes);
    let file = parse::<TechniqueFile>(&source.text, "the technique library", &mut problems).unwrap_or_default();
    validate::techniques::library(&file.techniques, &mut problems);
    (file.techniques, problems.into_sorted())
}

/// Reads a language and the examples that belong to it; `None` where it cannot be read at all.
pub fn load_language(name: &str, bytes: &[u8], examples: Option<&[u8]>) -> (Option<Arc<Lexicon>>, Vec<Diagnostic>) {
    let (source, mut problems) = alone(name, bytes);
    let language = parse::<Language>(&source.text, "the language file", &mut problems);
    let mut diagnostics = Vec::new();
    let lexicon = language.map(|language| {
        validate::language::check(&language, &mut problems);
        let examples = examples.and_then(|bytes| {
            let (source, mut problems) = alone(&format!("examples/{name}"), bytes);
            let examples = parse::<Examples>(&source.text, "the examples", &mut problems);
            if let Some(examples) = &examples {
                validate::language::check_examples(&language, examples, &mut problems);
            }
            diagnostics.extend(problems.into_sorted());
            examples
        });
        Arc::new(Lexicon::compile(&language, examples.unwrap_or_default(), &mut problems))
    });
    diagnostics.extend(problems.into_sorted());
    (lexicon, diagnostics)
}

/// A file that belongs to no engine.
fn alone(name: &str, bytes: &[u8]) -> (Arc<SourceText>, Problems) {
    let files = EngineFiles {
        origin: String::new(),
        folder: String::new(),
        files: BTreeMap::from([(name.to_owned(), bytes.to_vec())]),
        refused: BTreeMap::new(),
    };
    let mut problems = Problems::new(Arc::new(SourceText::new(name.to_owned(), "")));
    let source = read(&files, name, &mut problems);
    problems.enter(source.clone());
    (source, problems)
}

fn read(files: &EngineFiles, name: &str, problems: &mut Problems) -> Arc<SourceText> {
    let shown = if files.origin.is_empty() { name.to_owned() } else { format!("{}/{name}", files.origin) };
    let blank = Arc::new(SourceText::new(shown.clone(), ""));
    problems.enter(blank.clone());
    if let Some(why) = files.refused.get(name) {
        problems.error("refused-file", None, format!("{name} is not read: {why}")).help("put a copy in its place");
        return blank;
    }
    let Some(bytes) = files.files.get(name) else {
        problems.error("missing-file", None, format!("there is no {name}")).help(
            "an engine folder has engine.toml, prompt.md and brief.md; `elenchus engines new` writes a set to start from",
        );
        return blank;
    };
    if bytes.len() > MAX_FILE {
        problems.error("too-large", None, format!("{name} is larger than {} KiB", MAX_FILE / 1024));
        return blank;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if text.contains('\0') => {
            problems.error("not-text", None, format!("{name} is not a text file: it has a zero byte"));
            blank
        }
        Ok(text) => {
            // A byte order mark is no part of the text, and line ends are all the same to us.
            let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
            if text.trim().is_empty() {
                problems.error("empty-text", None, format!("{name} is empty"));
            }
            Arc::new(SourceText::new(shown, text))
        }
        Err(error) => {
            problems
                .error("not-text", None, format!("{name} is not UTF-8 text: byte {} is invalid", error.valid_up_to()))
                .help("save the file as UTF-8");
            blank
        }
    }
}
