//! Words that would steer a terminal, in every place where they can come from, through every command: none of them
//! reaches the terminal as it is, and as data none of them is lost.

use std::path::{Path, PathBuf};

use elenchus::text::{coloured, deceives};
use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::support::program::{Program, Ran, session_of};

/// Moves up, erases, forges a line; clears by C1; copies; sets the title; deletes; turns text around; hides.
const EVIL: &str = "x\u{1b}[1A\u{1b}[2K\r  run /usr/bin/wc -w\u{9b}2J\u{1b}]52;c;ZXZpbA==\u{7}\u{1b}]0;owned\u{7}\u{7f}\u{202e}y\
                    \u{2066}\u{61c}\u{200f}\u{200b}\u{feff}\u{2028}\u{e0041}\u{8}z";

/// The same as a TOML string without its quotes.
fn in_toml() -> String {
    let escaped = |c: char| if deceives(c) { format!("\\U{:08X}", u32::from(c)) } else { c.to_string() };
    EVIL.chars().map(escaped).collect()
}

/// Nothing of it came through, on either stream.
fn assert_harmless(ran: &Ran, what: &str) {
    for (stream, text) in [("stdout", &ran.data), ("stderr", &ran.words)] {
        let bad: Vec<char> = text.chars().filter(|c| deceives(*c)).collect();
        assert_eq!(bad, Vec::<char>::new(), "{what}: {stream}:\n{text:?}");
    }
}

/// An engine whose every text for people is hostile, and which wants to run something.
fn engine(program: &Program, id: &str) -> PathBuf {
    let folder = program.new_engine(id);
    let file = folder.join("engine.toml");
    let text = std::fs::read_to_string(&file).expect("an engine");
    let names = ["name = \"", "description = \"", "outcome = \"", "question = \"", "instructions = \""];
    let lines = text.lines().map(|line| match names.iter().find(|name| line.starts_with(**name)) {
        Some(name) if !line.ends_with("\"\"\"") => format!("{name}{}{}", in_toml(), &line[name.len()..]),
        _ => line.to_owned(),
    });
    let task = format!(
        r#"
[[background_tasks]]
id = "scan"
name = "{evil}"
description = "{evil}"
handler = "scan"
when = "turn > 0"
failure_strategy = {{ type = "degrade", degraded_behavior = "{evil}" }}

[handlers.scan]
type = "command"
program = "/bin/sh"
args = ["./scan.sh", "{evil}"]
"#,
        evil = in_toml()
    );
    let text = lines.collect::<Vec<_>>().join("\n") + "\n" + &task;
    std::fs::write(&file, text).expect("written");
    std::fs::write(folder.join("scan.sh"), format!("# {EVIL}\necho '{{}}'\n")).expect("written");
    folder
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a path")
}

#[test]
fn no_command_about_engines_lets_them_through() {
    let program = Program::new().variable("PATH", "/usr/bin:/bin");
    let hostile = engine(&program, "look-back");
    let hostile = path(&hostile);
    let own = program.config().join("engines/look-back");
    std::fs::create_dir_all(&own).expect("a folder");
    for file in ["engine.toml", "prompt.md", "brief.md", "scan.sh"] {
        std::fs::copy(Path::new(hostile).join(file), own.join(file)).expect("copied");
    }
    for arguments in [
        &["engines", "list"][..],
        &["engines", "list", "--json"],
        &["engines", "show", hostile],
        &["engines", "show", hostile, "--json"],
        &["engines", "validate", hostile],
        &["engines", "validate", hostile, "--json"],
        &["engines", "graph", hostile],
        &["engines", "graph", hostile, "--format", "mermaid"],
        &["engines", "graph", hostile, "--json"],
        &["engines", "trust", hostile],
        &["engines", "trust", hostile, "--json"],
        &["engines", "schema"],
        &["test", hostile],
        &["test", hostile, "--json", "--coverage"],
        &["doctor"],
        &["doctor", "--json"],
    ] {
        let ran = program.run(arguments);
        assert!(ran.code <= 1, "{arguments:?}: {} {}", ran.data, ran.words);
        assert_harmless(&ran, &format!("{arguments:?}"));
        if arguments.contains(&"--json") {
            ran.json();
        }
    }
    let shown = program.run(&["engines", "show", hostile, "--json"]).json();
    assert_eq!(shown["name"].as_str(), Some(format!("{EVIL}Look back").as_str()), "as data nothing is lost");
}

