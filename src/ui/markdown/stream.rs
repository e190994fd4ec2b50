//! A text that is still being written: what is finished is laid out once and does not move.
//!
//! Markdown is read line by line, and a block that another has followed is never reopened. So all blocks but the last
//! are settled as soon as a complete line begins another; only the rest is laid out again when more text arrives.

use super::blocks::{self, BlockStart, Parts, References};
use super::{CodeBlock, Document, Setting};
use crate::ui::row::Row;

/// A text that is still being written.
#[derive(Clone, Debug, Default)]
pub struct StreamingDocument {
    source: String,
    /// The bytes that are settled.
    settled: usize,
    /// Settled rows, and after them those of the tail.
    document: Document,
    settled_rows: usize,
    settled_code: usize,
    references: References,
    /// The bytes that the rows show.
    shown: usize,
}

impl StreamingDocument {
    /// The text so far.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// All rows as of the last [`update`](Self::update).
    pub fn rows(&self) -> &[Row] {
        &self.document.rows
    }

    /// The rows that will not change any more at this width and theme.
    pub fn settled_rows(&self) -> &[Row] {
        &self.document.rows[..self.settled_rows]
    }

    /// The blocks of code so far.
    pub fn code_blocks(&self) -> &[CodeBlock] {
        &self.document.code_blocks
    }

    /// The layout as of the last [`update`](Self::update).
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Adds text. Cheap: rows follow with the next [`update`](Self::update), once a frame however fast text comes.
    pub fn append(&mut self, delta: &str) {
        self.source.push_str(delta);
    }

    /// Brings the rows up to date with the text.
    pub fn update(&mut self, setting: &Setting<'_>) {
        if self.shown == self.source.len() {
            return;
        }
        self.shown = self.source.len();
        let tail = without_undecided_line(&self.source[self.settled..]);
        let mut parts = blocks::lay_out(tail, self.settled, self.settled_rows > 0, &self.references, setting);
        let settled = settled_block(tail, &parts.blocks);
        self.document.rows.truncate(self.settled_rows);
        self.document.code_blocks.truncate(self.settled_code);
        let before = self.settled_code;
        for row in &mut parts.rows {
            row.code_block = row.code_block.map(|index| index + before);
        }
        self.settle(settled, &parts);
        self.document.rows.append(&mut parts.rows);
        self.document.code_blocks.append(&mut parts.code_blocks);
    }

    /// Lays everything out anew, after the width or the theme has changed.
    pub fn relayout(&mut self, setting: &Setting<'_>) {
        let source = std::mem::take(&mut self.source);
        *self = Self { source, ..Self::default() };
        self.update(setting);
    }

    /// The whole text, laid out as finished.
    pub fn finish(self, setting: &Setting<'_>) -> Document {
        Document::lay_out(&self.source, setting)
    }

    /// Counts the blocks before `block` as settled.
    fn settle(&mut self, block: Option<BlockStart>, parts: &Parts) {
        let Some(block) = block else { return };
        for (at, label, target) in &parts.references {
            if *at < block.source {
                self.references.entry(label.clone()).or_insert_with(|| target.clone());
            }
        }
        self.settled += block.source;
        self.settled_rows += block.row;
        self.settled_code += block.code_blocks;
    }
}

/// The first block that is not settled, with its byte moved to the start of its line; `None` if that is the first one.
fn settled_block(tail: &str, blocks: &[BlockStart]) -> Option<BlockStart> {
    // A line without its end may still turn into something else: what it begins does not close what stood before.
    let complete = tail.rfind('\n').map_or(0, |at| at + 1);
    let open = blocks.iter().rposition(|block| block.source < complete).filter(|at| *at > 0)?;
    let block = blocks[open];
    let line = tail[..block.source].rfind('\n').map_or(0, |at| at + 1);
    Some(BlockStart { source: line, ..block })
}

/// The text without a last line of which nobody can say yet what it will be: `-` may become a list or a heading, `|` a
/// table. Showing it as one and then as the other would flicker.
fn without_undecided_line(tail: &str) -> &str {
    let start = tail.rfind('\n').map_or(0, |at| at + 1);
    let line = &tail[start..];
    let undecided = line.len() <= 80 && line.bytes().all(|byte| b"-=*_#`~|>+:. \t0123456789".contains(&byte));
    if undecided { &tail[..start] } else { tail }
}
