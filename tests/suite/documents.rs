//! The guides: the commands they show are run as they stand, and their links lead somewhere.

use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// The pages whose commands are run, each in an empty folder of its own.
const GUIDES: &[&str] = &[
    "engines/README.md",
    "docs/session.md",
    "docs/models.md",
    "docs/terminals.md",
    "docs/engine.md",
    "docs/team.md",
    "docs/agents.md",
    "docs/inside.md",
    "docs/languages.md",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The commands of the blocks that are fenced as `sh run`.
fn commands(guide: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in guide.lines() {
        match line.trim() {
            "```sh run" => inside = true,
            "```" => inside = false,
            command if inside && !command.is_empty() && !command.starts_with('#') => found.push(command.to_owned()),
            _ => {}
        }
    }
    found
}

/// The words of a command line, where quotes keep words together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (number, part) in line.split('"').enumerate() {
        if number % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Takes `sign FILE` out of some words.
fn redirection(words: &mut Vec<String>, sign: &str) -> Option<String> {
    let at = words.iter().position(|word| word == sign)?;
    words.remove(at);
    Some(words.remove(at))
}

fn elenchus(place: &Path) -> Command {
    let mut command = Command::cargo_bin("elenchus").expect("the program is built");
    command.current_dir(place).env("ELENCHUS_CONFIG", place);
    command.args(["--config", ".", "--data-dir", "data", "--offline"]);
    command
}

/// The session that was held last in a folder.
fn newest_session(place: &Path) -> String {
    let output = elenchus(place).args(["sessions", "list", "--json"]).output().expect("it runs");
    let sessions: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the list is JSON");
    let newest = sessions.as_array().and_then(|all| all.first()).expect("a session was held");
    newest["session_id"].as_str().expect("it has an id").to_owned()
}

fn run(place: &Path, line: &str) {
    let mut words = words(line);
    let (reads, writes) = (redirection(&mut words, "<"), redirection(&mut words, ">"));
    assert_eq!(words[0], "elenchus", "{line}");
    if let Some(session) = words.iter_mut().find(|word| *word == "SESSION") {
        *session = newest_session(place);
    }
    let mut command = elenchus(place);
    if let Some(file) = reads {
        command.write_stdin(page(&format!("docs/{file}")));
    }
    let output = command.args(&words[1..]).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}\n{}\n{said}", String::from_utf8_lossy(&output.stdout));
    if let Some(file) = writes {
        std::fs::write(place.join(file), output.stdout).expect("the output is kept");
    }
}

#[test]
fn the_commands_of_the_guides_work() {
    for guide in GUIDES {
        let commands = commands(&page(guide));
        assert!(!commands.is_empty(), "{guide} shows commands");
        let place = tempfile::tempdir().expect("a folder for the test");
        for command in commands {
            run(place.path(), &command);
        }
    }
}

/// Where a page links to within the project.
fn links(text: &str) -> Vec<&str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', '#']).next())
        .filter(|link| !link.is_empty() && !link.contains("://"))
        .collect()
}

#[test]
fn the_links_of_the_documents_lead_somewhere() {
    for name in
        GUIDES.iter().chain(&["README.md", "docs/keys.md", "ARCHITECTURE.md", "SECURITY.md", "themes/README.md"])
    {
        let folder = root().join(name).parent().map(PathBuf::from).unwrap_or_default();
        for link in links(&page(name)) {
            assert!(folder.join(link).exists(), "{name} links to {link}");
        }
    }
}
