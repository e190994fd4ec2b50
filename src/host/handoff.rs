//! Handoffs between sessions: reviewed, edited, declined or accepted; kept, linked both ways, and verified.

use jiff::Timestamp;

use super::Host;
use super::artifacts::BRIEF;
use super::brief_changes::BriefBasis;
use super::registry::Gate;
use super::{HostError, Session};
use crate::engine::brief;
use crate::engine::handoff::{Handoff, validate};
use crate::engine::memory::ExitOffer;
use crate::engine::sensitive;
use crate::engine::tokens;
use crate::store::{self, Artifact, ArtifactId, ArtifactOrigin, HandoffId, InboundHandoff, SessionRecord, StoreError};
use crate::words::{self, Language};

impl Session {
    /// The next step on offer, with what would be handed over, for review.
    pub fn handoff(&self) -> Option<&ExitOffer> {
        self.memory.exit_offer.as_ref()
    }

    /// Puts an edited handoff in place of the one on offer, and says what is wrong with it. The next turn draws it up
    /// anew.
    pub async fn edit_handoff(&mut self, edited: Handoff) -> Result<Vec<String>, HostError> {
        let offer = self.handoff().ok_or(HostError::NothingOnOffer)?;
        // Whose handoff it is, and to whom, is not up for editing.
        let handoff = Handoff { metadata: offer.handoff.metadata.clone(), ..edited };
        let problems = validate(&handoff);
        let offer = ExitOffer { handoff, problems: problems.clone(), ..offer.clone() };
        self.amend(|memory| memory.exit_offer = Some(offer)).await?;
        Ok(problems)
    }

    /// Passes over the next step on offer. It is not offered again before the user asks for it.
    pub async fn decline_handoff(&mut self) -> Result<(), HostError> {
        let exit = self.handoff().ok_or(HostError::NothingOnOffer)?.exit_id.clone();
        self.amend(|memory| {
            memory.exit_offer = None;
            memory.declined_exits.insert(exit, memory.turn);
        })
        .await
    }

    /// Lets next steps that were declined be offered again, from the next turn on.
    pub async fn reconsider_handoffs(&mut self) -> Result<(), HostError> {
        self.amend(|memory| memory.declined_exits.clear()).await
    }
}

/// The brief of a session as an artifact of its project, by the name of that.
pub(super) fn brief_artifact(
    record: &SessionRecord,
    project: Option<String>,
    basis: &BriefBasis,
    now: Timestamp,
) -> Result<Artifact, HostError> {
    let BriefBasis { engine, memory } = basis;
    let words = words::spoken(memory.language.current.as_deref());
    let (title, date) = (record.title.clone(), super::listing::day(now, &words.dates));
    let text = brief::render(engine, memory, &brief::Heading { title, date, project }).map_err(HostError::Brief)?;
    let content = sensitive::redact(&text);
    let name = &engine.definition().name;
    let origin = ArtifactOrigin {
        source: Some(name.clone()),
        engine: Some(record.engine_id.clone()),
        turn: Some(record.turn),
        ..ArtifactOrigin::default()
    };
    Ok(Artifact {
        // One brief per session: a later one takes the place of the earlier.
        id: ArtifactId(record.id.0),
        project_id: record.project_id,
        session_id: Some(record.id),
        kind: BRIEF.to_owned(),
        title: format!("{name}: {}", record.title),
        tokens: tokens::estimate(&content),
        content,
        meta: origin.meta(),
        created_at: now,
    })
}

impl Host {
    /// Accepts the next step on offer, for a session that only its caller has open.
    pub async fn accept_handoff(&self, session: &mut Session) -> Result<Session, HostError> {
        Ok(self.take_next_step(session).await?.0)
    }

    /// Accepts the next step on offer: keeps the handoff and the brief, and opens the session of the target engine with
    /// the handoff at the top of its context. The two sessions are linked both ways.
    pub(super) async fn take_next_step(&self, session: &mut Session) -> Result<(Session, Gate), HostError> {
        let offer = session.handoff().cloned().ok_or(HostError::NothingOnOffer)?;
        let now = Timestamp::now();
        let mut handoff = offer.handoff;
        handoff.metadata.handoff_date = now.to_string();
        handoff.metadata.session_id = session.record.id.to_string();
        handoff.metadata.project_id = session.record.project_id.to_string();
        let problems = validate(&handoff);
        if !problems.is_empty() {
            return Err(HostError::Handoff { problems });
        }
        let kept = store::Handoff {
            id: HandoffId::new(now),
            project_id: session.record.project_id,
            source_engine_id: handoff.metadata.source_engine_id.clone(),
            source_session_id: session.record.id,
            source_turn: handoff.metadata.turn_count,
            target_engine_id: offer.target.clone(),
            target_session_id: None,
            payload: serde_json::to_value(&handoff)?,
            transition_reason: Some(handoff.metadata.transition_reason.clone()),
            verified: false,
            verification: None,
            created_at: now,
        };
        let brief = brief_artifact(&session.record, session.project.clone(), &session.brief_basis(), now)?;
        let id = kept.id;
        let inbound = InboundHandoff { handoff: kept, brief };
        let spoken = &session.memory().language;
        let language = spoken.current.clone().map(|code| Language { code, chosen: spoken.chosen });
        let next =
            self.begin(&offer.target, session.record.project_id, Some((inbound, handoff)), language.as_ref()).await;
        let next = next.map_err(|error| match error {
            HostError::Store(StoreError::TakenUp { session }) => HostError::AcceptedAlready(session),
            other => other,
        })?;
        session.record.outbound_handoff_id = Some(id);
        Ok(next)
    }
}
