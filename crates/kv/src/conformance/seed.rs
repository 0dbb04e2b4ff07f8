//! Where the suite's chance comes from: one printed number, which can be given back to repeat a run.

use std::hash::{BuildHasher, RandomState};

use proptest::test_runner::{Config, RngSeed};

/// Returns the seed given in `PROPTEST_RNG_SEED`, or a new one, and prints it for the reader of a failed test.
#[expect(clippy::print_stderr, reason = "the harness shows it when the test fails, and only then")]
#[must_use]
pub fn seed() -> u64 {
    let seed = match Config::default().rng_seed {
        RngSeed::Fixed(seed) => seed,
        // The standard hasher is keyed by the operating system, which is chance enough for a seed.
        RngSeed::Random => RandomState::new().hash_one("seed"),
    };
    eprintln!("repeat this run with PROPTEST_RNG_SEED={seed}");
    seed
}
