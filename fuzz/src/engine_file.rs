//! Engine files: any bytes as one of the three files get an answer in words.

use super::{BRIEF, ENGINE, PROMPT, check};

pub fn try_input(bytes: &[u8]) {
    let Some((which, bytes)) = bytes.split_first() else { return };
    let (engine, prompt, brief) = (ENGINE.as_bytes(), PROMPT.as_bytes(), BRIEF.as_bytes());
    // A letter, so that seeds can be written by hand; most are about the engine file.
    let (engine, prompt, brief) = match which {
        b'p' => (engine, bytes, brief),
        b'b' => (engine, prompt, bytes),
        _ => (bytes, prompt, brief),
    };
    check([("engine.toml", engine), ("prompt.md", prompt), ("brief.md", brief)]);
}
