//! What is wrong with a file that is not TOML at all, in words for people who do not know the parser.

use toml::de::Error;

use super::diagnostic::{Problems, Span};

/// How many errors of the parser are looked at: after some, a file is no longer TOML in any sense.
const MAX_ERRORS: usize = 50;

/// Reports the errors of the parser, without those that only follow from others.
pub fn report(errors: &[Error], text: &str, problems: &mut Problems) {
    let place = |error: &Error| {
        let span = error.span().unwrap_or_else(|| deepest_line(text));
        let start = if span.start < text.len() { span.start } else { text.trim_end().len().saturating_sub(1) };
        start..span.end.clamp(start + 1, text.len().max(start + 1))
    };
    let errors: Vec<(&str, Span)> = errors.iter().take(MAX_ERRORS).map(|e| (e.message(), place(e))).collect();
    // Once an array is left open, the parser takes every line after it for an element.
    let open = errors.iter().find_map(|(message, span)| {
        let bracket = open_array(message, text, span.start)?;
        Some((bracket, problems.line(span)))
    });
    let mut told = None;
    for (message, span) in errors {
        let line = problems.line(&span);
        let follows = told == Some(line)
            || follows_from_header(message, text, span.start)
            || open.as_ref().is_some_and(|(_, end)| line + 1 >= *end);
        told = Some(line);
        if !follows {
            tell(message, span, text, problems);
        }
    }
    if let Some((bracket, end)) = open {
        let help = format!("add `]` before line {end}");
        problems.error("syntax", bracket, "this array is never closed").help(help);
    }
}

fn tell(message: &str, span: Span, text: &str, problems: &mut Problems) {
    let word = text.get(span.clone()).unwrap_or_default().trim();
    match message {
        "string values must be quoted" => {
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
        _ => {
            problems.error("syntax", span, message.lines().next().unwrap_or("this is not TOML").to_owned());
        }
    }
}

/// The opening bracket of an array that is still open where the next key begins.
fn open_array(message: &str, text: &str, at: usize) -> Option<Span> {
    if message != "unexpected `=` in array" && message != "unclosed array" {
        return None;
    }
    let mut closed = 0usize;
    let open = text[..at].char_indices().rev().find(|(_, c)| {
        match c {
            ']' => closed += 1,
            '[' if closed == 0 => return true,
            '[' => closed -= 1,
            _ => {}
        }
        false
    });
    open.map(|(at, _)| at..at + 1)
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
