//! The brief: what the user takes away, every statement pointing at the words it came from.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use minijinja::Value;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Engine;
use super::config::Definition;
use super::expression::{Fault, MemoryView, Program, from_json};
use super::memory::{Evidence, ExtractedField, FieldSource, FieldState, WorkingMemory};
use super::open_points::{in_language, open_points};
use super::outline::{ShapeOutline, field_name};
use super::values::shaped_text;
use crate::decode::Entries;
use crate::words::{self, HostWords, reason_in};

/// What the brief says of the session itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    pub title: String,
    /// The day, as it should be printed.
    pub date: String,
    pub project: Option<String>,
}

/// Writes the brief of a session in Markdown.
pub fn render(engine: &Engine, memory: &WorkingMemory, session: &Heading) -> Result<String, Fault> {
    render_source(engine.program(), engine.shared_definition(), memory, engine.brief_source(), session)
}

/// Fills in a brief.
pub(in crate::engine) fn render_source(
    program: &Program,
    definition: &Arc<Definition>,
    memory: &WorkingMemory,
    source: &str,
    session: &Heading,
) -> Result<String, Fault> {
    let language = memory.language.current.as_deref();
    let doubted = in_doubt(memory);
    let memory = &as_told(memory);
    let mut names = engine_name(definition, language);
    let provenance = provenance(definition, memory);
    let numbers: HashMap<String, usize> =
        provenance.iter().enumerate().map(|(at, entry)| (entry.path.to_owned(), at + 1)).collect();
    names.insert(
        "session",
        from_json(&json!({
            "title": session.title, "date": session.date, "project": session.project, "turns": memory.turn,
        })),
    );
    names.insert("open_questions", from_json(&json!(open_questions(definition, memory))));
    names.insert("superseded", from_json(&json!(superseded(definition, memory))));
    names.insert("provenance", provenance.iter().map(|entry| entry.to_value(&numbers)).collect());
    names.insert(
        "cite",
        Value::from_function(move |path: String| {
            let mark = if doubted.contains(&path) { DOUBTFUL } else { "" };
            numbers.get(&path).map_or(String::new(), |n| format!("[{n}]{mark}"))
        }),
    );
    let further = further(memory);
    names.insert("more", Value::from_function(move |path: String| further.get(&path).cloned().unwrap_or_default()));
    let shown: HashMap<String, String> = provenance.iter().map(Provenance::shown).collect();
    let choices = choices(definition, language);
    let word = move |path: String, choice: String| choices.get(&(path, choice.clone())).cloned().unwrap_or(choice);
    names.insert("word", Value::from_function(word));
    names.insert("shown", Value::from_function(move |path: String| shown.get(&path).cloned().unwrap_or_default()));
    let view = MemoryView::with(definition, memory, names);
    let words = language.and_then(|id| definition.brief_in.get(id)).map(|words| &words.value);
    let other = words.map(|words| template_in(source, words)).filter(|other| program.has_template(other));
    program.render(other.as_deref().unwrap_or(source), &view).map(|text| {
        let text = tidy(&text);
        let text = words.map_or_else(|| text.clone(), |words| labelled(&text, words));
        format!("{}\n", unfolded(&text))
    })
}

/// Behind the number of what is in doubt: something that it depends on has changed.
const DOUBTFUL: &str = " (?)";

/// Stands for the end of a line within a value until it is known where in the brief the value stands.
const LINE_END: char = '\u{2028}';

/// The fields whose value is in doubt since something that they depend on has changed.
fn in_doubt(memory: &WorkingMemory) -> BTreeSet<String> {
    let doubted = memory.extraction.iter().filter(|(_, field)| is_doubted(field));
    doubted.map(|(path, _)| path.to_owned()).collect()
}

fn is_doubted(field: &ExtractedField<serde_json::Value>) -> bool {
    field.state == FieldState::Stale && field.value.is_some()
}

