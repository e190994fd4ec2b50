//! What a program may reach: asked of hostile scripts, under every sandbox that works on this machine.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, symlink};
use std::process::Stdio;
use std::time::Duration;

use assert_cmd::Command;
use elenchus::sandbox::{Bounds, Confined, Confinement, Grant, Network};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::hostile::{PATIENT, confined};
use super::support::{Bench, DEGRADE, GAP, kept, sandboxes, script, script_with, shown, task};

const KEY: &str = "sk-live-0123456789abcdef";

/// A script that prints which of the files it could read.
fn reader(files: &[String]) -> String {
    let files = files.join(" ");
    format!("for file in {files}; do head -c 1 $file >/dev/null 2>&1 && printf '%s ' $file; done; true")
}

#[tokio::test]
async fn nothing_of_the_user_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("elenchus.db");
    std::fs::write(&secret, "everything that was ever said").unwrap();
    let home = std::env::home_dir().unwrap();
    let own = std::process::id();
    let files = [
        secret.display().to_string(),
        format!("/proc/{own}/root{}", secret.display()),
        format!("/proc/{own}/environ"),
        format!("{home}/* {home}/.[a-z]*", home = home.display()),
        "/etc/shadow /etc/sudoers".to_owned(),
    ];
    for sandbox in sandboxes() {
        let means = sandbox.confinement();
        let read = confined(&sandbox, &Grant::default(), "reads", &reader(&files), PATIENT).await.unwrap();
        assert_eq!(read, "", "{means:?}");
        // In a namespace of its own the parent is one of the sandbox, with next to nothing in its environment.
        let text = "env; cat /proc/$PPID/environ /proc/[0-9]*/environ 2>/dev/null; true";
        let read = confined(&sandbox, &Grant::default(), "parent", text, PATIENT).await.unwrap();
        assert!(read.contains("ELENCHUS_TASK") && !read.contains("CARGO"), "{means:?}: {read}");
        // Held by nothing, the same script reads it.
        let loose = sandbox.with(Confinement::None);
        let read = confined(&loose, &Grant::default(), "loose", &reader(&files[..1]), PATIENT).await.unwrap();
        assert_eq!(read.trim(), secret.display().to_string());
    }
}

#[tokio::test]
async fn what_is_granted_can_be_read_or_changed_and_nothing_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for name in ["in", "out", "beside"] {
        std::fs::create_dir(root.join(name)).unwrap();
        std::fs::write(root.join(name).join("file"), name).unwrap();
    }
    let grant = Grant { read: vec![root.join("in")], write: vec![root.join("out")], ..Grant::default() };
    let place = root.display();
    let text = format!(
        "cat {place}/in/file {place}/out/file {place}/beside/file 2>/dev/null; \
         for name in in out beside; do {{ echo new > {place}/$name/new; }} 2>/dev/null && printf ' %s' $name; \
         chmod 777 {place}/$name/file 2>/dev/null && printf ' mode-%s' $name; done; true"
    );
    let mode = |name: &str| root.join(name).join("file").metadata().unwrap().mode() & 0o777;
    let modes = || ["in", "out", "beside"].map(mode);
    let before = modes();
    for sandbox in sandboxes() {
        let output = confined(&sandbox, &grant, "grants", &text, PATIENT).await.unwrap();
        let bubblewrap = sandbox.confinement() == Confinement::Bubblewrap;
        // Landlock does not know modes; so no program changes any, and is told that it did.
        if bubblewrap {
            assert_eq!((output.as_str(), modes()), ("inout out mode-out", [before[0], 0o777, before[2]]));
        } else {
            assert_eq!((output.as_str(), modes()), ("inout mode-in out mode-out mode-beside", before));
        }
        assert!(!root.join("in/new").exists() && !root.join("beside/new").exists());
        std::fs::remove_file(root.join("out/new")).unwrap();
    }
}

