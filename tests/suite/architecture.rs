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

/// What tells the time or the place, by whatever path it is called.
const ASKS_THE_MACHINE: &[&str] = &["Timestamp::now(", "Zoned::now(", "TimeZone::system(", "Instant::now("];

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

/// The code of a file without comments and without what stands in it for tests alone, wherever that is.
fn code(text: &str) -> String {
    let (mut code, bare) = (without_comments(text), bare(text));
    for (at, mark) in bare.match_indices(FOR_TESTS).collect::<Vec<_>>().into_iter().rev() {
        let end = at + mark.len() + length_of_item(&bare[at + mark.len()..]);
        code.replace_range(at..end.min(code.len()), "");
    }
    code
}

const FOR_TESTS: &str = "#[cfg(test)]";

/// How far the item at the beginning of a code goes: to its `;` or to the end of its block.
fn length_of_item(bare: &str) -> usize {
    let mut depth = 0usize;
    for (at, byte) in bare.bytes().enumerate() {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' if depth == 1 => return at + 1,
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            b';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    bare.len()
}

/// A text with blanks in the place of its comments.
fn without_comments(text: &str) -> String {
    blanked(text, false)
}

/// A text with blanks in the place of its comments and of what stands in quotes.
fn bare(text: &str) -> String {
    blanked(text, true)
}

/// Blanks keep every byte in its place, so that what is found in one form stands there in the other.
fn blanked(text: &str, quotes_too: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (length, blank) = match part(rest) {
            Part::Comment(length) => (length, true),
            Part::Quoted(length) => (length, quotes_too),
            Part::Code => (first.len_utf8(), false),
        };
        let (taken, after) = rest.split_at(length);
        if blank {
            out.extend(taken.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        } else {
            out.push_str(taken);
        }
        rest = after;
    }
    out
}

enum Part {
    Comment(usize),
    Quoted(usize),
    Code,
}

/// What a code begins with, and how long that is.
fn part(rest: &str) -> Part {
    let end = |from: usize, mark: &str| rest[from..].find(mark).map_or(rest.len(), |at| from + at + mark.len());
    if rest.starts_with("//") {
        return Part::Comment(rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return Part::Comment(end(2, "*/"));
    }
    if rest.starts_with("r\"") || rest.starts_with("r#") {
        let hashes = rest[1..].bytes().take_while(|byte| *byte == b'#').count();
        if rest[1 + hashes..].starts_with('"') {
            return Part::Quoted(end(2 + hashes, &format!("\"{}", "#".repeat(hashes))));
        }
    }
    let quote = match rest.chars().next() {
        Some('"') => '"',
        // A letter in quotes, and no lifetime.
        Some('\'') if rest[1..].starts_with('\\') || rest[1..].chars().nth(1) == Some('\'') => '\'',
        _ => return Part::Code,
    };
    let mut escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == quote => return Part::Quoted(at + letter.len_utf8()),
            _ => {}
        }
    }
    Part::Quoted(rest.len())
}

#[test]
fn only_what_is_for_tests_is_left_out_of_the_code() {
    let text = "fn one() { \"#[cfg(test)] {\"; '}'; } // {\n#[cfg(test)]\nfn two(a: [u8; 2]) { if a { b } }\nfn three<'a>() {}\n#[cfg(test)]\nmod tests { use tokio::spawn; }\n";
    let code = code(text);
    assert!(code.contains("fn one") && code.contains("fn three") && code.contains("#[cfg(test)] {"), "{code}");
    assert!(!code.contains("two") && !code.contains("tokio") && !code.contains("// {"), "{code}");
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
        let path = format!("{prefix}{tree}");
        // A module that is named with what lies in it.
        paths.push(path.strip_suffix("::self").unwrap_or(&path).to_owned());
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

/// Whether a source reaches something, by a `use` or by a path in the middle of the code. A `use` of the module around it
/// counts with what is then named behind the name of that module.
fn reaches(code: &str, wanted: &str) -> bool {
    let lies_in = |path: &str, around: &str| path.strip_prefix(around).is_some_and(|rest| rest.starts_with("::"));
    let used = used(code);
    if used.iter().any(|used| used == wanted || lies_in(used, wanted)) {
        return true;
    }
    let bare: String = code.split_whitespace().collect();
    let around = used.iter().filter(|used| lies_in(wanted, used.trim_end_matches("::*")));
    let shorter = around.filter_map(|used| {
        let named = used.strip_suffix("::*").map_or(used.rfind("::").map_or(0, |at| at + 2), |module| module.len() + 2);
        wanted.get(named..)
    });
    std::iter::once(wanted).chain(shorter).any(|path| names(&bare, path))
}

/// Whether a path stands in the middle of a code without white space: not as the end of a longer name.
fn names(bare: &str, path: &str) -> bool {
    bare.match_indices(&format!("{path}::")).any(|(at, _)| {
        let before = bare[..at].chars().next_back();
        !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_' || letter == ':')
    })
}

#[test]
fn paths_in_the_middle_of_the_code_are_seen() {
    assert!(reaches("fn f() { tokio::spawn(g()); }", "tokio"));
    assert!(reaches("use std::time;\nfn f() { time::Instant::now(); }", "std::time::Instant"));
    assert!(reaches("use std::time::{self, Duration};\nfn f() { time::Instant::now(); }", "std::time::Instant"));
    assert!(reaches("use std::*;\nfn f() { time::Instant::now(); }", "std::time::Instant"));
    assert!(reaches("fn f() -> std::time::Instant::X {}", "std::time::Instant"));
    assert!(!reaches("fn f() { my_tokio::spawn(); a::tokio::b(); }", "tokio"));
    assert!(!reaches("use std::time::Duration;\nfn f() { Instant::X }", "std::time::Instant"));
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
            let bare: String = code.split_whitespace().collect();
            for asks in ASKS_THE_MACHINE {
                assert!(!bare.contains(asks), "{} asks the machine: {asks}", path.display());
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
