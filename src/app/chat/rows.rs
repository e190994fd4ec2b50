//! How many rows each entry takes: prefix sums, so that any row is found at once however much was said.

/// The rows of all entries at one width. What was never in view is a guess, put right when it comes into view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The columns they were laid out for.
    pub width: u16,
    heights: Vec<usize>,
    /// Rows up to and including each entry.
    ends: Vec<usize>,
}

impl Rows {
    /// Takes in the rows of some entries, of `len` in all; the others are as they were.
    pub fn measured(&mut self, width: u16, len: usize, heights: &[(usize, usize)]) {
        self.width = width;
        self.heights.resize(len, 1);
        for (entry, height) in heights {
            if let Some(known) = self.heights.get_mut(*entry) {
                *known = *height;
            }
        }
        // Adding up ten thousand numbers takes some microseconds, and happens only when something has changed.
        let sums = self.heights.iter().scan(0, |sum, height| {
            *sum += height;
            Some(*sum)
        });
        self.ends = sums.collect();
    }

    /// Forgets the entries from `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.heights.truncate(len);
        self.ends.truncate(len);
    }

    /// The rows of an entry, as far as they are known.
    pub fn height(&self, entry: usize) -> Option<usize> {
        self.heights.get(entry).copied()
    }

    /// Entries that were measured.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn total(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The first row of an entry.
    pub fn start(&self, entry: usize) -> usize {
        match entry {
            0 => 0,
            _ => self.ends.get(entry - 1).copied().unwrap_or_else(|| self.total()),
        }
    }

    /// The entry that a row belongs to, and the row within it.
    pub fn locate(&self, row: usize) -> (usize, usize) {
        let entry = self.ends.partition_point(|end| *end <= row).min(self.ends.len().saturating_sub(1));
        (entry, row.saturating_sub(self.start(entry)))
    }
}
