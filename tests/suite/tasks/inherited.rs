//! What was open when Elenchus was started is for Elenchus alone.

use std::process::Command;

use crate::support::program::Program;

#[test]
fn no_program_that_is_started_here_gets_files_that_were_open_before() {
    let folder = tempfile::tempdir().unwrap();
    let (secret, seen) = (folder.path().join("secret"), folder.path().join("seen"));
    std::fs::write(&secret, "words of another program").unwrap();
    // A key's command is the quickest to start; programs of tasks and the editor come from the same process.
    let looks = format!("(cat <&7) > '{}' 2>&1; echo k", seen.display());
    let program = Program::new().settings(&format!(
        "[profiles.p]\nendpoint = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\nkey_command = [\"/bin/sh\", \"-c\", {looks:?}]\n"
    ));
    let asks = program.command(&["doctor"]);
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "exec 7< \"$0\"; exec \"$@\""]).arg(&secret);
    shell.arg(asks.get_program()).args(asks.get_args()).env_clear();
    shell.envs(asks.get_envs().filter_map(|(name, value)| Some((name, value?))));
    assert!(shell.output().unwrap().status.code().is_some());
    let seen = std::fs::read_to_string(&seen).expect("the command ran");
    assert!(!seen.contains("another program"), "{seen}");
}
