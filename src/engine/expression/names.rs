//! What a source reads by name, and where it does: names that it binds itself, names of filters and what stands in
//! quotes are none of it.

use std::collections::HashSet;
use std::ops::Range;

use super::lexer::{self, Kind, Tag, Token};
use super::meter::bound;

/// One place where a source reads something by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Reference<'s> {
    /// The name and the attributes read of it, as in `tasks.scan.status` or `tasks['scan']`.
    pub parts: Vec<(&'s str, Range<usize>)>,
    /// The first argument, if it is a function that is given a text.
    pub argument: Option<(&'s str, Range<usize>)>,
    pub call: bool,
}

impl Reference<'_> {
    pub fn root(&self) -> &str {
        self.parts[0].0
    }

    /// The attributes read of it, joined by dots.
    pub fn rest(&self) -> String {
        self.parts[1..].iter().map(|(part, _)| *part).collect::<Vec<_>>().join(".")
    }

    /// Whether it is a call of this function with this text.
    pub fn calls(&self, function: &str, argument: &str) -> bool {
        self.call && self.root() == function && self.argument.as_ref().is_some_and(|(text, _)| *text == argument)
    }
}

/// Everything that an expression, or a template, reads by name, in order. Of a source that is no expression: nothing.
pub(in crate::engine) fn references(source: &str, template: bool) -> Vec<Reference<'_>> {
    let tags = if template { lexer::template(source) } else { lexer::expression(source).map(|tag| vec![tag]) };
    let mut reader = Reader { scopes: vec![HashSet::new()], found: Vec::new() };
    for tag in tags.unwrap_or_default() {
        reader.tag(&tag);
    }
    reader.found
}

struct Reader<'s> {
    /// Names that the source has bound: by `set` in the whole of it, by `for` until its end.
    scopes: Vec<HashSet<&'s str>>,
    found: Vec<Reference<'s>>,
}

impl<'s> Reader<'s> {
    fn tag(&mut self, tag: &Tag<'s>) {
        let Some(keyword) = tag.keyword() else { return self.tokens(&tag.tokens) };
        let Some((names, value)) = bound(tag) else {
            if keyword.is("endfor") && self.scopes.len() > 1 {
                self.scopes.pop();
            }
            return self.tokens(&tag.tokens[1..]);
        };
        self.tokens(value);
        let names = names.iter().filter(|token| token.kind == Kind::Name).map(|token| token.text);
        if keyword.is("for") {
            self.scopes.push(names.chain(["loop"]).collect());
            let done = value.last().map_or(0, |token| token.start);
            let rest: Vec<Token<'s>> = tag.tokens.iter().copied().filter(|token| token.start > done).collect();
            self.tokens(&rest);
        } else if let Some(scope) = self.scopes.last_mut() {
            scope.extend(names);
        }
    }

    fn tokens(&mut self, tokens: &[Token<'s>]) {
        let mut depth = 0usize;
        for (at, token) in tokens.iter().enumerate() {
            depth = if token.opens() { depth + 1 } else { depth.saturating_sub(usize::from(token.closes())) };
            let argument_name = depth > 0 && tokens.get(at + 1).is_some_and(|next| next.is("="));
            if is_name(token) && !argument_name && !names_no_value(&tokens[..at]) && !self.is_bound(token.text) {
                self.found.push(reference(tokens, at));
            }
        }
    }

    fn is_bound(&self, name: &str) -> bool {
        self.scopes.iter().any(|bound| bound.contains(name))
    }
}

fn is_name(token: &Token<'_>) -> bool {
    const KEYWORDS: &[&str] =
        &["and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "True", "False", "None"];
    token.kind == Kind::Name && !KEYWORDS.contains(&token.text)
}

/// Whether the name after these is that of an attribute, a filter or a test.
fn names_no_value(before: &[Token<'_>]) -> bool {
    match before {
        [.., is, not] if is.is("is") && not.is("not") => true,
        [.., last] => last.is(".") || last.is("|") || last.is("is"),
        [] => false,
    }
}

/// The reference that starts at a name.
fn reference<'s>(tokens: &[Token<'s>], start: usize) -> Reference<'s> {
    let mut parts = vec![(tokens[start].text, tokens[start].range())];
    let mut at = start + 1;
    loop {
        match tokens.get(at..).unwrap_or_default() {
            [dot, name, ..] if dot.is(".") && name.kind == Kind::Name => {
                parts.push((name.text, name.range()));
                at += 2;
            }
            [open, text, close, ..] if open.is("[") && close.is("]") && text.quoted().is_some() => {
                parts.extend(text.quoted());
                at += 3;
            }
            _ => break,
        }
    }
    let after = tokens.get(at..).unwrap_or_default();
    let call = after.first().is_some_and(|token| token.is("("));
    let argument = match after {
        [_, text, end, ..] if call && (end.is(")") || end.is(",")) => text.quoted(),
        _ => None,
    };
    Reference { parts, argument, call }
}

#[cfg(test)]
mod tests {
    use super::references;

    fn read(source: &str, template: bool) -> Vec<String> {
        let written = |reference: super::Reference<'_>| {
            let parts: Vec<&str> = reference.parts.iter().map(|(part, _)| *part).collect();
            let argument = reference.argument.map_or(String::new(), |(text, _)| format!("({text})"));
            format!("{}{argument}", parts.join("."))
        };
        references(source, template).into_iter().map(written).collect()
    }

    #[test]
    fn filters_tests_keywords_and_texts_are_no_names() {
        let source = "known('a.b') and not x.y is not odd or \"known('c')\" | replace('d', e) == tasks['f'].result";
        assert_eq!(read(source, false), ["known(a.b)", "x.y", "e", "tasks.f.result"]);
        assert_eq!(
            read("ratio(items, of=3) if none else records(x, 'k', v=w)", false),
            ["ratio", "items", "records", "x", "w"]
        );
    }

    #[test]
    fn what_a_template_binds_itself_is_not_read() {
        let source =
            "{% set a = b %}{% for c, d in e if c.f %}{{ a }}{{ c }}{{ loop.index }}{% endfor %}{{ c }}{# g #}";
        assert_eq!(read(source, true), ["b", "e", "c"]);
    }
}
