//! Markdown into rows: answers as they are read, with the place of every word in the text it came from.

mod blocks;
mod code;
mod containers;
mod fence;
mod stream;
mod table;

pub use code::{CodeColours, Highlighted, highlight};
pub use stream::StreamingDocument;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::paint::Look;
use super::row::Row;
use super::theme::Scope;

/// What a layout depends on besides the text.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    pub width: u16,
    /// Theme and signs.
    pub look: Look<'a>,
    /// The look of plain text, such as [`Scope::ChatUser`].
    pub text: Scope,
    /// Whether a line end in the text ends the row, as a person who types it means it; markdown takes it for a space.
    pub keep_breaks: bool,
    /// Code that has been coloured already; other code is plain.
    pub colours: &'a CodeColours,
}

/// A block of code, for copying and for colouring it later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeBlock {
    /// The language it is said to be in.
    pub language: Option<String>,
    /// The code as it was written, without its fences.
    pub text: Arc<str>,
    /// The bytes of the block in the text, fences and all.
    pub source: Range<usize>,
    /// Whether its colours were there when it was laid out. Where they were not and [`CodeColours::wants`] says so,
    /// colouring it and laying it out again makes a difference.
    pub coloured: bool,
}

/// The text with a line feed where a carriage return stands alone: both end a line, and only one of them is looked for.
/// Every word keeps its place.
fn with_plain_ends(text: &str) -> Cow<'_, str> {
    let is_alone = |(at, _): (usize, &str)| !text[at + 1..].starts_with('\n');
    if !text.match_indices('\r').any(is_alone) {
        return Cow::Borrowed(text);
    }
    let mut rest = text.chars().peekable();
    let mut plain = String::with_capacity(text.len());
    while let Some(c) = rest.next() {
        plain.push(if c == '\r' && rest.peek() != Some(&'\n') { '\n' } else { c });
    }
    Cow::Owned(plain)
}

/// A text laid out for a width and a theme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Its rows from top to bottom.
    pub rows: Vec<Row>,
    /// Its blocks of code in order.
    pub code_blocks: Vec<CodeBlock>,
}

impl Document {
    /// Lays out a text. The text may be anything; what could steer a terminal is shown instead.
    pub fn lay_out(text: &str, setting: &Setting<'_>) -> Self {
        let text = &*with_plain_ends(text);
        let parts = blocks::lay_out(text, 0, false, &blocks::References::default(), setting);
        Self { rows: parts.rows, code_blocks: parts.code_blocks }
    }

    /// The rows that show any of the given bytes of the text, for jumping to quoted words.
    pub fn rows_showing(&self, bytes: &Range<usize>) -> Range<usize> {
        let first = self.rows.iter().position(|row| row.shows(bytes));
        let last = self.rows.iter().rposition(|row| row.shows(bytes));
        first.zip(last).map_or(0..0, |(first, last)| first..last + 1)
    }
}
