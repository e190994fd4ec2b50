//! Sessions and projects: making, finding, listing, naming.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde_json::json;

use super::columns::{Json, Millis};
use super::commits::{self, Change};
use super::failure::{Failure, Outcome};
use super::{engines, events, handoffs, history, tasks};
use crate::store::{
    Digest, EventKind, ForkPoint, NewSession, Project, ProjectId, Resumed, Session, SessionFilter, SessionId,
    StoreError, TitleSource,
};

/// The columns that [`read`] reads, in its order.
const COLUMNS: &str = "s.id, s.project_id, e.engine_id, e.version, s.engine_hash, s.title, s.title_source, \
     s.created_at, s.updated_at, s.turn, s.revision, s.phase, s.completeness, s.inbound_handoff_id, \
     s.outbound_handoff_id, s.forked_session, s.forked_turn, coalesce(d.draft, ''), s.ended";
const TABLES: &str = "sessions s JOIN engines e ON e.hash = s.engine_hash LEFT JOIN drafts d ON d.session_id = s.id";

fn read(row: &Row<'_>) -> rusqlite::Result<Session> {
    let forked_session: Option<SessionId> = row.get(15)?;
    let forked_turn: Option<u32> = row.get(16)?;
    Ok(Session {
        id: row.get(0)?,
        project_id: row.get(1)?,
        engine_id: row.get(2)?,
        engine_version: row.get(3)?,
        engine_hash: row.get(4)?,
        title: row.get(5)?,
        title_source: row.get(6)?,
        created_at: row.get::<_, Millis>(7)?.0,
        updated_at: row.get::<_, Millis>(8)?.0,
        turn: row.get(9)?,
        revision: row.get(10)?,
        phase: row.get(11)?,
        completeness: row.get(12)?,
        inbound_handoff_id: row.get(13)?,
        outbound_handoff_id: row.get(14)?,
        forked_from: forked_session.zip(forked_turn).map(|(session, turn)| ForkPoint { session, turn }),
        draft: row.get(17)?,
        ended: row.get(18)?,
    })
}

/// Returns a session.
pub(super) fn get(conn: &Connection, id: SessionId) -> Outcome<Session> {
    conn.prepare_cached(&format!("SELECT {COLUMNS} FROM {TABLES} WHERE s.id = ?1"))?
        .query_row([id], read)
        .optional()?
        .ok_or_else(|| Failure::not_found("session", id))
}

/// Returns a session if it is at the revision that the caller has seen.
pub(super) fn get_at(conn: &Connection, id: SessionId, revision: u64) -> Outcome<Session> {
    let session = get(conn, id)?;
    if session.revision != revision {
        return Err(conflict(&session, session.turn, revision));
    }
    Ok(session)
}

/// Makes the error of a session that has moved on.
pub(super) fn conflict(found: &Session, expected_turn: u32, expected_revision: u64) -> Failure {
    let (found_turn, found_revision) = (found.turn, found.revision);
    StoreError::Conflict { session: found.id, expected_turn, expected_revision, found_turn, found_revision }.into()
}

/// Finds a session by the beginning of its id: the bytes between that beginning filled up with 0 and with f.
pub(super) fn find(conn: &Connection, prefix: &str) -> Outcome<Session> {
    let digits: String = prefix.chars().filter(|c| *c != '-').collect();
    let none = || Failure::not_found("session", prefix);
    if digits.is_empty() || digits.len() > 32 {
        return Err(none());
    }
    let filled = |fill: &str| format!("{digits}{}", fill.repeat(32 - digits.len())).parse::<SessionId>();
    let (Ok(low), Ok(high)) = (filled("0"), filled("f")) else { return Err(none()) };
    let mut statement =
        conn.prepare_cached(&format!("SELECT {COLUMNS} FROM {TABLES} WHERE s.id BETWEEN ?1 AND ?2 LIMIT 100"))?;
    let mut found: Vec<Session> = statement.query_map([low, high], read)?.collect::<Result<_, _>>()?;
    match (found.pop(), found.len()) {
        (None, _) => Err(none()),
        (Some(session), 0) => Ok(session),
        (Some(_), others) => Err(StoreError::Ambiguous { prefix: prefix.to_owned(), count: others + 1 }.into()),
    }
}