#[tokio::test]
async fn a_link_put_in_the_place_of_what_was_granted_leads_nowhere() {
    for sandbox in sandboxes() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (home, granted, secret) = (root.join("home"), root.join("work/data"), root.join("secret"));
        for place in [&home, &granted, &secret] {
            std::fs::create_dir_all(place).unwrap();
        }
        std::fs::write(granted.join("file"), "given").unwrap();
        std::fs::write(secret.join("file"), "words").unwrap();
        let grant = Grant { read: vec![granted.clone()], ..Grant::default() };
        let run = Confined {
            program: "/bin/cat".as_ref(),
            args: &[granted.join("file").display().to_string()],
            home: &home,
            scratch: &home,
            own: None,
            grant: &grant,
            bounds: Bounds { memory: 1 << 30, file: 1 << 20, seconds: 10 },
            mark: ("ELENCHUS_TASK", "swapped"),
        };
        let output = |mut command: std::process::Command| command.output().unwrap();
        assert_eq!(output(sandbox.command(&run).unwrap()).stdout, b"given", "{:?}", sandbox.confinement());
        // Everything is agreed to and ready; now another program swaps the folder for a link.
        let ready = sandbox.command(&run).unwrap();
        std::fs::rename(&granted, root.join("work/away")).unwrap();
        symlink(&secret, &granted).unwrap();
        let swapped = output(ready);
        assert_eq!((swapped.status.success(), swapped.stdout), (false, Vec::new()), "{:?}", sandbox.confinement());
        let refused = sandbox.command(&run).unwrap_err().to_string();
        assert!(refused.contains("was changed at this very moment"), "{refused}");
        // A folder on the way is no better.
        std::fs::remove_file(&granted).unwrap();
        std::fs::rename(root.join("work/away"), &granted).unwrap();
        let ready = sandbox.command(&run).unwrap();
        std::fs::rename(root.join("work"), root.join("before")).unwrap();
        std::fs::rename(&secret, root.join("data")).unwrap();
        symlink(&root, root.join("work")).unwrap();
        let swapped = output(ready);
        assert_eq!((swapped.status.success(), swapped.stdout), (false, Vec::new()), "{:?}", sandbox.confinement());
    }
}

#[tokio::test]
async fn a_grant_inside_another_that_may_be_changed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let outer = folder.path().canonicalize().unwrap();
    let inner = outer.join("data");
    std::fs::create_dir(&inner).unwrap();
    let bench = Bench::new("");
    let host = bench.host();
    let engine = |first: String, second: String| {
        let (a, b) = (script_with("a", "echo '{}'", &first), script_with("b", "echo '{}'", &second));
        bench.write_engine(&(task("a", GAP, "") + &task("b", GAP, "") + &a + &b));
        let (engine, from) = host.engine_from(&bench.engine().display().to_string()).unwrap();
        elenchus::tasks::trust::request(&engine, &from, &host.means.sandbox).unwrap().obstacles
    };
    let asks = |what: &str, path: &std::path::Path| format!("{what} = [\"{}\"]", path.display());
    assert_eq!(engine(asks("read", &outer), asks("write", &inner)), [""; 0]);
    assert_eq!(engine(asks("write", &outer), asks("write", &outer)), [""; 0]);
    for what in ["read", "write"] {
        let obstacles = engine(asks("write", &outer), asks(what, &inner));
        let expected = format!("{} lies inside {}, which it may change", inner.display(), outer.display());
        assert!(obstacles.len() == 1 && obstacles[0].starts_with(&expected), "{obstacles:?}");
    }
}

#[tokio::test]
async fn there_is_no_network_unless_it_is_granted() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let port = server.local_addr().unwrap().port();
    let text = format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null && echo reached || echo alone");
    for sandbox in sandboxes() {
        let means = sandbox.confinement();
        let output = confined(&sandbox, &Grant::default(), "offline", &text, PATIENT).await.unwrap();
        assert_eq!((output.as_str(), server.accept().is_err()), ("alone\n", true), "{means:?}");
        let all = Grant { network: Network::All, ..Grant::default() };
        let output = confined(&sandbox, &all, "online", &text, PATIENT).await.unwrap();
        assert_eq!((output.as_str(), server.accept().is_ok()), ("reached\n", true), "{means:?}");
    }
}

