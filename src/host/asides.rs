//! Asides (`/btw`): words beside the conversation. They are answered, shown and kept apart from what was said; nothing reads
//! them as an answer, and nothing is concluded from them.
//!
//! **Invariant:** an aside never becomes a message. The memory keeps it in a place of its own, which neither the rules, nor
//! a model, nor the search, nor the brief look at.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::task::JoinSet;

use super::actor::{Actor, failure};
use super::backend::AsideRequest;
use super::claim::Claim;
use super::handle::{Done, Refused, Reply};
use super::meanwhile::Meanwhile;
use super::ports::{OnNews, not_kept};
use super::protocol::{AsideDone, Event, TurnFailure, TurnNews};
use super::spending::Told;
use super::{HostError, Session};
use crate::engine::context::{AssembledContext, ContextInput, assemble};
use crate::engine::memory::{Aside, MAX_ASIDE};
use crate::engine::ports::PersistError;
use crate::engine::reading::read;
use crate::engine::sensitive;
use crate::engine::turn::{TurnError, window_share};
use crate::llm::ChatEvent;
use crate::store::Draft;
use crate::tasks::Account;

/// What stands before an aside where it is typed, and so in a draft of one.
const COMMAND: &str = "/btw";

/// An aside as it is typed.
fn as_typed(message: &str) -> String {
    format!("{COMMAND} {}", message.trim())
}

impl Actor {
    /// Answers an aside. The session stays as it is but for the place where asides are kept.
    pub(super) async fn aside(&mut self, message: String) -> Reply {
        let _alive = self.own.upgrade();
        self.ahead = JoinSet::new();
        let typed = as_typed(&message);
        self.audience.tell(Event::Turn(TurnNews::Begun { message: message.clone(), replaces: None, aside: true }));
        self.session.draft_is_sent(&typed);
        let outcome = match self.answer_aside(&message).await {
            Some(Ok((aside, claim))) => {
                let kept = self.session.keep_aside(aside.clone()).await;
                if kept.is_ok() {
                    claim.withdraw();
                }
                kept.map(|()| aside).map_err(|error| Refused::Turn(failure(&unkept(error))))
            }
            Some(Err(error)) => Err(Refused::Turn(failure(&error))),
            None => Err(Refused::Cancelled),
        };
        let refused = match outcome {
            Ok(aside) => {
                let (memory, sidebar) = (self.session.memory_now(), self.session.sidebar());
                let done = Arc::new(AsideDone { aside, memory, sidebar });
                self.audience.tell(Event::Turn(TurnNews::AsideDone(Arc::clone(&done))));
                return Ok(Done::Aside(done));
            }
            Err(refused) => refused,
        };
        self.keep_words(&typed, None).await;
        let news = match &refused {
            Refused::Turn(failure) => TurnNews::Failed(failure.clone()),
            Refused::Cancelled | Refused::Host(_) => TurnNews::Cancelled,
        };
        self.audience.tell(Event::Turn(news));
        self.tell_of_cost();
        if matches!(refused, Refused::Turn(TurnFailure::Elsewhere(_))) {
            self.catch_up().await;
        }
        Err(refused)
    }

    /// Has an aside answered; `None` where that was cancelled.
    async fn answer_aside(&mut self, message: &str) -> Option<Result<(Aside, Claim), TurnError>> {
        let Self { session, audience, mailbox, postponed, tasks, .. } = self;
        let (session, audience) = (&*session, &*audience);
        let mut on_news = |news: TurnNews| audience.tell(Event::Turn(news));
        let mut answering = pin!(session.answer_aside(message, &mut on_news));
        session.waiting.begin();
        let meanwhile = Meanwhile { session, audience, mailbox, postponed, tasks };
        meanwhile.attend(answering.as_mut(), &AtomicBool::new(false)).await
    }
}

/// Why an aside that was answered is not kept.
fn unkept(error: HostError) -> TurnError {
    TurnError::Persist(match error {
        HostError::Store(error) => not_kept(error),
        other => PersistError::Failed(other.to_string()),
    })
}

impl Session {
    /// Answers words beside the conversation: in the engine's own words where they ask back about its question, else by
    /// the model. Nothing is changed yet; the claim is held until it is kept.
    async fn answer_aside(&self, message: &str, on_news: OnNews<'_>) -> Result<(Aside, Claim), TurnError> {
        let said = message.trim();
        if said.is_empty() {
            return Err(TurnError::Input("there is nothing to answer: the aside is empty".to_owned()));
        }
        if said.len() > MAX_ASIDE {
            return Err(TurnError::Input(format!(
                "an aside has {MAX_ASIDE} bytes at most, and this has {}",
                said.len()
            )));
        }
        let said = sensitive::storable(said, self.sensitive);
        let claim = Claim::take(self, Some(Draft::new(as_typed(&said), None))).await?;
        // What it costs is kept however it ends, and told of by the next turn.
        let _account = self.kept().ok().map(|kept| Account::open(&kept.budget, &kept.store, self.record.id));
        let told = Told::by(&self.untold);
        let heard = read(&self.engine, &self.memory, &said);
        let context = self.beside(&said);
        let request = AsideRequest {
            engine: &self.engine,
            memory: &self.memory,
            transcript: &self.transcript,
            message: &said,
            heard: &heard,
            context: &context,
        };
        on_news(TurnNews::Writing);
        let shown = AtomicBool::new(false);
        let mut on_event = |event: ChatEvent| match event {
            ChatEvent::Delta(text) => {
                shown.store(true, Ordering::Relaxed);
                on_news(TurnNews::Delta(text));
            }
            ChatEvent::Reasoning(text) => on_news(TurnNews::Reasoning(text)),
            ChatEvent::Queued { .. } => on_news(TurnNews::Queued),
            ChatEvent::Retrying { attempt, wait, error } => {
                let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                let voids = shown.swap(false, Ordering::Relaxed);
                on_news(TurnNews::Retrying { attempt, wait_ms, reason: error.to_string(), voids });
            }
            ChatEvent::Started => {}
        };
        let (answer, call) = self.backend.aside(&request, &mut on_event).await?;
        told.note(&call);
        let answer = answer.unwrap_or_else(|| self.words().host.aside_offline().to_owned());
        if answer.trim().is_empty() {
            return Err(TurnError::EmptyAnswer);
        }
        let answer = sensitive::storable(&answer, self.sensitive);
        Ok((Aside::new(self.memory.turn, &said, &answer), claim))
    }

    /// What a model gets to see of the conversation for an aside.
    fn beside(&self, said: &str) -> AssembledContext<'_> {
        let window = self.backend.window();
        let short = self.engine.tells_briefly(self.backend.is_small(), window);
        assemble(&ContextInput {
            engine: &self.engine,
            memory: &self.memory,
            learned: &self.memory,
            transcript: &self.transcript,
            message: said,
            quiet: false,
            candidates: &[],
            techniques: &[],
            artifacts: &[],
            left_phase: None,
            short,
            report: 0,
            most_of_message: u32::MAX,
            put_right: &BTreeSet::new(),
            shrink: window_share(&self.engine, window),
        })
    }

    /// Keeps an aside beside what was said.
    async fn keep_aside(&mut self, aside: Aside) -> Result<(), HostError> {
        self.amend(|memory| memory.asides.note(aside)).await
    }
}
