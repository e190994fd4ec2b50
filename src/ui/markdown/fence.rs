//! A fenced block of code that is still being written: its lines are laid out one by one, so that a long block costs no
//! more per piece than a short one.

use super::code::{self, CodeText};
use super::{CodeBlock, Setting};
use crate::ui::row::Row;
use crate::ui::wrap::Indent;

/// A fence that has been opened and not closed.
#[derive(Clone, Debug)]
pub(super) struct OpenFence {
    sign: u8,
    length: usize,
    indent: usize,
    language: Option<String>,
    /// Where the block begins.
    source: usize,
    /// Its first row, after the gap.
    first_row: usize,
    /// The lines so far, each with the byte it begins at.
    lines: Vec<(usize, String)>,
}

impl OpenFence {
    /// Reads the line that opens a fence. What it says besides a plain language is left to the markdown parser.
    pub fn open(line: &str, source: usize, first_row: usize) -> Option<Self> {
        let line = line.strip_suffix('\n')?;
        let rest = line.trim_start_matches(' ');
        let indent = line.len() - rest.len();
        let sign = *rest.as_bytes().first().filter(|sign| matches!(sign, b'`' | b'~'))?;
        let length = rest.bytes().take_while(|byte| *byte == sign).count();
        let info = &rest[length..];
        let plain = info.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-_#.".contains(&byte));
        let language = (!info.is_empty()).then(|| info.to_owned());
        (indent <= 3 && length >= 3 && plain).then_some(Self {
            sign,
            length,
            indent,
            language,
            source,
            first_row,
            lines: Vec::new(),
        })
    }

    pub(crate) fn is_closed_by(&self, line: &str) -> bool {
        let line = without_end(line).trim_end_matches([' ', '\t']);
        let rest = line.trim_start_matches(' ');
        line.len() - rest.len() <= 3 && rest.len() >= self.length && rest.bytes().all(|byte| byte == self.sign)
    }

    /// Whether a line that has not ended may still become the one that closes the fence.
    pub(crate) fn may_be_closed_by(&self, line: &str) -> bool {
        without_end(line).trim_start_matches(' ').bytes().all(|byte| byte == self.sign)
    }

    /// The row that names the language.
    pub fn label(&self, index: usize, setting: &Setting<'_>) -> Vec<Row> {
        if self.language.is_none() {
            return Vec::new();
        }
        let code = CodeText::new(self.language.clone());
        code.lay_out(&Indent::default(), 0..0, index, setting).0.into_iter().take(1).collect()
    }

    pub fn rows(&self, line: &str, source: usize, index: usize, setting: &Setting<'_>) -> Vec<Row> {
        let (line, skipped) = self.own(line);
        code::plain_line(without_end(line), source + skipped, index, setting)
    }

    pub fn push(&mut self, line: &str, source: usize) {
        let (own, skipped) = self.own(line);
        let own = format!("{}\n", without_end(own));
        self.lines.push((source + skipped, own));
    }

    /// The line without the indent that the fence has, and how many bytes that is.
    fn own<'l>(&self, line: &'l str) -> (&'l str, usize) {
        let spaces = line.bytes().take_while(|byte| *byte == b' ').count().min(self.indent);
        (&line[spaces..], spaces)
    }

    /// The block as a whole, now that it ends at byte `end`; and its first row with all its rows.
    pub fn close(self, end: usize, index: usize, setting: &Setting<'_>) -> (usize, Vec<Row>, CodeBlock) {
        let mut code = CodeText::new(self.language);
        for (source, line) in &self.lines {
            code.push(line, *source);
        }
        let (rows, block) = code.lay_out(&Indent::default(), self.source..end, index, setting);
        (self.first_row, rows, block)
    }
}

/// A line without its end, be it of one character or two.
fn without_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}
