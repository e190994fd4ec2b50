//! What was agreed to is what runs: whatever changes after it asks again, and what cannot be held on to is refused.

use std::os::unix::fs::symlink;
use std::sync::Arc;

use elenchus::host::Host;
use elenchus::tasks::pin::Content;
use elenchus::tasks::trust::{TrustRequest, request};
use pretty_assertions::assert_eq;
use serde_json::json;
use tokio::sync::Semaphore;

use super::support::{Bench, GAP, kept, say, script, shown, task};

const OWN: &str = "[handlers.scan]\ntype = \"command\"\nprogram = \"/bin/sh\"\nargs = [\"./scan.sh\"]\n";

/// An engine that runs a script, which reads a file beside it.
fn bench() -> Bench {
    let bench = Bench::new(&(task("scan", GAP, "") + OWN));
    std::fs::create_dir(bench.engine().join("lib")).unwrap();
    std::fs::write(bench.engine().join("lib/helper.sh"), "echo '{\"who\": \"agreed\"}'\n").unwrap();
    std::fs::write(bench.engine().join("scan.sh"), ". \"$(dirname \"$0\")/lib/helper.sh\"\n").unwrap();
    bench
}

fn wanted(bench: &Bench, host: &Host) -> TrustRequest {
    let (engine, from) = host.engine_from(&bench.engine().display().to_string()).unwrap();
    request(&engine, &from, &host.means.sandbox).unwrap()
}

#[tokio::test]
async fn a_script_and_the_files_beside_it_run_as_they_were_agreed_to() {
    let bench = bench();
    let host = bench.host();
    let shown_files = wanted(&bench, &host).files;
    let texts: Vec<(&str, &Content)> = shown_files.iter().map(|file| (file.path.as_str(), &file.content)).collect();
    let (helper, scan) = ("echo '{\"who\": \"agreed\"}'\n", ". \"$(dirname \"$0\")/lib/helper.sh\"\n");
    let (helper, scan) = (Content::Text(helper.to_owned()), Content::Text(scan.to_owned()));
    assert_eq!(texts, [("lib/helper.sh", &helper), ("scan.sh", &scan)]);
    bench.allow(&host).await;
    let (session, _) = bench.settle(&host).await;
    assert_eq!(kept(&host, session.record().id, "scan").await.result, Some(json!({ "who": "agreed" })));
}

#[tokio::test]
async fn a_file_beside_the_script_that_changes_asks_again() {
    for change in ["echo '{\"who\": \"someone else\"}'\n", ""] {
        let bench = bench();
        let host = bench.host();
        bench.allow(&host).await;
        std::fs::write(bench.engine().join("lib/helper.sh"), change).unwrap();
        let (session, _) = bench.settle(&host).await;
        assert_eq!(shown(&session, "scan").0, "needs_user");
    }
    let bench = bench();
    let host = bench.host();
    bench.allow(&host).await;
    std::fs::write(bench.engine().join("another.sh"), "").unwrap();
    let (session, _) = bench.settle(&host).await;
    assert_eq!(shown(&session, "scan").0, "needs_user");
}

#[tokio::test]
async fn a_link_put_in_the_place_of_a_file_is_refused() {
    let outside = tempfile::tempdir().unwrap();
    // The same bytes as were agreed to, for now.
    std::fs::write(outside.path().join("helper.sh"), "echo '{\"who\": \"agreed\"}'\n").unwrap();
    let bench = bench();
    let host = bench.host();
    bench.allow(&host).await;
    let helper = bench.engine().join("lib/helper.sh");
    std::fs::remove_file(&helper).unwrap();
    symlink(outside.path().join("helper.sh"), &helper).unwrap();
    let (session, _) = bench.settle(&host).await;
    let (status, note) = shown(&session, "scan");
    assert_eq!(status, "failed");
    assert!(note.contains("the link lib/helper.sh leads out of its folder"), "{note}");
}

/// Has a task wait for a slot, does something meanwhile, and lets it go on.
async fn while_waiting(bench: &Bench, meanwhile: impl FnOnce()) -> (String, String) {
    let mut host = bench.host();
    host.means.slots = Arc::new(Semaphore::new(0));
    bench.allow(&host).await;
    let mut session = bench.begin(&host).await;
    say(&mut session, "The phones ring all day.").await;
    // The task has asked for leave and waits; it is the only one that can make progress.
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    host.store().call_async(|store| store.list_sessions(&elenchus::store::SessionFilter::default())).await.unwrap();
    meanwhile();
    host.means.slots.add_permits(1);
    session.tasks_settled().await;
    shown(&session, "scan")
}

