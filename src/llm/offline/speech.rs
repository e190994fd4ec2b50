//! How the interviewer puts things: wordings of the language with their gaps filled, and the engine's words in it.

use serde_json::Value;

use crate::decode::Named;
use crate::engine::Engine;
use crate::engine::config::{Obligation, Phase, ProbeFor, Shape};
use crate::engine::memory::Status;
use crate::engine::ports::ResponseRequest;
use crate::engine::reading::{Lexicon, carries, names};
use crate::engine::tokens;
use crate::engine::values::brief_text;
use crate::engine::wording::option_word;

/// The most tokens of a value inside a sentence, and in a list.
const IN_A_SENTENCE: u32 = 32;
const IN_A_LIST: u32 = 240;
/// The most words of a value that is said back.
const SHORT: usize = 5;

/// What can be told about a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Meaning,
    Why,
    Example,
}

/// The words of a language, in the turn in which they are said.
#[derive(Clone, Copy)]
pub(super) struct Speech<'a> {
    lexicon: Option<&'a Lexicon>,
    turn: u32,
    engine: &'a Engine,
    language: &'a str,
}

impl<'a> Speech<'a> {
    /// In the language of the conversation, or the engine's own where none was found yet.
    pub fn new(request: &ResponseRequest<'a>) -> Self {
        let own = request.engine.definition().language();
        let language = request.memory.language.current.as_deref().unwrap_or(own);
        let lexicon = request.engine.reader().lexicon(Some(language));
        // Where there are no words for it, the engine's own are used throughout.
        let language = lexicon.map_or(own, Lexicon::id);
        Self { lexicon, turn: request.memory.turn, engine: request.engine, language }
    }

    /// Words for an occasion with their gaps filled; none where the language says nothing on it.
    pub fn say(&self, occasion: &str, gaps: &[(&str, &str)]) -> Option<String> {
        let wording = self.lexicon?.reply(occasion, self.turn)?;
        let filled =
            gaps.iter().fold(wording.to_owned(), |text, (gap, value)| text.replace(&format!("{{{gap}}}"), value));
        Some(filled.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// A text of the engine in the language of the conversation, where it has one.
    fn own<'t>(&self, plain: Option<&'t str>, others: &'t Named<String>) -> Option<&'t str> {
        let own = self.language == self.engine.definition().language();
        if own { plain } else { others.get(self.language).map(|text| text.value.as_str()) }
    }

    /// The question of an obligation.
    pub fn question(&self, obligation: &str, plain: &str) -> String {
        let obligation = self.engine.obligation(obligation);
        obligation.and_then(|o| self.own(Some(&o.question), &o.question_in)).unwrap_or(plain).to_owned()
    }

    /// How it is asked which of two things that do not go together is right.
    pub fn doubt(&self, obligation: &str, place: usize) -> Option<String> {
        let doubt = self.engine.obligation(obligation)?.doubts.get(place)?;
        self.own(Some(&doubt.question), &doubt.question_in).map(ToOwned::to_owned)
    }

    /// The name of an obligation.
    pub fn label<'o>(&self, obligation: &'o Obligation) -> &'o str {
        self.own(Some(&obligation.name), &obligation.name_in).unwrap_or(&obligation.name)
    }

