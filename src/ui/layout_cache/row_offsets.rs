//! Heights of many messages with their running sums: asking and changing cost a few steps, however many there are.

/// Heights in a binary indexed tree.
#[derive(Clone, Debug, Default)]
pub struct RowOffsets {
    heights: Vec<usize>,
    /// `sums[i]` is the sum of the heights of the block of messages that ends with message `i`; how long the block is,
    /// the lowest set bit of `i + 1` says.
    sums: Vec<usize>,
}

impl RowOffsets {
    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.heights.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.heights.is_empty()
    }

    /// The height of a message; 0 where there is none.
    pub fn height(&self, message: usize) -> usize {
        self.heights.get(message).copied().unwrap_or(0)
    }

    /// Adds a message at the end.
    pub fn push(&mut self, height: usize) {
        let place = self.heights.len() + 1;
        let mut sum = height;
        let mut below = 1;
        while below < place & place.wrapping_neg() {
            sum += self.sums[place - below - 1];
            below <<= 1;
        }
        self.heights.push(height);
        self.sums.push(sum);
    }

    /// Drops the messages from a place on.
    pub fn truncate(&mut self, len: usize) {
        self.heights.truncate(len);
        self.sums.truncate(len);
    }

    /// Changes the height of a message.
    pub fn set(&mut self, message: usize, height: usize) {
        let Some(known) = self.heights.get_mut(message) else { return };
        let old = std::mem::replace(known, height);
        let mut place = message + 1;
        while place <= self.sums.len() {
            self.sums[place - 1] = self.sums[place - 1] + height - old;
            place += place & place.wrapping_neg();
        }
    }

    /// The rows above a message.
    pub fn above(&self, message: usize) -> usize {
        let mut place = message.min(self.sums.len());
        let mut sum = 0;
        while place > 0 {
            sum += self.sums[place - 1];
            place &= place - 1;
        }
        sum
    }

    /// All rows.
    pub fn total(&self) -> usize {
        self.above(self.len())
    }

    /// The message that a row falls into, and the row within it; the end, for a row beyond all.
    pub fn find(&self, row: usize) -> (usize, usize) {
        let mut left = row;
        let mut place = 0;
        let mut step = self.sums.len().checked_ilog2().map_or(0, |bits| 1 << bits);
        while step > 0 {
            if place + step <= self.sums.len() && self.sums[place + step - 1] <= left {
                place += step;
                left -= self.sums[place - 1];
            }
            step >>= 1;
        }
        if place == self.len() { (place, 0) } else { (place, left) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sums_and_finds_agree_with_counting(
            heights in prop::collection::vec(0usize..9, 0..40),
            changes in prop::collection::vec((0usize..40, 0usize..9), 0..20),
            cut in 0usize..40,
        ) {
            let mut offsets = RowOffsets::default();
            let mut plain = heights.clone();
            for height in &heights {
                offsets.push(*height);
            }
            for (at, height) in changes {
                offsets.set(at, height);
                if let Some(known) = plain.get_mut(at) {
                    *known = height;
                }
            }
            offsets.truncate(cut);
            plain.truncate(cut);
            offsets.push(3);
            plain.push(3);
            for at in 0..=plain.len() {
                prop_assert_eq!(offsets.above(at), plain[..at].iter().sum::<usize>());
            }
            let rows: Vec<_> = plain.iter().enumerate().flat_map(|(at, rows)| (0..*rows).map(move |r| (at, r))).collect();
            for (row, expected) in rows.iter().enumerate() {
                prop_assert_eq!(offsets.find(row), *expected);
            }
            prop_assert_eq!(offsets.find(rows.len()), (plain.len(), 0));
        }
    }
}
