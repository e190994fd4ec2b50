//! The arrows between modules point one way, and no engine is special to the code. Read off the sources themselves.

use std::fs;
use std::path::{Path, PathBuf};

use super::support::catalogue;

/// What the engine must not reach: the outside, and the modules that stand above it.
const OUTSIDE: &[&str] = &[
    "tokio",
    "reqwest",
    "rusqlite",
    "ratatui",
    "crossterm",
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "std::env",
    "std::time::Instant",
    "std::time::SystemTime",
    "crate::llm",
    "crate::store",
    "crate::app",
    "crate::ui",
    "crate::runtime",
    "crate::cli",
    "crate::catalogue",
    "crate::settings",
    "crate::tasks",
];

fn sources(below: &str) -> Vec<(PathBuf, String)> {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(below)];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("its entries can be read").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("sources are text");
                found.push((path, text));
            }
        }
    }
    assert!(found.len() > 5, "{below} has sources");
    found
}

/// The code of a file without comments and without the tests at its end.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Every path that a `use` declaration brings in, groups taken apart.
fn used(code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let begins = code[..at].trim_end_matches(' ').ends_with(['\n', ';', ')', '{', '}']) || at == 0;
        let public = code[..at].trim_end().ends_with("pub");
        if let Some(declaration) = code[at + 4..].split(';').next().filter(|_| begins || public) {
            expand("", &declaration.split_whitespace().collect::<String>(), &mut paths);
        }
    }
    paths
}

fn expand(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    let Some(open) = tree.find('{') else {
        paths.push(format!("{prefix}{tree}"));
        return;
    };
    let head = format!("{prefix}{}", &tree[..open]);
    let inner = tree[open + 1..].strip_suffix('}').unwrap_or(&tree[open + 1..]);
    let (mut depth, mut start) = (0usize, 0usize);
    for (at, character) in inner.char_indices().chain([(inner.len(), ',')]) {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                if start < at {
                    expand(&head, &inner[start..at], paths);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

#[test]
fn use_declarations_are_taken_apart() {
    let code = "use std::{fmt, time::{Duration, Instant}};\npub use crate::store::Store;\nlet reuse = 1;";
    assert_eq!(
        used(code),
        ["std::fmt", "std::time::Duration", "std::time::Instant", "crate::store::Store"].map(str::to_owned)
    );
}

#[test]
fn the_engine_reaches_nothing_outside_of_itself() {
    for (path, text) in sources("src/engine") {
        let code = code(&text);
        let bare: String = code.split_whitespace().collect();
        for outside in OUTSIDE {
            let is_it = |used: &String| used == outside || used.starts_with(&format!("{outside}::"));
            let hit = used(&code).into_iter().find(is_it);
            assert_eq!(hit, None, "{} uses {outside}", path.display());
            // A path written out in the middle of the code is a use as well.
            let inline = bare.contains(&format!("{outside}::")) && outside.contains("::");
            assert!(!inline, "{} names {outside}", path.display());
        }
    }
}

#[test]
fn reading_files_that_people_write_rests_on_nothing_of_ours() {
    for (path, text) in sources("src/decode") {
        let code = code(&text);
        let inside = |used: &&String| used.starts_with("crate::") && !used.starts_with("crate::decode");
        assert_eq!(used(&code).iter().find(inside), None, "{}", path.display());
        assert!(!code.contains("$crate::engine"), "{} writes code that needs the engine", path.display());
    }
}

#[test]
fn no_engine_is_special_to_the_code() {
    let engines = catalogue().ids();
    assert_eq!(engines.len(), 5);
    for (path, text) in sources("src") {
        let code = code(&text);
        for id in &engines {
            let word = |text: &str| text.contains(&format!("\"{id}\"")) || text.contains(&format!("{id}/"));
            assert!(!word(&code), "{} names the engine {id}", path.display());
        }
    }
}
