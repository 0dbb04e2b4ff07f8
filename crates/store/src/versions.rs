//! Which groups of records have changed: what a kept answer is checked against.
//!
//! A group has a version that no later change of a record in it leaves the same. Groups share a fixed number of
//! counters, so the memory is bounded, and a change in one group may make another look changed, never the reverse.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counters that all groups share.
const COUNTERS: usize = 1024;

/// What some groups looked like. Equal versions of the same groups mean that no record in them has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Version(u64);

/// The counters of all groups.
#[derive(Debug)]
pub(crate) struct Versions(Arc<[Counter]>);

#[derive(Debug, Default)]
struct Counter {
    /// Changes that were sent to the engine.
    begun: AtomicU64,
    /// Changes whose end is known.
    ended: AtomicU64,
}

/// A change of some groups under way; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Changing {
    counters: Arc<[Counter]>,
    /// Each once.
    changed: Vec<usize>,
}

impl Default for Versions {
    fn default() -> Self {
        Self((0..COUNTERS).map(|_| Counter::default()).collect())
    }
}

impl Versions {
    /// Returns the version of some groups; none while a change of them is under way, which a read may or may not see.
    ///
    /// A caller that asks before reading knows that what was read holds at least every change before that version.
    pub(crate) fn of<'a>(&self, groups: impl Iterator<Item = &'a str> + Clone) -> Option<Version> {
        let sum = |count: fn(&Counter) -> &AtomicU64| {
            let counted = groups.clone().filter_map(|group| self.0.get(place(group)));
            counted.map(|counter| count(counter).load(Ordering::SeqCst)).fold(0, u64::wrapping_add)
        };
        // In this order: a change that begins between the two makes them differ.
        let ended = sum(|counter| &counter.ended);
        let begun = sum(|counter| &counter.begun);
        (ended == begun).then_some(Version(ended))
    }

    /// Begins a change of some groups.
    pub(crate) fn begin<'a>(&self, groups: impl Iterator<Item = &'a str>) -> Changing {
        let mut changed: Vec<usize> = groups.map(place).collect();
        changed.sort_unstable();
        changed.dedup();
        let changing = Changing { counters: Arc::clone(&self.0), changed };
        changing.count(|counter| &counter.begun);
        changing
    }
}

impl Changing {
    fn count(&self, which: fn(&Counter) -> &AtomicU64) {
        for counter in self.changed.iter().filter_map(|at| self.counters.get(*at)) {
            which(counter).fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Drop for Changing {
    fn drop(&mut self) {
        self.count(|counter| &counter.ended);
    }
}

fn place(group: &str) -> usize {
    let mut hasher = DefaultHasher::new();
    group.hash(&mut hasher);
    usize::try_from(hasher.finish() % COUNTERS as u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(versions: &Versions, groups: &[&str]) -> Option<Version> {
        versions.of(groups.iter().copied())
    }

    #[test]
    fn a_change_gives_its_groups_another_version_and_leaves_others_theirs() {
        let versions = Versions::default();
        let (before, other) = (of(&versions, &["a", "b"]), of(&versions, &["c"]));
        drop(versions.begin(["b", "b"].into_iter()));
        assert_ne!(of(&versions, &["a", "b"]), before);
        assert_eq!(of(&versions, &["c"]), other);
        assert!(of(&versions, &["a", "b"]).is_some());
    }

    #[test]
    fn there_is_no_version_while_a_change_is_under_way() {
        let versions = Versions::default();
        let (first, second) = (versions.begin(["a"].into_iter()), versions.begin(["a"].into_iter()));
        assert_eq!(of(&versions, &["a"]), None);
        drop(first);
        assert_eq!(of(&versions, &["a", "b"]), None);
        drop(second);
        assert!(of(&versions, &["a"]).is_some());
    }
}
