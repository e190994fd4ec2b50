//! Kills of a process that commits turns, takes some back, writes drafts ahead, and runs background tasks to their end.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use elenchus::engine::memory::{TaskRecord, TaskStatus};
use elenchus::store::{
    Artifact, ArtifactId, CommitKind, Digest, Draft, MessageId, MessageRecord, NewSession, PinnedEngine, Role,
    SessionId, SessionRecord, SqliteOptions, Store, TaskId, TaskRow, TitleSource, TurnCommit,
};
use jiff::Timestamp;
use serde_json::json;

use crate::trials::trial::{Random, Tally, Until, WORK, sound, spin};

/// A new session every so many rounds, so that checking stays quick.
const ROUNDS_PER_SESSION: u64 = 20;

fn open(folder: &Path) -> Store {
    Store::open_sqlite(&folder.join("elenchus.db"), SqliteOptions::default()).expect("the store opens")
}

fn message(turn: u32, role: Role, content: String) -> MessageRecord {
    let now = Timestamp::now();
    MessageRecord { id: MessageId::new(now), turn, role, content, created_at: now, meta: json!({}) }
}

fn begin(store: &mut Store) -> SessionId {
    let project_id = store.ensure_project("trials").expect("a project").id;
    let session = NewSession {
        id: SessionId::new(Timestamp::now()),
        project_id,
        engine: PinnedEngine::new("trial", "1.0.0", BTreeMap::new()),
        title: "Killed".to_owned(),
        title_source: TitleSource::Default,
        phase: "OPENING".to_owned(),
        completeness: 0.0,
        state: json!({ "turn": 0 }),
        messages: vec![message(0, Role::Assistant, "Welcome.".to_owned())],
        extractions: Vec::new(),
        engine_folder: None,
        inbound: None,
    };
    store.create_session(session).expect("a session").id
}

fn turn(at: &SessionRecord, words: &str, tasks: Vec<TaskRow>) -> TurnCommit {
    let turn = at.turn + 1;
    TurnCommit {
        session_id: at.id,
        kind: CommitKind::Turn,
        expected_turn: at.turn,
        expected_revision: at.revision,
        messages: vec![
            message(turn, Role::User, words.to_owned()),
            message(turn, Role::Assistant, "I see. And then?".to_owned()),
        ],
        state: json!({ "turn": turn, "last": words }),
        phase: "CORE".to_owned(),
        completeness: 0.5,
        title: None,
        extractions: Vec::new(),
        checkpoint: None,
        tasks,
        figures: None,
        budget: Vec::new(),
        settled: Vec::new(),
        verification: None,
    }
}

fn task(at: &SessionRecord) -> TaskRow {
    let now = Timestamp::now();
    let record = TaskRecord {
        id: "scan".to_owned(),
        name: "Scan".to_owned(),
        status: TaskStatus::Pending,
        since_turn: at.turn + 1,
        reason: "a trial".to_owned(),
        attempts: 0,
        result: None,
        note: None,
    };
    TaskRow { id: TaskId::new(now), session_id: at.id, record, created_at: now, updated_at: now }
}

/// What a task found, as it is kept for the project.
fn found(at: &SessionRecord, task: &TaskRow) -> Artifact {
    let now = Timestamp::now();
    Artifact {
        id: ArtifactId::new(now),
        project_id: at.project_id,
        session_id: Some(at.id),
        kind: "research".to_owned(),
        title: task.id.to_string(),
        content: "what was found".to_owned(),
        tokens: 3,
        meta: json!({}),
        created_at: now,
    }
}

/// The process that is killed: works for ever on the session it is told, and says what it has done.
pub fn work() {
    let Ok(told) = std::env::var(WORK) else { return };
    let (id, folder) = told.split_once(' ').expect("a session and a folder");
    let id: SessionId = id.parse().expect("an id");
    let mut store = open(Path::new(folder));
    let mut at = store.session(id).expect("the session");
    loop {
        let words = format!("word{} spoken", at.revision);
        store.save_draft(id, &*words).expect("the draft is kept");
        println!("draft {words}");
        // The process before died with a claim of its own, as likely as not.
        store.claim_turn(id, at.turn, at.revision, Some(&Draft::new(words.as_str(), None))).expect("the claim");
        println!("sent {words}");
        let mut task = task(&at);
        let committed = store.commit(turn(&at, &words, vec![task.clone()])).expect("the turn is kept");
        println!("turn {} {}", committed.revision, committed.head);
        for status in [TaskStatus::Running, TaskStatus::Completed] {
            task.record.status = status;
            task.record.result = (status == TaskStatus::Completed).then(|| json!({ "found": committed.revision }));
            if status == TaskStatus::Completed {
                store.save_artifact(&found(&at, &task)).expect("the artifact is kept");
            }
            store.save_task(&task).expect("the task is kept");
        }
        println!("task {}", task.id);
        at = store.session(id).expect("the session");
        if at.turn.is_multiple_of(5) && at.revision.is_multiple_of(2) {
            at = store.rewind(id, at.revision, at.turn - 2).expect("turns are taken back");
        }
    }
}

