//! The engines in the binary.

use std::collections::BTreeMap;

use include_dir::{Dir, include_dir};

use super::folder::FILES;
use super::scenarios::{is_frame, is_scenario};
use crate::engine::config::EngineFiles;

static ENGINES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/engines");

pub fn techniques() -> &'static [u8] {
    ENGINES.get_file("techniques.toml").map_or(&[], |file| file.contents())
}

/// The languages, by the path of their file.
pub fn languages() -> impl Iterator<Item = (String, Vec<u8>)> {
    let files = ENGINES.get_dir("language").into_iter().flat_map(include_dir::Dir::files);
    files.filter_map(|file| Some((file.path().file_name()?.to_str()?.to_owned(), file.contents().to_vec())))
}

pub fn language_names() -> impl Iterator<Item = String> {
    let files = ENGINES.get_dir("language").into_iter().flat_map(include_dir::Dir::files);
    files.filter_map(|file| Some(file.path().file_name()?.to_str()?.to_owned()))
}

/// The examples that belong to the file of a language.
pub fn examples(language: &str) -> Option<&'static [u8]> {
    ENGINES.get_file(format!("language/examples/{language}")).map(include_dir::File::contents)
}

/// The names of the engines in the binary.
pub fn names() -> impl Iterator<Item = String> {
    let folders = ENGINES.dirs().filter(|dir| dir.get_file(dir.path().join("engine.toml")).is_some());
    folders.filter_map(|dir| Some(dir.path().file_name()?.to_str()?.to_owned()))
}

/// The main file of an engine in the binary.
pub fn engine_file(name: &str) -> Option<&'static [u8]> {
    ENGINES.get_file(format!("{name}/engine.toml")).map(include_dir::File::contents)
}

/// The engine of that name in the binary.
pub fn engine(name: &str) -> Option<EngineFiles> {
    let file =
        |file: &&str| Some(((*file).to_owned(), ENGINES.get_file(format!("{name}/{file}"))?.contents().to_vec()));
    let files: BTreeMap<String, Vec<u8>> = FILES.iter().filter_map(file).collect();
    let (origin, folder) = (format!("engines/{name}"), name.to_owned());
    files.contains_key("engine.toml").then(|| EngineFiles { origin, folder, files, refused: BTreeMap::new() })
}

/// The scenarios of an engine, by their path within its folder of scenarios.
pub fn scenarios(engine: &str) -> BTreeMap<String, Vec<u8>> {
    let root = format!("{engine}/scenarios");
    let Some(dir) = ENGINES.get_dir(&root) else { return BTreeMap::new() };
    let folders = dir.dirs().chain([dir]);
    let files = folders.flat_map(include_dir::Dir::files).filter_map(|file| {
        let name = file.path().strip_prefix(&root).ok()?.to_str()?;
        Some((name.to_owned(), file.contents().to_vec()))
    });
    files.filter(|(name, _)| is_scenario(name) || is_frame(name)).collect()
}
