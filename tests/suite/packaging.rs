//! What is handed out: the oldest Rust is named alike everywhere, the changelog knows the version, the manual has every
//! command, shells complete what is there, and the program says how it was built.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::program::{Program, session_of};

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
            Some("man/*.1") => assert!(workflow.contains(" man target/extras/man\n"), "{file}"),
            Some(made) => {
                let by_name = made.strip_prefix("elenchus.").unwrap();
                assert!(workflow.contains("target/extras/elenchus.") && workflow.contains(by_name), "{file}");
            }
            None => assert!(file.starts_with("target/release/") || Path::new(file).exists(), "{file}"),
        }
    }
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let program = Program::new();
    let folder = program.folder().join("deep/man");
    let ran = program.run(&["man", folder.to_str().unwrap()]);
    assert_eq!((ran.code, ran.data.as_str()), (0, ""), "{}", ran.words);
    let page = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    for (name, words) in [
        ("elenchus.1", "elenchus\\-sessions(1)"),
        ("elenchus-chat.1", "Somebody else is interviewed"),
        ("elenchus-sessions.1", "elenchus\\-sessions\\-export(1)"),
        ("elenchus-sessions-export.1", ".SH OPTIONS"),
        ("elenchus-engines-validate.1", ".SH SYNOPSIS"),
        ("elenchus-man.1", "FOLDER"),
    ] {
        assert!(page(name).contains(words), "{name}: {}", page(name));
    }
    let whole = program.run(&["man"]);
    assert_eq!(whole.data, page("elenchus.1"), "without a folder it is the first page");
    let file = program.folder().join("a file");
    fs::write(&file, "").unwrap();
    assert_eq!(program.run(&["man", file.to_str().unwrap()]).code, 1);
}

/// What the program answers a shell that asks how its words can go on.
fn completed(program: &Program, shell: &str, words: &[&str]) -> Vec<String> {
    let mut command = program.command(&[]);
    // The folders are said as somebody would who types them.
    let (config, data) = (program.config(), program.data());
    let folders = ["--config", config.to_str().unwrap(), "--data-dir", data.to_str().unwrap()];
    let all = [&["elenchus"], &folders[..], words].concat();
    command.env("ELENCHUS_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", (all.len() - 1).to_string());
    let ran = command.arg("--").args(all).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    String::from_utf8(ran.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn shells_complete_engines_and_sessions_with_what_they_are_called() {
    let program = Program::new();
    let nothing_yet = completed(&program, "fish", &["sessions", "show", ""]);
    assert!(!nothing_yet.iter().any(|line| line.contains("turn")), "{nothing_yet:?}");
    assert!(!program.database().exists() && !program.data().exists(), "asking makes nothing");
    let id = session_of(&program.converse("project-discovery", "We build an intake app for clinics.\n")[0]);
    program.run(&["sessions", "rename", &id, "Clinic: the intake"]);
    for words in [
        &["sessions", "show", ""][..],
        &["sessions", "show", &id[..4]],
        &["chat", "--session", ""],
        &["render", ""],
        &["sessions", "diff", "x", "--with", ""],
        &["converse", "--session", ""],
    ] {
        let told = completed(&program, "fish", words);
        let line = format!("{id}\tClinic: the intake (project-discovery, turn 1)");
        assert!(told.contains(&line), "{words:?}: {told:?}");
        assert!(completed(&program, "bash", words).contains(&id), "{words:?}");
        let zsh = completed(&program, "zsh", words);
        assert!(zsh.iter().any(|line| line.starts_with(&format!("{id}:Clinic: the intake"))), "{words:?}: {zsh:?}");
    }
    assert!(!completed(&program, "bash", &["sessions", "show", "ffff"]).contains(&id));
    for words in [&["engines", "show", "proj"][..], &["chat", "--engine", "proj"], &["converse", "--engine", ""]] {
        let told = completed(&program, "fish", words);
        assert!(
            told.iter().any(|line| line.starts_with("project-discovery\tProject discovery: ")),
            "{words:?}: {told:?}"
        );
    }
    assert!(completed(&program, "bash", &["sess"]).contains(&"sessions".to_owned()));
    assert_eq!(program.run(&["sessions", "verify"]).code, 0);
}

#[test]
fn a_shell_that_asks_amiss_is_answered_all_the_same() {
    let program = Program::new();
    for (shell, arguments) in
        [("tcsh", &["--", "elenchus", ""][..]), ("fish", &[]), ("fish", &["--"]), ("bash", &["--"])]
    {
        let ran = program.command(&[]).env("ELENCHUS_COMPLETE", shell).args(arguments).output().unwrap();
        assert_eq!((ran.status.code(), ran.stdout.len()), (Some(2), 0), "{shell} {arguments:?}");
    }
    let ran = program.command(&[]).env("ELENCHUS_COMPLETE", "").arg("--version").output().unwrap();
    assert!(String::from_utf8(ran.stdout).unwrap().starts_with("elenchus "), "an empty variable asks nothing");
    // A store that somebody else has damaged is nobody's hindrance.
    fs::create_dir_all(program.data()).unwrap();
    fs::write(program.database(), "no database at all").unwrap();
    completed(&program, "bash", &["sessions", "show", ""]);
    assert_eq!(fs::read_to_string(program.database()).unwrap(), "no database at all");
}

#[test]
fn the_script_for_bash_completes_in_a_bash() {
    let program = Program::new();
    let id = session_of(&program.converse("ideation", "Ideas for the waiting room.\n")[0]);
    let script = program.run(&["completions", "bash"]);
    assert_eq!(script.code, 0);
    let file = program.folder().join("completions.bash");
    fs::write(&file, &script.data).unwrap();
    let folder = Path::new(env!("CARGO_BIN_EXE_elenchus")).parent().unwrap();
    let asked = format!(
        "source {}; COMP_WORDS=(elenchus --data-dir {} sessions show ''); COMP_CWORD=5; COMP_TYPE=9; \
         _clap_complete_elenchus elenchus ''; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        file.display(),
        program.data().display()
    );
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let ran =
        Command::new("bash").env_clear().env("PATH", path).env("HOME", program.folder()).args(["-c", &asked]).output();
    let ran = ran.unwrap();
    let told = String::from_utf8(ran.stdout).unwrap();
    assert!(told.lines().any(|line| line == id), "{told} {}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn the_version_says_how_the_program_was_built_and_where_it_keeps_things() {
    let program = Program::new();
    let version = manifest()["package"]["version"].as_str().unwrap().to_owned();
    for flag in ["--version", "-V"] {
        let ran = program.run(&[flag]);
        assert_eq!((ran.code, ran.data), (0, format!("elenchus {version}\n")));
    }
    let ran = program.run(&["--version", "--verbose"]);
    assert_eq!(ran.code, 0, "{}", ran.words);
    let value = |name: &str| {
        let line =
            ran.data.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{name}: {}", ran.data));
        line.trim().to_owned()
    };
    assert!(value("rustc").contains("1.") && value("target").contains('-') && value("SQLite").starts_with("3."));
    assert!(!value("commit").is_empty() && value("features") == "none" || cfg!(feature = "keyring"));
    assert_eq!(value("database"), program.database().display().to_string());
    assert_eq!(value("settings"), program.config().join("config.toml").display().to_string());
    assert!(!program.data().exists(), "saying it makes nothing");
    assert_eq!(program.run(&["--verbose"]).code, 2, "alone it means nothing");
}
