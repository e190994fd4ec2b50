//! The engines in the binary have no error and no warning, and the code knows none of them by name.
#![allow(clippy::expect_used, reason = "a test whose files cannot be read has failed")]

use std::fs;
use std::path::Path;

use elenchus::catalogue::Catalogue;
use elenchus::decode::render_all;

#[test]
fn every_shipped_engine_is_clean() {
    let catalogue = Catalogue::open(Path::new("no such folder")).expect("the engines in the binary can be read");
    assert_eq!(catalogue.ids().len(), 5);
    assert_eq!(render_all(catalogue.library_problems(), false), "");
    for id in catalogue.ids() {
        let (loaded, _) = catalogue.load(&id).expect("it was listed");
        assert_eq!(render_all(&loaded.diagnostics, false), "", "{id}");
        assert!(loaded.engine.is_some(), "{id} runs");
    }
}

#[test]
fn the_code_knows_no_engine_by_name() {
    let catalogue = Catalogue::open(Path::new("no such folder")).expect("the engines in the binary can be read");
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the sources are there") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("sources are text");
                let named: Vec<String> =
                    catalogue.ids().into_iter().filter(|id| text.contains(&format!("\"{id}\""))).collect();
                assert!(named.is_empty(), "{} names {named:?}", path.display());
            }
        }
    }
}
