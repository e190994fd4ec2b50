//! The words of the language: enough of it to count what a source asks for, to find names outside of quotes, and to see
//! where values can grow. What is meant by them is the template machine's business.

use std::ops::Range;

use super::Fault;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Text,
    Number,
    Mark,
}

/// One word of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'s> {
    pub kind: Kind,
    /// As it is written, quotes included.
    pub text: &'s str,
    pub start: usize,
}

impl<'s> Token<'s> {
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// Whether it is this keyword or mark.
    pub fn is(&self, word: &str) -> bool {
        self.kind != Kind::Text && self.text == word
    }

    pub fn opens(&self) -> bool {
        self.kind == Kind::Mark && matches!(self.text, "(" | "[" | "{")
    }

    pub fn closes(&self) -> bool {
        self.kind == Kind::Mark && matches!(self.text, ")" | "]" | "}")
    }

    /// Whether something that has a value ends with it, so that an operator may follow.
    pub(crate) fn ends_operand(&self) -> bool {
        match self.kind {
            Kind::Name => !matches!(self.text, "and" | "or" | "not" | "in" | "is" | "if" | "else"),
            Kind::Text | Kind::Number => true,
            Kind::Mark => self.closes(),
        }
    }

    /// What stands between the quotes of a text, and where; `None` if it has escapes.
    pub fn quoted(&self) -> Option<(&'s str, Range<usize>)> {
        let inner = self.text.get(1..self.text.len().checked_sub(1)?)?;
        let plain = self.kind == Kind::Text && !inner.contains('\\');
        plain.then(|| (inner, self.start + 1..self.start + 1 + inner.len()))
    }
}

/// What stands between two delimiters of a template, or the whole of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tag<'s> {
    /// `{% … %}` rather than `{{ … }}`.
    pub statement: bool,
    /// Delimiters included.
    pub range: Range<usize>,
    pub tokens: Vec<Token<'s>>,
}

impl<'s> Tag<'s> {
    /// The first word of a statement.
    pub(crate) fn keyword(&self) -> Option<Token<'s>> {
        self.tokens.first().copied().filter(|_| self.statement)
    }
}

/// The words of an expression.
pub(super) fn expression(source: &str) -> Result<Tag<'_>, Fault> {
    let mut lexer = Lexer { source, at: 0 };
    let tokens = lexer.tokens(None)?.unwrap_or_default();
    Ok(Tag { statement: false, range: 0..source.len(), tokens })
}

/// The tags of a template, in order; comments and the text between tags are passed over.
pub(super) fn template(source: &str) -> Result<Vec<Tag<'_>>, Fault> {
    let mut lexer = Lexer { source, at: 0 };
    let mut tags = Vec::new();
    while let Some(found) = source[lexer.at..].find('{') {
        let start = lexer.at + found;
        let (open, close) = match source.as_bytes().get(start + 1) {
            Some(b'{') => ("{{", "}}"),
            Some(b'%') => ("{%", "%}"),
            Some(b'#') => {
                let end = source[start..].find("#}");
                lexer.at = start + 2 + end.ok_or_else(|| unclosed("{#", start))?;
                continue;
            }
            _ => {
                lexer.at = start + 1;
                continue;
            }
        };
        lexer.at = start + 2;
        if source[lexer.at..].starts_with(['-', '+']) {
            lexer.at += 1;
        }
        let tokens = lexer.tokens(Some(close))?.ok_or_else(|| unclosed(open, start))?;
        tags.push(Tag { statement: open == "{%", range: start..lexer.at, tokens });
    }
    Ok(tags)
}

fn unclosed(open: &str, start: usize) -> Fault {
    Fault::at(format!("this `{open}` is never closed"), start..start + 2)
}

struct Lexer<'s> {
    source: &'s str,
    at: usize,
}

impl<'s> Lexer<'s> {
    /// The tokens up to `close`, which is passed over, or up to the end of the source; `None` if `close` never comes.
    fn tokens(&mut self, close: Option<&str>) -> Result<Option<Vec<Token<'s>>>, Fault> {
        let mut tokens: Vec<Token<'s>> = Vec::new();
        let mut depth = 0usize;
        loop {
            let rest = &self.source[self.at..];
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let rest = &rest[blank..];
            if let Some(close) = close.filter(|_| depth == 0) {
                let end = rest.strip_prefix(['-', '+']).filter(|rest| rest.starts_with(close)).unwrap_or(rest);
                if end.starts_with(close) {
                    self.at = self.source.len() - end.len() + close.len();
                    return Ok(Some(tokens));
                }
            }
            let Some(first) = rest.chars().next() else {
                return Ok(Some(tokens).filter(|_| close.is_none()));
            };
            let (kind, length) = self.measure(first, rest)?;
            let token = Token { kind, text: &rest[..length], start: self.at };
            if token.opens() {
                depth += 1;
            } else if token.closes() {
                depth = depth.saturating_sub(1);
            }
            tokens.push(token);
            self.at += length;
        }
    }

    /// The kind and length of the token at the start of `rest`.
    fn measure(&self, first: char, rest: &str) -> Result<(Kind, usize), Fault> {
        let word = |rest: &str| rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        match first {
            '\'' | '"' => {
                let mut escaped = false;
                for (at, c) in rest.char_indices().skip(1) {
                    match c {
                        _ if escaped => escaped = false,
                        '\\' => escaped = true,
                        _ if c == first => {
                            let text = &rest[..=at];
                            // A text that swallows the end of its tag and of its line was to end before.
                            if text.contains('\n') && (text.contains("}}") || text.contains("%}")) {
                                break;
                            }
                            return Ok((Kind::Text, at + 1));
                        }
                        _ => {}
                    }
                }
                Err(Fault::at("this text has no closing quote", self.at..self.at + 1))
            }
            '0'..='9' => {
                let mut length = word(rest);
                let fraction = rest[length..].strip_prefix('.').filter(|f| f.starts_with(|c: char| c.is_ascii_digit()));
                if let Some(fraction) = fraction {
                    length += 1 + word(fraction);
                }
                if rest[..length].ends_with(['e', 'E']) && rest[length..].starts_with(['-', '+']) {
                    length += 1 + word(&rest[length + 1..]);
                }
                Ok((Kind::Number, length))
            }
            c if c.is_alphabetic() || c == '_' => Ok((Kind::Name, word(rest))),
            _ => self.mark(first, rest).map(|length| (Kind::Mark, length)),
        }
    }

    fn mark(&self, first: char, rest: &str) -> Result<usize, Fault> {
        if ["==", "!=", "<=", ">=", "**", "//"].iter().any(|mark| rest.starts_with(mark)) {
            return Ok(2);
        }
        let foreign = [("||", "or"), ("&&", "and"), ("&", "and"), ("!", "not")];
        if let Some((wrong, right)) = foreign.iter().find(|(wrong, _)| rest.starts_with(wrong)) {
            let range = self.at..self.at + wrong.len();
            return Err(Fault::at(format!("`{wrong}` means nothing here; write `{right}`"), range));
        }
        if "+-*/%~|.,:()[]{}=<>".contains(first) {
            return Ok(1);
        }
        Err(Fault::at(format!("`{first}` means nothing here"), self.at..self.at + first.len_utf8()))
    }
}