/// The memory as the brief tells of it: what is in doubt is told all the same, with a mark, and values of several lines
/// are one line until it is known where they stand.
fn as_told(memory: &WorkingMemory) -> WorkingMemory {
    let mut told = memory.clone();
    let several = |value: &serde_json::Value| value.as_str().is_some_and(|text| text.trim().contains('\n'));
    let touched =
        memory.extraction.iter().filter(|(_, field)| is_doubted(field) || field.value.as_ref().is_some_and(several));
    for path in touched.map(|(path, _)| path.to_owned()).collect::<Vec<_>>() {
        let field = told.extraction.entry(&path);
        if field.state == FieldState::Stale {
            field.state = FieldState::Known;
        }
        if let Some(serde_json::Value::String(text)) = &mut field.value {
            let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            *text = lines.join(&LINE_END.to_string());
        }
    }
    told
}

/// The brief with its values of several lines: each goes on where it began, in its paragraph, its point or its quote. A
/// cell of a table and a heading have one line.
fn unfolded(text: &str) -> String {
    if !text.contains(LINE_END) {
        return text.to_owned();
    }
    let line = |line: &str| {
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
        let point = match bare.as_bytes() {
            [b'-' | b'*' | b'+', b' ', ..] => 2,
            bytes if digits > 0 && bytes[digits..].starts_with(b". ") => digits + 2,
            _ => 0,
        };
        match bare.chars().next() {
            Some('|' | '#') => line.replace(LINE_END, " / "),
            Some('>') => line.replace(LINE_END, &format!("  \n{}> ", " ".repeat(indent))),
            _ => line.replace(LINE_END, &format!("  \n{}", " ".repeat(indent + point))),
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// What is open, each with its name as it stands within a sentence: without a capital in the engine's own language.
fn open_questions(definition: &Definition, memory: &WorkingMemory) -> Vec<serde_json::Value> {
    let language = memory.language.current.as_deref();
    let own = language.is_none_or(|id| id == definition.language());
    let points = open_points(definition, memory).into_iter().map(|point| {
        let phrase = if own { point.name.to_lowercase() } else { point.name.clone() };
        let mut point = json!(point);
        let mut letters = point["reason"].as_str().unwrap_or_default().chars();
        let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
        point["reason"] = json!(format!("{first}{}", letters.as_str()));
        point["phrase"] = json!(phrase);
        point
    });
    points.collect()
}

/// A template with its own words in another language: those between its tags, through which the words of the user come in.
pub(in crate::engine) fn template_in(source: &str, words: &Entries<String>) -> String {
    let mut out = String::with_capacity(source.len() * 2);
    let mut rest = source;
    loop {
        let tag = ["{{", "{%", "{#"].iter().filter_map(|open| rest.find(open)).min();
        let text = &rest[..tag.unwrap_or(rest.len())];
        for piece in text.split_inclusive(['\n', '*', '|']) {
            let core = piece.trim_matches(|c: char| !c.is_alphanumeric());
            match words.get(core).filter(|word| !core.is_empty() && !word.value.contains(['{', '}'])) {
                Some(word) => out.push_str(&piece.replacen(core, &word.value, 1)),
                None => out.push_str(piece),
            }
        }
        let Some(at) = tag else { return out };
        let close = match &rest[at..at + 2] {
            "{{" => "}}",
            "{%" => "%}",
            _ => "#}",
        };
        let end = rest[at..].find(close).map_or(rest.len(), |end| at + end + close.len());
        out.push_str(&rest[at..end]);
        rest = &rest[end..];
    }
}

/// The fewest words of a name that is a sentence.
const A_SENTENCE: usize = 3;

/// A brief with its headings and labels in another language. What the user said is left alone.
fn labelled(text: &str, words: &Entries<String>) -> String {
    let own = |label: &str| words.get(label).map(|word| word.value.as_str());
    let line = |line: &str| {
        let title = line.trim_start_matches('#').trim_start();
        if line.starts_with('#') {
            let (title, cited) = title.split_once(" [").map_or((title, None), |(title, cited)| (title, Some(cited)));
            let marks = &line[..line.len() - line.trim_start_matches('#').len()];
            let cited = cited.map(|cited| format!(" [{cited}")).unwrap_or_default();
            return own(title).map(|title| format!("{marks} {title}{cited}"));
        }
        if line.starts_with("| ") {
            let cells: Vec<&str> = line.split('|').map(|cell| own(cell.trim()).unwrap_or(cell.trim())).collect();
            let heads = line.split('|').filter(|cell| own(cell.trim()).is_some()).count();
            return (heads > 1).then(|| cells.join(" | ").trim().to_owned());
        }
        // Names of what is to be reached, which are sentences, stand in a list.
        if let Some(name) = line.strip_prefix("- ").filter(|name| name.split_whitespace().count() >= A_SENTENCE) {
            return own(name).map(|word| format!("- {word}"));
        }
        let (before, rest) = line.split_once("**").filter(|(before, _)| matches!(*before, "" | "- "))?;
        let (label, rest) = rest.split_once("**")?;
        let bare = label.trim_end_matches([':', '.']);
        own(bare).map(|word| format!("{before}**{word}{}**{rest}", &label[bare.len()..]))
    };
    text.lines().map(|one| line(one).unwrap_or_else(|| one.to_owned())).collect::<Vec<_>>().join("\n")
}

/// The engine under the name `engine`.
pub(in crate::engine) fn engine_name(definition: &Definition, language: Option<&str>) -> BTreeMap<&'static str, Value> {
    let engine = json!({
        "id": definition.id.as_str(),
        "name": in_language(language, &definition.name, &definition.name_in),
        "description": definition.description,
        "outcome": in_language(language, &definition.outcome, &definition.outcome_in),
        "version": definition.version.value,
        "duration_minutes": definition.duration_minutes,
        "type": definition.engine_type.word(),
    });
    BTreeMap::from([("engine", from_json(&engine))])
}

/// Values that were replaced, oldest first within a field.
fn superseded(definition: &Definition, memory: &WorkingMemory) -> Vec<serde_json::Value> {
    let language = memory.language.current.as_deref();
    let words = words::spoken(language);
    let fields = definition.fields.iter().filter_map(|field| Some((field, memory.extraction.get(&field.path)?)));
    fields
        .flat_map(|(field, extracted)| {
            extracted.superseded.iter().enumerate().map(move |(at, old)| {
                let shape = ShapeOutline::of(&field.shape, language);
                let later = extracted.superseded.get(at + 1).map(|next| &next.value).or(extracted.value.as_ref());
                json!({
                    "name": field_name(definition, field, language),
                    "path": field.path.as_str(),
                    "old": shaped_text(&old.value, &shape),
                    "new": later.map_or_else(|| "—".to_owned(), |value| shaped_text(value, &shape)),
                    "turn": old.at_turn,
                    "reason": reason_in(&old.reason, words),
                })
            })
        })
        .collect()
}

/// What people read instead of the choices in the parts of records, by the path of the field.
fn choices(definition: &Definition, language: Option<&str>) -> HashMap<(String, String), String> {
    let mut found = HashMap::new();
    for field in definition.fields.iter() {
        let parts = field.shape.items.iter().flat_map(|items| items.properties.values());
        let said = parts.filter_map(|part| part.options_in.get(language?));
        for (choice, word) in said.flat_map(|words| words.value.iter()) {
            found.insert((field.path.to_string(), choice.clone()), word.value.clone());
        }
    }
    found
}

/// What was told besides of each field, in brackets and with a space after it: a reason, an occasion, a figure.
fn further(memory: &WorkingMemory) -> HashMap<String, String> {
    let told = memory.extraction.iter().filter(|(_, field)| !field.further.is_empty());
    let bracketed = told.map(|(path, field)| {
        let quotes: Vec<String> = field.further.iter().map(|said| format!("“{}”", said.quote)).collect();
        (path.to_owned(), format!("({}) ", quotes.join("; ")))
    });
    bracketed.collect()
}

#[derive(Serialize)]
struct Provenance<'a> {
    path: &'a str,
    name: String,
    value: String,
    confidence: f64,
    turn: u32,
    quote: Option<&'a str>,
    further: &'a [Evidence],
    confirmed: Option<&'a Evidence>,
    source: FieldSource,
    speaker: Option<&'a str>,
}

impl Provenance<'_> {
    /// The value as people read it, under its path.
    fn shown(&self) -> (String, String) {
        (self.path.to_owned(), self.value.clone())
    }

    fn to_value(&self, numbers: &HashMap<String, usize>) -> Value {
        let mut entry = json!(self);
        entry["number"] = json!(numbers.get(self.path));
        from_json(&entry)
    }
}

