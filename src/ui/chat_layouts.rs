//! The layouts behind the chat pane: made for what comes into view, kept while it may come again.
//!
//! Drawing changes nothing. So before each frame the caller calls [`ChatLayouts::measure`] until it returns `None`, and
//! hands each answer to the app.
//!
//! Finding the colours of code takes longer than a frame may. After `ChatLayouts::colour_later`, blocks are shown
//! plain; the caller finds the colours of the `ChatLayouts::wanted` blocks and hands them in. For a picture they are
//! found at once.

use std::sync::Arc;

use ratatui::layout::Rect;

use super::brief::BriefLayout;
use super::layout_cache::{LayoutCache, LayoutKey};
use super::markdown::{CodeBlock, CodeColours, Document, Highlighted, Setting, StreamingDocument};
use super::paint::Look;
use super::row::Row;
use super::theme::Scope;
use crate::app::chat::EntryKind;
use crate::app::layout;
use crate::app::model::{Model, Shown};
use crate::app::msg::ChatMsg;

/// Columns at the left of every entry: the mark of the user's words, and a gap.
pub(crate) const GUTTER: u16 = 2;

/// The layouts behind the chat pane.
#[derive(Debug, Default)]
pub struct ChatLayouts {
    /// The brief beside the chat.
    pub(crate) brief: BriefLayout,
    cache: LayoutCache,
    colours: CodeColours,
    /// Blocks whose colours the caller should find; `None` where they are found at once.
    wanted: Option<Vec<CodeBlock>>,
    growing: StreamingDocument,
    /// What the growing answer was laid out for.
    grown_for: (u16, u64),
}

impl ChatLayouts {
    /// From now on the caller finds the colours of code.
    pub(crate) fn colour_later(&mut self) {
        self.wanted.get_or_insert_default();
    }

