//! What is wrong with a file that is not TOML at all, in words for people who do not know the parser.

use toml::de::Error;

use super::{Problems, Span};

/// How many errors of the parser are looked at: after some, a file is no longer TOML in any sense.
const MAX_ERRORS: usize = 50;

/// Reports the errors of the parser, without those that only follow from others.
pub fn report(errors: &[Error], text: &str, problems: &mut Problems) {
    let place = |error: &Error| {
        let span = error.span().unwrap_or_else(|| deepest_line(text));
        // The parser may point into the middle of a character.
        let start = if span.start < text.len() { span.start } else { text.trim_end().len().saturating_sub(1) };
        let start = text.floor_char_boundary(start);
        start..text.ceil_char_boundary(span.end.min(text.len())).max(start + 1)
    };
    // The rest of the message lists tokens of the parser, which do not help the author of a file.
    let message = |error: &'_ Error| error.message().split([',', '\n']).next().unwrap_or_default().to_owned();
    let errors: Vec<(String, Span)> = errors.iter().take(MAX_ERRORS).map(|e| (message(e), place(e))).collect();
    // Once a bracket is left open, the parser takes every line after it for a part of what is in it.
    let open = errors.iter().filter_map(|(message, span)| open_bracket(message, text, span.start)).min();
    let mut told = None;
    for (message, span) in errors.iter().filter(|(_, span)| open.is_none_or(|open| span.start < open)) {
        let line = problems.line(span);
        if told != Some(line) && !follows_from_header(message, text, span.start) {
            tell(message, span.clone(), text, problems);
        }
        told = Some(line);
    }
    if let Some(open) = open {
        let (what, close) = if text[open..].starts_with('[') { ("array", "]") } else { ("table", "}") };
        let end = errors.iter().find(|(_, span)| span.start > open).map_or(0, |(_, span)| problems.line(span));
        problems
            .error("syntax", open..open + 1, format!("this {what} is never closed"))
            .help(format!("add `{close}` before line {end}"));
    }
}

fn tell(message: &str, span: Span, text: &str, problems: &mut Problems) {
    let word = text.get(span.clone()).unwrap_or_default().trim();
    match message {
        "string values must be quoted" | "invalid boolean" | "invalid value" if is_word(word) => {
            problems.error("syntax", span, "a text stands in quotes").help(format!("write `\"{word}\"`"));
        }
        "duplicate key" => {
            problems.error("syntax", span, format!("`{word}` is given twice"));
        }
        "recursion limit" | "cannot recurse further; max recursion depth met" => {
            problems.error("syntax", span, "this is nested too deeply");
        }
        "missing assignment between key-value pairs" | "key with no value" => {
            problems.error("syntax", span, "there is no `=` between the key and its value");
        }
        "string values must be quoted" | "missing value" | "missing value for key" if word.is_empty() => {
            problems.error("syntax", span, "there is no value");
        }
        _ if message.starts_with("invalid") && message.ends_with("string") => {
            problems.error("syntax", span, "this text has no closing quote");
        }
        _ => {
            problems.error("syntax", span, message.to_owned());
        }
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(char::is_alphabetic)
}

/// Where the bracket stands that is still open where the next key or the next header begins.
fn open_bracket(message: &str, text: &str, at: usize) -> Option<usize> {
    let (open, close) = match message {
        "unexpected `=` in array" | "unclosed array" => ('[', ']'),
        "missing key for inline table element" if text[at..].starts_with('[') => ('{', '}'),
        "unclosed inline table" => ('{', '}'),
        _ => return None,
    };
    let mut closed = 0usize;
    let mut before = text[..at].char_indices().rev();
    let found = before.find(|(_, c)| {
        closed += usize::from(*c == close);
        let unmatched = *c == open && closed == 0;
        closed -= usize::from(*c == open && closed > 0);
        unmatched
    });
    found.map(|(at, _)| at)
}

/// Whether a key is there twice only because the header above it is.
fn follows_from_header(message: &str, text: &str, at: usize) -> bool {
    let line = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
    let start = line(at);
    if message != "duplicate key" || text[start..].starts_with('[') {
        return false;
    }
    let header = text[..start].rfind("\n[").map_or(0, |end| end + 1);
    let name = text[header..].lines().next().unwrap_or_default();
    header > 0 && name.starts_with('[') && !name.starts_with("[[") && text[..header].contains(&format!("\n{name}\n"))
}

/// The line with the most brackets and dots: what is nested too deeply has no place of its own.
fn deepest_line(text: &str) -> Span {
    let mut start = 0;
    let mut deepest = (0, 0..0);
    for line in text.split_inclusive('\n') {
        let depth = line.matches(['.', '[', '{']).count();
        if depth > deepest.0 {
            deepest = (depth, start..start + line.trim_end().len());
        }
        start += line.len();
    }
    deepest.1
}
