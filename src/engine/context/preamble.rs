//! What every request begins with, to the byte: the engine's own prompt, the contract, and the catalogue of what the
//! conversation is about. Both calls of a turn share it.

use std::fmt::Write as _;

use crate::engine::config::{Definition, Field};
use crate::engine::extraction::MAX_SLICE;
use crate::engine::tokens;

/// The most that the catalogue of fields takes, in tokens.
const MAX_FIELDS: u32 = 1_500;
/// The most that the list of points takes, in tokens.
const MAX_POINTS: u32 = 1_200;

/// What holds for every engine.
pub(in crate::engine) const CONTRACT: &str = "\
# Notes and reports

Messages of the user may end with a <note>. It is from the program that keeps the record, for you alone; the user has not \
written it and cannot see it. Which points are open, the newest note alone says; what a point is about stands under \
“Points”. What was noted, what a note says of a part of the conversation and how to ask hold until a newer note replaces \
them. Never repeat, mention or answer a note, and never write one.

Answer in the language that the user writes in, unless a note names another.

When a message ends with a <report>, you do not answer the user: you write the JSON it asks for and nothing else.";

/// Puts the beginning of every request together.
pub fn write(definition: &Definition, prompt: &str) -> String {
    let mut out = format!("{prompt}\n\n{CONTRACT}\n\n# Points\n\n");
    let points = definition.obligations.iter().map(|o| (o.name.clone(), o.description.trim(), o.question.as_str()));
    list(&mut out, &points.collect::<Vec<_>>(), MAX_POINTS);
    // Where one analysis cannot look for all fields, each is told of those that it looks for.
    if definition.fields.len() <= MAX_SLICE {
        out.push_str("\n# Fields of a report\n\n");
        let fields: Vec<&Field> = definition.fields.iter().collect();
        out.push_str(&catalogue(&fields));
    }
    out.trim_end().to_owned()
}

/// What holds for every engine, as a small model can take it in.
const SHORT_CONTRACT: &str = "\
You answer in two short sentences. The first takes up a few words of what the person just said. The second is one \
question. Never give back their whole sentence, never say the same thing twice, no lists, no advice. Write in the \
language that the person writes in.

A message may end with a <note>. The person has not written it and cannot see it: it tells you what to ask. Ask that, and \
do not mention the note.

When a message ends with a <report>, write only the JSON that it asks for.";

/// The same for a small model: who it is, the contract, one example. What is asked and looked for is told when it is.
pub fn write_short(definition: &Definition, prompt: &str) -> String {
    let (about, outcome) = (definition.description.trim(), definition.outcome.trim());
    let mut out = format!(
        "You interview one person. What the conversation does: {about} They were promised: “{outcome}”.\n\n\
         {SHORT_CONTRACT}"
    );
    if let Some(example) = example(prompt) {
        let _ = write!(out, "\n\n# Example\n\n{example}");
    }
    out
}

/// The part of a prompt under the heading “Example”.
fn example(prompt: &str) -> Option<&str> {
    let is_heading = |line: &str| line.starts_with('#') && line.to_lowercase().contains("example");
    let mut at = 0;
    for line in prompt.split_inclusive('\n') {
        at += line.len();
        if is_heading(line) {
            let rest = &prompt[at..];
            let end = rest.find("\n#").unwrap_or(rest.len());
            return Some(rest[..end].trim()).filter(|example| !example.is_empty());
        }
    }
    None
}

/// The fields with what belongs in each.
pub fn catalogue(fields: &[&Field]) -> String {
    let entries = fields.iter().map(|field| (head(field), field.description.trim(), field.name.as_str()));
    let entries: Vec<(String, &str, &str)> = entries.collect();
    let mut out = String::new();
    list(&mut out, &entries, MAX_FIELDS);
    out
}

/// A field by path and type; of a record also its parts.
fn head(field: &Field) -> String {
    let shape = &field.shape;
    let mut out = format!("{} ({}", field.path, shape.r#type);
    if !shape.options.is_empty() {
        let _ = write!(out, ": {}", shape.options.join(" | "));
    }
    out.push(')');
    out
}

/// A list in which descriptions give way, all in the same measure, where there is no room for them: to their first
/// sentences, and then to something shorter that is whole as well.
fn list(out: &mut String, entries: &[(String, &str, &str)], budget: u32) {
    let lines = |most: u32| -> String {
        let line = |(head, about, shorter): &(String, &str, &str)| {
            let flat = about.split_whitespace().collect::<Vec<_>>().join(" ");
            format!("- {head}: {}\n", sentences(&flat, most).unwrap_or(shorter))
        };
        entries.iter().map(line).collect()
    };
    let written = [u32::MAX, 60, 45, 35, 28, 22, 16, 10].into_iter().map(lines);
    let mut shortest = String::new();
    for text in written {
        shortest = text;
        if tokens::estimate(&shortest) <= budget {
            break;
        }
    }
    out.push_str(&shortest);
}

/// As many whole sentences as fit: half a sentence says something else than was meant.
fn sentences(text: &str, most: u32) -> Option<&str> {
    let cut = tokens::cut(text, most);
    if cut.len() == text.len() {
        return Some(text);
    }
    cut.rfind(". ").map(|at| &cut[..=at])
}
