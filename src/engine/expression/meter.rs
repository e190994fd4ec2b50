//! Keeps small sources from computing large things. Fuel counts the machine's steps, not the bytes they move: doubling a
//! text thirty times takes thirty steps. So before a source is compiled, a hidden filter is put wherever a value can
//! grow or is kept (at `+`, `~` and `*`, before every filter, around what `for` and `set` bind), and what goes through
//! these filters is counted against a budget of the evaluation.

use std::ops::Range;

use minijinja::value::ValueKind;
use minijinja::{Environment, Error, ErrorKind, State, Value};

use super::functions::view;
use super::lexer::{Kind, Tag, Token};

/// Bytes that one evaluation may move; the largest honest brief moves a tenth.
pub(super) const BUDGET: u64 = 8 * 1024 * 1024;
/// What an element counts besides its bytes: it takes room and time of its own.
const ELEMENT: u64 = 64;
/// The longest list: lists are compared with each other.
const MAX_ELEMENTS: usize = 10_000;
/// How deep lists and records nest: they are dropped on the stack.
const MAX_DEPTH: usize = 64;

const SIZE: &str = "|_size";
const NUMBER: &str = "|_number";

/// A source with meters in it, and the way back to the source as it was written.
#[derive(Debug)]
pub(super) struct Metered {
    pub source: String,
    /// In order of place.
    added: Vec<Added>,
}

#[derive(Debug)]
struct Added {
    /// Where in the original.
    at: usize,
    text: &'static str,
    /// What of the original is to blame when the meter complains.
    blame: Range<usize>,
}