    /// The name of a phase.
    pub fn phase<'p>(&self, phase: &'p Phase) -> &'p str {
        self.own(Some(&phase.name), &phase.name_in).unwrap_or(&phase.name)
    }

    /// What the engine has to say on its question, in this language or not at all.
    pub fn told<'o>(&self, obligation: &'o Obligation, what: Told) -> Option<&'o str> {
        let (plain, others) = match what {
            Told::Meaning => (&obligation.meaning, &obligation.meaning_in),
            Told::Why => (&obligation.why, &obligation.why_in),
            Told::Example => (&obligation.example, &obligation.example_in),
        };
        self.own(plain.as_deref(), others)
    }

    /// What a field is in a question: "what goes wrong today".
    pub fn asked_as(&self, path: &str) -> Option<&'a str> {
        let field = self.engine.field(path)?;
        self.own(field.asked_as.as_deref(), &field.asked_as_in)
    }

    /// A value of a field as people read it in a list.
    pub fn value(&self, path: &str, value: &Value) -> String {
        let shape = self.engine.field(path).map(|field| &field.shape);
        clip(&self.shaped(value, shape), IN_A_LIST)
    }

    /// A value on one line, its choices, units and parts in the language of the conversation.
    pub fn shaped(&self, value: &Value, shape: Option<&Shape>) -> String {
        let Some(shape) = shape else { return brief_text(value) };
        match value {
            Value::Bool(yes) => self.say(if *yes { "yes" } else { "no" }, &[]).unwrap_or_else(|| brief_text(value)),
            Value::String(text) if shape.options.contains(text) => self.choice(shape, text),
            Value::Number(number) => match self.own(shape.unit.as_deref(), &shape.unit_in) {
                Some(unit) => format!("{number} {unit}"),
                None => number.to_string(),
            },
            Value::Array(items) => {
                let part = shape.items.as_deref().map(|part| &part.shape);
                items.iter().map(|item| self.shaped(item, part)).collect::<Vec<_>>().join(", ")
            }
            Value::Object(parts) if !shape.properties.is_empty() => {
                let mut told = parts.iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| {
                    let part = shape.properties.get(key).map(|part| &part.value);
                    let name = part.and_then(|part| self.own(part.name.as_deref(), &part.name_in));
                    (name, self.shaped(value, part.map(|part| &part.shape)))
                });
                // The first part is what the record is about.
                let head = told.next().map(|(_, text)| text).unwrap_or_default();
                let rest: Vec<String> = told
                    .map(|(name, text)| name.map_or_else(|| text.clone(), |name| format!("{name}: {text}")))
                    .collect();
                if rest.is_empty() { head } else { format!("{head} ({})", rest.join("; ")) }
            }
            _ => crate::engine::values::shaped_text(value, shape),
        }
    }

    /// One of the values that a field can take, as people say it.
    pub fn choice(&self, shape: &Shape, option: &str) -> String {
        option_word(shape, self.language, option)
    }

    /// Whether a question names a choice: all of its telling words stand in it, whatever their endings.
    pub fn names(&self, question: &str, choice: &str) -> bool {
        let Some(lexicon) = self.lexicon else { return false };
        names(lexicon, question, choice)
    }

    /// Whether a message names a field: by its name, or by that of its obligation.
    pub fn names_field(&self, message: &str, path: &str) -> bool {
        let field = self.engine.field(path).map(|field| field.name.as_str());
        let own = |o: &&Obligation| o.satisfied_by.iter().any(|satisfied| **satisfied == *path);
        let obligation = self.engine.definition().obligations.iter().find(own).map(|o| self.label(o));
        field.into_iter().chain(obligation).any(|name| self.names(message, name))
    }

    /// Choices in a row: "daily, weekly or rarely".
    pub fn choices(&self, shape: &Shape) -> String {
        let said: Vec<String> = shape.options.iter().map(|option| self.choice(shape, option)).collect();
        match (said.split_last(), self.say("or", &[])) {
            (Some((last, others)), Some(or)) if !others.is_empty() => format!("{} {or} {last}", others.join(", ")),
            _ => said.join(", "),
        }
    }

    /// A value as it is said back in a sentence: texts in quotation marks.
    pub fn quoted(&self, path: &str, value: &Value) -> String {
        let shown = clip(&self.value(path, value), IN_A_SENTENCE);
        // A choice is not in their words.
        let chosen = self.engine.field(path).is_some_and(|field| !field.shape.options.is_empty());
        match (value, self.lexicon) {
            (Value::String(_) | Value::Array(_), Some(lexicon)) if !chosen => lexicon.quoted(&shown),
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

    /// The first number that a text states.
    pub fn number_in(&self, text: &str) -> Option<f64> {
        self.lexicon?.number_in(text)
    }

    /// Whether an answer says little.
    pub fn is_vague(&self, answer: &str) -> bool {
        self.lexicon.is_some_and(|lexicon| lexicon.is_vague(answer))
    }

    /// A question for the first of these that was not told: a reason, an occasion, a number.
    pub fn follow_up(&self, wanted: &[ProbeFor], told: &str) -> Option<String> {
        let lexicon = self.lexicon?;
        let wordings = match wanted.iter().find(|wanted| !carries(lexicon, told, **wanted))? {
            ProbeFor::Reason => &lexicon.probes().reason,
            ProbeFor::Instance => &lexicon.probes().instance,
            ProbeFor::Number => &lexicon.probes().number,
        };
        wordings.get(self.turn as usize % wordings.len().max(1)).cloned()
    }

    /// What is still missing: in the engine's own words where it speaks this language, else by the names of obligations.
    pub fn gaps(&self, request: &ResponseRequest<'_>) -> Vec<String> {
        if self.language == self.engine.definition().language() {
            return request.memory.completeness.gaps.clone();
        }
        let open = |o: &&Obligation| o.required && request.memory.obligations.status(&o.id) != Status::Satisfied;
        self.engine.definition().obligations.iter().filter(open).map(|o| self.label(o).to_owned()).collect()
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
fn clip(text: &str, most: u32) -> String {
    let cut = tokens::cut(text, most);
    let dots = if cut.len() < text.trim_end().len() { " …" } else { "" };
    format!("{}{dots}", cut.trim_end_matches(['.', '!', '?', ',']).replace('?', ""))
}
