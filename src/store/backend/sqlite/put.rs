//! Writing rows, each kind in the one way it may be written.

use rusqlite::{Connection, ToSql, params};
use uuid::Uuid;

use super::columns::{Json, Millis};
use super::work::{HANDOFF, TASK};
use crate::store::backend::{CommitRow, ExtractionRow, Part, Row, SealRow, SessionRow, Unsent, fold};
use crate::store::{
    Artifact, BudgetEntry, Draft, Event, Handoff, MessageRecord, PinnedEngine, Project, SessionId, TaskRow, Trust,
    canonical,
};

/// Runs a statement that is prepared once.
fn run(conn: &Connection, sql: &str, values: &[&dyn ToSql]) -> rusqlite::Result<()> {
    conn.prepare_cached(sql)?.execute(values).map(drop)
}

/// Writes a row, in the name of the process that owns what it has under way.
pub(super) fn put(conn: &Connection, row: &Row<'_>, owner: Uuid) -> rusqlite::Result<()> {
    match *row {
        Row::Project(project) => put_project(conn, project),
        Row::Engine(engine) => put_engine(conn, engine),
        Row::NewSession(session) => insert_session(conn, session),
        Row::Session(session) => update_session(conn, session),
        Row::State(id, state) => put_state(conn, id, state),
        Row::Unsent(id, place, draft) => put_unsent(conn, id, place, draft),
        Row::Event(event) => put_event(conn, event),
        Row::Commit(id, commit) => put_commit(conn, id, commit),
        Row::Message(id, message) => put_message(conn, id, message),
        Row::Extraction(id, entry) => put_extraction(conn, id, entry),
        Row::Handoff(handoff) => put_handoff(conn, handoff),
        Row::Task(task, owner) => put_task(conn, task, owner),
        Row::Artifact(artifact) => put_artifact(conn, artifact),
        Row::Cost(seq, entry) => put_cost(conn, seq, entry, None),
        Row::Trust(trust) => put_trust(conn, trust),
        Row::Seal(seal) => put_seal(conn, seal),
        Row::Reserved(call, entry) => put_cost(conn, None, entry, Some((call, owner))),
    }
}

fn put_project(conn: &Connection, project: &Project) -> rusqlite::Result<()> {
    let sql = "INSERT INTO projects (id, name, created_at) VALUES (?1, ?2, ?3)";
    run(conn, sql, params![project.id, project.name, Millis(project.created_at)])
}

fn put_engine(conn: &Connection, engine: &PinnedEngine) -> rusqlite::Result<()> {
    run(
        conn,
        "INSERT INTO engines (hash, engine_id, version, files) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (hash) DO NOTHING",
        params![engine.hash, engine.engine_id, engine.version, Json(&engine.files)],
    )
}

fn insert_session(conn: &Connection, row: &SessionRow) -> rusqlite::Result<()> {
    let record = &row.record;
    run(
        conn,
        "INSERT INTO sessions (id, project_id, engine_hash, title, title_folded, title_source, created_at, updated_at,
                               turn, phase, completeness, inbound_handoff_id, outbound_handoff_id, forked_session,
                               forked_turn, engine_folder, claimed_by, revision, tip, head_seq, head_hash, head_mac,
                               keyed_since, archived_at, trashed_at, tags)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,
                 ?23, ?24, ?25, ?26)",
        params![
            record.id,
            record.project_id,
            record.engine_hash,
            record.title,
            fold(&record.title),
            record.title_source,
            Millis(record.created_at),
            Millis(record.updated_at),
            record.turn,
            record.phase,
            record.completeness,
            record.inbound_handoff_id,
            record.outbound_handoff_id,
            record.forked_from.map(|from| from.session),
            record.forked_from.map(|from| from.turn),
            // A path that is no text cannot be kept; the engine is then looked for by its name.
            record.engine_folder.as_ref().and_then(|folder| folder.to_str()),
            row.claimed_by,
            record.revision,
            row.tip,
            row.head_seq,
            row.head_hash,
            row.head_mac,
            row.keyed_since,
            record.filing.archived_at.map(Millis),
            record.filing.trashed_at.map(Millis),
            Json(&record.filing.tags),
        ],
    )
}

