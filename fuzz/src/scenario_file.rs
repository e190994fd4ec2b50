//! Scenario files and people: read, refused in words, never run.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::BASE;
use elenchus::catalogue::CaseFiles;
use elenchus::scenario;

pub fn try_input(bytes: &[u8]) {
    // What follows a line of three equals signs is the person of the scenario.
    let mark = b"\n===\n";
    let at = bytes.windows(mark.len()).position(|window| window == mark);
    let (scenario, person) = at.map_or((bytes, &[][..]), |at| (&bytes[..at], &bytes[at + mark.len()..]));
    let mut files = BTreeMap::from([("a.toml".to_owned(), scenario.to_vec())]);
    if !person.is_empty() {
        files.insert("people/p.toml".to_owned(), person.to_vec());
    }
    let files = CaseFiles {
        origin: "scenarios".to_owned(),
        engine: Some("base".to_owned()),
        files,
        refused: BTreeMap::new(),
        chosen: Vec::new(),
        on_disk: false,
    };
    let (_, diagnostics) = scenario::load(&files, &mut |name| match name {
        "base" => Ok(Arc::clone(&BASE)),
        other => Err(format!("there is no engine {other}")),
    });
    for diagnostic in diagnostics {
        assert!(!diagnostic.render(false).is_empty());
    }
}
