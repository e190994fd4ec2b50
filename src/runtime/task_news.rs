//! What happens to background tasks, on its way to the app; and the user's word on what an engine would do.

use super::effects::Messages;
use super::tasks::Following;
use super::{HostError, Session};
use crate::app::Msg;
use crate::app::msg::SessionMsg;
use crate::app::overlay::{TrustQuestion, TrustedAct};
use crate::tasks::{TaskEvent, TrustRequest};

/// Passes on everything that happens to the tasks of a session, for as long as what is returned lives.
pub(super) fn follow(session: &Session, messages: &Messages) -> Following {
    let messages = messages.clone();
    session.follow_tasks(move |event, trust| tell(&messages, event, trust))
}

/// Keeps the user's word, if what it is about is still what was shown.
pub(super) async fn decide(session: &Session, digest: &str, trusted: bool) -> Result<Msg, HostError> {
    let wanted = session.trust_request();
    match wanted.filter(|wanted| wanted.digest.to_string() == digest) {
        Some(wanted) => {
            session.decide_trust(&wanted, trusted).await?;
            Ok(Msg::Session(SessionMsg::Trust(session.trust_request().map(question))))
        }
        None => Err(HostError::Edit("what the engine would do has changed meanwhile; look at it again".to_owned())),
    }
}

/// Passes on what happened to a background task.
fn tell(messages: &Messages, event: TaskEvent, trust: Option<TrustRequest>) {
    let _ = messages.send(Msg::Session(SessionMsg::Trust(trust.map(question))));
    let _ = messages.send(Msg::Task(event));
}

/// What the user has to look at, in words.
pub(super) fn question(request: TrustRequest) -> TrustQuestion {
    let acts = request.acts.iter().map(|act| TrustedAct { words: act.words(), tasks: act.tasks.clone() }).collect();
    let origin = request.folder.map_or_else(|| request.engine_id.clone(), |folder| folder.display().to_string());
    TrustQuestion { digest: request.digest.to_string(), origin, acts }
}