/// Lists sessions, the latest change first.
pub(super) fn list(conn: &Connection, filter: &SessionFilter) -> Outcome<Vec<Session>> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM {TABLES}
         WHERE (?1 IS NULL OR s.project_id = ?1) AND (?2 IS NULL OR e.engine_id = ?2)
           AND (?3 IS NULL OR instr(s.title_folded, ?3) > 0)
         ORDER BY s.updated_at DESC, s.id DESC LIMIT ?4 OFFSET ?5"
    ))?;
    let text = filter.text.as_deref().map(fold);
    let limit = filter.limit.map_or(-1, i64::from);
    let found = statement.query_map(params![filter.project, filter.engine, text, limit, filter.offset], read)?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Folds case, for titles and for what is looked for in them.
pub(super) fn fold(text: &str) -> String {
    text.to_lowercase()
}

/// Is a row of `sessions` before its first commit.
pub(super) struct Blank<'a> {
    pub(super) id: SessionId,
    pub(super) project_id: ProjectId,
    pub(super) engine: Digest,
    pub(super) title: &'a str,
    pub(super) title_source: TitleSource,
    pub(super) forked_from: Option<ForkPoint>,
}

/// Inserts a session to which the first commit is still to come.
pub(super) fn insert(tx: &Transaction<'_>, blank: &Blank<'_>, now: Timestamp) -> Outcome<()> {
    let taken = tx.query_row("SELECT count(*) FROM sessions WHERE id = ?1", [blank.id], |row| row.get::<_, u32>(0))?;
    if taken > 0 {
        return Err(Failure::refused(format!("There is a session {} already", blank.id)));
    }
    tx.execute(
        "INSERT INTO sessions (id, project_id, engine_hash, title, title_folded, title_source, created_at, updated_at,
                               turn, phase, completeness, forked_session, forked_turn, revision, tip, head_seq, head_hash)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, 0, '', 0, ?8, ?9, 0, 0, 0, ?10)",
        params![
            blank.id,
            blank.project_id,
            blank.engine,
            blank.title,
            fold(blank.title),
            blank.title_source,
            Millis(now),
            blank.forked_from.map(|from| from.session),
            blank.forked_from.map(|from| from.turn),
            Digest::ZERO,
        ],
    )?;
    Ok(())
}

/// Begins a session.
pub(super) fn create(tx: &Transaction<'_>, new: &NewSession, now: Timestamp) -> Outcome<Session> {
    project(tx, new.project_id)?;
    engines::keep(tx, &new.engine)?;
    let (id, engine) = (new.id, new.engine.hash);
    let (title, title_source) = (new.title.as_str(), new.title_source);
    insert(tx, &Blank { id, project_id: new.project_id, engine, title, title_source, forked_from: None }, now)?;
    let change = Change {
        kind: EventKind::Created,
        turn: 0,
        engine,
        messages: &new.messages,
        state: &new.state,
        phase: &new.phase,
        completeness: new.completeness,
        extractions: &new.extractions,
        checkpoint: None,
        figures: None,
        budget: &[],
        notes: json!({ "project": new.project_id }),
    };
    commits::append(tx, id, None, &change, now)?;
    if let Some(handoff) = new.inbound_handoff_id {
        handoffs::take_up(tx, handoff, id, now)?;
    }
    get(tx, id)
}

