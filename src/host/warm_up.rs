//! What is done before a message comes: the connection is opened, and what the next request will begin with is sent ahead
//! where that costs nothing. A local model takes longer to read its instructions than to answer.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::Session;
use super::backend::Backend;
use super::ports::prompt_tokens;
use super::tools::{Tools, offer};
use crate::engine::context::{ContextInput, assemble};
use crate::engine::transcript::Role;
use crate::engine::turn::window_share;
use crate::llm::{CallRole, ChatMessage, ChatRequest, Models};

/// A message that is being written for so long is not about to be sent.
const SETTLED: Duration = Duration::from_millis(150);

/// What is prepared for a message that is being written.
pub(super) enum Ahead {
    /// The connection is opened.
    Connection(Arc<Models>),
    /// The beginning of the next request is sent, for a single word of an answer.
    Beginning(Arc<Models>, Box<ChatRequest>),
}

impl Ahead {
    /// Does it. What goes wrong here will go wrong again when it matters, and is told then.
    pub async fn run(self) {
        match self {
            Self::Connection(models) => models.connect().await,
            Self::Beginning(models, request) => {
                // Where the message comes at once, nothing is gained and nothing is sent.
                tokio::time::sleep(SETTLED).await;
                drop(models.chat_within(1, CallRole::Respond, &request, &mut |_| {}).await);
            }
        }
    }
}

impl Session {
    /// What can be prepared when the session is opened.
    pub(super) fn on_opening(&self) -> Option<Ahead> {
        let Backend::Models(models) = &self.backend else { return None };
        (!models.is_local()).then(|| Ahead::Connection(Arc::clone(models)))
    }

    /// What can be prepared while the user writes.
    pub(super) async fn while_writing(&self) -> Option<Ahead> {
        let Backend::Models(models) = &self.backend else { return None };
        // Near a cap nothing is sent that is no answer.
        let prompt = prompt_tokens(&self.engine, &self.memory);
        let has_room = !models.budget().is_near_a_cap() && models.fits_a_turn(prompt * 2);
        if !models.takes_beginnings() || !has_room {
            return self.on_opening();
        }
        let tools = if self.backend.is_small() { Tools::default() } else { self.tools().await.ok()? };
        Some(Ahead::Beginning(Arc::clone(models), Box::new(self.beginning(&tools))))
    }

    /// What the next request will begin with.
    fn beginning(&self, tools: &Tools) -> ChatRequest {
        let window = self.backend.window();
        let short = self.engine.tells_briefly(self.backend.is_small(), window);
        let context = assemble(&ContextInput {
            engine: &self.engine,
            memory: &self.memory,
            learned: &self.memory,
            transcript: &self.transcript,
            message: "",
            quiet: false,
            candidates: &[],
            techniques: &[],
            artifacts: &[],
            left_phase: None,
            short,
            report: window.map_or(0, |_| self.engine.report_room(short)),
            most_of_message: u32::MAX,
            put_right: &BTreeSet::new(),
            shrink: window_share(&self.engine, window),
        });
        let past = context.past_messages().into_iter().map(|(role, text)| match role {
            Role::User => ChatMessage::user(text),
            Role::Assistant => ChatMessage::assistant(text),
        });
        ChatRequest {
            system: context.system_parts().into_iter().map(ToOwned::to_owned).collect(),
            // A request ends with the person's words; which, is not known yet.
            messages: past.chain([ChatMessage::user("…")]).collect(),
            tools: tools.granted.iter().copied().map(offer).collect(),
            may_call: true,
            max_output_tokens: Some(1),
            ..ChatRequest::default()
        }
    }
}
