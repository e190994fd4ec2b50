//! Texts of the engine file that are code: expressions and templates, with the place of their first character.

use serde_json::{Map, Value};

use crate::decode::{Node, Problems, Span, Spanned, Surface};

/// An expression over the working memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expr(pub Prose);

/// A text that may be a template.
#[derive(Clone, Debug, Default)]
pub struct Prose {
    pub text: String,
    /// Where the literal stands, quotes included.
    pub span: Span,
    /// Where its first character stands, if it is written without escapes.
    content: Option<usize>,
}

impl Prose {
    /// A file that is a template from its first byte.
    pub fn whole(text: &str) -> Self {
        Self { text: text.to_owned(), span: 0..text.find('\n').unwrap_or(text.len()), content: Some(0) }
    }

    /// The place in the file of a range of the text.
    pub fn place(&self, range: Option<Span>) -> Span {
        match (self.content, range) {
            (Some(start), Some(range)) if range.end <= self.text.len() => start + range.start..start + range.end,
            _ => self.span.clone(),
        }
    }
}

impl PartialEq for Prose {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Surface for Prose {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let Spanned { value: text, span } = Spanned::<String>::decode(node, problems);
        let literal = problems.text().get(span.clone()).unwrap_or_default();
        let content = literal.find(&text).map(|at| span.start + at);
        Self { text, span, content }
    }
    fn encode(&self) -> Value {
        self.text.encode()
    }
    fn schema(definitions: &mut Map<String, Value>) -> Value {
        String::schema(definitions)
    }
}

impl Surface for Expr {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        Self(Prose::decode(node, problems))
    }
    fn encode(&self) -> Value {
        self.0.encode()
    }
    fn schema(definitions: &mut Map<String, Value>) -> Value {
        String::schema(definitions)
    }
}
