//! Signals to end take the programs of tasks with them.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use pretty_assertions::assert_eq;
use rustix::process::{Pid, Signal, kill_process};

use super::support::{Bench, GAP, gone, script_with, task};

#[tokio::test]
async fn a_signal_to_converse_ends_the_programs_of_its_tasks_with_it() {
    let bench = Bench::new("");
    let shared = bench.path("shared");
    std::fs::create_dir(&shared).unwrap();
    let place = shared.display();
    let text = format!("echo up > {place}/pipe; (setsid sleep 4717.5 &); exec sleep 4717.5");
    let handler = script_with("scan", &text, &format!("write = [\"{place}\"]"));
    bench.write_engine(&(task("scan", GAP, "") + &handler));
    let host = bench.host();
    bench.allow(&host).await;
    host.close().unwrap();
    assert!(Command::new("mkfifo").arg(shared.join("pipe")).status().unwrap().success());

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
        let pipe = File::options().read(true).write(true).open(shared.join("pipe")).unwrap();
        let mut line = String::new();
        BufReader::new(pipe).read_line(&mut line).unwrap();
        assert_eq!(line, "up\n");
        kill_process(Pid::from_raw(child.id().cast_signed()).unwrap(), signal).unwrap();
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(signal.as_raw()), "{status:?}");
        gone("sleep 4717.5");
    }
}