    /// The blocks that came into view since the last time, and whose colours are to be found.
    pub fn wanted(&mut self) -> Vec<CodeBlock> {
        self.wanted.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Takes in colours that were found. What is in view is laid out anew; no row of it moves.
    pub fn coloured(&mut self, block: &CodeBlock, found: Option<Highlighted>) {
        if found.is_some() {
            self.cache = LayoutCache::default();
        }
        self.colours.put(block.language.as_deref(), &block.text, found);
    }

    /// Lays out what is in view, and tells the app what it does not know yet. `None` when all is told.
    pub fn measure(&mut self, model: &Model, look: Look<'_>) -> Option<ChatMsg> {
        let area = layout::compute(model.area(), model).chat;
        let width = area.width.saturating_sub(GUTTER).max(1);
        let len = model.shown_len();
        let rows = &model.chat.rows;
        if rows.width != width || rows.len() != len {
            let first = if rows.width == width { rows.len().min(len) } else { 0 };
            let guesses = (first..len).map(|at| (at, model.shown(at).map_or(1, |shown| guess(shown, width))));
            return Some(ChatMsg::Measured { width, len, heights: guesses.collect() });
        }
        let since = self.cache.uses();
        let wrong: Vec<(usize, usize)> = visible(model, usize::from(area.height))
            .filter_map(|at| {
                let height = self.lay_out(model, at, width, look)? + 1;
                (rows.height(at) != Some(height)).then_some((at, height))
            })
            .collect();
        self.cache.shrink(since);
        if !wrong.is_empty() {
            return Some(ChatMsg::Measured { width, len, heights: wrong });
        }
        let reveal = model.chat.reveal.as_ref()?;
        self.lay_out(model, reveal.entry, width, look);
        let found = self.document(model, reveal.entry, width, look);
        let row = found.map_or(0, |document| document.rows_showing(&reveal.bytes).start);
        Some(ChatMsg::Located { entry: reveal.entry, row })
    }

    /// A row of an entry that has been laid out.
    pub fn row(&self, model: &Model, entry: usize, row: usize, width: u16, look: Look<'_>) -> Option<&Row> {
        if model.shown(entry)?.growing {
            return self.growing.rows().get(row);
        }
        self.document(model, entry, width, look)?.rows.get(row)
    }

    /// Whether the line on a row of the screen goes on in the next row, because the pane is too narrow for all of it.
    pub(crate) fn goes_on(&self, model: &Model, area: Rect, y: u16, look: Look<'_>) -> bool {
        let width = area.width.saturating_sub(GUTTER).max(1);
        let at = model.chat.top(usize::from(area.height)) + usize::from(y.saturating_sub(area.y));
        let found = |at: usize| {
            let (entry, within) = model.chat.rows.locate(at);
            Some((entry, self.row(model, entry, within, width, look)?.source()?))
        };
        let (Some((entry, before)), Some((next, after))) = (found(at), found(at + 1)) else { return false };
        let between = || model.shown(entry)?.text.get(before.end..after.start);
        // What the layout left out between the two is the blank at which it broke the line.
        entry == next && between().is_some_and(|between| between.chars().all(|c| c == ' '))
    }

    fn document(&self, model: &Model, entry: usize, width: u16, look: Look<'_>) -> Option<&Arc<Document>> {
        let shown = model.shown(entry)?;
        self.cache.get(&key(model, entry, shown, width, look))
    }

    /// Lays an entry out, if it is not yet, and says how many rows it has.
    fn lay_out(&mut self, model: &Model, entry: usize, width: u16, look: Look<'_>) -> Option<usize> {
        let shown = model.shown(entry)?;
        if shown.growing {
            self.grow(shown.text, width, look);
            return Some(self.growing.rows().len());
        }
        let key = key(model, entry, shown, width, look);
        let (colours, later) = (&mut self.colours, &mut self.wanted);
        let document = self.cache.get_or_lay_out(key, || {
            let plain = Document::lay_out(shown.text, &setting(shown.kind, width, look, colours));
            let wanted: Vec<&CodeBlock> = plain.code_blocks.iter().filter(|block| colours.wants(block)).collect();
            if wanted.is_empty() {
                return plain;
            }
            if let Some(later) = later {
                for block in wanted {
                    colours.await_for(block);
                    later.push(block.clone());
                }
                return plain;
            }
            colours.colour_all(&plain.code_blocks);
            Document::lay_out(shown.text, &setting(shown.kind, width, look, colours))
        });
        Some(document.rows.len())
    }

    /// Brings the layout of the answer under way up to date: what is finished does not move.
    fn grow(&mut self, text: &str, width: u16, look: Look<'_>) {
        if let Some(more) = text.strip_prefix(self.growing.source()) {
            let more = more.to_owned();
            self.growing.append(&more);
        } else {
            self.growing = StreamingDocument::default();
            self.growing.append(text);
        }
        let setting = setting(EntryKind::Assistant, width, look, &self.colours);
        let made_for = (width, look.theme.fingerprint());
        if self.grown_for == made_for {
            self.growing.update(&setting);
        } else {
            self.grown_for = made_for;
            self.growing.relayout(&setting);
        }
    }
}

/// The entries in view.
fn visible(model: &Model, height: usize) -> std::ops::Range<usize> {
    let rows = &model.chat.rows;
    let top = model.chat.top(height);
    let last = (top + height.max(1)).min(rows.total()).saturating_sub(1);
    if rows.is_empty() { 0..0 } else { rows.locate(top).0..rows.locate(last).0 + 1 }
}

fn setting<'a>(kind: EntryKind, width: u16, look: Look<'a>, colours: &'a CodeColours) -> Setting<'a> {
    let text = match kind {
        EntryKind::User => Scope::ChatUser,
        EntryKind::Assistant => Scope::ChatAssistant,
        EntryKind::Note | EntryKind::Recap | EntryKind::Aside | EntryKind::AsideAnswer => Scope::ChatSystem,
    };
    Setting { width, look, text, keep_breaks: matches!(kind, EntryKind::User | EntryKind::Aside), colours }
}

fn key(model: &Model, entry: usize, shown: Shown<'_>, width: u16, look: Look<'_>) -> LayoutKey {
    LayoutKey {
        message: (model.chat.generation << 32) | entry as u64,
        revision: digest(shown.text),
        width,
        theme: look.theme.fingerprint() ^ shown.kind as u64,
    }
}

/// A number that is another when the text is: an entry may be replaced by one of other words.
fn digest(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// About how many rows a text takes that was not laid out yet.
fn guess(shown: Shown<'_>, width: u16) -> usize {
    let row = (usize::from(width) * 4 / 5).max(1);
    2 + shown.text.len().div_ceil(row)
}