/// Writes what changes with every turn, and apart from it what seldom changes and stands in an index: an index is
/// written even if the value in it stays the same.
fn update_session(conn: &Connection, row: &SessionRow) -> rusqlite::Result<()> {
    let record = &row.record;
    run(
        conn,
        "UPDATE sessions SET title = ?2, title_folded = ?3, title_source = ?4, updated_at = ?5, turn = ?6, phase = ?7,
             completeness = ?8, claimed_by = ?9, revision = ?10, tip = ?11, head_seq = ?12, head_hash = ?13, head_mac = ?14,
             keyed_since = ?15
         WHERE id = ?1",
        params![
            record.id,
            record.title,
            fold(&record.title),
            record.title_source,
            Millis(record.updated_at),
            record.turn,
            record.phase,
            record.completeness,
            row.claimed_by,
            record.revision,
            row.tip,
            row.head_seq,
            row.head_hash,
            row.head_mac,
            row.keyed_since,
        ],
    )?;
    run(
        conn,
        "UPDATE sessions SET engine_hash = ?2, inbound_handoff_id = ?3, outbound_handoff_id = ?4, archived_at = ?5,
             trashed_at = ?6, tags = ?7
         WHERE id = ?1 AND (engine_hash, inbound_handoff_id, outbound_handoff_id, archived_at, trashed_at, tags)
             IS NOT (?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            record.id,
            record.engine_hash,
            record.inbound_handoff_id,
            record.outbound_handoff_id,
            record.filing.archived_at.map(Millis),
            record.filing.trashed_at.map(Millis),
            Json(&record.filing.tags),
        ],
    )
}

fn put_state(conn: &Connection, id: SessionId, state: &str) -> rusqlite::Result<()> {
    run(
        conn,
        "INSERT INTO states (session_id, state) VALUES (?1, ?2)
         ON CONFLICT (session_id) DO UPDATE SET state = excluded.state",
        params![id, state],
    )
}

fn put_unsent(conn: &Connection, id: SessionId, place: Unsent, draft: &Draft) -> rusqlite::Result<()> {
    run(
        conn,
        "INSERT INTO unsent (session_id, place, cover, words, replaces, unanswered)
         VALUES (?1, ?2, zeroblob(4096), ?3, ?4, ?5)
         ON CONFLICT (session_id, place) DO UPDATE SET words = excluded.words, replaces = excluded.replaces,
             unanswered = excluded.unanswered",
        params![id, place, draft.text, draft.replaces, draft.unanswered],
    )
}

fn put_seal(conn: &Connection, seal: &SealRow) -> rusqlite::Result<()> {
    run(
        conn,
        "INSERT INTO seals (kind, id, session_id, hash, mac) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (kind, id) DO UPDATE SET hash = excluded.hash, mac = excluded.mac",
        params![seal.kind, seal.id, seal.session_id, seal.hash, seal.mac],
    )
}

fn put_event(conn: &Connection, event: &Event) -> rusqlite::Result<()> {
    run(
        conn,
        "INSERT INTO events (session_id, seq, kind, at, payload, prev, hash, mac)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            event.session_id,
            event.seq,
            event.kind,
            Millis(event.at),
            canonical::to_text(&event.payload),
            event.prev,
            event.hash,
            event.mac,
        ],
    )
}

fn put_commit(conn: &Connection, id: SessionId, commit: &CommitRow) -> rusqlite::Result<()> {
    run(
        conn,
        "INSERT INTO commits (session_id, seq, parent, turn, engine_hash, phase, completeness, rewound_by, encoding,
                              chain, body, figures)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        params![
            id,
            commit.seq,
            commit.parent,
            commit.turn,
            commit.engine_hash,
            commit.phase,
            commit.completeness,
            commit.rewound_by,
            commit.body.encoding,
            commit.chain,
            commit.body.text,
            commit.figures,
        ],
    )?;
    let Some(kept) = &commit.checkpoint else { return Ok(()) };
    run(
        conn,
        "INSERT INTO checkpoints (session_id, seq, turn, delta, context_tokens, reason)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![id, commit.seq, kept.turn, kept.delta, kept.context_tokens, kept.reason],
    )
}

fn put_message(conn: &Connection, id: SessionId, part: Part<&MessageRecord>) -> rusqlite::Result<()> {
    let MessageRecord { id: message_id, turn, role, content, created_at, meta } = part.value;
    run(
        conn,
        "INSERT INTO messages (session_id, seq, ordinal, in_view, id, turn, role, content, created_at, meta)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            id,
            part.seq,
            part.ordinal,
            part.in_view,
            message_id,
            turn,
            role,
            content,
            Millis(*created_at),
            Json(meta)
        ],
    )
}

