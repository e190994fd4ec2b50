//! Layouts kept per message, width and theme.

use std::collections::HashMap;
use std::sync::Arc;

use super::markdown::Document;

/// What a layout depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LayoutKey {
    pub message: u64,
    /// Another one when its text is.
    pub revision: u32,
    /// The columns it was laid out for.
    pub width: u16,
    /// The [`fingerprint`](super::theme::Theme::fingerprint) of the theme.
    pub theme: u64,
}

/// Rows kept at most. A row is some hundred bytes, so this is a few megabytes, and more than any screen shows.
const MAX_ROWS: usize = 20_000;

/// Layouts that have been made, the least recently used dropped when there are too many rows.
#[derive(Clone, Debug, Default)]
pub struct LayoutCache {
    kept: HashMap<LayoutKey, (Arc<Document>, u64)>,
    rows: usize,
    /// Counts uses; what was used at the lowest count is dropped first.
    uses: u64,
}

impl LayoutCache {
    pub fn get(&self, key: &LayoutKey) -> Option<&Arc<Document>> {
        self.kept.get(key).map(|(document, _)| document)
    }

    /// The layout of a message, made if it is not there.
    pub fn get_or_lay_out(&mut self, key: LayoutKey, lay_out: impl FnOnce() -> Document) -> Arc<Document> {
        self.uses += 1;
        if let Some((document, used)) = self.kept.get_mut(&key) {
            *used = self.uses;
            return document.clone();
        }
        let document = Arc::new(lay_out());
        self.rows += document.rows.len();
        self.kept.insert(key, (document.clone(), self.uses));
        document
    }

    /// Drops what was not used for longest, until no more rows are kept than allowed. Nothing used after `since` is
    /// dropped: it may be on the screen.
    pub fn shrink(&mut self, since: u64) {
        if self.rows <= MAX_ROWS {
            return;
        }
        let mut old: Vec<(u64, LayoutKey)> =
            self.kept.iter().filter(|(_, (_, used))| *used <= since).map(|(key, (_, used))| (*used, *key)).collect();
        old.sort_unstable_by_key(|(used, _)| *used);
        for (_, key) in old {
            // Down to half, so that this is not done again with the next message.
            if self.rows <= MAX_ROWS / 2 {
                break;
            }
            if let Some((document, _)) = self.kept.remove(&key) {
                self.rows -= document.rows.len();
            }
        }
    }

    /// How many uses there have been.
    pub fn uses(&self) -> u64 {
        self.uses
    }

    pub fn len(&self) -> usize {
        self.kept.len()
    }

    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }
}
