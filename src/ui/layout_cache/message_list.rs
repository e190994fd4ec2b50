//! A list of messages that costs what is visible: heights are guessed until a message comes into view.
//!
//! The scroll position is a row *of a message*, not of the whole list. When a guess above turns out wrong, the sums
//! change and what is on the screen stays where it is.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use super::{LayoutCache, LayoutKey, RowOffsets};
use crate::ui::markdown::Document;
use crate::ui::row::Row;

/// Where a list is scrolled to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anchor {
    /// The end, which moves as messages arrive.
    #[default]
    Bottom,
    /// A row of a message stands at the top.
    Top(Place),
}

/// A row of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The message, by its place in the list; the number of messages stands for the tail, the answer that is still being
    /// written and is not laid out here.
    pub message: usize,
    /// The row within it.
    pub row: usize,
}

/// The rows that are visible, from the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The rows.
    pub places: Vec<Place>,
    /// How many rows lie above, as far as is known.
    pub above: usize,
    /// How many rows there are in all, as far as is known.
    pub total: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    id: u64,
    revision: u32,
    bytes: usize,
    measured: bool,
}

/// A list of messages with cached layouts.
#[derive(Clone, Debug, Default)]
pub struct MessageList {
    entries: Vec<Entry>,
    offsets: RowOffsets,
    width: u16,
    theme: u64,
    tail: usize,
    cache: LayoutCache,
}

impl MessageList {
    /// An empty list for a width and a theme.
    pub fn new(width: u16, theme: u64) -> Self {
        Self { width, theme, ..Self::default() }
    }

    /// How many messages there are, without the tail.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The columns that it is laid out for.
    pub fn width(&self) -> u16 {
        self.width
    }

    /// How many layouts are kept.
    pub fn laid_out(&self) -> usize {
        self.cache.len()
    }

    /// Adds a message of so many bytes at the end; nothing is laid out.
    pub fn push(&mut self, id: u64, bytes: usize) {
        self.entries.push(Entry { id, revision: 0, bytes, measured: false });
        self.offsets.push(self.guess(bytes));
    }

    /// Drops the messages from a place on.
    pub fn truncate(&mut self, len: usize) {
        self.entries.truncate(len);
        self.offsets.truncate(len);
    }

    /// Says that the text or the colours of a message have changed.
    pub fn changed(&mut self, message: usize, bytes: usize) {
        if let Some(entry) = self.entries.get_mut(message) {
            entry.revision += 1;
            entry.bytes = bytes;
            entry.measured = false;
        }
    }

    /// Says how many rows follow the messages: the answer that is still being written.
    pub fn set_tail(&mut self, rows: usize) {
        self.tail = rows;
    }

    /// Changes the width or the theme, and says where the list is scrolled to now: at the same words.
    pub fn refit(
        &mut self,
        width: u16,
        theme: u64,
        anchor: Anchor,
        lay_out: &mut dyn FnMut(usize) -> Document,
    ) -> Anchor {
        if (width, theme) == (self.width, self.theme) {
            return anchor;
        }
        let words = match anchor {
            Anchor::Top(place) => self.document(place.message).and_then(|document| {
                document.rows.iter().skip(place.row).find_map(Row::source).map(|source| (place.message, source.start))
            }),
            Anchor::Bottom => None,
        };
        let rewrapped = width != self.width;
        (self.width, self.theme) = (width, theme);
        if rewrapped {
            // What is known at this width from before is taken again, the rest is guessed.
            for message in 0..self.entries.len() {
                let known = self.cache.get(&self.key(message)).map(|document| document.rows.len());
                self.entries[message].measured = known.is_some();
                self.offsets.set(message, known.unwrap_or_else(|| self.guess(self.entries[message].bytes)));
            }
        }
        match (anchor, words) {
            (Anchor::Top(place), Some((message, byte))) => {
                let document = self.lay_out(message, lay_out);
                let shows = |row: &Row| row.source().is_some_and(|source| source.end > byte);
                let row = document.rows.iter().position(shows).unwrap_or(0);
                // A row above the first words, such as a name, stays with them.
                Anchor::Top(Place { message, row: if place.row == 0 { 0 } else { row } })
            }
            (Anchor::Top(place), None) => Anchor::Top(Place { row: 0, ..place }),
            (Anchor::Bottom, _) => Anchor::Bottom,
        }
    }

    /// Lays out what is visible and says what that is. Call it before drawing; drawing itself changes nothing.
    pub fn prepare(&mut self, anchor: Anchor, height: usize, lay_out: &mut dyn FnMut(usize) -> Document) -> View {
        let since = self.cache.uses();
        let top = self.top(anchor, height, lay_out);
        let mut places = Vec::with_capacity(height);
        let mut message = top.message;
        let mut row = top.row;
        while places.len() < height && message <= self.entries.len() {
            let rows = self.rows_of(message, lay_out);
            while row < rows && places.len() < height {
                places.push(Place { message, row });
                row += 1;
            }
            message += 1;
            row = 0;
        }
        self.cache.shrink(since);
        View { places, above: self.offsets.above(top.message) + top.row, total: self.offsets.total() + self.tail }
    }