fn put_extraction(conn: &Connection, id: SessionId, part: Part<&ExtractionRow>) -> rusqlite::Result<()> {
    let ExtractionRow { engine_id, entry } = part.value;
    run(
        conn,
        "INSERT INTO extractions (session_id, seq, ordinal, in_view, engine_id, id, turn, message_id, field_path, value,
                                  confidence, kind, reasoning, evidence, superseded_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
         ON CONFLICT (session_id, seq, ordinal) DO UPDATE SET superseded_by = excluded.superseded_by",
        params![
            id,
            part.seq,
            part.ordinal,
            part.in_view,
            engine_id,
            entry.id,
            entry.turn,
            entry.message_id,
            entry.field_path,
            Json(&entry.value),
            entry.confidence,
            entry.kind,
            entry.reasoning,
            Json(&entry.evidence),
            entry.superseded_by,
        ],
    )
}

fn put_handoff(conn: &Connection, handoff: &Handoff) -> rusqlite::Result<()> {
    run(
        conn,
        &format!(
            "INSERT INTO handoffs ({HANDOFF}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
             ON CONFLICT (id) DO UPDATE SET verified = excluded.verified, verification = excluded.verification"
        ),
        params![
            handoff.id,
            handoff.project_id,
            handoff.source_engine_id,
            handoff.source_session_id,
            handoff.source_turn,
            handoff.target_engine_id,
            handoff.target_session_id,
            Json(&handoff.payload),
            handoff.transition_reason,
            handoff.verified,
            handoff.verification.as_ref().map(Json),
            Millis(handoff.created_at),
        ],
    )
}

fn put_task(conn: &Connection, task: &TaskRow, owner: Option<Uuid>) -> rusqlite::Result<()> {
    let record = &task.record;
    run(
        conn,
        &format!(
            "INSERT INTO tasks ({TASK}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
             ON CONFLICT (id) DO UPDATE SET status = excluded.status, attempts = excluded.attempts,
                 result = excluded.result, note = excluded.note, updated_at = excluded.updated_at, owner = excluded.owner"
        ),
        params![
            task.id,
            task.session_id,
            record.id,
            record.name,
            record.status,
            record.since_turn,
            record.reason,
            record.attempts,
            record.result.as_ref().map(Json),
            record.note,
            Millis(task.created_at),
            Millis(task.updated_at),
            owner,
        ],
    )
}

fn put_artifact(conn: &Connection, artifact: &Artifact) -> rusqlite::Result<()> {
    run(
        conn,
        "INSERT INTO artifacts (id, project_id, session_id, kind, title, content, tokens, meta, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, title = excluded.title, content = excluded.content,
             tokens = excluded.tokens, meta = excluded.meta",
        params![
            artifact.id,
            artifact.project_id,
            artifact.session_id,
            artifact.kind,
            artifact.title,
            artifact.content,
            artifact.tokens,
            Json(&artifact.meta),
            Millis(artifact.created_at),
        ],
    )
}

/// Writes a cost; where it is only reserved, with the call and the process it is reserved for.
fn put_cost(
    conn: &Connection,
    seq: Option<u64>,
    entry: &BudgetEntry,
    reserved: Option<(Uuid, Uuid)>,
) -> rusqlite::Result<()> {
    run(
        conn,
        "INSERT INTO budget (session_id, seq, day, role, model, input_tokens, cached_tokens, output_tokens, cost_usd,
                             call, reserved_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            entry.session_id,
            seq,
            entry.day.to_string(),
            entry.role,
            entry.model,
            entry.input_tokens,
            entry.cached_tokens,
            entry.output_tokens,
            entry.cost_usd,
            reserved.map(|(call, _)| call),
            reserved.map(|(_, owner)| owner),
        ],
    )
}

fn put_trust(conn: &Connection, trust: &Trust) -> rusqlite::Result<()> {
    run(
        conn,
        "INSERT INTO trust (engine_hash, decision, decided_at) VALUES (?1, ?2, ?3)
         ON CONFLICT (engine_hash) DO UPDATE SET decision = excluded.decision, decided_at = excluded.decided_at",
        params![trust.engine_hash, trust.decision, Millis(trust.decided_at)],
    )
}
