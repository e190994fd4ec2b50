//! Journeys: the chain of sessions and handoffs of a project.

use serde::Serialize;

use super::Host;
use super::HostError;
use crate::store::{Handoff, ProjectId, SessionFilter, SessionId, SessionRecord, Shelf};

/// The sessions of a project in the order in which one led to another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Journey {
    /// The project.
    pub project_id: ProjectId,
    /// Its name.
    pub project: String,
    /// Its sessions: each after the one it came from, else by age.
    pub stations: Vec<Station>,
}

/// A session on the way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Station {
    /// The session.
    pub session: SessionRecord,
    /// How many handoffs led to it.
    pub depth: usize,
    /// The handoff it began with.
    pub inbound: Option<Handoff>,
}

impl Host {
    /// The journey of a project by its name, or the part of one that a session lies on.
    pub async fn journey(&self, project_or_session: &str) -> Result<Journey, HostError> {
        let wanted = project_or_session.to_owned();
        let found = self.store().call_async(move |store| {
            let projects = store.projects()?;
            let named = projects.iter().find(|project| project.name == wanted).cloned();
            let (project, only) = if let Some(project) = named {
                (project, None)
            } else {
                let session = store.find_session(&wanted)?;
                let project = projects.into_iter().find(|project| project.id == session.project_id);
                let project = project.ok_or(crate::store::StoreError::NotFound { what: "project", id: wanted })?;
                (project, Some(session.id))
            };
            // A session that was thrown away has its own journey still, but is no part of its project's.
            let kept = only.is_none().then_some(Shelf::Kept);
            let filter = SessionFilter { project: Some(project.id), shelf: kept, ..SessionFilter::default() };
            let sessions = store.list_sessions(&filter)?;
            let handoffs = store.handoffs(project.id)?;
            Ok((project, only, sessions, handoffs))
        });
        let (project, only, sessions, handoffs) = found.await?;
        let stations = chain(sessions, &handoffs, only);
        Ok(Journey { project_id: project.id, project: project.name, stations })
    }
}

/// Puts each session after the one it came from. With `only`, the sessions before and after that one alone.
fn chain(mut sessions: Vec<SessionRecord>, handoffs: &[Handoff], only: Option<SessionId>) -> Vec<Station> {
    sessions.sort_by_key(|session| (session.created_at, session.id));
    let inbound = |id: SessionId| handoffs.iter().find(|handoff| handoff.target_session_id == Some(id));
    let source = |id: SessionId| inbound(id).map(|handoff| handoff.source_session_id).filter(|source| *source != id);
    let root = |mut id: SessionId| {
        // A link leads from younger to older sessions, so that there is no circle; the bound is for damaged stores.
        for _ in 0..sessions.len() {
            match source(id) {
                Some(earlier) if sessions.iter().any(|session| session.id == earlier) => id = earlier,
                _ => break,
            }
        }
        id
    };
    let roots: Vec<SessionId> = match only {
        Some(id) => vec![root(id)],
        None => sessions.iter().map(|session| session.id).filter(|id| root(*id) == *id).collect(),
    };
    let mut stations: Vec<Station> = Vec::new();
    let mut open: Vec<(SessionId, usize)> = roots.into_iter().rev().map(|id| (id, 0)).collect();
    while let Some((id, depth)) = open.pop() {
        if stations.iter().any(|station| station.session.id == id) {
            continue;
        }
        let Some(session) = sessions.iter().find(|session| session.id == id) else { continue };
        stations.push(Station { session: session.clone(), depth, inbound: inbound(id).cloned() });
        let next = sessions.iter().rev().filter(|later| source(later.id) == Some(id));
        open.extend(next.map(|later| (later.id, depth + 1)));
    }
    stations
}
