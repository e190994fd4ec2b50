//! How long the store takes: a turn, a resume, a list, a search. Besides criterion's figures it prints median and p99 of
//! single turns, which are what a person feels.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use elenchus::engine::figures::TurnFigures;
use elenchus::store::{
    CommitKind, Draft, MessageId, MessageRecord, NewSession, PinnedEngine, Role, SearchQuery, SessionFilter, SessionId,
    SessionRecord, SqliteOptions, Store, TitleSource, TurnCommit,
};
use jiff::Timestamp;
use serde_json::{Value, json};

/// Tells whether a part is asked for (`cargo bench --bench store -- list`), so that the others' databases are not built.
fn asked_for(part: &str) -> bool {
    let mut filters = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).peekable();
    filters.peek().is_none() || filters.any(|filter| filter.contains(part))
}

fn open(folder: &Path) -> Store {
    Store::open_sqlite(&folder.join("elenchus.db"), SqliteOptions::default()).unwrap()
}

/// A state of about 40 KB in which a turn changes a few fields, adds a line to a window and moves a few numbers.
fn state(turn: u32) -> Value {
    let fields: serde_json::Map<String, Value> = (0..120)
        .map(|field| {
            let known = turn % 120 >= field;
            let value = json!({
                "value": if known { format!("what was said about field {field} at some length, as people do") } else { String::new() },
                "confidence": f64::from(field) / 150.0,
                "evidence": [{"turn": field, "start": 10, "end": 42, "quote": "as people do when they are asked"}],
                "state": if known { "known" } else { "open" },
            });
            (format!("area_{}.field_{field}", field % 7), value)
        })
        .collect();
    let window: Vec<Value> = (turn.saturating_sub(30)..turn)
        .map(|turn| json!({"turn": turn, "summary": format!("In turn {turn} they spoke of patients, rooms and waiting.")}))
        .collect();
    json!({"turn": turn, "phase": {"current": "CORE", "turns": turn}, "extraction": fields, "window": window,
           "rapport": f64::from(turn % 10) / 10.0})
}

fn new_session(store: &mut Store, title: &str, messages: Vec<MessageRecord>) -> SessionRecord {
    let project = store.ensure_project("Bench").unwrap();
    let engine = PinnedEngine::new("discovery", "1", BTreeMap::from([("engine.toml".to_owned(), "id".to_owned())]));
    store
        .create_session(NewSession {
            id: SessionId::new(Timestamp::now()),
            project_id: project.id,
            engine,
            title: title.to_owned(),
            title_source: TitleSource::Content,
            phase: "CORE".to_owned(),
            completeness: 0.5,
            state: state(0),
            messages,
            extractions: Vec::new(),
            engine_folder: None,
            inbound: None,
        })
        .unwrap()
}

fn message(turn: u32, role: Role, content: String) -> MessageRecord {
    let now = Timestamp::now();
    MessageRecord { id: MessageId::new(now), turn, role, content, created_at: now, meta: json!({}) }
}

fn turn(session: &SessionRecord) -> TurnCommit {
    let turn = session.turn + 1;
    TurnCommit {
        session_id: session.id,
        kind: CommitKind::Turn,
        expected_turn: session.turn,
        expected_revision: session.revision,
        messages: vec![
            message(turn, Role::User, format!("{turn}: patients wait too long for a room, and nobody tells them why.")),
            message(turn, Role::Assistant, "What happens while they wait, and who could tell them?".repeat(4)),
        ],
        state: state(turn),
        phase: "CORE".to_owned(),
        completeness: 0.5,
        title: None,
        extractions: Vec::new(),
        checkpoint: None,
        tasks: Vec::new(),
        figures: Some(TurnFigures { turn, ..TurnFigures::default() }),
        budget: Vec::new(),
        settled: Vec::new(),
        verification: None,
    }
}

fn advance(store: &mut Store, session: &mut SessionRecord) -> Duration {
    let commit = turn(session);
    let since = Instant::now();
    let committed = store.commit(commit).unwrap();
    let took = since.elapsed();
    (session.turn, session.revision) = (committed.turn, committed.revision);
    took
}

