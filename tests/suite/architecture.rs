//! The arrows between modules point one way, files stay short, and no engine is special to the code. Read off the
//! sources themselves; how long functions get is for clippy (`clippy.toml`).

use std::fs;
use std::path::{Path, PathBuf};

use crate::engine::support::catalogue;

/// The modules from the ground up. Each may use only those that stand before it, and no other.
const FLOORS: &[&[&str]] = &[
    &["text"],
    &["decode"],
    &["words"],
    &["engine"],
    &["files"],
    &["catalogue", "llm", "sandbox", "store"],
    &["settings", "tasks"],
    &["host"],
    &["app"],
    &["ui"],
    &["scenario", "serve", "tui"],
    &["linear"],
    &["cli"],
];

/// What the pure modules must not reach: whatever waits, draws, or asks the machine.
const OUTSIDE: &[&str] = &[
    "tokio",
    "reqwest",
    "rusqlite",
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "std::env",
    "std::time::Instant",
    "std::time::SystemTime",
];

/// The longest file of the program, in lines.
const LONGEST_FILE: usize = 450;

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
    assert!(!found.is_empty(), "{below} has sources");
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

/// Whether a source reaches something, by a `use` or by a path in the middle of the code.
fn reaches(code: &str, wanted: &str) -> bool {
    let by_use = used(code).iter().any(|used| used == wanted || used.starts_with(&format!("{wanted}::")));
    let bare: String = code.split_whitespace().collect();
    by_use || (wanted.contains("::") && bare.contains(&format!("{wanted}::")))
}

#[test]
fn every_module_uses_only_those_below_it() {
    let known: Vec<&str> = FLOORS.concat();
    let mut wrong = Vec::new();
    for (floor, modules) in FLOORS.iter().enumerate() {
        let below: Vec<&str> = FLOORS[..floor].concat();
        for module in *modules {
            for (path, text) in sources(&format!("src/{module}")) {
                let code = code(&text);
                let above = known.iter().filter(|other| *other != module && !below.contains(other));
                let reached = above.filter(|other| reaches(&code, &format!("crate::{other}")));
                wrong.extend(reached.map(|other| format!("{} uses {other}", path.display())));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn every_module_has_its_floor() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found: Vec<String> = fs::read_dir(root)
        .expect("the folder can be read")
        .map(|entry| entry.expect("its entries can be read").path())
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
        .collect();
    found.sort();
    let mut known: Vec<&str> = FLOORS.concat();
    known.sort_unstable();
    assert_eq!(found, known);
}

#[test]
fn pure_modules_reach_nothing_outside() {
    for module in ["text", "decode", "words", "engine", "app"] {
        for (path, text) in sources(&format!("src/{module}")) {
            let code = code(&text);
            for outside in OUTSIDE {
                assert!(!reaches(&code, outside), "{} reaches {outside}", path.display());
            }
            if module != "app" {
                assert!(!reaches(&code, "ratatui") && !reaches(&code, "crossterm"), "{} draws", path.display());
            }
        }
    }
}

#[test]
fn no_file_is_longer_than_a_reader_can_hold() {
    let long: Vec<String> = sources("src")
        .into_iter()
        .filter(|(_, text)| text.lines().count() >= LONGEST_FILE)
        .map(|(path, text)| format!("{}: {}", path.display(), text.lines().count()))
        .collect();
    assert_eq!(long, Vec::<String>::new());
}

#[test]
fn reading_files_that_people_write_rests_on_nothing_of_ours() {
    for (path, text) in sources("src/decode") {
        let code = code(&text);
        let ours = ["crate::decode", "crate::text"];
        let inside = |used: &&String| used.starts_with("crate::") && !ours.iter().any(|own| used.starts_with(own));
        assert_eq!(used(&code).iter().find(inside), None, "{}", path.display());
        assert!(!code.contains("$crate::engine"), "{} writes code that needs the engine", path.display());
    }
}

/// What comes from outside is made safe where it leaves the program. Nothing may go past that.
#[test]
fn only_one_file_knows_the_way_to_the_terminal() {
    let ways = ["io::stdout", "io::stderr", "print!(", "println!(", "dbg!(", "panic::take_hook", "panic::set_hook"];
    let printing = ["error.print()", "error.exit()", "write_help", "print_help", "print_long_help"];
    let mut wrong = Vec::new();
    for (path, text) in sources("src") {
        let code = code(&text);
        let bare: String = code.split_whitespace().collect();
        let at = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).expect("a source").to_string_lossy().into_owned();
        let reached = |way: &&&str| reaches(&code, &format!("std::{way}")) || bare.contains(**way);
        let allowed = |way: &str| match at.as_str() {
            "src/tui/outlet.rs" => true,
            // Gives the terminal back before the message about a panic goes its way.
            "src/tui/terminal.rs" => way.starts_with("panic::"),
            _ => false,
        };
        let found = ways.iter().chain(&printing).filter(reached).filter(|way| !allowed(way));
        wrong.extend(found.map(|way| format!("{at} uses {way}")));
    }
    assert_eq!(wrong, Vec::<String>::new());
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

/// The fuzz targets are a package of their own, with a lock that cargo does not renew when ours changes.
#[test]
fn the_fuzz_targets_are_locked_to_what_the_program_depends_on() {
    let read = |path: &str| fs::read_to_string(path).unwrap().parse::<toml::Table>().unwrap();
    let lock = read("fuzz/Cargo.lock");
    let packages = lock["package"].as_array().unwrap();
    let own = packages.iter().find(|package| package["name"].as_str() == Some("elenchus")).unwrap();
    let locked: Vec<&str> =
        own["dependencies"].as_array().unwrap().iter().filter_map(|line| line.as_str()?.split(' ').next()).collect();
    let manifest = read("Cargo.toml");
    let always = |value: &toml::Value| value.get("optional").and_then(toml::Value::as_bool) != Some(true);
    let depends = manifest["dependencies"].as_table().unwrap().iter().filter(|(_, value)| always(value));
    for (name, _) in depends {
        assert!(locked.contains(&name.as_str()), "fuzz/Cargo.lock lacks {name}: `cargo metadata` in fuzz/ renews it");
    }
}