#[tokio::test]
async fn sockets_of_agents_and_services_are_out_of_reach() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().canonicalize().unwrap().join("agent");
    let _agent = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let text = format!(
        "perl -MIO::Socket::UNIX -e 'exit(IO::Socket::UNIX->new(Peer => \"{}\") ? 0 : 1)' && echo reached || echo alone",
        socket.display()
    );
    let grant = Grant { write: vec![socket.parent().unwrap().to_owned()], network: Network::All, ..Grant::default() };
    for sandbox in sandboxes() {
        let output = confined(&sandbox, &grant, "agent", &text, PATIENT).await.unwrap();
        assert_eq!(output, "alone\n", "{:?}", sandbox.confinement());
    }
}

#[tokio::test]
async fn other_processes_cannot_be_ended() {
    let mut bystander = std::process::Command::new("sleep").arg("4716.5").spawn().unwrap();
    let text = format!("kill -9 {} 2>/dev/null && echo killed || echo kept", bystander.id());
    for sandbox in sandboxes() {
        let output = confined(&sandbox, &Grant::default(), "killer", &text, PATIENT).await.unwrap();
        assert_eq!(output, "kept\n", "{:?}", sandbox.confinement());
    }
    assert!(bystander.try_wait().unwrap().is_none());
    bystander.kill().unwrap();
    bystander.wait().unwrap();
}

/// A script that makes calls of the system by their numbers and prints which of them succeeded.
fn calls(calls: &[(&str, String)]) -> String {
    let tried = calls.iter().map(|(name, call)| format!("print \"{name} \" if syscall({call}) != -1;"));
    // The parent of the shell is what stays beside the program.
    let values = "$zero = chr(0) x 64; $one = pack(\"Q\", 1); $parent = 0 + $ARGV[0]; $path = $ARGV[1]; $name = \"user.evil\" . \"\";";
    format!("perl -e '{values} {}' $PPID", tried.collect::<String>())
}

#[tokio::test]
async fn other_processes_cannot_be_slowed_limited_or_moved() {
    let mut bystander = std::process::Command::new("sleep").arg("4727.5").spawn().unwrap();
    let id = bystander.id();
    let limit = "$zero";
    let text = calls(&[
        ("prlimit", format!("{}, {id}, 1, {limit}, 0", libc::SYS_prlimit64)),
        ("supervisor", format!("{}, $parent, 7, {limit}, 0", libc::SYS_prlimit64)),
        ("nice", format!("{}, 0, {id}, 5", libc::SYS_setpriority)),
        ("nice-all", format!("{}, 2, 0, 5", libc::SYS_setpriority)),
        ("affinity", format!("{}, {id}, 8, $one", libc::SYS_sched_setaffinity)),
        ("idle", format!("{}, {id}, 5, $zero", libc::SYS_sched_setscheduler)),
        ("io", format!("{}, 1, {id}, {}", libc::SYS_ioprio_set, 3 << 13)),
        ("own", format!("{}, 0, 1, 0, $zero", libc::SYS_prlimit64)),
        ("own-nice", format!("{}, 0, 0, 19", libc::SYS_setpriority)),
    ]);
    for sandbox in sandboxes() {
        let output = confined(&sandbox, &Grant::default(), "others", &text, PATIENT).await.unwrap();
        assert_eq!(output, "own own-nice ", "{:?}", sandbox.confinement());
    }
    let limits = std::fs::read_to_string(format!("/proc/{id}/limits")).unwrap();
    assert!(!limits.lines().any(|line| line.starts_with("Max file size") && line.contains(" 0 ")), "{limits}");
    bystander.kill().unwrap();
    bystander.wait().unwrap();
}

