//! Chance that can be had again: the same seed gives the same choices.

/// A source of numbers (SplitMix64).
#[derive(Debug, Clone)]
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A source of its own for one of many who draw at the same time.
    pub(super) fn fork(&mut self) -> Self {
        Self(self.next())
    }

    /// A number from `low` up to and without `high`.
    pub(super) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % high.saturating_sub(low).max(1)
    }

    /// True in so many of a hundred cases.
    pub(super) fn percent(&mut self, share: u64) -> bool {
        self.between(0, 100) < share
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_choices_and_another_gives_others() {
        let draw = |seed| (0..20).map(|_| 0).scan(Chance::new(seed), |chance, _| Some(chance.between(5, 50)));
        assert_eq!(draw(1).collect::<Vec<_>>(), draw(1).collect::<Vec<_>>());
        assert_ne!(draw(1).collect::<Vec<_>>(), draw(2).collect::<Vec<_>>());
        assert!(draw(3).all(|number| (5..50).contains(&number)));
    }
}
