//! What the project has to say to a turn: earlier briefs and research, found by their words within a budget.

use crate::engine::Engine;
use crate::engine::turn::Artifact;
use crate::store::{self, SessionRecord, StoreError, StoreHandle};

use super::DEFAULT_PROJECT;

/// What an artifact is called that is the brief of a session.
pub(super) const BRIEF: &str = "brief";
/// Briefs that are shown whatever the words.
const MAX_BRIEFS: usize = 2;
/// What of an artifact is shown at most, in tokens.
const SHOWN: u32 = 400;

/// The artifacts for a turn, the most fitting first. Sessions that name no project have nothing in common but that, so
/// they are told nothing of each other.
pub(super) async fn gather(
    store: &StoreHandle,
    session: &SessionRecord,
    engine: &Engine,
    message: &str,
) -> Result<Vec<Artifact>, StoreError> {
    let context = &engine.definition().context;
    let share = context.allocation.value.background_intelligence.0;
    let budget = (f64::from(context.max_tokens.value) * share) as u32;
    let (id, project) = (session.id, session.project_id);
    let words = format!("{} {message}", session.title);
    let found = store.call_async(move |store| {
        if store.projects()?.iter().any(|known| known.id == project && known.name == DEFAULT_PROJECT) {
            return Ok(Vec::new());
        }
        let mut found = latest_briefs(store.artifacts(project)?);
        found.extend(store.search_artifacts(project, &words, budget)?.into_iter().map(|hit| hit.artifact));
        Ok(found)
    });
    Ok(fitting(found.await?, id, budget))
}

/// The latest brief of each of the sessions that were finished last.
fn latest_briefs(all: Vec<store::Artifact>) -> Vec<store::Artifact> {
    let briefs = all.into_iter().rev().filter(|artifact| artifact.kind == BRIEF);
    briefs.take(MAX_BRIEFS).collect()
}

/// Each once, none of the session's own (its memory has those already), together within the budget.
fn fitting(found: Vec<store::Artifact>, session: store::SessionId, budget: u32) -> Vec<Artifact> {
    let mut room = budget;
    let mut seen = Vec::new();
    let mut fitting = Vec::new();
    for artifact in found {
        let own = artifact.session_id == Some(session);
        let Some(rest) = room.checked_sub(artifact.tokens.min(SHOWN)).filter(|_| !own && !seen.contains(&artifact.id))
        else {
            continue;
        };
        room = rest;
        seen.push(artifact.id);
        // Research tells what it rests on: what a model knew then was not looked up.
        let source = artifact.origin().source;
        let text = source.map_or(artifact.content.clone(), |source| format!("({source}) {}", artifact.content));
        fitting.push(Artifact { title: artifact.title, text });
    }
    fitting
}
