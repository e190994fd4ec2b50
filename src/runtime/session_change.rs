//! What the app wants of the open session that is not a turn.

use super::effects::Messages;
use super::session_worker::opened;
use super::{Host, HostError, Session, figures, task_news, written_files};
use crate::app::msg::{OverlayMsg, SessionMsg};
use crate::app::{EditRequest, Effect, Msg};

/// Everything that needs an open session and is not a turn.
pub(super) async fn change(
    session: &mut Session,
    host: &Host,
    effect: Effect,
    messages: &Messages,
) -> Result<(), HostError> {
    let msg = match effect {
        Effect::Edit(request) => {
            let note = edit(session, request).await?;
            edited(session, note)
        }
        Effect::EditHandoff(handoff) => {
            session.edit_handoff(&serde_json::to_value(handoff)?).await?;
            edited(session, "your changes are kept".to_owned())
        }
        Effect::DeclineHandoff => {
            session.decline_handoff().await?;
            edited(session, "declined; /handoff has it offered again".to_owned())
        }
        Effect::RaiseCap { cap, limit } => {
            session.raise_cap(cap, limit).await?;
            Msg::Session(SessionMsg::Cap(session.cap_usd()))
        }
        Effect::UseProject(wanted) => return session.use_project(wanted).await,
        Effect::ReconsiderHandoffs => return session.reconsider_handoffs().await,
        Effect::RetryTask(task) => return session.retry_task(&task).await,
        Effect::SkipTask(task) => return session.skip_task(&task).await,
        Effect::DecideTrust { digest, trusted } => task_news::decide(session, &digest, trusted).await?,
        Effect::Undo => {
            let turn = session.memory().turn;
            host.rewind(session, turn.saturating_sub(1)).await?;
            opened(session)
        }
        Effect::Rename(title) => {
            session.rename(&title).await?;
            Msg::Session(SessionMsg::Renamed(title))
        }
        Effect::SaveDraft(draft) => return session.save_draft(&draft).await,
        Effect::Export(file) => Msg::Toast(written_files::brief(session, file)?),
        Effect::ExportScenario(file) => Msg::Toast(written_files::scenario(session, host, file).await?),
        Effect::LoadTurns { from, to } => {
            let turns = figures::of_turns(&host.store(), session.record().id, from, to).await?;
            Msg::Overlay(OverlayMsg::Telemetry(turns))
        }
        _ => return Ok(()),
    };
    let _ = messages.send(msg);
    Ok(())
}

/// The memory after a change by hand.
fn edited(session: &Session, note: String) -> Msg {
    Msg::Session(SessionMsg::Edited { memory: Box::new(session.memory_now().into_owned()), note })
}

async fn edit(session: &mut Session, request: EditRequest) -> Result<String, HostError> {
    let label = |session: &Session, id: &str| {
        session.engine().obligation(id).map_or_else(|| id.to_owned(), |obligation| obligation.name.clone())
    };
    let name = |session: &Session, path: &str| {
        session.engine().field(path).map_or_else(|| path.to_owned(), |field| field.name.clone())
    };
    Ok(match request {
        EditRequest::Correct { path, value } => {
            session.correct(&path, &value).await?;
            format!("{} is put right", name(session, &path))
        }
        EditRequest::Clear { path } => {
            session.clear(&path).await?;
            format!("{} is forgotten", name(session, &path))
        }
        EditRequest::Defer { obligation } => {
            session.defer(&obligation, "set aside by you").await?;
            format!("{} is set aside", label(session, &obligation))
        }
        EditRequest::Phase { phase } => {
            session.force_phase(&phase).await?;
            let phase = session.engine().phase(&phase).map_or(phase, |phase| phase.name.clone());
            format!("the conversation moves on to {phase}")
        }
    })
}
