//! Files of engines, and what engines share: any bytes as one of them get an answer in words.

use super::{BASE, BRIEF, CATALOGUE, ENGINE, PROMPT, check, check_with, told};
use elenchus::engine::config::{Library, load_language, load_techniques};
use elenchus::engine::memory::WorkingMemory;
use elenchus::engine::reading::read;

/// Said in two languages; a language of one's own makes of it what it can.
const SAID: &str =
    "We want to go to the Alps in June, for 2,500 euros. Wir wollen nicht im Winter hin, sondern im Juni.";

pub fn try_input(bytes: &[u8]) {
    let Some((which, bytes)) = bytes.split_first() else { return };
    let (engine, prompt, brief) = (ENGINE.as_bytes(), PROMPT.as_bytes(), BRIEF.as_bytes());
    let whole = [("engine.toml", engine), ("prompt.md", prompt), ("brief.md", brief)];
    // A letter, so that seeds can be written by hand; most are about the engine file.
    match which {
        b'p' => drop(check([("engine.toml", engine), ("prompt.md", bytes), ("brief.md", brief)])),
        b'b' => drop(check([("engine.toml", engine), ("prompt.md", prompt), ("brief.md", bytes)])),
        b'x' => drop(check(whole.into_iter().chain([("examples.toml", bytes)]))),
        b'q' => told(&load_techniques("own.toml", bytes).1),
        b'l' => language(bytes),
        _ => drop(check([("engine.toml", bytes), ("prompt.md", prompt), ("brief.md", brief)])),
    }
}

/// A language, and after a line `===` its examples; what can be read is listened with.
fn language(bytes: &[u8]) {
    let mark = b"\n===\n";
    let at = bytes.windows(mark.len()).position(|window| window == mark);
    let (language, examples) = at.map_or((bytes, None), |at| (&bytes[..at], Some(&bytes[at + mark.len()..])));
    let (lexicon, diagnostics) = load_language("own.toml", language, examples);
    told(&diagnostics);
    let Some(lexicon) = lexicon else { return };
    let library = Library { techniques: CATALOGUE.library().techniques.clone(), lexicons: vec![lexicon] };
    let files = [("engine.toml", ENGINE), ("prompt.md", PROMPT), ("brief.md", BRIEF)];
    let loaded = check_with(files.map(|(name, text)| (name, text.as_bytes())), &library);
    if let Some(engine) = loaded.engine {
        let heard = read(&engine, &WorkingMemory::new(BASE.definition()), SAID);
        assert!(heard.fields.iter().all(|reading| SAID.contains(&reading.quote)));
    }
}
