//! What comes while a turn or an aside is under way: questions are answered, listeners come and go, tasks are helped
//! along, and "cancel" is heard. Everything else waits for its end.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{broadcast, mpsc};

use super::actor::{attend, next};
use super::audience::Audience;
use super::handle::{Done, Mail, Refused};
use super::protocol::{Command, SessionCommand, TurnCommand};
use super::{Session, task_news};
use crate::tasks::TaskEvent;

/// Why a message was not looked at, for the user.
const NOT_AWAITED: &str = "you did not wait for it.";

/// What is needed to see to it.
pub(super) struct Meanwhile<'a> {
    pub session: &'a Session,
    pub audience: &'a Audience,
    pub mailbox: &'a mut mpsc::UnboundedReceiver<Mail>,
    /// What has to wait.
    pub postponed: &'a mut VecDeque<Mail>,
    pub tasks: &'a mut Option<broadcast::Receiver<TaskEvent>>,
}

impl Meanwhile<'_> {
    /// Sees to it until `running` is done; `None` where that was cancelled before. What is being saved is finished:
    /// dropped, it would be unknown whether it was kept.
    pub async fn attend<T>(self, mut running: Pin<&mut impl Future<Output = T>>, saving: &AtomicBool) -> Option<T> {
        let Self { session, audience, mailbox, postponed, tasks } = self;
        loop {
            let cancelled = tokio::select! {
                outcome = &mut running => return Some(outcome),
                event = next(tasks) => {
                    task_news::tell(session, audience, event);
                    false
                }
                mail = mailbox.recv() => match mail {
                    // Whatever is under way holds a handle itself, so this cannot be.
                    None => true,
                    Some(Mail::Do(Command::Turn(TurnCommand::Cancel), reply)) => {
                        let _ = reply.send(Ok(Done::Told));
                        // An answer that is there is kept.
                        !session.waiting.leave(NOT_AWAITED)
                    }
                    Some(Mail::Do(Command::Task(command), reply)) => {
                        let outcome = task_news::carry_out(session, audience, command).await;
                        let _ = reply.send(outcome.map(|()| Done::Told).map_err(Refused::Host));
                        false
                    }
                    Some(Mail::Do(Command::Session(SessionCommand::SaveDraft(draft)), reply)) => {
                        let outcome = session.save_draft(&draft).await;
                        let _ = reply.send(outcome.map(|()| Done::Told).map_err(Refused::Host));
                        false
                    }
                    Some(mail @ Mail::Abandon(_)) => {
                        postponed.push_back(mail);
                        audience.is_empty()
                    }
                    Some(mail @ (Mail::Do(..) | Mail::Use(_))) => {
                        postponed.push_back(mail);
                        false
                    }
                    Some(Mail::Look(look)) => {
                        attend(session, audience, look);
                        false
                    }
                },
            };
            if cancelled {
                return if saving.load(Ordering::Relaxed) { Some(running.await) } else { None };
            }
        }
    }
}