impl Metered {
    pub fn new(source: &str, tags: &[Tag<'_>]) -> Self {
        let mut added = Vec::new();
        for tag in tags {
            operators(&tag.tokens, &mut added);
            bindings(tag, &mut added);
        }
        added.sort_by_key(|added| added.at);
        let mut metered = String::with_capacity(source.len() + 8 * added.len());
        let mut done = 0;
        for Added { at, text, .. } in &added {
            metered.push_str(&source[done..*at]);
            metered.push_str(text);
            done = *at;
        }
        metered.push_str(&source[done..]);
        Self { source: metered, added }
    }

    /// The part of the original that a range of the metered source stands for.
    pub fn original(&self, range: &Range<usize>) -> Range<usize> {
        let (start, blame) = self.back(range.start);
        let (end, _) = self.back(range.end);
        match blame {
            Some(blame) => blame,
            None => start..end.max(start),
        }
    }

    fn back(&self, place: usize) -> (usize, Option<Range<usize>>) {
        let mut shift = 0;
        for added in &self.added {
            let start = added.at + shift;
            if place < start {
                break;
            }
            if place < start + added.text.len() {
                return (added.at, Some(added.blame.clone()));
            }
            shift += added.text.len();
        }
        (place - shift, None)
    }
}

/// A message of the machine without what was added.
pub(super) fn plain(message: &str) -> String {
    message.replace(SIZE, "").replace(NUMBER, "")
}

fn operators(tokens: &[Token<'_>], added: &mut Vec<Added>) {
    for (at, token) in tokens.iter().enumerate().skip(1) {
        let binary = token.kind == Kind::Mark && tokens[at - 1].ends_operand();
        let text = match token.text {
            "+" | "~" if binary => SIZE,
            "*" if binary => NUMBER,
            // What is not there passes through `default`, and must get there as it is.
            "|" if binary && !tokens.get(at + 1).is_some_and(|name| matches!(name.text, "default" | "d")) => SIZE,
            _ => continue,
        };
        added.push(Added { at: token.start, text, blame: token.range() });
        if !token.is("|") {
            added.push(Added { at: operand_end(tokens, at + 1), text, blame: token.range() });
        }
    }
}

/// Where the operand ends that starts at a token: its sign, its first part, then attributes, indices, calls and filters.
fn operand_end(tokens: &[Token<'_>], mut at: usize) -> usize {
    while tokens.get(at).is_some_and(|token| token.is("-")) {
        at += 1;
    }
    at = after_part(tokens, at);
    while let Some(token) = tokens.get(at) {
        let part = match token.text {
            "." | "|" if token.kind == Kind::Mark => at + 1,
            "(" | "[" if token.kind == Kind::Mark => at,
            _ if token.kind == Kind::Text => at,
            _ => break,
        };
        at = after_part(tokens, part);
    }
    tokens.get(at.min(tokens.len()).wrapping_sub(1)).map_or(0, |token| token.range().end)
}

/// The token after a single one or a pair of brackets with what is in it.
fn after_part(tokens: &[Token<'_>], start: usize) -> usize {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        if token.opens() {
            depth += 1;
        } else if token.closes() {
            depth = depth.saturating_sub(1);
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// What a `for` or a `set` binds to a name.
pub(super) fn bound<'t, 's>(tag: &'t Tag<'s>) -> Option<(&'t [Token<'s>], &'t [Token<'s>])> {
    let (target, end) = match tag.keyword()?.text {
        "set" => ("=", ""),
        "for" => ("in", "if"),
        _ => return None,
    };
    let at = tag.tokens.iter().position(|token| token.is(target))?;
    let (names, value) = (tag.tokens.get(1..at)?, tag.tokens.get(at + 1..)?);
    let mut depth = 0usize;
    let stop = value.iter().position(|token| {
        depth = if token.opens() { depth + 1 } else { depth.saturating_sub(usize::from(token.closes())) };
        depth == 0 && token.is(end)
    });
    Some((names, &value[..stop.unwrap_or(value.len())]))
}

fn bindings(tag: &Tag<'_>, added: &mut Vec<Added>) {
    let Some((_, value)) = bound(tag) else { return };
    if let (Some(first), Some(last)) = (value.first(), value.last()) {
        let blame = first.start..last.range().end;
        added.push(Added { at: blame.start, text: "(", blame: blame.clone() });
        added.push(Added { at: blame.end, text: ")", blame: blame.clone() });
        added.push(Added { at: blame.end, text: SIZE, blame });
    }
}

pub(super) fn register(environment: &mut Environment<'static>) {
    environment.add_filter("_size", |state: &State<'_, '_>, value: Value| -> Result<Value, Error> {
        count(state, &value)?;
        Ok(value)
    });
    environment.add_filter("_number", |value: Value| match value.kind() {
        ValueKind::Number | ValueKind::Bool | ValueKind::Undefined => Ok(value),
        kind => Err(Error::new(ErrorKind::InvalidOperation, format!("`*` multiplies numbers, not {kind}"))),
    });
}

/// Counts a value against the budget of the evaluation.
pub(super) fn count(state: &State<'_, '_>, value: &Value) -> Result<(), Error> {
    let mut units = 0;
    measure(value, 0, &mut units)?;
    charge(state, units)
}

/// Counts bytes against the budget of the evaluation.
pub(super) fn charge(state: &State<'_, '_>, units: u64) -> Result<(), Error> {
    if view(state)?.spend(units) { Ok(()) } else { Err(too_large()) }
}

fn too_large() -> Error {
    Error::new(ErrorKind::InvalidOperation, "what it computes is too large")
}

fn measure(value: &Value, depth: usize, units: &mut u64) -> Result<(), Error> {
    if depth > MAX_DEPTH {
        return Err(Error::new(ErrorKind::InvalidOperation, "what it computes is nested too deeply"));
    }
    *units += ELEMENT;
    if *units > BUDGET {
        return Err(too_large());
    }
    match value.kind() {
        ValueKind::String => *units += value.as_str().map_or(0, str::len) as u64,
        ValueKind::Seq | ValueKind::Iterable | ValueKind::Map => {
            let map = value.kind() == ValueKind::Map;
            // Some records, such as that of a loop, cannot be walked; nor can they be copied or printed.
            let Ok(elements) = value.try_iter() else { return Ok(()) };
            for (at, element) in elements.enumerate() {
                if at >= MAX_ELEMENTS {
                    let message = format!("a list has at most {MAX_ELEMENTS} elements");
                    return Err(Error::new(ErrorKind::InvalidOperation, message));
                }
                measure(&element, depth + 1, units)?;
                if map {
                    measure(&value.get_item(&element)?, depth + 1, units)?;
                }
            }
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Metered;
    use crate::engine::expression::lexer;

    fn metered(source: &str) -> String {
        let tag = lexer::expression(source).map_err(|fault| fault.message);
        tag.map_or_else(|message| message, |tag| Metered::new(source, &[tag]).source)
    }

    #[test]
    fn every_operand_that_can_grow_is_metered() {
        assert_eq!(metered("a.b[0] ~ -c(d)|upper"), "a.b[0] |_size~ -c(d)|_size|upper|_size");
        assert_eq!(metered("2*x|length+1"), "2|_number*x|_size|length|_number|_size+1|_size");
        assert_eq!(metered("x|default('-')|join(a + b)"), "x|default('-')|_size|join(a |_size+ b|_size)");
        assert_eq!(metered("f(*x, -1) - 'a' 'b'"), "f(*x, -1) - 'a' 'b'");
    }

    #[test]
    fn what_is_bound_is_metered() {
        let source = "{% for a in b if c %}{% set d = e, f %}";
        let tags = lexer::template(source).unwrap_or_default();
        let metered = Metered::new(source, &tags);
        assert_eq!(metered.source, "{% for a in (b)|_size if c %}{% set d = (e, f)|_size %}");
        assert_eq!(metered.original(&(13..14)), 12..13, "the place of what was written");
        assert_eq!(metered.original(&(15..21)), 12..13, "a meter speaks of what it measures");
    }
}
