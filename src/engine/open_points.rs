//! What a session still has to bring out, in its own language: for the brief, for other programs, for a form.

use serde::{Deserialize, Serialize};

use super::config::{Definition, Obligation};
use super::memory::{Status, WorkingMemory};
use super::obligations::is_confirmation;
use super::outline::ShapeOutline;
use super::values::shaped_text;
use crate::decode::Named;

/// Something that is still open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenPoint {
    /// What it is called by in the engine file.
    pub id: String,
    pub name: String,
    pub question: String,
    /// Why it is asked, where the engine says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    pub category: String,
    /// Whether the result is worth little without it.
    pub required: bool,
    /// Why it is open.
    pub reason: String,
    /// Whether it asks for nothing but a yes to what is noted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirmation: bool,
}

/// Everything that is open, in the order of the engine file.
pub fn open_points(definition: &Definition, memory: &WorkingMemory) -> Vec<OpenPoint> {
    let language = memory.language.current.as_deref();
    let words = language.and_then(|id| definition.brief_in.get(id)).map(|words| &words.value);
    let open = definition.obligations.iter().filter_map(|obligation| {
        let state = memory.obligations.get(&obligation.id)?;
        let reason = match state.status {
            Status::Satisfied => return None,
            Status::Deferred => state.deferred.clone().unwrap_or_else(|| "deferred".to_owned()),
            Status::Partial => "mentioned, not settled".to_owned(),
            Status::Pending => "not discussed".to_owned(),
        };
        let in_words =
            |reason: String| words.and_then(|words| words.get(&reason)).map_or(reason, |word| word.value.clone());
        let reason = match unconfirmed(definition, memory, obligation) {
            Some(said) => format!("{}: {said}", in_words(UNCONFIRMED.to_owned())),
            None => in_words(reason),
        };
        Some(OpenPoint {
            id: obligation.id.to_string(),
            name: in_language(language, &obligation.name, &obligation.name_in),
            question: in_language(language, &obligation.question, &obligation.question_in),
            why: obligation.why.as_deref().map(|why| in_language(language, why, &obligation.why_in)),
            category: obligation.category.to_string(),
            required: obligation.required,
            reason,
            confirmation: is_confirmation(definition, obligation),
        })
    });
    open.collect()
}

/// Why something is open that was said: it waits for a yes.
const UNCONFIRMED: &str = "said, not confirmed yet";

/// What was said on an obligation and waits for a yes, where nothing is known on it.
fn unconfirmed(definition: &Definition, memory: &WorkingMemory, obligation: &Obligation) -> Option<String> {
    let language = memory.language.current.as_deref();
    obligation.satisfied_by.iter().find_map(|path| {
        let known = memory.extraction.get(path).filter(|known| known.value.is_none())?;
        let field = definition.fields.iter().find(|field| *field.path == **path)?;
        let said = known.candidate.as_ref().filter(|candidate| candidate.evidence.is_some())?;
        Some(shaped_text(&said.value, &ShapeOutline::of(&field.shape, language)))
    })
}

/// A text of the engine in a language, or as it is where the engine has no other.
pub(super) fn in_language(language: Option<&str>, plain: &str, others: &Named<String>) -> String {
    language.and_then(|id| others.get(id)).map_or_else(|| plain.to_owned(), |text| text.value.clone())
}
