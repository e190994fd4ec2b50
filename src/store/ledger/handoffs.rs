//! Handoffs, linked to the session they come from and to the one that takes them up.

use jiff::Timestamp;
use serde_json::json;

use super::checks::check_depth;
use super::{Store, beside, seal, sessions, work};
use crate::store::backend::{Backend, Handoffs, Row, SessionRow};
use crate::store::{
    EventKind, Handoff, HandoffId, HandoffVerification, InboundHandoff, ProjectId, SessionRecord, StoreError,
};

impl Store {
    /// Returns the handoffs of a project, oldest first.
    pub fn handoffs(&mut self, project: ProjectId) -> Result<Vec<Handoff>, StoreError> {
        self.read(|db| db.handoffs(Handoffs::Of(project)))
    }
}

/// Keeps a handoff with the brief of the session it comes from, and links it to that session and to the new one that
/// takes it up.
pub(super) fn take_up(
    db: &mut dyn Backend,
    inbound: InboundHandoff,
    target: &mut SessionRow,
    now: Timestamp,
) -> Result<(), StoreError> {
    let handoff = Handoff { target_session_id: Some(target.record.id), ..inbound.handoff };
    let mut source = sessions::get(db, handoff.source_session_id)?;
    if source.record.project_id != handoff.project_id {
        return Err(StoreError::refused(format!("Handoff {} names another project than its session", handoff.id)));
    }
    check_not_taken_up(db, &source.record, &handoff)?;
    [&handoff.payload].into_iter().chain(&handoff.verification).try_for_each(check_depth)?;
    work::save_artifact(db, &inbound.brief)?;
    db.put(Row::Handoff(&handoff))?;
    beside::vouch_for_handoff(db, handoff.id)?;
    source.record.outbound_handoff_id = Some(handoff.id);
    seal::append(db, &mut source, EventKind::HandoffLinked, now, json!({ "outbound": handoff.id }))?;
    db.put(Row::Session(&source))?;
    target.record.inbound_handoff_id = Some(handoff.id);
    seal::append(db, target, EventKind::HandoffLinked, now, json!({ "inbound": handoff.id }))?;
    db.put(Row::Session(target))
}

/// Refuses a handoff that was accepted before: the latest of its session if it was drawn up in the same turn, and one
/// with the same id. A session that took it up and is gone does not count.
fn check_not_taken_up(db: &mut dyn Backend, source: &SessionRecord, handoff: &Handoff) -> Result<(), StoreError> {
    if !db.handoffs(Handoffs::One(handoff.id))?.is_empty() {
        return Err(StoreError::refused(format!("There is a handoff {} already", handoff.id)));
    }
    let Some(latest) = source.outbound_handoff_id else { return Ok(()) };
    let earlier = db.handoffs(Handoffs::One(latest))?.pop();
    match earlier.filter(|earlier| earlier.source_turn == handoff.source_turn).and_then(|same| same.target_session_id) {
        Some(session) => Err(StoreError::TakenUp { session }),
        None => Ok(()),
    }
}

/// Keeps how well the receiver understood.
pub(super) fn verify(
    db: &mut dyn Backend,
    id: HandoffId,
    verification: &HandoffVerification,
) -> Result<(), StoreError> {
    check_depth(&verification.result)?;
    let Some(handoff) = db.handoffs(Handoffs::One(id))?.pop() else { return Ok(()) };
    let result = Some(verification.result.clone());
    db.put(Row::Handoff(&Handoff { verified: verification.verified, verification: result, ..handoff }))?;
    beside::vouch_for_handoff(db, id)
}
