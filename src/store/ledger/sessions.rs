//! Sessions and projects: making, finding, listing, naming.

use jiff::Timestamp;
use serde_json::json;

use super::commits::{self, Change, Words};
use super::{Store, drafts, engines, handoffs, history, seal};
use crate::store::backend::{Backend, Row, SessionRow, Sessions, Span, Tasks};
use crate::store::{
    Digest, EventKind, Filing, NewSession, Project, ProjectId, Resumed, SessionFilter, SessionId, SessionRecord,
    StoreError, TitleSource,
};

impl Store {
    /// Returns the project of that name and makes it if there is none.
    pub fn ensure_project(&mut self, name: &str) -> Result<Project, StoreError> {
        self.write(|db, now| {
            if let Some(project) = db.projects()?.into_iter().find(|project| project.name == name) {
                return Ok(project);
            }
            let project = Project { id: ProjectId::new(now), name: name.to_owned(), created_at: now };
            db.put(Row::Project(&project))?;
            Ok(project)
        })
    }

    pub fn projects(&mut self) -> Result<Vec<Project>, StoreError> {
        self.read(|db| db.projects())
    }

    /// Begins a session at turn 0 and keeps its engine. With an inbound handoff, that handoff and the brief beside it
    /// are kept too, and linked both ways; one that was accepted before is refused with [`StoreError::TakenUp`].
    pub fn create_session(&mut self, new: NewSession) -> Result<SessionRecord, StoreError> {
        self.write(|db, now| create(db, new, now))
    }

    pub fn session(&mut self, id: SessionId) -> Result<SessionRecord, StoreError> {
        self.read(|db| Ok(get(db, id)?.record))
    }

    /// Finds the one session whose id begins with these hexadecimal digits (dashes are ignored).
    pub fn find_session(&mut self, prefix: &str) -> Result<SessionRecord, StoreError> {
        self.read(|db| find(db, prefix))
    }

    /// Returns what it takes to go on: the session, its draft, the state, the last messages, the tasks.
    pub fn resume(&mut self, id: SessionId, last_messages: u32) -> Result<Resumed, StoreError> {
        self.read(|db| {
            let row = get(db, id)?;
            let draft = drafts::of(db, &row)?;
            let session = row.record;
            let state = history::current_state(db, id)?;
            let messages = db.messages(id, Span::WHOLE_VIEW, last_messages)?;
            let tasks = db.tasks(Tasks::Of(id))?.into_iter().map(|row| row.task).collect();
            let messages = messages.into_iter().map(|part| part.value).collect();
            Ok(Resumed { session, draft, state, messages, tasks })
        })
    }

    /// Lists sessions, the latest change first.
    pub fn list_sessions(&mut self, filter: &SessionFilter) -> Result<Vec<SessionRecord>, StoreError> {
        self.read(|db| db.sessions(Sessions::Listed(filter)))
    }

    /// Gives a session the user's own title.
    pub fn rename_session(&mut self, id: SessionId, title: &str) -> Result<SessionRecord, StoreError> {
        self.entitle_session(id, title, TitleSource::User)
    }

    /// Gives a session a title, and says where it comes from.
    pub fn entitle_session(
        &mut self,
        id: SessionId,
        title: &str,
        source: TitleSource,
    ) -> Result<SessionRecord, StoreError> {
        self.write(|db, now| {
            let mut row = get(db, id)?;
            title.clone_into(&mut row.record.title);
            row.record.title_source = source;
            row.record.updated_at = now;
            let payload = json!({ "title": Digest::of(title.as_bytes()) });
            seal::append(db, &mut row, EventKind::Renamed, now, payload)?;
            db.put(Row::Session(&row))?;
            Ok(row.record)
        })
    }
}

/// Returns a session with its place in the log.
pub(super) fn get(db: &mut dyn Backend, id: SessionId) -> Result<SessionRow, StoreError> {
    db.session(id)?.ok_or_else(|| StoreError::not_found("session", id))
}

/// Returns a session that is to be changed, if it is at the revision that the caller has seen and nobody else is at work
/// on it.
pub(super) fn get_to_change(db: &mut dyn Backend, id: SessionId, revision: u64) -> Result<SessionRow, StoreError> {
    let row = get(db, id)?;
    if row.record.revision != revision {
        return Err(conflict(&row.record, row.record.turn, revision));
    }
    check_not_at_work(db, &row)?;
    Ok(row)
}

