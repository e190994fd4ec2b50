//! A clock that ticks, and records with recognisable words in them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use elenchus::engine::figures::TurnFigures;
use elenchus::engine::memory::{TaskRecord, TaskStatus};
use elenchus::store::{
    Artifact, ArtifactId, BudgetEntry, Clock, CommitKind, ExtractionEntry, ExtractionId, ExtractionKind, Handoff,
    HandoffId, InboundHandoff, MessageId, MessageRecord, NewSession, PinnedEngine, ProjectId, Role, SessionId,
    SessionRecord, SqliteOptions, Store, TaskId, TaskRow, TitleSource, TurnCommit,
};
use jiff::Timestamp;
use jiff::civil::{Date, date};
use serde_json::{Value, json};

/// 2026-01-02 03:04:05 UTC, in milliseconds.
const START: i64 = 1_767_323_045_000;

pub fn moment(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(START + millis).unwrap()
}

/// Every look at it is a second later than the one before.
pub fn ticking_clock() -> Clock {
    let millis = AtomicI64::new(0);
    Arc::new(move || moment(millis.fetch_add(1000, Ordering::Relaxed)))
}

pub fn options() -> SqliteOptions {
    SqliteOptions { clock: ticking_clock(), ..SqliteOptions::default() }
}

pub fn impatient() -> SqliteOptions {
    SqliteOptions { patience: Duration::from_millis(1), ..options() }
}

pub fn open(folder: &Path) -> Store {
    Store::open_sqlite(&folder.join("elenchus.db"), options()).unwrap()
}

pub fn engine(version: &str) -> PinnedEngine {
    let text = format!("id = \"discovery\"\nversion = \"{version}\"\n");
    let files = BTreeMap::from([("engine.toml".to_owned(), text), ("prompt.md".to_owned(), "Ask.".to_owned())]);
    PinnedEngine::new("discovery", version, files)
}

pub fn new_session(project_id: ProjectId, title: &str) -> NewSession {
    NewSession {
        id: SessionId::new(moment(0)),
        project_id,
        engine: engine("1.0.0"),
        title: title.to_owned(),
        title_source: TitleSource::Default,
        phase: "OPENING".to_owned(),
        completeness: 0.0,
        state: json!({"turn": 0, "extraction": {}, "history": []}),
        messages: vec![message(0, Role::Assistant, "Welcome. What is this about?")],
        extractions: Vec::new(),
        engine_folder: None,
        inbound: None,
    }
}

pub fn session(store: &mut Store, title: &str) -> SessionRecord {
    let project = store.ensure_project("Clinic").unwrap();
    store.create_session(new_session(project.id, title)).unwrap()
}

pub fn message(turn: u32, role: Role, content: &str) -> MessageRecord {
    MessageRecord {
        id: MessageId::new(moment(i64::from(turn))),
        turn,
        role,
        content: content.to_owned(),
        created_at: moment(i64::from(turn) * 10),
        meta: json!({"tokens": content.len()}),
    }
}

pub fn extraction(turn: u32, path: &str, kind: ExtractionKind, value: Value) -> ExtractionEntry {
    ExtractionEntry {
        id: ExtractionId::new(moment(i64::from(turn))),
        turn,
        message_id: None,
        field_path: path.to_owned(),
        value,
        confidence: 0.9,
        kind,
        reasoning: Some("They said so.".to_owned()),
        evidence: json!({"turn": turn, "span": [0, 4]}),
        superseded_by: None,
    }
}

pub fn today() -> Date {
    date(2026, 1, 2)
}

pub fn cost(cost_usd: f64) -> BudgetEntry {
    BudgetEntry {
        session_id: None,
        day: today(),
        role: "respond".to_owned(),
        model: "m".to_owned(),
        input_tokens: 100,
        cached_tokens: 40,
        output_tokens: 20,
        cost_usd,
    }
}

