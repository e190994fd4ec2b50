//! `elenchus engines …`: data on stdout, words on stderr, exit codes, and engines of one's own.
#![allow(clippy::expect_used, reason = "a test whose files cannot be written has failed")]

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

/// A person's own folder.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("there is room for a folder"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("elenchus"));
        command.arg("--config").arg(self.path()).arg("engines").args(arguments);
        command.env_remove("NO_COLOR").current_dir(self.path()).output().expect("it runs")
    }

    fn succeeds(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", words(&output));
        let text = String::from_utf8(output.stdout).expect("it is text");
        assert!(!text.contains('\u{1b}'), "{arguments:?}: a pipe gets no colours");
        text
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.succeeds(arguments)).expect("it is JSON")
    }

    /// Spoils the engine of that name in one place.
    fn edit(&self, id: &str, file: &str, find: &str, replace: &str) {
        let path = self.path().join("engines").join(id).join(file);
        let text = fs::read_to_string(&path).expect("it is there");
        assert!(text.contains(find), "{find:?} is in {file}");
        fs::write(&path, text.replacen(find, replace, 1)).expect("it can be written");
    }
}

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const SHIPPED: [&str; 5] =
    ["business-profile", "exploration", "feature-prioritization", "ideation", "project-discovery"];

fn same(name: &str, text: &str) {
    insta::with_settings!({
        snapshot_path => "../../snapshots/commands", prepend_module_to_snapshot => false, omit_expression => true,
    }, {
        insta::assert_snapshot!(name, text);
    });
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(|engine| engine["id"].as_str()).collect()
}

#[test]
fn list_has_a_line_for_each_engine() {
    let home = Home::new();
    let text = home.succeeds(&["list"]);
    let first: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(first, SHIPPED);
    let list = home.json(&["list", "--json"]);
    assert_eq!(ids(&list), SHIPPED);
    for engine in list.as_array().into_iter().flatten() {
        assert_eq!((&engine["source"], &engine["valid"]), (&"embedded".into(), &true.into()));
        assert!(engine["outcome"].is_string() && engine["duration_minutes"].is_u64(), "{engine}");
    }
}

#[test]
fn show_describes_an_engine() {
    let home = Home::new();
    home.succeeds(&["new", "mine"]);
    same("show", &home.succeeds(&["show", "mine"]));
    let engine = home.json(&["show", "mine", "--json"]);
    assert_eq!(engine["id"], "mine");
    assert_eq!(engine["source"], "user");
    assert_eq!(engine["fields"][3]["path"], "lesson.changes");
    assert_eq!(engine["fields"][3]["type"], "array");
    assert_eq!(engine["hash"].as_str().map(str::len), Some(64));
    assert!(engine["prompt"].as_str().is_some_and(|prompt| prompt.contains("Look back")), "{engine}");
    assert_eq!(engine["technique_library"].as_array().map(Vec::len), Some(3));
}

#[test]
fn graph_draws_the_phases() {
    let home = Home::new();
    home.succeeds(&["new", "mine"]);
    same("graph-text", &home.succeeds(&["graph", "mine"]));
    same("graph-mermaid", &home.succeeds(&["graph", "mine", "--format", "mermaid"]));
    let graph = home.json(&["graph", "mine", "--json"]);
    assert_eq!(graph["initial_phase"], "STORY");
    assert_eq!(graph["transitions"][0]["to"], "LESSON");
    assert_eq!(graph["transitions"][0]["triggers"][1]["threshold"], 6);
}

#[test]
fn schema_is_printed_as_json() {
    let schema = Home::new().json(&["schema"]);
    assert_eq!(schema["title"], "Elenchus engine");
    assert_eq!(schema["$defs"]["Phase"]["additionalProperties"], false);
}

#[test]
fn validate_checks_all_engines_when_none_is_named() {
    let home = Home::new();
    let text = home.succeeds(&["validate"]);
    assert_eq!(text.lines().collect::<Vec<_>>(), SHIPPED.map(|id| format!("✓ {id}")));
    let reports = home.json(&["validate", "--json"]);
    assert_eq!(reports.as_array().map(Vec::len), Some(5));
    assert_eq!(reports[0]["valid"], true);
    assert_eq!((&reports[0]["errors"], &reports[0]["warnings"]), (&Value::Array(vec![]), &Value::Array(vec![])));
}

