//! What is handed out: the oldest Rust is named alike everywhere, and the changelog knows the version.

use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn manifest() -> toml::Table {
    read("Cargo.toml").parse().unwrap()
}

#[test]
fn the_oldest_rust_is_named_alike_in_the_manifest_and_the_readme() {
    let oldest = manifest()["package"]["rust-version"].as_str().unwrap().to_owned();
    assert!(read("README.md").contains(&format!("({oldest} or newer)")), "README.md names {oldest}");
}

#[test]
fn the_changelog_has_a_section_for_the_version_and_one_for_what_comes() {
    let version = manifest()["package"]["version"].as_str().unwrap().to_owned();
    let changelog = read("CHANGELOG.md");
    assert!(changelog.contains(&format!("\n## {version}")) && changelog.contains("\n## Not yet released"));
}

#[test]
fn no_address_is_written_down_before_there_is_one() {
    let package = &manifest()["package"];
    assert!(package.get("repository").is_none() && package.get("homepage").is_none());
    assert!(read("docs/releasing.md").contains("`repository` is missing in `Cargo.toml`"));
}

#[test]
fn every_file_of_the_debian_package_is_there_or_made_by_the_workflow() {
    let manifest = manifest();
    let assets = manifest["package"]["metadata"]["deb"]["assets"].as_array().unwrap();
    let workflow = read(".github/workflows/release.yml");
    for asset in assets {
        let file = asset[0].as_str().unwrap();
        match file.strip_prefix("target/extras/") {
            Some(made) => {
                let by_name = made.strip_prefix("elenchus.").unwrap();
                assert!(workflow.contains("target/extras/elenchus.") && workflow.contains(by_name), "{file}");
            }
            None => assert!(file.starts_with("target/release/") || Path::new(file).exists(), "{file}"),
        }
    }
}
