//! Engines with tasks, and hosts that do not wait.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use elenchus::engine::memory::{TaskRecord, TaskStatus};
use elenchus::host::{Host, Session};
use elenchus::sandbox::{Confinement, Sandbox};
use elenchus::settings::{Flags, Surroundings};
use elenchus::store::SessionId;
use elenchus::tasks::trust::request;
use elenchus::tasks::{TaskEvent, decide};
use tempfile::TempDir;

use crate::engine::support::SMALL;

/// A folder with settings, a database and an engine named `small`.
pub struct Bench {
    pub folder: TempDir,
    waits: Arc<Mutex<Vec<Duration>>>,
}

impl Bench {
    /// A bench whose engine has these tasks and handlers besides.
    pub fn new(tasks: &str) -> Self {
        let bench = Self { folder: tempfile::tempdir().expect("a folder"), waits: Arc::default() };
        bench.write_engine(tasks);
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn engine(&self) -> PathBuf {
        self.path("small")
    }

    pub fn write_engine(&self, tasks: &str) {
        let engine = self.engine();
        std::fs::create_dir_all(&engine).expect("a folder");
        let text = SMALL.replace("to = \"other\"", "to = \"project-discovery\"");
        std::fs::write(engine.join("engine.toml"), format!("{text}\n{tasks}")).expect("a file");
        std::fs::write(engine.join("prompt.md"), "You ask.\n").expect("a file");
        std::fs::write(engine.join("brief.md"), "# {{ session.title }}\n").expect("a file");
    }

    pub fn flags(&self) -> Flags {
        Flags { config: Some(self.path("config")), data_dir: Some(self.path("data")), ..Flags::default() }
    }

    /// A host that notes how long it would wait, and goes on at once.
    pub fn host(&self) -> Host {
        let surroundings =
            Surroundings { variable: &|_| None, keyring: &|_| Err("there is none".to_owned()), program: None };
        let mut host = Host::open(&self.flags(), &surroundings).expect("a host");
        let waits = Arc::clone(&self.waits);
        host.means.wait = Arc::new(move |time| {
            waits.lock().expect("nobody panicked").push(time);
            Box::pin(tokio::task::yield_now())
        });
        host.means.jitter = Arc::new(|| 0.0);
        host.means.sandbox = host.means.sandbox.with_helper(env!("CARGO_BIN_EXE_elenchus").into());
        host.means.limits.grace = Duration::from_millis(300);
        host
    }

    /// The waits so far, in seconds.
    pub fn waits(&self) -> Vec<u64> {
        self.waits.lock().expect("nobody panicked").iter().map(Duration::as_secs).collect()
    }

    /// Allows the engine to do what it wants.
    pub async fn allow(&self, host: &Host) {
        let (engine, from) = host.engine_from(&self.engine().display().to_string()).expect("the engine is sound");
        let shown = request(&engine, &from, &host.means.sandbox).expect("it wants to do something");
        decide(&host.store(), &shown, true, jiff::Timestamp::now()).await.expect("the decision is kept");
    }

    /// Starts a session, says something, and waits until all tasks have come to an end.
    pub async fn settle(&self, host: &Host) -> (Session, Vec<TaskEvent>) {
        let mut session = self.begin(host).await;
        let mut events = session.task_events().expect("a session that is kept");
        say(&mut session, "The phones ring all day.").await;
        session.tasks_settled().await;
        let mut seen = Vec::new();
        while let Ok(event) = events.try_recv() {
            seen.push(event);
        }
        (session, seen)
    }

    pub async fn begin(&self, host: &Host) -> Session {
        host.start(&self.engine().display().to_string(), Some("bench")).await.expect("a session")
    }
}

pub async fn say(session: &mut Session, message: &str) -> elenchus::engine::turn::TurnOutcome {
    session.say(message, &mut |_| {}).await.expect("the turn is completed")
}

/// How a task stands in the sidebar: status and note.
pub fn shown(session: &Session, task: &str) -> (String, String) {
    let sidebar = session.sidebar();
    let found = sidebar.tasks.iter().find(|shown| shown.id == task).expect("the task is shown");
    (found.status.to_string(), found.note.clone().unwrap_or_default())
}

/// A task as it is kept.
pub async fn kept(host: &Host, session: SessionId, task: &str) -> TaskRecord {
    let all = host.store().call_async(move |store| store.tasks(session)).await.expect("the tasks");
    all.into_iter().map(|row| row.record).find(|record| record.id == task).expect("the task is kept")
}

/// The statuses that a task was told to have, in order, progress left out.
pub fn told(events: &[TaskEvent], task: &str) -> Vec<TaskStatus> {
    let changes = events.iter().map(|event| match event {
        TaskEvent::Changed(record) => record,
        other => panic!("something else happened: {other:?}"),
    });
    let own = changes.filter(|record| record.id == task && progress(record).is_none());
    own.map(|record| record.status).collect()
}

/// How far a task said it has come.
pub fn progress(record: &TaskRecord) -> Option<&str> {
    record.note.as_deref().filter(|_| record.status == TaskStatus::Running)
}

/// A task that is set off by the first turn.
pub fn task(id: &str, strategy: &str, more: &str) -> String {
    format!(
        "[[background_tasks]]\nid = \"{id}\"\nname = \"{id}\"\ndescription = \"It works.\"\nhandler = \"{id}\"\n\
         when = \"turn >= 1\"\nfailure_strategy = {strategy}\n{more}\n"
    )
}

/// A handler that runs a shell script; the shell is the program here, not a way to start it.
pub fn script(id: &str, text: &str) -> String {
    format!("[handlers.{id}]\ntype = \"command\"\nprogram = \"/bin/sh\"\nargs = [\"-c\", '''{text}''']\n")
}

/// The same, with more said of it in the engine file.
pub fn script_with(id: &str, text: &str, more: &str) -> String {
    script(id, text) + more + "\n"
}

/// A sandbox for each means that works on this machine. Landlock always has to: it is what is left without bubblewrap.
#[allow(clippy::print_stderr, reason = "who reads the output should know what was not tested")]
pub fn sandboxes() -> Vec<Sandbox> {
    let all = Sandbox::new(env!("CARGO_BIN_EXE_elenchus").into(), []);
    assert!(all.works(Confinement::Landlock), "these tests need a kernel with Landlock");
    if !all.works(Confinement::Bubblewrap) {
        eprintln!("bubblewrap does not work here: only Landlock is tested");
        return vec![all.with(Confinement::Landlock)];
    }
    vec![all.with(Confinement::Landlock), all.with(Confinement::Bubblewrap)]
}

pub const RETRY: &str = "{ type = \"retry\" }";
pub const DEGRADE: &str = "{ type = \"degrade\", degraded_behavior = \"We use your own figures.\" }";
pub const STALL: &str = "{ type = \"stall\" }";
pub const GAP: &str = "{ type = \"proceed-with-gap\" }";

/// Ids of living processes with these words on their command line.
pub fn living(words: &str) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").expect("processes can be listed");
    let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    ids.filter(|id| {
        let line = std::fs::read(Path::new("/proc").join(id.to_string()).join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).replace('\0', " ").contains(words)
    })
    .collect()
}

/// Waits until no process has these words on its command line: one that was killed is gone only once it gets its turn.
pub fn gone(words: &str) {
    let begun = std::time::Instant::now();
    while !living(words).is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(20), "still there: {:?}", living(words));
        std::thread::yield_now();
    }
}