#[test]
fn validate_fails_on_an_error_and_says_where_it_is() {
    let home = Home::new();
    home.succeeds(&["new", "mine"]);
    home.edit("mine", "engine.toml", "weight = 0.6", "weight = 0.7");
    home.edit("mine", "brief.md", "story.subject", "story.sbject");
    let output = home.run(&["validate", "mine"]);
    assert_eq!(output.status.code(), Some(1), "{}", words(&output));
    let text = String::from_utf8_lossy(&output.stdout).replace(&home.path().display().to_string(), "HOME");
    assert!(!text.contains('\u{1b}'), "a pipe gets no colours");
    same("validate", &text);

    let output = home.run(&["validate", "mine", "ideation", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let reports: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(reports[0]["valid"], false);
    assert_eq!(reports[0]["errors"][0]["code"], "weights");
    assert!(reports[0]["errors"][0]["line"].as_u64() > Some(100), "{reports}");
    assert_eq!(reports[1]["valid"], true);

    let output = home.run(&["show", "mine"]);
    assert_eq!(output.status.code(), Some(2), "an engine with an error is not shown");
    assert!(words(&output).contains("the engine `mine` has 2 errors"), "{}", words(&output));
    assert!(home.succeeds(&["list"]).contains("has 2 errors: elenchus engines validate mine"));
}

#[test]
fn a_warning_is_no_failure() {
    let home = Home::new();
    home.succeeds(&["new", "mine"]);
    home.edit(
        "mine",
        "engine.toml",
        "\"open_ended_questions\", \"reflective_listening\"]\n#",
        "\"reflective_listening\"]\n#",
    );
    let text = home.succeeds(&["validate", "mine"]);
    assert!(text.contains("warning[unused]") && text.ends_with("✓ mine: 1 warning\n"), "{text}");
}

#[test]
fn what_is_no_engine_gets_one_clear_message() {
    let home = Home::new();
    let told = |name: &str| {
        let output = home.run(&["validate", name]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert_eq!(output.stdout, b"", "{name}");
        words(&output).replace(&home.path().display().to_string(), "HOME")
    };
    assert_eq!(told("ideatoin"), "elenchus: there is no engine `ideatoin`; did you mean `ideation`?\n");
    assert!(told("nothing-like-it").contains("`elenchus engines list` shows those there are"));
    fs::create_dir(home.path().join("empty")).expect("it can be made");
    fs::write(home.path().join("notes.txt"), "notes").expect("it can be written");
    for path in ["empty", "./empty", "./notes.txt"] {
        let message = told(path);
        assert!(message.contains("it is not an engine's folder: there is no engine.toml in it"), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    assert!(told("./missing").starts_with("elenchus: cannot read ./missing: "));
    assert_eq!(home.run(&["validate", "--nonsense"]).status.code(), Some(2));
    assert_eq!(home.run(&["vlaidate"]).status.code(), Some(2));
}

#[test]
fn a_new_engine_is_clean_and_is_never_overwritten() {
    let home = Home::new();
    let printed = home.succeeds(&["new", "mine"]);
    assert_eq!(Path::new(printed.trim()), home.path().join("engines/mine"));
    assert_eq!(home.succeeds(&["validate", "mine"]), "✓ mine\n");

    home.edit("mine", "prompt.md", "short", "very short");
    let output = home.run(&["new", "mine"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(words(&output).contains("is there already; nothing was written"), "{}", words(&output));
    let prompt = fs::read_to_string(home.path().join("engines/mine/prompt.md")).expect("it is there");
    assert!(prompt.contains("very short"), "the first one was kept");

    let made = home.json(&["new", "other", "--path", "elsewhere", "--json"]);
    assert_eq!(made["id"], "other");
    assert!(home.path().join("elsewhere/other/engine.toml").is_file());
    for name in ["Mine", "my engine", "../mine", "", "1st"] {
        let output = home.run(&["new", name]);
        assert_eq!(output.status.code(), Some(2), "{name:?}");
        assert!(words(&output).contains("is not a name for an engine"), "{}", words(&output));
    }
}

#[test]
fn an_engine_dropped_into_the_folder_is_usable() {
    let home = Home::new();
    home.succeeds(&["new", "sixth"]);
    assert_eq!(ids(&home.json(&["list", "--json"])).len(), 6);
    assert_eq!(home.json(&["show", "sixth", "--json"])["source"], "user");
}

#[test]
fn an_engine_named_by_its_path_is_usable() {
    let home = Home::new();
    home.succeeds(&["new", "apart", "--path", "elsewhere"]);
    for path in ["elsewhere/apart", "./elsewhere/apart/", "elsewhere/apart/engine.toml"] {
        assert_eq!(home.succeeds(&["validate", path]), format!("✓ {path}\n"));
        let engine = home.json(&["show", path, "--json"]);
        assert_eq!((&engine["id"], &engine["source"]), (&"apart".into(), &"path".into()));
    }
    assert_eq!(ids(&home.json(&["list", "--json"])), SHIPPED, "it is not listed");
}

#[test]
fn an_own_engine_shadows_the_one_of_its_name() {
    let home = Home::new();
    home.succeeds(&["new", "ideation"]);
    let list = home.json(&["list", "--json"]);
    assert_eq!(ids(&list), SHIPPED);
    assert_eq!((&list[3]["source"], &list[3]["name"]), (&"user".into(), &"Look back".into()));
    assert_eq!(home.json(&["show", "ideation", "--json"])["name"], "Look back");
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_reason_to_complain() {
    let program = assert_cmd::cargo::cargo_bin!("elenchus");
    let mut shell = assert_cmd::Command::new("sh");
    shell.args(["-c", "\"$0\" engines schema | head -n 1"]).arg(program);
    let output = shell.output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "{\n");
    assert_eq!(words(&output), "");
}
