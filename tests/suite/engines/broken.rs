//! Each fixture in `tests/fixtures/broken` spoils something in the sound engine in `tests/fixtures/base`. The snapshots
//! hold what a designer is told about it, word for word.
//!
//! A fixture has `about` and any of `remove = ["brief.md"]`, `[[file]]` with `name` and `text` (the whole file), and
//! `[[edit]]` with `file`, `find` (which occurs exactly once) and `replace`.
#![allow(clippy::expect_used, clippy::panic, reason = "a fixture that cannot be applied is a failed test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use elenchus::decode::render_all;
use elenchus::engine::config::{EngineFiles, Library, Loaded, load, load_techniques};
use toml::de::DeTable;

/// The files of an engine by name.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// The sound engine.
pub(super) fn base() -> Files {
    let files = ["engine.toml", "prompt.md", "brief.md"];
    let read = |name: &str| fs::read(fixtures().join("base").join(name)).expect("the base engine is there");
    files.iter().map(|name| ((*name).to_owned(), read(name))).collect()
}

/// Loads an engine called `base` that may lead to `other`.
pub(super) fn check(files: Files) -> Loaded {
    let library = include_bytes!("../../../engines/techniques.toml");
    let (techniques, problems) = load_techniques("techniques.toml", library);
    assert_eq!(render_all(&problems, false), "", "the library of techniques is sound");
    let files = EngineFiles { origin: "base".into(), folder: "base".into(), files, ..EngineFiles::default() };
    load(&files, &Library { techniques, lexicons: Vec::new() }, &["base".into(), "other".into()])
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The fixtures of a folder by name, in order.
fn fixtures_in(folder: &str) -> BTreeMap<String, String> {
    let entries = fs::read_dir(fixtures().join(folder)).expect("the folder of fixtures is there");
    let paths = entries.map(|entry| entry.expect("its entries can be read").path());
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .map(|path| {
            let name = path.file_stem().and_then(|stem| stem.to_str()).expect("names are text").to_owned();
            (name, fs::read_to_string(&path).expect("fixtures are text"))
        })
        .collect()
}

fn text<'t>(table: &'t DeTable<'_>, key: &str) -> &'t str {
    let value = table.get(key).and_then(|value| value.get_ref().as_str());
    value.unwrap_or_else(|| panic!("the fixture has a text `{key}`"))
}

fn tables<'t, 'i>(table: &'t DeTable<'i>, key: &str) -> Vec<&'t DeTable<'i>> {
    let array = table.get(key).and_then(|value| value.get_ref().as_array());
    array.into_iter().flat_map(|items| items.iter()).filter_map(|item| item.get_ref().as_table()).collect()
}

fn texts<'t>(table: &'t DeTable<'_>, key: &str) -> Vec<&'t str> {
    let array = table.get(key).and_then(|value| value.get_ref().as_array());
    array.into_iter().flat_map(|items| items.iter()).filter_map(|item| item.get_ref().as_str()).collect()
}

/// The base engine, spoilt as the fixture says.
fn spoilt(name: &str, fixture: &DeTable<'_>) -> Files {
    let mut files = base();
    for file in texts(fixture, "remove") {
        assert!(files.remove(file).is_some(), "{name}: there is no {file} to remove");
    }
    for file in tables(fixture, "file") {
        files.insert(text(file, "name").to_owned(), text(file, "text").into());
    }
    for edit in tables(fixture, "edit") {
        let (file, find) = (text(edit, "file"), text(edit, "find"));
        let old = files.get(file).map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default();
        assert_eq!(old.matches(find).count(), 1, "{name}: {find:?} occurs once in {file}");
        files.insert(file.to_owned(), old.replacen(find, text(edit, "replace"), 1).into_bytes());
    }
    files
}

#[test]
fn the_base_is_sound() {
    let loaded = check(base());
    assert_eq!(render_all(&loaded.diagnostics, false), "");
    assert!(loaded.engine.is_some());
}

#[test]
fn each_broken_engine_gets_its_diagnostics() {
    let all = fixtures_in("broken");
    assert!(all.len() >= 45, "there are only {} fixtures", all.len());
    insta::with_settings!({
        snapshot_path => "../../snapshots/broken", prepend_module_to_snapshot => false, omit_expression => true,
    }, {
        for (name, source) in &all {
            let fixture = DeTable::parse(source).unwrap_or_else(|error| panic!("{name}: {error}"));
            let loaded = check(spoilt(name, fixture.get_ref()));
            assert!(!loaded.diagnostics.is_empty(), "{name}: nothing was noticed");
            let errors = loaded.diagnostics.iter().filter(|d| d.severity.word() == "error").count();
            assert_eq!(loaded.engine.is_none(), errors > 0, "{name}: an engine runs if it has no error");
            let told = render_all(&loaded.diagnostics, false);
            insta::assert_snapshot!(name.as_str(), format!("{}\n\n{}", text(fixture.get_ref(), "about"), told.trim_end()));
        }
    });
}