/// The same for a caller who has also seen a turn.
pub(super) fn get_to_change_at_turn(
    db: &mut dyn Backend,
    id: SessionId,
    turn: u32,
    revision: u64,
) -> Result<SessionRow, StoreError> {
    let row = get(db, id)?;
    if (row.record.turn, row.record.revision) != (turn, revision) {
        return Err(conflict(&row.record, turn, revision));
    }
    check_not_at_work(db, &row)?;
    Ok(row)
}

/// Whether another living process has a turn of a session under way.
pub(super) fn is_at_work_elsewhere(db: &mut dyn Backend, row: &SessionRow) -> bool {
    let own = db.owner();
    row.claimed_by.is_some_and(|owner| owner != own && db.is_alive(owner))
}

/// Refuses a change to a session of which another living process has a turn under way: that one has paid for a turn on
/// the session as it was, and would lose it.
pub(super) fn check_not_at_work(db: &mut dyn Backend, row: &SessionRow) -> Result<(), StoreError> {
    if is_at_work_elsewhere(db, row) {
        return Err(StoreError::TurnUnderWay { session: row.record.id });
    }
    Ok(())
}

/// Makes the error of a session that has moved on.
fn conflict(found: &SessionRecord, expected_turn: u32, expected_revision: u64) -> StoreError {
    let (found_turn, found_revision) = (found.turn, found.revision);
    StoreError::Conflict { session: found.id, expected_turn, expected_revision, found_turn, found_revision }
}

/// Finds a session by the beginning of its id: between that beginning filled up with 0 and with f.
fn find(db: &mut dyn Backend, prefix: &str) -> Result<SessionRecord, StoreError> {
    let digits: String = prefix.chars().filter(|c| *c != '-').collect();
    let none = || StoreError::not_found("session", prefix);
    if digits.is_empty() || digits.len() > 32 {
        return Err(none());
    }
    let filled = |fill: &str| format!("{digits}{}", fill.repeat(32 - digits.len())).parse::<SessionId>();
    let (Ok(low), Ok(high)) = (filled("0"), filled("f")) else { return Err(none()) };
    let mut found = db.sessions(Sessions::Between(low, high))?;
    match (found.pop(), found.len()) {
        (None, _) => Err(none()),
        (Some(session), 0) => Ok(session),
        (Some(_), others) => Err(StoreError::Ambiguous { prefix: prefix.to_owned(), count: others + 1 }),
    }
}

/// Refuses a project that is not there.
pub(super) fn check_project(db: &mut dyn Backend, id: ProjectId) -> Result<(), StoreError> {
    if db.projects()?.iter().any(|project| project.id == id) {
        Ok(())
    } else {
        Err(StoreError::not_found("project", id))
    }
}

/// Writes a session to which the first commit is still to come. Its turn, phase and place in the log are that commit's.
pub(super) fn insert(db: &mut dyn Backend, record: SessionRecord) -> Result<SessionRow, StoreError> {
    let id = record.id;
    if db.session(id)?.is_some() {
        return Err(StoreError::refused(format!("There is a session {id} already")));
    }
    let row = SessionRow {
        record,
        tip: 0,
        chain: 0,
        head_seq: 0,
        head_hash: Digest::ZERO,
        head_mac: None,
        keyed_since: None,
        claimed_by: None,
    };
    db.put(Row::NewSession(&row))?;
    Ok(row)
}

fn create(db: &mut dyn Backend, new: NewSession, now: Timestamp) -> Result<SessionRecord, StoreError> {
    check_project(db, new.project_id)?;
    engines::keep(db, &new.engine)?;
    let blank = SessionRecord {
        id: new.id,
        project_id: new.project_id,
        engine_id: new.engine.engine_id,
        engine_version: new.engine.version,
        engine_hash: new.engine.hash,
        title: new.title,
        title_source: new.title_source,
        created_at: now,
        updated_at: now,
        turn: 0,
        revision: 0,
        phase: String::new(),
        completeness: 0.0,
        inbound_handoff_id: None,
        outbound_handoff_id: None,
        forked_from: None,
        engine_folder: new.engine_folder,
        filing: Filing::default(),
    };
    let mut row = insert(db, blank)?;
    let change = Change {
        kind: EventKind::Created,
        turn: 0,
        state: &new.state,
        phase: &new.phase,
        completeness: new.completeness,
        words: Words { messages: &new.messages, extractions: &new.extractions, ..Words::default() },
        checkpoint: None,
        notes: json!({ "project": new.project_id }),
    };
    commits::append(db, &mut row, None, &change, now)?;
    if let Some(inbound) = new.inbound {
        handoffs::take_up(db, inbound, &mut row, now)?;
    }
    Ok(get(db, new.id)?.record)
}
