//! How the interviewer puts things: wordings of the language with their gaps filled, and values short enough to be said.

use serde_json::Value;

use crate::engine::Engine;
use crate::engine::config::ProbeFor;
use crate::engine::ports::ResponseRequest;
use crate::engine::reading::Lexicon;
use crate::engine::tokens;
use crate::engine::values::{brief_text, shaped_text};

/// The most words of a value that is said back.
const SHORT: usize = 5;

/// The words of a language, in the turn in which they are said.
#[derive(Clone, Copy)]
pub(super) struct Speech<'a> {
    lexicon: Option<&'a Lexicon>,
    turn: u32,
    engine: &'a Engine,
    language: &'a str,
}

impl<'a> Speech<'a> {
    /// In the language of the conversation, or of the message where there is none yet.
    pub fn new(request: &ResponseRequest<'a>) -> Self {
        let language = request.memory.language.current.as_deref().unwrap_or(&request.heard.language);
        let lexicon = request.engine.reader().lexicon(Some(language));
        Self { lexicon, turn: request.memory.turn, engine: request.engine, language }
    }

    /// Words for an occasion with their gaps filled; none where the language says nothing on it.
    pub fn say(&self, occasion: &str, gaps: &[(&str, &str)]) -> Option<String> {
        let wording = self.lexicon?.reply(occasion, self.turn)?;
        let filled =
            gaps.iter().fold(wording.to_owned(), |text, (gap, value)| text.replace(&format!("{{{gap}}}"), value));
        Some(filled.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// The question of an obligation in the language of the conversation.
    pub fn question(&self, obligation: &str, plain: &str) -> String {
        let obligation = self.engine.obligation(obligation);
        let own = obligation.and_then(|obligation| obligation.question_in.get(self.language));
        own.map_or_else(|| plain.to_owned(), |question| question.value.clone())
    }

    /// A value of a field as people read it.
    pub fn value(&self, path: &str, value: &Value) -> String {
        let shown = self.engine.field(path).map_or_else(|| brief_text(value), |field| shaped_text(value, &field.shape));
        clip(&shown)
    }

    /// A value as it is said back in a sentence: texts in quotation marks.
    pub fn quoted(&self, path: &str, value: &Value) -> String {
        let shown = self.value(path, value);
        match (value, self.lexicon) {
            (Value::String(_) | Value::Array(_), Some(lexicon)) => lexicon.quoted(&shown),
            _ => shown,
        }
    }

    /// Whether a value is short enough to be said back.
    pub fn is_short(&self, path: &str, value: &Value) -> bool {
        !value.is_boolean() && self.value(path, value).split_whitespace().count() <= SHORT
    }

    /// The name of a field inside a sentence: "the budget", "how it is done today".
    pub fn name(&self, path: &str) -> String {
        let name = self.engine.field(path).map_or(path, |field| field.name.as_str());
        let first = name.split_whitespace().next().unwrap_or_default();
        let plain = first.chars().skip(1).all(char::is_lowercase);
        let inside = if plain { lower_first(name) } else { name.to_owned() };
        let asks = self.lexicon.is_some_and(|lexicon| lexicon.opens_question(first));
        if asks { inside } else { self.say("named", &[("name", &inside)]).unwrap_or(inside) }
    }

    /// A question for a reason, an occasion or a number, where an answer is vague.
    pub fn follow_up(&self, wanted: Option<ProbeFor>, answer: &str) -> Option<String> {
        let lexicon = self.lexicon.filter(|lexicon| lexicon.is_vague(answer))?;
        let wordings = match wanted.unwrap_or_default() {
            ProbeFor::Reason => &lexicon.probes().reason,
            ProbeFor::Instance => &lexicon.probes().instance,
            ProbeFor::Number => &lexicon.probes().number,
        };
        wordings.get(self.turn as usize % wordings.len().max(1)).cloned()
    }

    /// Points of a list, a line each.
    pub fn list(points: &[String]) -> String {
        points.iter().map(|point| format!("- {point}")).collect::<Vec<_>>().join("\n")
    }
}

fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or(String::new(), |first| first.to_lowercase().chain(characters).collect())
}

/// A text short enough to be said back, without a question mark that would pass for a question.
fn clip(text: &str) -> String {
    let cut = tokens::cut(text, 32);
    let dots = if cut.len() < text.trim_end().len() { " …" } else { "" };
    format!("{}{dots}", cut.trim_end_matches(['.', '!', '?', ',']).replace('?', ""))
}