#[tokio::test]
async fn nothing_of_a_file_can_be_changed_without_opening_it_for_that() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let granted = root.join("granted");
    std::fs::create_dir(&granted).unwrap();
    for file in [root.join("secret"), granted.join("file")] {
        std::fs::write(file, "words").unwrap();
    }
    let state = || {
        [root.join("secret"), granted.join("file")].map(|file| {
            let seen = file.metadata().unwrap();
            (seen.mode(), seen.mtime(), seen.ctime(), seen.ctime_nsec(), seen.uid())
        })
    };
    let before = state();
    let (secret, file) = (root.join("secret").display().to_string(), granted.join("file").display().to_string());
    let by_name = |call: i64, rest: &str| format!("{call}, -100, $path, {rest}");
    let text = format!("perl -e 'open(F, \"<\", \"{file}\"); $f = fileno(F); print \"open \" if defined $f;'; ")
        + &calls(&[
            ("setxattrat", by_name(463, "0, $name, $zero, 16")),
            ("open_tree_attr", by_name(467, "0, 0, 0")),
            ("file_setattr", by_name(469, "$zero, 24, 0")),
            ("chmod", by_name(libc::SYS_fchmodat, "511")),
            ("watch", format!("{}, syscall({}, 0), $path, 4095", libc::SYS_inotify_add_watch, libc::SYS_inotify_init1)),
            ("queue", format!("{}, 1, 950", libc::SYS_msgget)),
            ("memory", format!("{}, 0, 4096, 950", libc::SYS_shmget)),
            ("flags", format!("{}, fileno(STDIN), 0x40086602, $zero", libc::SYS_ioctl)),
        ])
        + &format!(
            " {secret} && printf tried; touch -d 2001-01-01 {secret} 2>/dev/null; touch -d 2001-01-01 {file} 2>/dev/null; "
        )
        + &format!("perl -e 'open(F, \"<\", \"{file}\"); chmod(0777, *F); chown(1, 1, *F); utime(1, 1, *F);'; true");
    let grant = Grant { read: vec![granted.clone()], ..Grant::default() };
    for sandbox in sandboxes() {
        let output = confined(&sandbox, &grant, "attributes", &text, PATIENT).await.unwrap();
        let bubblewrap = sandbox.confinement() == Confinement::Bubblewrap;
        // A namespace has queues and memory of its own, and its own folders to watch.
        let allowed = if bubblewrap { output.replace("queue ", "").replace("memory ", "") } else { output };
        // It says that it did it, and what follows shows that it did not.
        let allowed = if bubblewrap { allowed } else { allowed.replace("chmod ", "") };
        assert_eq!(allowed, "open tried", "{:?}", sandbox.confinement());
        assert_eq!(state(), before, "{:?}", sandbox.confinement());
    }
}

#[test]
fn no_key_is_in_any_process_of_a_task_and_the_database_is_not_for_it() {
    let bench = Bench::new("");
    let data = bench.path("data").join("elenchus.db");
    let text = format!(
        "keys=$(cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c {KEY}); \
         cat {} >/dev/null 2>&1 && base=true || base=false; \
         printf '{{\"keys\": %s, \"database\": %s}}' \"$keys\" $base",
        data.display()
    );
    bench.write_engine(&(task("scan", DEGRADE, "") + &script("scan", &text)));
    let program = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_elenchus"));
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("ELENCHUS_API_KEY", KEY);
        command.arg("--config").arg(bench.path("config")).arg("--data-dir").arg(bench.path("data")).args(arguments);
        command.timeout(Duration::from_mins(1));
        command
    };
    let engine = bench.engine().display().to_string();
    program(&["engines", "trust", &engine, "--yes", "--json"]).assert().success();
    let output = program(&["--offline", "converse", "--wait-tasks", "60", "--engine", &engine])
        .write_stdin("The phones ring all day.\nIt started in spring.\n")
        .output()
        .unwrap();
    let turns = String::from_utf8(output.stdout).unwrap();
    let last: Value = serde_json::from_str(turns.lines().last().unwrap()).unwrap();
    let session = last["session_id"].as_str().unwrap();
    let exported = program(&["sessions", "export", session, "--format", "json"]).output().unwrap();
    let exported = String::from_utf8(exported.stdout).unwrap();
    let compact: String = exported.split_whitespace().collect();
    assert!(compact.contains("{\"keys\":0,\"database\":false}"), "{exported}");
    // The key is with the program alone, and no one else can look in there.
    assert!(!exported.contains(KEY));
}

