//! A text that is still being written: what is finished is laid out once and does not move.
//!
//! Markdown is read line by line, and a block that another has followed is never reopened. So all blocks but the last
//! are settled as soon as a complete line begins another; only the rest is laid out again when more text arrives. A
//! block of code can be long, so its lines settle one by one.

use super::blocks::{self, BlockStart, Parts, References};
use super::fence::OpenFence;
use super::{CodeBlock, Document, Setting, with_plain_ends};
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
    /// The block of code that is open at the end of what is settled.
    fence: Option<OpenFence>,
    /// The bytes that the rows show.
    shown: usize,
    /// The bytes that were laid out so far, again and again where a block grows.
    laid_out: usize,
}

/// A block that has not ended is laid out anew with every piece of it. One that is longer than this waits until it has
/// grown by a share of its length, so that all the layouts of it together take a multiple of the last and no more.
const LONG_BLOCK: usize = 4 * 1024;
const SHARE: usize = 8;

impl StreamingDocument {
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

    pub fn code_blocks(&self) -> &[CodeBlock] {
        &self.document.code_blocks
    }

    /// The layout as of the last [`update`](Self::update).
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// How many bytes were laid out so far, those of a growing block each time anew.
    pub fn laid_out(&self) -> usize {
        self.laid_out
    }

    /// Adds text. Cheap: rows follow with the next [`update`](Self::update), once a frame however fast text comes.
    pub fn append(&mut self, delta: &str) {
        // A carriage return at the end is left as it is until it is known whether a line feed follows.
        if self.source.ends_with('\r') && !delta.is_empty() && !delta.starts_with('\n') {
            self.source.pop();
            self.source.push('\n');
        }
        let (delta, last) = delta.strip_suffix('\r').map_or((delta, ""), |delta| (delta, "\r"));
        self.source.push_str(&with_plain_ends(delta));
        self.source.push_str(last);
    }

    /// Brings the rows up to date with the text.
    pub fn update(&mut self, setting: &Setting<'_>) {
        let (open, new) = (self.shown.saturating_sub(self.settled), self.source.len() - self.shown);
        let waits = open > LONG_BLOCK && new < open / SHARE;
        if new == 0 || waits {
            return;
        }
        self.shown = self.source.len();
        self.document.rows.truncate(self.settled_rows);
        self.document.code_blocks.truncate(self.settled_code);
        loop {
            if self.fence.is_some() {
                if !self.lay_out_code(setting) {
                    return;
                }
            } else if !self.open_fence(setting) && !self.lay_out_blocks(setting) {
                return;
            }
        }
    }

    /// Lays out what is not settled. Says whether a fence begins what is still not settled now.
    fn lay_out_blocks(&mut self, setting: &Setting<'_>) -> bool {
        let tail = without_undecided_line(&self.source[self.settled..]);
        self.laid_out += tail.len();
        let mut parts = blocks::lay_out(tail, self.settled, self.settled_rows > 0, &self.references, setting);
        let settled = settled_block(tail, &parts.blocks);
        let before = self.settled_code;
        for row in &mut parts.rows {
            row.code_block = row.code_block.map(|index| index + before);
        }
        self.settle(settled, &parts);
        self.document.rows.append(&mut parts.rows);
        self.document.code_blocks.append(&mut parts.code_blocks);
        if settled.is_none() || self.opening().is_none() {
            return false;
        }
        self.document.rows.truncate(self.settled_rows);
        self.document.code_blocks.truncate(self.settled_code);
        true
    }

    /// The fence that the first line that is not settled opens.
    fn opening(&self) -> Option<(OpenFence, usize)> {
        let line = self.source[self.settled..].split_inclusive('\n').next()?;
        let gap = usize::from(self.settled_rows > 0);
        Some((OpenFence::open(line, self.settled, self.settled_rows + gap)?, line.len()))
    }

    /// Begins a block of code, if one begins here, and says so.
    fn open_fence(&mut self, setting: &Setting<'_>) -> bool {
        if setting.width == 0 {
            return false;
        }
        let Some((fence, length)) = self.opening() else { return false };
        if self.settled_rows > 0 {
            self.document.rows.push(Row::default());
        }
        self.document.rows.extend(fence.label(self.settled_code, setting));
        self.settled += length;
        self.settled_rows = self.document.rows.len();
        self.fence = Some(fence);
        true
    }

    /// Lays out the lines of the open block, and says whether it has been closed.
    fn lay_out_code(&mut self, setting: &Setting<'_>) -> bool {
        let Some(mut fence) = self.fence.take() else { return true };
        while let Some(line) = self.source[self.settled..].split_inclusive('\n').next() {
            self.laid_out += line.len();
            if !line.ends_with('\n') {
                if !fence.may_be_closed_by(line) {
                    self.document.rows.extend(fence.rows(line, self.settled, self.settled_code, setting));
                }
                break;
            }
            let start = self.settled;
            self.settled += line.len();
            if fence.is_closed_by(line) {
                let (first_row, rows, block) = fence.close(self.settled - 1, self.settled_code, setting);
                // The same rows again, unless their colours are known by now.
                self.document.rows.truncate(first_row);
                self.document.rows.extend(rows);
                self.document.code_blocks.push(block);
                self.settled_rows = self.document.rows.len();
                self.settled_code += 1;
                return true;
            }
            self.document.rows.extend(fence.rows(line, start, self.settled_code, setting));
            self.settled_rows = self.document.rows.len();
            fence.push(line, start);
        }
        self.fence = Some(fence);
        false
    }

    /// Lays everything out anew, after the width or the theme has changed.
    pub(crate) fn relayout(&mut self, setting: &Setting<'_>) {
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

/// The text without a last line whose kind is still open: `-` may become a list or a heading, `|` a table. Showing it
/// as one and then as the other would flicker.
fn without_undecided_line(tail: &str) -> &str {
    let start = tail.rfind('\n').map_or(0, |at| at + 1);
    let line = &tail[start..];
    let undecided = line.len() <= 80 && line.bytes().all(|byte| b"-=*_#`~|>+:. \t0123456789".contains(&byte));
    if undecided { &tail[..start] } else { tail }
}