#[test]
fn what_an_engine_would_do_stands_behind_a_line_that_it_cannot_draw() {
    let program = Program::new().variable("PATH", "/usr/bin:/bin");
    let ran = program.run(&["engines", "trust", path(&engine(&program, "look-back"))]);
    let ours = ["The engine look-back from", "would do one thing on this machine:", "1 of 1", ""];
    let ours = |line: &str| {
        ours.contains(&line) || ["Its programs get", "Sandbox: ", "Digest of"].iter().any(|own| line.starts_with(own))
    };
    let others: Vec<&str> = ran.data.lines().filter(|line| !ours(line) && !line.starts_with("  │   ")).collect();
    assert_eq!(others, Vec::<&str>::new(), "{}", ran.data);
    for part in ["program: /bin/sh", "argument 1: ./scan.sh", "argument 2: x⟨U+001B⟩[1A", "# x⟨U+001B⟩[1A", "⟨U+200B⟩"]
    {
        assert!(ran.data.contains(part), "{part} is not in\n{}", ran.data);
    }
}

#[test]
fn no_fault_of_a_file_lets_them_through() {
    let program = Program::new();
    let folder = program.new_engine("look-back");
    let file = folder.join("engine.toml");
    let text = std::fs::read_to_string(&file).expect("an engine");
    let (evil, raw) = (in_toml(), EVIL.replace(['\r', '\n'], ""));
    for fault in [
        text.replace("category = \"story\"", &format!("category = \"{evil}\"")),
        format!("\"{evil}\" = 1\n{text}"),
        format!("{text}\n# {raw}\nwhen = \"{raw}\"\n"),
        text.replace("initial_phase = \"STORY\"", &format!("initial_phase = \"{evil}\"")),
        text.replace("{{ first_question }}", &format!("{{{{ {raw} }}}}")),
    ] {
        std::fs::write(&file, fault).expect("written");
        for arguments in [
            &["engines", "validate", path(&folder)][..],
            &["engines", "validate", path(&folder), "--json"],
            &["engines", "show", path(&folder)],
            &["converse", "--engine", path(&folder)],
            &["test", path(&folder)],
        ] {
            let ran = program.run(arguments);
            assert!((1..=2).contains(&ran.code), "{arguments:?}: {} {}", ran.data, ran.words);
            assert_harmless(&ran, &format!("{arguments:?}"));
        }
    }
    let evil_name = program.folder().join(EVIL.replace(['/', '\n'], ""));
    std::fs::create_dir(&evil_name).expect("a folder");
    std::fs::write(evil_name.join("engine.toml"), "id = 3").expect("written");
    assert_harmless(&program.run(&["engines", "validate", path(&evil_name)]), "a folder's name");
    let settings = Program::new().settings(&format!("\"{evil}\" = 1\nprofile = \"{evil}\"\nsensitive = \"{evil}\"\n"));
    let ran = settings.run(&["doctor"]);
    assert_eq!(ran.code, 2);
    assert_harmless(&ran, "settings");
    std::fs::create_dir_all(program.config().join("themes")).expect("a folder");
    std::fs::write(program.config().join("themes/mine.toml"), format!("inherits = \"{evil}\"\n")).expect("written");
    std::fs::write(program.config().join("keys.toml"), format!("[chat]\n\"{evil}\" = [\"{evil}\"]\n"))
        .expect("written");
    assert_harmless(&program.run(&["doctor"]), "themes and keys");
}

