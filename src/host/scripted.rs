//! A model that says what it was told to say, for scenarios and replays.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::engine::ports::{AnalysisReply, CallRecord, ResponseReply, ResponseRequest};
use crate::engine::qa::asks_something;
use crate::engine::tokens;

/// What the model says in one turn.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Its analysis, as it would come over the wire.
    pub analysis: String,
    /// Its answer; the first question of the agenda, when not given.
    pub answer: Option<String>,
}

/// A model that says what it was told to say.
#[derive(Debug, Default)]
pub struct ScriptedModel(Mutex<Script>);

impl ScriptedModel {
    /// Has the next turn go like this.
    pub fn says(&self, script: Script) {
        *self.script() = script;
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn analyse(&self) -> AnalysisReply {
        let text = self.script().analysis.clone();
        AnalysisReply { call: record("analyse", &text), text, ..AnalysisReply::default() }
    }

    pub(super) fn respond(&self, request: &ResponseRequest<'_>) -> ResponseReply {
        if let Some(text) = &self.script().answer {
            // A script says what is answered to the word: where that asks nothing, nothing is asked.
            let asked = (!asks_something(text)).then(Vec::new);
            let call = record("respond", text);
            return ResponseReply { text: text.clone(), asked, call, ..ResponseReply::default() };
        }
        let first = request.agenda.first();
        let question = first.map_or("That is all I need.", |item| item.question.as_str());
        let text = format!("Noted. {question}");
        let asked = Some(first.map(|item| item.obligation.clone()).into_iter().collect());
        ResponseReply { asked, call: record("respond", &text), text, ..ResponseReply::default() }
    }
}

fn record(role: &str, text: &str) -> CallRecord {
    CallRecord {
        role: role.to_owned(),
        model: "scripted".to_owned(),
        output_tokens: u64::from(tokens::estimate(text)),
        estimated: true,
        ..CallRecord::default()
    }
}