    /// Scrolls by rows: up where negative. Reaching the end means staying there.
    pub fn scroll(
        &mut self,
        anchor: Anchor,
        rows: isize,
        height: usize,
        lay_out: &mut dyn FnMut(usize) -> Document,
    ) -> Anchor {
        let top = self.top(anchor, height, lay_out);
        let moved = if rows < 0 {
            self.up(top, rows.unsigned_abs(), lay_out)
        } else {
            self.down(top, rows.unsigned_abs(), lay_out)
        };
        if rows > 0 && moved >= self.last_top(height, lay_out) { Anchor::Bottom } else { Anchor::Top(moved) }
    }

    /// Brings the given bytes of a message into view, a third down the screen.
    pub fn jump(
        &mut self,
        message: usize,
        bytes: &Range<usize>,
        height: usize,
        lay_out: &mut dyn FnMut(usize) -> Document,
    ) -> Anchor {
        let message = message.min(self.entries.len().saturating_sub(1));
        let row = if self.entries.is_empty() { 0 } else { self.lay_out(message, lay_out).rows_showing(bytes).start };
        let top = self.up(Place { message, row }, height / 3, lay_out);
        if top >= self.last_top(height, lay_out) { Anchor::Bottom } else { Anchor::Top(top) }
    }

    /// The place of a row of the whole list, for a click on the scroll bar.
    pub fn at_row(&self, row: usize) -> Anchor {
        let (message, row) = self.offsets.find(row);
        Anchor::Top(Place { message, row })
    }

    /// The layout of a message, if it has been made.
    pub fn document(&self, message: usize) -> Option<&Arc<Document>> {
        self.entries.get(message).and_then(|_| self.cache.get(&self.key(message)))
    }

    /// A row of a message that has been laid out.
    pub fn row(&self, place: Place) -> Option<&Row> {
        self.document(place.message)?.rows.get(place.row)
    }

    fn key(&self, message: usize) -> LayoutKey {
        let (id, revision) = self.entries.get(message).map_or((0, 0), |entry| (entry.id, entry.revision));
        LayoutKey { message: id, revision, width: self.width, theme: self.theme }
    }

    /// Prose fills about four fifths of a row; some rows go to names and gaps.
    fn guess(&self, bytes: usize) -> usize {
        let row = (usize::from(self.width) * 4 / 5).max(1);
        2 + bytes.div_ceil(row)
    }

    fn lay_out(&mut self, message: usize, lay_out: &mut dyn FnMut(usize) -> Document) -> Arc<Document> {
        let document = self.cache.get_or_lay_out(self.key(message), || lay_out(message));
        if let Some(entry) = self.entries.get_mut(message)
            && !(entry.measured && self.offsets.height(message) == document.rows.len())
        {
            entry.measured = true;
            self.offsets.set(message, document.rows.len());
        }
        document
    }

    fn rows_of(&mut self, message: usize, lay_out: &mut dyn FnMut(usize) -> Document) -> usize {
        match message.cmp(&self.entries.len()) {
            Ordering::Less => self.lay_out(message, lay_out).rows.len(),
            Ordering::Equal => self.tail,
            Ordering::Greater => 0,
        }
    }

    /// The row at the top of the screen.
    fn top(&mut self, anchor: Anchor, height: usize, lay_out: &mut dyn FnMut(usize) -> Document) -> Place {
        let last = self.last_top(height, lay_out);
        match anchor {
            Anchor::Bottom => last,
            Anchor::Top(place) => {
                let rows = self.rows_of(place.message, lay_out);
                Place { row: place.row.min(rows.saturating_sub(1)), ..place }.min(last)
            }
        }
    }

    /// The row at the top of the screen when the end of the list is at the bottom of it.
    fn last_top(&mut self, height: usize, lay_out: &mut dyn FnMut(usize) -> Document) -> Place {
        let end = Place { message: self.entries.len(), row: self.tail };
        self.up(end, height, lay_out)
    }

    fn up(&mut self, from: Place, rows: usize, lay_out: &mut dyn FnMut(usize) -> Document) -> Place {
        let mut place = from;
        let mut left = rows;
        while left > place.row {
            if place.message == 0 {
                return Place::default();
            }
            left -= place.row;
            let message = place.message - 1;
            place = Place { message, row: self.rows_of(message, lay_out) };
        }
        Place { row: place.row - left, ..place }
    }

    fn down(&mut self, from: Place, rows: usize, lay_out: &mut dyn FnMut(usize) -> Document) -> Place {
        let mut place = from;
        let mut left = rows;
        loop {
            let below = self.rows_of(place.message, lay_out).saturating_sub(place.row);
            if left < below || place.message >= self.entries.len() {
                return Place { row: place.row + left.min(below), ..place };
            }
            left -= below;
            place = Place { message: place.message + 1, row: 0 };
        }
    }
}