/// Every accepted value with the words it came from, in the order of the engine file.
fn provenance<'a>(definition: &'a Definition, memory: &'a WorkingMemory) -> Vec<Provenance<'a>> {
    let language = memory.language.current.as_deref();
    let known = definition.fields.iter().filter_map(|field| {
        let extracted = memory.extraction.get(&field.path).filter(|field| field.state == FieldState::Known)?;
        let evidence = extracted.evidence.as_ref();
        Some(Provenance {
            path: field.path.as_str(),
            name: field_name(definition, field, language),
            value: shaped_text(extracted.value.as_ref()?, &ShapeOutline::of(&field.shape, language)),
            confidence: extracted.confidence,
            turn: evidence.map_or(extracted.last_updated_at_turn, |evidence| evidence.turn),
            quote: evidence.map(|evidence| evidence.quote.as_str()),
            further: &extracted.further,
            confirmed: extracted.confirmed_by.as_ref(),
            source: extracted.source,
            speaker: evidence.and_then(|evidence| memory.speaker(evidence.turn)),
        })
    });
    known.collect()
}

/// What a reference in the brief refers to: a value with the words it came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The field.
    pub path: String,
    pub name: String,
    pub value: String,
    pub quote: Option<String>,
    pub turn: u32,
    /// Whether the user entered it.
    pub by_hand: bool,
    /// Who said it, where it was not the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
}

