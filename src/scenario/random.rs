//! Chance that repeats: the same seed, the same conversation, on every machine.

/// A small generator (SplitMix64); nothing here needs more than an even spread.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5678_9abc_def1))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Whether something happens that happens this often.
    pub fn happens(&mut self, often: f64) -> bool {
        // The draw is made in any case, so that changing one habit does not shift all others.
        let drawn = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        drawn < often
    }

    /// A place among so many, or the one after the last.
    pub fn place(&mut self, many: usize) -> usize {
        let drawn = self.next() % (many as u64 + 1);
        usize::try_from(drawn).unwrap_or(many)
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let drawn = self.next();
        let at = drawn.checked_rem(items.len() as u64)?;
        items.get(usize::try_from(at).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_course_and_another_gives_another() {
        let course = |seed| {
            let mut random = Random::new(seed);
            (0..64).map(|_| random.happens(0.5)).collect::<Vec<_>>()
        };
        assert_eq!(course(7), course(7));
        assert_ne!(course(7), course(8));
    }
}