#[tokio::test]
async fn what_changes_while_a_task_waits_for_its_turn_asks_again() {
    let bench = bench();
    let helper = bench.engine().join("lib/helper.sh");
    let (status, note) =
        while_waiting(&bench, || std::fs::write(&helper, "echo '{\"who\": \"someone else\"}'\n").unwrap()).await;
    assert_eq!(status, "needs_user", "{note}");
}

#[tokio::test]
async fn a_link_swapped_in_while_a_task_waits_for_its_turn_is_refused() {
    let bench = bench();
    let script = bench.engine().join("scan.sh");
    let (status, note) = while_waiting(&bench, || {
        std::fs::remove_file(&script).unwrap();
        symlink("/bin/true", &script).unwrap();
    })
    .await;
    assert_eq!(status, "failed");
    assert!(note.contains("leads out of its folder"), "{note}");
}

#[tokio::test]
async fn a_program_outside_the_folder_is_held_to_its_content() {
    let outside = tempfile::tempdir().unwrap();
    let program = outside.path().join("tool");
    let write = |text: &str| {
        std::fs::write(&program, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    };
    write("echo '{\"who\": \"agreed\"}'");
    let handler = format!("[handlers.scan]\ntype = \"command\"\nprogram = \"{}\"\n", program.display());
    let bench = Bench::new(&(task("scan", GAP, "") + &handler));
    let host = bench.host();
    bench.allow(&host).await;
    let (session, _) = bench.settle(&host).await;
    assert_eq!(kept(&host, session.record().id, "scan").await.result, Some(json!({ "who": "agreed" })));
    write("echo '{\"who\": \"someone else\"}'");
    let (session, _) = bench.settle(&host).await;
    assert_eq!(shown(&session, "scan").0, "needs_user");
}

#[tokio::test]
async fn a_script_outside_the_folder_cannot_be_drawn_in() {
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("more.sh");
    std::fs::write(&file, "echo '{\"drawn\": \"in\"}'").unwrap();
    let bench = Bench::new(&(task("scan", GAP, "") + &script("scan", &format!(". {}", file.display()))));
    let host = bench.host();
    bench.allow(&host).await;
    let (session, _) = bench.settle(&host).await;
    assert_eq!(shown(&session, "scan").0, "failed");
    assert_eq!(kept(&host, session.record().id, "scan").await.result, None);
}

#[tokio::test]
async fn what_cannot_be_held_on_to_is_refused_with_the_reason() {
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("more.sh");
    std::fs::write(&file, "echo").unwrap();
    let long = format!("echo {}", "x".repeat(70_000));
    for (program, args, why) in [
        ("../tool", String::new(), "leads out of the engine's folder"),
        ("./lib/../../tool", String::new(), "leads out of the engine's folder"),
        ("/bin/sh", "\"../tool\"".to_owned(), "leads out of the engine's folder"),
        ("/bin/sh", format!("\"{}\"", file.display()), "lies outside the engine's folder, where it can change"),
        ("/bin/sh", "\"./missing.sh\"".to_owned(), "there is no ./missing.sh"),
        ("/bin/sh", "\"./long.sh\"".to_owned(), "too long to be shown"),
        ("/bin/sh", "\"./prompt.md\"".to_owned(), "there is no ./prompt.md among the files"),
        ("no-such-program-anywhere", String::new(), "is not installed"),
    ] {
        let handler = format!("[handlers.scan]\ntype = \"command\"\nprogram = \"{program}\"\nargs = [{args}]\n");
        let bench = Bench::new(&(task("scan", GAP, "") + &handler));
        std::fs::write(bench.engine().join("long.sh"), &long).unwrap();
        let host = bench.host();
        let (session, _) = bench.settle(&host).await;
        let (status, note) = shown(&session, "scan");
        assert_eq!(status, "failed", "{note}");
        assert!(note.contains("it cannot be allowed") && note.contains(why), "{note}");
        let decided =
            elenchus::tasks::decide(&host.store(), &wanted(&bench, &host), true, jiff::Timestamp::now()).await;
        assert!(decided.unwrap_err().to_string().contains("cannot be allowed"));
    }
}

/// A handler that runs this, with more said of it.
fn running(program: &str, args: &str, more: &str) -> String {
    let handler = format!("[handlers.scan]\ntype = \"command\"\nprogram = \"{program}\"\nargs = [{args}]\n{more}\n");
    task("scan", GAP, "") + &handler
}

#[tokio::test]
async fn a_file_that_cannot_be_shown_keeps_the_whole_engine_from_being_allowed() {
    let long = format!("# {}\n", "x".repeat(70_000));
    for (name, bytes, why) in [
        ("scan.sh", &b"#!/bin/sh\n# caf\xe9\necho '{}'\n"[..], "scan.sh is neither a text in UTF-8 nor a compiled"),
        ("scan.sh", b"#!/bin/sh\n# \0\necho '{}'\n", "scan.sh is neither a text in UTF-8 nor a compiled"),
        ("lib/more.sh", b"\xff\xfe", "lib/more.sh is neither a text in UTF-8 nor a compiled"),
        ("lib/tables.py", long.as_bytes(), "lib/tables.py is too long to be shown"),
        // Only the first bytes of a program.
        ("scan.sh", b"\x7fELF\necho '{}'\n\xe9", "scan.sh is neither a text in UTF-8 nor a compiled"),
    ] {
        let bench = bench();
        std::fs::write(bench.engine().join(name), bytes).unwrap();
        let host = bench.host();
        let wanted = wanted(&bench, &host);
        assert!(wanted.obstacles.iter().any(|found| found.contains(why)), "{:?}", wanted.obstacles);
        let decided = elenchus::tasks::decide(&host.store(), &wanted, true, jiff::Timestamp::now()).await;
        assert!(decided.unwrap_err().to_string().contains("cannot be allowed"));
        assert_eq!(shown(&bench.settle(&host).await.0, "scan").0, "failed");
    }
}

#[tokio::test]
async fn compiled_programs_are_named_as_such_and_what_interpreters_compiled_is_left_out() {
    let bench = Bench::new(&running("./count", "", ""));
    std::fs::copy("/bin/true", bench.engine().join("count")).unwrap();
    std::fs::create_dir(bench.engine().join("__pycache__")).unwrap();
    std::fs::write(bench.engine().join("__pycache__/tables.pyc"), b"\xcb\x0d\0\0evil").unwrap();
    let wanted = wanted(&bench, &bench.host());
    let files: Vec<_> = wanted.files.iter().map(|file| (file.path.as_str(), &file.content)).collect();
    assert_eq!((files, wanted.obstacles), (vec![("count", &Content::Compiled)], Vec::new()));
}

#[tokio::test]
async fn a_script_outside_the_folder_is_shown_and_runs_as_it_was_shown() {
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().canonicalize().unwrap().join("x.sh");
    let write = |who: &str| {
        std::fs::write(&file, format!("#!/bin/sh\necho '{{\"who\": \"{who}\"}}'\n")).unwrap();
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    };
    let name = file.display().to_string();
    write("agreed");
    let bench = Bench::new(&running(&name, "", ""));
    let host = bench.host();
    let question = elenchus::host::consent::question(&wanted(&bench, &host));
    assert_eq!(question.files[0].heading, format!("{name}, 35 bytes"));
    assert_eq!(question.files[0].lines, ["#!/bin/sh", "echo '{\"who\": \"agreed\"}'", ""]);
    bench.allow(&host).await;
    let (session, _) = bench.settle(&host).await;
    assert_eq!(kept(&host, session.record().id, "scan").await.result, Some(json!({ "who": "agreed" })));
    write("someone else");
    let (session, _) = bench.settle(&host).await;
    assert_eq!(shown(&session, "scan").0, "needs_user");
}

#[tokio::test]
async fn code_outside_the_folder_is_refused_as_an_argument_even_if_it_may_be_read() {
    let outside = tempfile::tempdir().unwrap();
    let folder = outside.path().canonicalize().unwrap();
    std::fs::write(folder.join("x.sh"), "echo '{}'\n").unwrap();
    let (file, read) = (folder.join("x.sh").display().to_string(), format!("read = [\"{}\"]", folder.display()));
    for args in [format!("\"{file}\""), format!("\"--rcfile={file}\", \"-i\""), format!("\"{}\"", folder.display())] {
        let bench = Bench::new(&running("/bin/bash", &args, &read));
        let obstacles = wanted(&bench, &bench.host()).obstacles;
        assert!(obstacles.len() == 1 && obstacles[0].contains("lies outside the engine's folder"), "{obstacles:?}");
    }
}

#[tokio::test]
async fn a_script_that_something_outside_would_run_is_refused() {
    let bench = Bench::new(&running("./scan", "", ""));
    std::fs::write(bench.engine().join("scan"), "#!/opt/nowhere/run\necho '{}'\n").unwrap();
    let obstacles = wanted(&bench, &bench.host()).obstacles;
    assert_eq!(obstacles.len(), 1);
    assert!(obstacles[0].contains("is to be run by /opt/nowhere/run"), "{obstacles:?}");
}