/// Returns what it takes to go on.
pub(super) fn resume(conn: &Connection, id: SessionId, last_messages: u32) -> Outcome<Resumed> {
    let session = get(conn, id)?;
    let state =
        conn.query_row("SELECT state FROM states WHERE session_id = ?1", [id], |row| row.get::<_, Json<_>>(0))?.0;
    let messages = history::last_messages(conn, id, last_messages)?;
    let tasks = tasks::of_session(conn, id)?;
    Ok(Resumed { session, state, messages, tasks })
}

/// Gives a session the user's title.
pub(super) fn rename(tx: &Transaction<'_>, id: SessionId, title: &str, now: Timestamp) -> Outcome<Session> {
    get(tx, id)?;
    set_title(tx, id, title, TitleSource::User)?;
    touch(tx, id, now)?;
    events::append(tx, id, EventKind::Renamed, now, json!({ "title": Digest::of(title.as_bytes()) }))?;
    get(tx, id)
}

/// Sets a title in the form it is read and in the form it is searched.
pub(super) fn set_title(tx: &Transaction<'_>, id: SessionId, title: &str, source: TitleSource) -> Outcome<()> {
    tx.prepare_cached("UPDATE sessions SET title = ?2, title_folded = ?3, title_source = ?4 WHERE id = ?1")?
        .execute(params![id, title, fold(title), source])?;
    Ok(())
}

fn touch(tx: &Transaction<'_>, id: SessionId, now: Timestamp) -> Outcome<()> {
    tx.execute("UPDATE sessions SET updated_at = ?2 WHERE id = ?1", params![id, Millis(now)])?;
    Ok(())
}

/// Keeps a draft. An empty one leaves no row.
pub(super) fn save_draft(tx: &Transaction<'_>, id: SessionId, draft: &str) -> Outcome<()> {
    get(tx, id)?;
    if draft.is_empty() {
        tx.prepare_cached("DELETE FROM drafts WHERE session_id = ?1")?.execute([id])?;
    } else {
        tx.prepare_cached(
            "INSERT INTO drafts (session_id, draft) VALUES (?1, ?2)
             ON CONFLICT (session_id) DO UPDATE SET draft = excluded.draft",
        )?
        .execute(params![id, draft])?;
    }
    Ok(())
}

/// Ends a session or takes it up again.
pub(super) fn set_ended(tx: &Transaction<'_>, id: SessionId, ended: bool, now: Timestamp) -> Outcome<Session> {
    let session = get(tx, id)?;
    if session.ended != ended {
        tx.execute("UPDATE sessions SET ended = ?2 WHERE id = ?1", params![id, ended])?;
        touch(tx, id, now)?;
        events::append(tx, id, EventKind::Ended, now, json!({ "ended": ended }))?;
    }
    get(tx, id)
}

/// Returns the project of that name, made if need be.
pub(super) fn ensure_project(tx: &Transaction<'_>, name: &str, now: Timestamp) -> Outcome<Project> {
    tx.execute(
        "INSERT INTO projects (id, name, created_at) VALUES (?1, ?2, ?3) ON CONFLICT (name) DO NOTHING",
        params![ProjectId::new(now), name, Millis(now)],
    )?;
    Ok(tx.query_row("SELECT id, name, created_at FROM projects WHERE name = ?1", [name], read_project)?)
}

/// Returns a project.
pub(super) fn project(conn: &Connection, id: ProjectId) -> Outcome<Project> {
    conn.query_row("SELECT id, name, created_at FROM projects WHERE id = ?1", [id], read_project)
        .optional()?
        .ok_or_else(|| Failure::not_found("project", id))
}

/// Returns all projects by name.
pub(super) fn projects(conn: &Connection) -> Outcome<Vec<Project>> {
    let mut statement = conn.prepare("SELECT id, name, created_at FROM projects ORDER BY name")?;
    Ok(statement.query_map([], read_project)?.collect::<Result<_, _>>()?)
}

fn read_project(row: &Row<'_>) -> rusqlite::Result<Project> {
    Ok(Project { id: row.get(0)?, name: row.get(1)?, created_at: row.get::<_, Millis>(2)?.0 })
}
