//! What a project brings to a new session: the briefs of the sessions before it.

use jiff::Timestamp;

use super::artifacts::BRIEF;
use super::handoff::brief_artifact;
use super::{DEFAULT_PROJECT, Host};
use super::{HostError, Session};
use crate::store::{ProjectId, SessionFilter, SessionId, Shelf, Store};

/// Sessions that are looked at for a brief, the latest first.
const LOOKED_AT: u32 = 5;

impl Host {
    /// The name of a project; `None` for the one of sessions that name none.
    pub async fn project_name(&self, id: ProjectId) -> Result<Option<String>, HostError> {
        let projects = self.store().call_async(Store::projects).await?;
        let named = projects.into_iter().find(|project| project.id == id && project.name != DEFAULT_PROJECT);
        Ok(named.map(|project| project.name))
    }

    /// Brings the briefs of a project's latest sessions up to date, as far as those sessions have come to a result.
    /// Returns the titles of all briefs there are, the latest first.
    pub async fn project_briefs(&self, project: ProjectId) -> Result<Vec<String>, HostError> {
        let Some(name) = self.project_name(project).await? else { return Ok(Vec::new()) };
        let (sessions, kept) = self
            .store()
            .call_async(move |store| {
                let filter = SessionFilter {
                    project: Some(project),
                    shelf: Some(Shelf::Kept),
                    limit: Some(LOOKED_AT),
                    ..SessionFilter::default()
                };
                Ok((store.list_sessions(&filter)?, store.artifacts(project)?))
            })
            .await?;
        let is_kept = |id: SessionId, turn: u32| {
            kept.iter().any(|artifact| {
                artifact.kind == BRIEF && artifact.session_id == Some(id) && artifact.origin().turn == Some(turn)
            })
        };
        for record in sessions.into_iter().filter(|record| record.turn > 0 && !is_kept(record.id, record.turn)) {
            // A session that cannot be opened any more has no brief to offer; that is told when it is opened itself.
            let Ok((record, basis)) = self.brief_basis(&record.id.to_string()).await else { continue };
            if basis.memory.completeness.is_ready {
                let brief = brief_artifact(&record, Some(name.clone()), &basis, Timestamp::now())?;
                self.store().call_async(move |store| store.save_artifact(&brief)).await?;
            }
        }
        let all = self.store().call_async(move |store| store.artifacts(project)).await?;
        Ok(all.into_iter().rev().filter(|artifact| artifact.kind == BRIEF).map(|artifact| artifact.title).collect())
    }
}

impl Session {
    /// Whether what the project knows is part of the context from now on.
    pub async fn use_project(&mut self, wanted: bool) -> Result<(), HostError> {
        self.amend(|memory| memory.without_project = !wanted).await
    }
}
