//! The process dies in the middle of its tasks: their programs die with it, and the next one goes on by strategy.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use pretty_assertions::assert_eq;
use serde_json::Value;

use super::support::{Bench, DEGRADE, GAP, STALL, gone, kept, script_with, shown, task};

const RETRY_ONCE: &str = "{ type = \"retry\", max_retries = 1 }";

/// Tells the test that it has begun, and then never ends; the second time it fails at once.
fn endless(bench: &Bench, id: &str) -> String {
    let shared = bench.path("shared");
    let place = shared.display();
    let text = format!(
        "test -e {place}/second && exit 1; echo {id} > {place}/pipe; (setsid sleep 4714.5 &); exec sleep 4714.5"
    );
    script_with(id, &text, &format!("write = [\"{place}\"]"))
}

#[tokio::test]
async fn tasks_survive_a_kill_and_go_on_by_their_strategy() {
    let bench = Bench::new("");
    std::fs::create_dir(bench.path("shared")).unwrap();
    let strategies = [("again", RETRY_ONCE), ("less", DEGRADE), ("wait", STALL), ("gap", GAP)];
    let tasks = strategies.map(|(id, strategy)| task(id, strategy, "") + &endless(&bench, id)).concat();
    bench.write_engine(&tasks);
    let host = bench.host();
    bench.allow(&host).await;
    host.close().unwrap();
    assert!(Command::new("mkfifo").arg(bench.path("shared/pipe")).status().unwrap().success());

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
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    writeln!(child.stdin.as_ref().unwrap(), "The phones ring all day.").unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let turn: Value = serde_json::from_str(&line).unwrap();
    // Three run at once. Open for both ways, the pipe never comes to an end between two writers.
    let pipe = File::options().read(true).write(true).open(bench.path("shared/pipe")).unwrap();
    let begun: Vec<String> = BufReader::new(pipe).lines().take(3).map(Result::unwrap).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    // No one is left to end them but what stays beside them.
    gone("sleep 4714.5");
    std::fs::write(bench.path("shared/second"), "").unwrap();

    let host = bench.host();
    let session = host.resume(turn["session_id"].as_str().unwrap()).await.unwrap();
    session.resume_tasks().await.unwrap();
    session.tasks_settled().await;
    gone("sleep 4714.5");
    let why = "it ended with status 1";
    assert_eq!(shown(&session, "again").1, format!("given up after 2 attempts: {why}; we go on without it"));
    assert_eq!(shown(&session, "less").1, format!("We use your own figures ({why})"));
    assert_eq!(shown(&session, "wait").0, "needs_user");
    assert_eq!(shown(&session, "gap").1, format!("gap: {why}"));
    let id = session.record().id;
    // The interrupted attempt counts; a task that had not begun has none, and which one that is depends on who got a slot.
    for (name, interrupted, fresh) in [("again", 2, 2), ("less", 2, 1), ("wait", 5, 5), ("gap", 2, 1)] {
        let wanted = if begun.iter().any(|begun| begun == name) { interrupted } else { fresh };
        assert_eq!((name, kept(&host, id, name).await.attempts), (name, wanted), "of {begun:?}");
    }
}
