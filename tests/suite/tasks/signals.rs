//! Signals to end take the programs of tasks with them.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::Instant;

use pretty_assertions::assert_eq;
use rustix::process::{Pid, Signal, kill_process};

use super::support::{Bench, GAP, gone, script_with, task};
use crate::support::PATIENCE;

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
    let begun = Instant::now();
    while std::fs::remove_file(bench.path("shared/up")).is_err() {
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
    assert!(app.wait_exit().unwrap().success());
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