#[test]
fn the_program_itself_is_closed_to_other_programs_of_the_user() {
    let bench = Bench::new("");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_elenchus"))
        .env_clear()
        .env("ELENCHUS_API_KEY", KEY)
        .args(["--offline", "--config"])
        .arg(bench.path("config"))
        .arg("--data-dir")
        .arg(bench.path("data"))
        .args(["converse", "--engine"])
        .arg(bench.engine())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    writeln!(child.stdin.as_ref().unwrap(), "The phones ring all day.").unwrap();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut String::new()).unwrap();
    let place = format!("/proc/{}", child.id());
    // What is closed belongs to root, who alone may look.
    assert_eq!(std::fs::metadata(format!("{place}/environ")).unwrap().uid(), 0);
    let read = std::fs::read(format!("{place}/environ"));
    assert!(rustix::process::getuid().is_root() || read.is_err());
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[tokio::test]
async fn without_a_sandbox_it_is_another_question() {
    let bench = Bench::new(&(task("scan", GAP, "") + &script("scan", "echo '{\"ran\": true}'")));
    let mut host = bench.host();
    bench.allow(&host).await;
    let (session, _) = bench.settle(&host).await;
    assert_eq!(shown(&session, "scan").0, "completed");
    host.means.sandbox = host.means.sandbox.with(Confinement::None);
    let (session, _) = bench.settle(&host).await;
    let (status, note) = shown(&session, "scan");
    assert_eq!(status, "needs_user");
    assert!(note.contains("with no sandbox to hold it"), "{note}");
    let wanted = session.trust_request().unwrap();
    assert_eq!((wanted.confinement, wanted.is_unconfined()), (Some(Confinement::None), true));
    session.decide_trust(&wanted, true).await.unwrap();
    session.tasks_settled().await;
    assert_eq!(kept(&host, session.record().id, "scan").await.result, Some(json!({ "ran": true })));
}

#[tokio::test]
async fn what_a_program_may_do_is_part_of_what_is_agreed_to() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().canonicalize().unwrap();
    let echo = "echo '{}'";
    let bench = Bench::new(&(task("scan", GAP, "") + &script("scan", echo)));
    let host = bench.host();
    let digest = |host: &elenchus::host::Host| {
        let (engine, from) = host.engine_from(&bench.engine().display().to_string()).unwrap();
        elenchus::tasks::trust::request(&engine, &from, &host.means.sandbox).unwrap()
    };
    let plain = digest(&host);
    assert_eq!(plain.acts[0].deed.grant, Grant { commands: vec!["/bin/sh".to_owned()], ..Grant::default() });
    let more = format!("read = [\"{}\"]\nnetwork = \"all\"", place.display());
    bench.write_engine(&(task("scan", GAP, "") + &script_with("scan", echo, &more)));
    let wanted = digest(&host);
    assert_ne!(plain.digest, wanted.digest);
    let words =
        [format!("read {}", place.display()), "use the network: talk to any address, send anything there".into()];
    assert_eq!(wanted.acts[0].deed.grant.words(), words);
}

#[tokio::test]
async fn the_users_own_folders_are_not_for_grants() {
    let home = std::env::home_dir().unwrap().canonicalize().unwrap();
    let bench = Bench::new("");
    let host = bench.host();
    let data = bench.path("data").canonicalize().unwrap();
    for (asked, why) in [
        (data.join("elenchus.db"), "holds your sessions or your settings"),
        (data.clone(), "holds your sessions or your settings"),
        (bench.folder.path().to_owned(), "holds your sessions or your settings"),
        (home, "holds your whole home"),
        ("/dev".into(), "reach the kernel"),
        ("/nowhere/at/all".into(), "which it asks for, is not there"),
    ] {
        let more = format!("read = [\"{}\"]", asked.display());
        bench.write_engine(&(task("scan", GAP, "") + &script_with("scan", "echo '{}'", &more)));
        let (session, _) = bench.settle(&host).await;
        let (status, note) = shown(&session, "scan");
        assert_eq!(status, "failed", "{note}");
        assert!(note.contains("cannot be allowed") && note.contains(why), "{note}");
    }
}

#[test]
fn doctor_says_what_holds_programs() {
    let bench = Bench::new("");
    let output = Command::new(env!("CARGO_BIN_EXE_elenchus"))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .args(["--offline", "doctor", "--json", "--config"])
        .arg(bench.path("config"))
        .arg("--data-dir")
        .arg(bench.path("data"))
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let words = report["checks"]["sandbox"]["detail"].as_str().unwrap();
    let used = sandboxes().pop().unwrap().confinement();
    assert_eq!(words, used.words());
}
