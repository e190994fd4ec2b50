//! The guide for designers: the commands in it are run as they stand.

use std::path::Path;

use assert_cmd::Command;

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

#[test]
fn the_commands_of_the_guide_work() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = std::fs::read_to_string(root.join("engines/README.md")).expect("the guide is there");
    let commands = commands(&guide);
    assert!(commands.len() >= 6, "{commands:?}");
    let place = tempfile::tempdir().expect("a folder for the test");
    for command in commands {
        let words: Vec<&str> = command.split_whitespace().collect();
        assert_eq!(words[0], "elenchus", "{command}");
        let (arguments, file) = match words.iter().position(|word| *word == ">") {
            Some(at) => (&words[1..at], words.get(at + 1)),
            None => (&words[1..], None),
        };
        let output = Command::cargo_bin("elenchus")
            .expect("the program is built")
            .current_dir(place.path())
            .env("ELENCHUS_CONFIG", place.path())
            .args(["--config", ".", "--data-dir", "data", "--offline"])
            .args(arguments)
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}\n{}\n{said}", String::from_utf8_lossy(&output.stdout));
        if let Some(file) = file {
            std::fs::write(place.path().join(file), output.stdout).expect("the output is kept");
        }
    }
}