fn turns(criterion: &mut Criterion) {
    if !asked_for("turn") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let mut session = new_session(&mut store, "Turns", Vec::new());
    let mut took: Vec<Duration> = (0..1000).map(|_| advance(&mut store, &mut session)).collect();
    took.sort_unstable();
    println!("turn commit, synced to disk: median {:?}, p99 {:?}", took[500], took[989]);
    let size = store.state_at(session.id, 1000).unwrap().to_string().len();
    println!(
        "state of {size} bytes; file {} bytes",
        std::fs::metadata(folder.path().join("elenchus.db")).unwrap().len()
    );
    criterion.bench_function("turn commit", |bench| {
        bench.iter_custom(|rounds| (0..rounds).map(|_| advance(&mut store, &mut session)).sum());
    });
    let mut letters = 0_usize;
    criterion.bench_function("draft of up to 400 letters, kept between two turns", |bench| {
        bench.iter(|| {
            letters = letters % 400 + 1;
            store.save_draft(session.id, &*"x".repeat(letters)).unwrap();
        });
    });
    let message = Draft::new("a message written ahead", None);
    criterion.bench_function("claim of a turn, with its message", |bench| {
        bench.iter(|| store.claim_turn(session.id, session.turn, session.revision, Some(&message)).unwrap());
    });
    store.release_turn(session.id).unwrap();
    let since = Instant::now();
    let report = store.backup(&folder.path().join("copy"), false).unwrap();
    println!("backup of 1,000 turns, checked: {:?}, {} events", since.elapsed(), report.events);
    drop(store);

    criterion.bench_function("open and resume 1,000 turns", |bench| {
        bench.iter(|| black_box(open(folder.path()).resume(session.id, 100).unwrap()));
    });
    let mut store = open(folder.path());
    criterion.bench_function("state at turn 500", |bench| {
        bench.iter(|| black_box(store.state_at(session.id, 500).unwrap()));
    });
    let since = Instant::now();
    let forked = store.fork(session.id, 1000, SessionId::new(Timestamp::now())).unwrap();
    println!("fork at turn 1,000: {:?}", since.elapsed());
    let since = Instant::now();
    let report = store.verify(Some(forked.id)).unwrap();
    println!("verify {} events: {:?}, {} findings", report.events, since.elapsed(), report.findings.len());
    let since = Instant::now();
    let erasure = store.delete_sessions(&[forked.id]).unwrap();
    println!("delete 1,000 turns: {:?}, {erasure:?}", since.elapsed());
}

fn list(criterion: &mut Criterion) {
    if !asked_for("list") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    for number in 0..10_000 {
        new_session(&mut store, &format!("Session {number} about waiting rooms"), Vec::new());
    }
    criterion.bench_function("list 10,000 sessions", |bench| {
        bench.iter(|| black_box(store.list_sessions(&SessionFilter::default()).unwrap()));
    });
    let filter = SessionFilter { text: Some("77 about".to_owned()), ..SessionFilter::default() };
    criterion.bench_function("list of 10,000 by text", |bench| {
        bench.iter(|| black_box(store.list_sessions(&filter).unwrap()));
    });
}

/// Words as languages have them: the n-th most common is n times rarer than the most common one.
struct Words(u64);

impl Words {
    fn random(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn text(&mut self) -> String {
        let count = 8 + (self.random() * 24.0) as usize;
        let words: Vec<String> = (0..count).map(|_| format!("w{}", 20_000_f64.powf(self.random()) as u32)).collect();
        words.join(" ")
    }
}

fn search(criterion: &mut Criterion) {
    if !asked_for("search") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let mut words = Words(7);
    let since = Instant::now();
    for number in 0..200 {
        let messages = (0..5000).map(|_| message(0, Role::User, words.text())).collect();
        new_session(&mut store, &format!("Session {number}"), messages);
    }
    let one = store.list_sessions(&SessionFilter { limit: Some(1), ..SessionFilter::default() }).unwrap()[0].clone();
    let size = std::fs::metadata(folder.path().join("elenchus.db")).unwrap().len() >> 20;
    println!("1,000,000 messages written in {:?}, {size} MiB", since.elapsed());
    for text in
        ["w12345 ", "w1234 ", "w100 ", "w100 w200 ", "w10 ", "w1 ", "w1 w2 w3 ", "w1", "w12", "w1234", "\"w1 w2\""]
    {
        let query = SearchQuery { text: text.to_owned(), ..SearchQuery::default() };
        criterion.bench_function(&format!("search 1,000,000 messages for [{text}]"), |bench| {
            bench.iter(|| black_box(store.search(&query).unwrap()));
        });
    }
    for (what, project, session) in [("project", Some(one.project_id), None), ("session", None, Some(one.id))] {
        let query = SearchQuery { text: "w1 ".to_owned(), project, session, ..SearchQuery::default() };
        criterion.bench_function(&format!("search 1,000,000 messages for [w1 ] in a {what}"), |bench| {
            bench.iter(|| black_box(store.search(&query).unwrap()));
        });
    }
}

fn quick() -> Criterion {
    Criterion::default().sample_size(20).measurement_time(Duration::from_secs(3))
}

criterion_group! { name = benches; config = quick(); targets = turns, list, search }
criterion_main!(benches);
