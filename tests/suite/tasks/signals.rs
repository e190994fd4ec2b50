//! Signals to end take the programs of tasks and the commands of keys with them.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use pretty_assertions::assert_eq;
use rustix::process::{Pid, Signal, kill_process};

use elenchus::llm::Key;

use super::support::{Bench, GAP, gone, script_with, task};
use crate::support::PATIENCE;
use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};
use crate::support::program::Program;

/// An engine that may run a program without end, which leaves a file when it is up.
async fn endless(line: &str) -> Bench {
    let bench = Bench::new("");
    let shared = bench.path("shared");
    std::fs::create_dir(&shared).unwrap();
    let place = shared.display();
    let text = format!("(setsid {line} &); echo up > {place}/up; exec {line}");
    let handler = script_with("scan", &text, &format!("write = [\"{place}\"]"));
    bench.write_engine(&(task("scan", GAP, "") + &handler));
    let host = bench.host();
    bench.allow(&host).await;
    host.close().unwrap();
    bench
}

/// Waits until the program of the task runs.
fn is_up(bench: &Bench) {
    appears(&bench.path("shared/up"));
}

/// Waits for a file, and removes it.
fn appears(file: &Path) {
    let begun = Instant::now();
    while std::fs::remove_file(file).is_err() {
        assert!(begun.elapsed() < PATIENCE, "the program did not start");
        std::thread::yield_now();
    }
}

#[tokio::test]
async fn a_signal_to_the_app_ends_the_programs_of_its_tasks_with_it() {
    let bench = endless("sleep 4718.5").await;
    let folders = [bench.path("data"), bench.path("config"), bench.engine()].map(|path| path.display().to_string());
    let [data, config, engine] = &folders;
    let mut app = termlens::Terminal::builder()
        .size(100, 30)
        .env_clear()
        .env("TERM", "xterm-256color")
        .env("LANG", "C.UTF-8")
        .env("HOME", bench.folder.path().to_str().unwrap())
        .env("PATH", std::env::var("PATH").unwrap())
        .timeout(PATIENCE)
        .args(["--data-dir", data, "--config", config, "--offline", "chat", "--engine", engine])
        .spawn(env!("CARGO_BIN_EXE_elenchus"))
        .unwrap();
    app.wait_until(|screen| screen.contains("Write here")).unwrap();
    app.send_str("The phones ring all day.").unwrap();
    app.send(termlens::Key::Enter).unwrap();
    is_up(&bench);
    app.signal(termlens::Signal::Term).unwrap();
    assert!(app.wait_exit().unwrap().signal().is_some(), "it ends by the signal");
    gone("sleep 4718.5");
}

#[tokio::test]
async fn a_signal_to_converse_ends_the_programs_of_its_tasks_with_it() {
    let bench = endless("sleep 4717.5").await;
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_elenchus"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .arg("--config")
            .arg(bench.path("config"))
            .arg("--data-dir")
            .arg(bench.path("data"))
            .args(["converse", "--wait-tasks", "60", "--engine"])
            .arg(bench.engine())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        writeln!(child.stdin.as_ref().unwrap(), "The phones ring all day.").unwrap();
        is_up(&bench);
        kill_process(Pid::from_raw(child.id().cast_signed()).unwrap(), signal).unwrap();
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(signal.as_raw()), "{status:?}");
        gone("sleep 4717.5");
    }
}

/// A machine whose key is printed by a command that never ends, which says in a file that it is up.
fn endless_key(line: &str) -> Program {
    let program = Program::new();
    let up = program.folder().join("up");
    let script = format!("(setsid {line} &); {line} & echo up > '{}'; exec {line}", up.display());
    program.settings(&format!(
        "[profiles.p]\nendpoint = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\nattempts = 1\n\
         key_command = [\"/bin/sh\", \"-c\", {script:?}]\n"
    ))
}

/// A process that does not outlive a test that fails.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        // It fails where it has ended already.
        let _ = self.0.kill();
    }
}

#[test]
fn a_signal_ends_the_command_of_a_key_with_all_that_it_has_started() {
    let program = endless_key("sleep 4719.5");
    let converse = ["converse", "--engine", "exploration"];
    let cases = [
        (&converse[..], Signal::INT),
        (&converse, Signal::TERM),
        (&converse, Signal::HUP),
        (&converse, Signal::KILL),
        (&["doctor"], Signal::TERM),
    ];
    for (arguments, signal) in cases {
        let mut started = Started(program.start(arguments));
        // A command that asks for no message does not read it.
        let _ = writeln!(started.0.stdin.as_ref().unwrap(), "The phones ring all day.");
        appears(&program.folder().join("up"));
        kill_process(Pid::from_raw(started.0.id().cast_signed()).unwrap(), signal).unwrap();
        let status = started.0.wait().unwrap();
        assert_eq!(status.signal(), Some(signal.as_raw()), "{arguments:?} {status:?}");
        gone("sleep 4719.5");
    }
}

#[tokio::test]
async fn a_key_that_is_no_longer_waited_for_leaves_no_command() {
    let folder = tempfile::tempdir().unwrap();
    let up = folder.path().join("up");
    let script = format!("sleep 4720.5 & echo up > '{}'; exec sleep 4720.5", up.display());
    let fake = FakeEndpoint::start([]).await;
    let mut endpoint = fake.openai();
    endpoint.key = Some(Key::printed_by(vec!["/bin/sh".to_owned(), "-c".to_owned(), script]));
    let asking = tokio::spawn(crate::llm::ask_once(endpoint));
    tokio::task::spawn_blocking(move || appears(&up)).await.unwrap();
    asking.abort();
    assert!(asking.await.unwrap_err().is_cancelled());
    tokio::task::spawn_blocking(|| gone("sleep 4720.5")).await.unwrap();
}

#[tokio::test]
async fn a_command_that_has_printed_its_key_leaves_nothing_and_is_not_waited_for_any_longer() {
    let fake = FakeEndpoint::start([Answer::stream(openai::saying("Ok."))]).await;
    let mut endpoint = fake.openai();
    let script = "sleep 4721.5 & echo sk-printed-1234567";
    endpoint.key = Some(Key::printed_by(["/bin/sh", "-c", script].map(str::to_owned).to_vec()));
    crate::llm::ask_once(endpoint).await.unwrap();
    assert_eq!(fake.asked()[0].headers["authorization"], "Bearer sk-printed-1234567");
    tokio::task::spawn_blocking(|| gone("sleep 4721.5")).await.unwrap();
}