/// What the process had said when it was killed.
#[derive(Default)]
struct Said {
    turns: Vec<(u64, Digest)>,
    tasks: Vec<TaskId>,
    /// The last words that were written, or sent.
    words: Option<String>,
    lines: u64,
}

impl Said {
    fn hear(&mut self, line: &str) {
        // Whatever runs tests prints before the first line of the process itself, without a line break.
        let starts = ["draft ", "sent ", "turn ", "task "].into_iter().filter_map(|word| line.find(word)).min();
        let Some(start) = starts else { return };
        let Some((kind, rest)) = line[start..].trim_end().split_once(' ') else { return };
        self.lines += 1;
        match kind {
            "turn" => {
                let (revision, head) = rest.split_once(' ').expect("a revision and a head");
                self.turns.push((revision.parse().expect("a revision"), head.parse().expect("a head")));
                self.words = None;
            }
            "task" => self.tasks.push(rest.parse().expect("a task")),
            _ => self.words = Some(rest.to_owned()),
        }
    }
}

/// Kills after a number of lines and a moment more, or so soon that it may still be opening.
fn run_and_kill(mut child: Child, random: &mut Random) -> Said {
    let mut output = BufReader::new(child.stdout.take().expect("its output"));
    let mut said = Said::default();
    let early = random.below(5) == 0;
    let wanted = if early { 0 } else { 1 + random.below(20) };
    let mut line = String::new();
    while said.lines < wanted && output.read_line(&mut line).expect("its output") > 0 {
        said.hear(&line);
        line.clear();
    }
    spin(Duration::from_micros(random.below(if early { 30_000 } else { 4_000 })));
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("its output");
    // A last line without its end was cut by the kill.
    rest.split_inclusive('\n').filter(|line| line.ends_with('\n')).for_each(|line| said.hear(line));
    said
}

/// Kills the process again and again. `arguments` are what this program needs to be that process.
pub fn trials(until: Until, seed: u64, arguments: &[&str]) -> Tally {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut random, mut tally, mut id) = (Random::new(seed), Tally::default(), None);
    until.each(|round| {
        let what = format!("ledger, seed {seed}, kill {round}");
        if round % ROUNDS_PER_SESSION == 0 {
            id = Some(begin(&mut open(folder.path())));
        }
        let id = id.expect("a session");
        let child = Command::new(std::env::current_exe().expect("this program"))
            .args(arguments)
            .env(WORK, format!("{id} {}", folder.path().display()))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let said = run_and_kill(child, &mut random);
        tally.kills += 1;
        tally.acknowledged += said.lines;
        let mut store = sound(&folder.path().join("elenchus.db"), &what);
        let events = store.events(id).expect("the log");
        for (revision, head) in said.turns {
            let found = events.get(revision as usize - 1).map(|event| event.hash);
            assert_eq!(found, Some(head), "{what}: acknowledged revision {revision}");
        }
        for task in said.tasks {
            let kept = store.task(task).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(kept.record.status, TaskStatus::Completed, "{what}");
        }
        let resumed = store.resume(id, u32::MAX).expect("the session");
        assert_eq!(resumed.messages.len() as u32, 1 + 2 * resumed.session.turn, "{what}: no half turn");
        assert_eq!(resumed.state["turn"], resumed.session.turn, "{what}");
        if let Some(words) = said.words {
            let told = resumed.messages.iter().any(|message| message.content == words);
            assert!(told || resumed.draft.text == words, "{what}: {words:?} is lost, there is {:?}", resumed.draft);
        }
        let running = resumed.tasks.iter().any(|task| task.record.status == TaskStatus::Running);
        assert!(!running, "{what}: what ran in the killed process is interrupted");
    });
    tally
}