#[test]
fn no_argument_and_no_variable_lets_them_through() {
    let program = Program::new().variable("TERM", EVIL).variable("ELENCHUS_THEME", EVIL);
    for arguments in [
        &[EVIL][..],
        &["--bogus", EVIL],
        &[&format!("--{EVIL}")],
        &["engines", "show", EVIL],
        &["engines", "new", EVIL],
        &["engines", "graph", "ideation", "--format", EVIL],
        &["test", EVIL],
        &["sessions", "show", EVIL],
        &["sessions", "export", "1", "--format", EVIL],
        &["sessions", "search", EVIL],
        &["sessions", "journey", EVIL],
        &["sessions", "handoff", "1", "--edited", EVIL],
        &["render", EVIL, "--theme", EVIL],
        &["render", "1", "--size", EVIL],
        &["replay", "1", "--engine", EVIL],
        &["converse", "--engine", EVIL],
        &["--profile", EVIL, "doctor"],
        &["--endpoint", EVIL, "--model", "m", "doctor"],
        &["--endpoint", "http://127.0.0.1:9/v1", "--model", EVIL, "--key-env", EVIL, "doctor"],
        &["doctor"],
        &["--config", &format!("/nowhere/{EVIL}.toml"), "doctor"],
        &["completions", EVIL],
    ] {
        assert_harmless(&program.run(arguments), &format!("{arguments:?}"));
    }
    for arguments in [&["man"][..], &["--help"], &["completions", "zsh"], &["completions", "fish"], &["--version"]] {
        let ran = program.run(arguments);
        assert_eq!(ran.code, 0);
        assert_harmless(&ran, &format!("{arguments:?}"));
    }
}

#[test]
fn no_command_about_sessions_lets_them_through() {
    let program = Program::new().variable("PATH", "/usr/bin:/bin");
    let hostile = engine(&program, "look-back");
    // A line end would end the message.
    let said = format!("We built {}.", EVIL.replace('\n', ""));
    let ran = program.run_with(
        &["converse", "--engine", path(&hostile), "--project", EVIL],
        format!("{said}\n/not a command {EVIL}\n"),
    );
    assert_eq!(ran.code, 0, "{}", ran.words);
    assert_harmless(&ran, "converse");
    let id = session_of(&ran.lines()[0]);
    let id = id.as_str();
    assert_harmless(&program.run(&["sessions", "rename", id, EVIL]), "rename");
    for (command, file) in [
        ("export", "brief.md"),
        ("export", "page.html"),
        ("export", "all.json"),
        ("questions", "form.md"),
        ("questions", "form.html"),
    ] {
        let file = program.folder().join(file);
        let ran = program.run(&["sessions", command, id, "-o", path(&file)]);
        assert_eq!(ran.code, 0, "{}", ran.words);
        let text = std::fs::read_to_string(&file).expect("a file");
        assert!(text.contains("owned") && !text.contains(deceives), "{}: {text:?}", file.display());
    }
    for arguments in [
        &["sessions", "list"][..],
        &["sessions", "list", "--json"],
        &["sessions", "list", "--project", EVIL],
        &["sessions", "show", id],
        &["sessions", "show", id, "--json"],
        &["sessions", "search", "built"],
        &["sessions", "search", "built", "--json"],
        &["sessions", "export", id],
        &["sessions", "export", id, "--format", "transcript"],
        &["sessions", "export", id, "--format", "transcript", "--reveal"],
        &["sessions", "export", id, "--format", "json"],
        &["sessions", "export", id, "--format", "scenario"],
        &["sessions", "journey", id],
        &["sessions", "journey", EVIL],
        &["sessions", "journey", id, "--json"],
        &["sessions", "handoff", id],
        &["sessions", "handoff", id, "--json"],
        &["sessions", "verify"],
        &["sessions", "fork", id],
        &["sessions", "rewind", id, "--turn", "1"],
        &["render", id],
        &["render", id, "--format", "svg"],
        &["replay", id, "--engine", path(&hostile)],
        &["replay", id, "--engine", path(&hostile), "--json"],
    ] {
        let ran = program.run(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {} {}", ran.data, ran.words);
        assert_harmless(&ran, &format!("{arguments:?}"));
    }
    let drawn = program.run(&["render", id, "--format", "ansi"]);
    assert_eq!(coloured(&drawn.data), drawn.data, "colours, and nothing else");
    assert!(drawn.data.contains("\u{1b}["));
    let kept: Value = program.run(&["sessions", "show", id, "--json"]).json();
    let messages = kept["messages"].as_array().expect("messages");
    assert!(messages.iter().any(|message| message["text"].as_str() == Some(said.as_str())), "{messages:?}");
    assert_eq!(kept["title"].as_str(), Some(EVIL));
}
