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

/// The examples that belong to the file of a language.
pub fn examples(language: &str) -> Option<&'static [u8]> {
    ENGINES.get_file(format!("language/examples/{language}")).map(include_dir::File::contents)
}

pub fn engines() -> impl Iterator<Item = EngineFiles> {
    ENGINES.dirs().filter_map(|dir| {
        let folder = dir.path().file_name()?.to_str()?.to_owned();
        let files: BTreeMap<String, Vec<u8>> = FILES
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), dir.get_file(dir.path().join(name))?.contents().to_vec())))
            .collect();
        let origin = format!("engines/{folder}");
        files.contains_key("engine.toml").then(|| EngineFiles { origin, folder, files, refused: BTreeMap::new() })
    })
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
