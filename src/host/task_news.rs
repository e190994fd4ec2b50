//! News of background tasks for the listeners, and the user's word on what an engine would do.

use super::audience::Audience;
use super::protocol::{Event, SessionNews, TaskCommand};
use super::{HostError, Session, consent};
use crate::tasks::TaskEvent;

/// Tells the listeners what happened to a background task.
pub(super) fn tell(session: &Session, audience: &Audience, event: TaskEvent) {
    tell_of_trust(session, audience);
    audience.tell(Event::Task(event));
}

fn tell_of_trust(session: &Session, audience: &Audience) {
    audience.tell(Event::Session(SessionNews::Trust(session.trust_request().as_ref().map(consent::question))));
}

/// Helps a background task along. Needs no more than a look at the session, so it never waits behind a turn.
pub(super) async fn carry_out(session: &Session, audience: &Audience, command: TaskCommand) -> Result<(), HostError> {
    match command {
        TaskCommand::Retry(task) => session.retry_task(&task).await,
        TaskCommand::Skip(task) => session.skip_task(&task).await,
        TaskCommand::DecideTrust { digest, trusted } => {
            let wanted = session.trust_request().filter(|wanted| wanted.digest.to_string() == digest);
            session.decide_trust(&wanted.ok_or(HostError::TrustChanged)?, trusted).await?;
            tell_of_trust(session, audience);
            Ok(())
        }
    }
}