/// The next turn, with an answer, a reply, an extraction and a cost. Its state says which turn it is.
pub fn turn(session: &SessionRecord, words: &str) -> TurnCommit {
    let turn = session.turn + 1;
    TurnCommit {
        session_id: session.id,
        kind: CommitKind::Turn,
        expected_turn: session.turn,
        expected_revision: session.revision,
        messages: vec![
            message(turn, Role::User, words),
            message(turn, Role::Assistant, &format!("I see. And then, after turn {turn}?")),
        ],
        state: json!({"turn": turn, "extraction": {"last": words}, "history": [words, null, 1.5, -0.0]}),
        phase: "CORE_CAPTURE".to_owned(),
        completeness: f64::from(turn) / 16.0,
        title: None,
        extractions: vec![extraction(turn, "last", ExtractionKind::New, json!(words))],
        checkpoint: None,
        tasks: Vec::new(),
        figures: Some(TurnFigures { turn, ..TurnFigures::default() }),
        budget: vec![cost(0.25)],
        settled: Vec::new(),
        verification: None,
    }
}

/// A change by hand, between two turns.
pub fn amendment(session: &SessionRecord) -> TurnCommit {
    let (turn, state) = (session.turn, json!({"turn": session.turn, "extraction": {"last": "put right"}}));
    let by_hand = vec![extraction(turn, "last", ExtractionKind::Update, json!("put right"))];
    TurnCommit {
        kind: CommitKind::Amendment,
        messages: Vec::new(),
        state,
        extractions: by_hand,
        figures: None,
        budget: Vec::new(),
        ..self::turn(session, "")
    }
}

/// Commits turns and returns the session after them.
pub fn talk(store: &mut Store, id: SessionId, words: &[&str]) -> SessionRecord {
    for words in words {
        let session = store.session(id).unwrap();
        store.commit(turn(&session, words)).unwrap();
    }
    store.session(id).unwrap()
}

pub fn task(session: &SessionRecord, name: &str, status: TaskStatus) -> TaskRow {
    TaskRow {
        id: TaskId::new(moment(1)),
        session_id: session.id,
        record: TaskRecord {
            id: name.to_owned(),
            name: name.to_owned(),
            status,
            since_turn: session.turn,
            reason: format!("about {name}"),
            attempts: 1,
            result: None,
            note: None,
        },
        created_at: moment(1),
        updated_at: moment(2),
    }
}

pub fn artifact(project_id: ProjectId, title: &str, content: &str, tokens: u32) -> Artifact {
    Artifact {
        id: ArtifactId::new(moment(1)),
        project_id,
        session_id: None,
        kind: "research".to_owned(),
        title: title.to_owned(),
        content: content.to_owned(),
        tokens,
        meta: json!({}),
        created_at: moment(1),
    }
}

pub fn handoff(source: &SessionRecord) -> Handoff {
    Handoff {
        id: HandoffId::new(moment(1)),
        project_id: source.project_id,
        source_engine_id: source.engine_id.clone(),
        source_session_id: source.id,
        source_turn: source.turn,
        target_engine_id: "exploration".to_owned(),
        target_session_id: None,
        payload: json!({"decisions": ["build it"]}),
        transition_reason: Some("ready".to_owned()),
        verified: false,
        verification: None,
        created_at: moment(1),
    }
}

/// The brief that a session leaves to its project.
pub fn brief(source: &SessionRecord) -> Artifact {
    Artifact { session_id: Some(source.id), ..artifact(source.project_id, "Brief", "words", 10) }
}

/// A new session that takes up what another one hands over.
pub fn taking_up(handoff: Handoff, brief: Artifact) -> NewSession {
    let new = new_session(handoff.project_id, "Exploration");
    NewSession { inbound: Some(InboundHandoff { handoff, brief }), ..new }
}

/// What was said from one turn to another, both included.
pub fn messages(store: &mut Store, id: SessionId, from: u32, to: u32) -> Vec<MessageRecord> {
    let said = store.resume(id, u32::MAX).unwrap().messages;
    said.into_iter().filter(|message| (from..=to).contains(&message.turn)).collect()
}

pub fn contents(messages: &[MessageRecord]) -> Vec<&str> {
    messages.iter().map(|message| message.content.as_str()).collect()
}