impl Proof {
    /// Where it comes from, for people.
    pub fn origin(&self, says: &HostWords) -> String {
        let origin = self.moment(says);
        self.speaker.as_ref().map_or_else(|| origin.clone(), |speaker| format!("{speaker}, {origin}"))
    }

    /// The same with its words changed.
    #[must_use]
    pub fn with_texts(self, text: impl Fn(String) -> String) -> Self {
        let (speaker, quote) = (self.speaker.map(&text), self.quote.map(&text));
        Self { name: text(self.name), value: text(self.value), quote, speaker, ..self }
    }

    fn moment(&self, says: &HostWords) -> String {
        match (self.by_hand, &self.quote) {
            (true, None) => says.by_hand(self.turn),
            (true, Some(_)) => says.confirmed_in_review(self.turn),
            (false, None) => says.concluded(self.turn),
            (false, Some(_)) => says.in_turn(self.turn),
        }
    }
}

/// What the references of the brief refer to, in the order of their numbers.
pub fn proofs(engine: &Engine, memory: &WorkingMemory) -> Vec<Proof> {
    let memory = &as_told(memory);
    let found = provenance(engine.definition(), memory);
    let proofs = found.into_iter().map(|entry| Proof {
        path: entry.path.to_owned(),
        name: entry.name,
        value: entry.value,
        quote: entry.quote.map(ToOwned::to_owned),
        turn: entry.turn,
        by_hand: entry.source == FieldSource::User,
        speaker: entry.speaker.map(ToOwned::to_owned),
    });
    proofs.collect()
}

/// Leaves at most one empty line between paragraphs: conditions in a template leave holes where they do not hold.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.trim().lines() {
        empty = if line.trim().is_empty() { empty + 1 } else { 0 };
        if empty < 2 {
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    out.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::unfolded;

    #[test]
    fn a_value_of_several_lines_goes_on_where_it_began() {
        for (folded, wanted) in [
            ("- **Why:** one\u{2028}two [1]", "- **Why:** one  \n  two [1]"),
            ("12. one\u{2028}two", "12. one  \n    two"),
            ("**Why:** one\u{2028}two", "**Why:** one  \ntwo"),
            ("> one\u{2028}two", "> one  \n> two"),
            ("| one\u{2028}two | x |", "| one / two | x |"),
            ("# one\u{2028}two", "# one / two"),
            ("- one\n- two", "- one\n- two"),
        ] {
            assert_eq!(unfolded(folded), wanted);
        }
    }
}
