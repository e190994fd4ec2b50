//! The real program in folders of its own: what it is told on stdin, what it prints, how it ends.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A fresh machine: no settings, no data, no variables.
pub struct Program {
    folder: TempDir,
    variables: Vec<(String, String)>,
}

impl Program {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), variables: Vec::new() }
    }

    /// Sets a variable for every run.
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Writes config.toml.
    pub fn settings(self, text: &str) -> Self {
        std::fs::create_dir_all(self.config()).expect("a folder");
        std::fs::write(self.config().join("config.toml"), text).expect("settings");
        self
    }

    /// What is told once, on the first start, was told.
    pub fn introduced(self) -> Self {
        self.introduce();
        self
    }

    /// The same for one that is borrowed.
    pub fn introduce(&self) {
        if !self.data().exists() {
            std::fs::create_dir_all(self.data()).expect("a folder");
            std::fs::write(self.data().join("hints.json"), "[\"about\"]").expect("what was told");
        }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn config(&self) -> PathBuf {
        self.folder.path().join("config")
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn database(&self) -> PathBuf {
        self.data().join("elenchus.db")
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_elenchus"));
        command.env_clear().env("HOME", self.folder.path()).env("TZ", "UTC");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.arg("--config").arg(self.config()).arg("--data-dir").arg(self.data()).args(arguments);
        command
    }

    /// Runs to the end with this on stdin.
    pub fn run_with(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Ran {
        let mut child = self.start(arguments);
        let mut stdin = child.stdin.take().expect("stdin");
        let input = input.as_ref().to_vec();
        // A program that ends early closes its stdin; that is its right.
        let writer = std::thread::spawn(move || stdin.write_all(&input).is_ok());
        let output = child.wait_with_output().expect("it ends");
        writer.join().expect("the writer ends");
        Ran::of(output)
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, "")
    }

    /// Starts it with pipes on all sides.
    pub fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    }

    /// Converses and returns the turns.
    pub fn converse(&self, engine: &str, messages: &str) -> Vec<Value> {
        let ran = self.run_with(&["converse", "--engine", engine], messages);
        assert_eq!(ran.code, 0, "{}", ran.words);
        ran.lines()
    }

    /// Starts the engine that `engines new` writes, in a folder of the user's.
    pub fn new_engine(&self, id: &str) -> PathBuf {
        let folder = self.folder.path().join("own");
        let made = self.run(&["engines", "new", id, "--path", folder.to_str().expect("a path")]);
        assert_eq!(made.code, 0, "{}", made.words);
        folder.join(id)
    }
}

/// What a run left behind.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; -1 for a signal.
    pub code: i32,
    /// Stdout.
    pub data: String,
    /// Stderr.
    pub words: String,
}

impl Ran {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            data: String::from_utf8(output.stdout).expect("stdout is text"),
            words: String::from_utf8(output.stderr).expect("stderr is text"),
        }
    }

    /// A JSON document per line.
    pub fn lines(&self) -> Vec<Value> {
        self.data.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
    }

    /// One JSON document.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_else(|error| panic!("{error}: {}{}", self.data, self.words))
    }
}

/// The session that a turn belongs to.
pub fn session_of(turn: &Value) -> String {
    turn["session_id"].as_str().expect("a session").to_owned()
}
