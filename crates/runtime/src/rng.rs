//! The one source of chance.
//!
//! A handle like [`crate::Clock`]: clones draw from one stream, and a seeded stream replays. Identifiers and jitter
//! come from here; a seed makes them predictable, so a secret is never drawn from a seeded handle.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rand::rngs::StdRng;
use rand::{Rng as _, RngExt as _, SeedableRng as _};

/// The characters of a short code: typeable, and none that is taken for another (no 0, 1, i, l, o).
pub const CODE_ALPHABET: &str = "23456789abcdefghjkmnpqrstuvwxyz";

/// Draws random numbers: from the system, or from a seed that a test chose.
#[derive(Clone)]
pub struct Rng(Arc<Mutex<StdRng>>);

impl Rng {
    /// Makes an unpredictable generator.
    ///
    /// # Panics
    /// When the operating system has no entropy to give, which no program can outlive.
    #[must_use]
    pub fn from_os() -> Self {
        Self::over(rand::make_rng())
    }

    /// Makes a generator that gives the same numbers for the same seed, within one build.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self::over(StdRng::seed_from_u64(seed))
    }

    /// Fills `bytes`.
    pub fn fill(&self, bytes: &mut [u8]) {
        self.stream().fill_bytes(bytes);
    }

    /// Returns a number from 0 to `end`, exclusive; 0 if `end` is 0.
    #[must_use]
    pub fn below(&self, end: u64) -> u64 {
        if end == 0 { 0 } else { self.stream().random_range(0..end) }
    }

    /// Returns any 64 bits.
    #[must_use]
    pub fn u64(&self) -> u64 {
        self.stream().next_u64()
    }

    /// Returns `len` characters of [`CODE_ALPHABET`], for ids that people type (`m-x7k2m`).
    ///
    /// Five characters are 28 million codes: code that stores one must still check that it is free.
    #[must_use]
    pub fn short_code(&self, len: usize) -> String {
        let alphabet = CODE_ALPHABET.as_bytes();
        let mut stream = self.stream();
        (0..len).map(|_| char::from(alphabet[stream.random_range(0..alphabet.len())])).collect()
    }

    fn over(stream: StdRng) -> Self {
        Self(Arc::new(Mutex::new(stream)))
    }

    /// A panic of one holder cannot leave the stream half drawn, so a poisoned lock is ignored.
    fn stream(&self) -> MutexGuard<'_, StdRng> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Rng {
    /// Hides the state, which would tell what comes next.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rng")
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert, prop_assert_eq, proptest};

    use super::*;

    proptest! {
        #[test]
        fn a_seed_replays(seed: u64, bytes in 0_usize..64, end: u64) {
            let draw = |rng: &Rng| {
                let mut filled = vec![0; bytes];
                rng.fill(&mut filled);
                (filled, rng.below(end), rng.u64(), rng.short_code(5))
            };
            prop_assert_eq!(draw(&Rng::seeded(seed)), draw(&Rng::seeded(seed)));
        }

        #[test]
        fn numbers_stay_below_their_end(seed: u64, end in 1_u64..) {
            prop_assert!(Rng::seeded(seed).below(end) < end);
        }

        #[test]
        fn a_code_has_its_length_and_only_characters_of_the_alphabet(seed: u64, len in 0_usize..40) {
            let code = Rng::seeded(seed).short_code(len);
            prop_assert_eq!(code.len(), len);
            prop_assert!(code.chars().all(|c| CODE_ALPHABET.contains(c)));
        }
    }

    #[test]
    fn nothing_is_below_zero_but_the_answer_is_still_a_number() {
        assert_eq!(Rng::seeded(1).below(0), 0);
    }

    #[test]
    fn clones_draw_from_one_stream() {
        let rng = Rng::seeded(7);
        let clone = rng.clone();
        let drawn = [rng.u64(), clone.u64()];
        let whole = Rng::seeded(7);
        assert_eq!(drawn, [whole.u64(), whole.u64()]);
    }

    #[test]
    fn two_generators_from_the_system_differ() {
        assert_ne!(Rng::from_os().short_code(20), Rng::from_os().short_code(20));
    }
}
