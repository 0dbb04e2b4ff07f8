//! The suite every engine must pass: what [`crate::Engine`] promises, as tests.
//!
//! An engine crate says where its data lives by implementing [`Place`], and calls [`suite!`] in one line; each check
//! becomes a test of its own, once on the bare engine and once more through seeded faults and a retry loop
//! ([`Troubled`]). A backend that cannot be reached panics: a missing backend is a failure, never a skip.
//!
//! A check panics when the engine breaks its word. It never sleeps, never guesses a revision, and asks for nothing
//! that the trait does not promise.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a check that does not hold must panic; that is how a test speaks"
)]

#[doc(hidden)]
pub mod atomic;
#[doc(hidden)]
pub mod ceilings;
#[doc(hidden)]
pub mod durable;
#[doc(hidden)]
pub mod history;
#[doc(hidden)]
pub mod races;
#[doc(hidden)]
pub mod scans;
mod seed;
#[doc(hidden)]
pub mod single;
mod steps;
mod troubled;
mod world;

pub use seed::seed;
pub use troubled::{Retrying, Troubled};

use crate::engine::Engine;

/// Somewhere an engine keeps its data: a folder, a schema, a bucket.
///
/// Whatever it holds goes away when it is dropped, and the suite drops every engine opened on it first.
pub trait Place: Send + Sync + Sized + 'static {
    /// The engine under test.
    type Engine: Engine;

    /// Makes a place that holds no rows and is shared with no other test.
    fn empty() -> impl Future<Output = Self> + Send;

    /// Opens the engine on this place; called again, after the former engine was dropped, to see what lasted.
    fn open(&self) -> impl Future<Output = Self::Engine> + Send;
}

/// Makes one test per check, in the modules `bare` and `troubled`, for a type that implements [`Place`].
///
/// The calling crate needs `tokio` among its dev-dependencies, with `macros` and `rt-multi-thread`.
#[doc(inline)]
pub use crate::conformance_suite as suite;

#[doc(hidden)]
#[macro_export]
macro_rules! conformance_suite {
    ($place:ty) => {
        type EngineUnderTest = $place;

        mod bare {
            type Place = super::EngineUnderTest;
            $crate::conformance_checks!(Place);
        }

        mod troubled {
            type Place = $crate::conformance::Troubled<super::EngineUnderTest>;
            $crate::conformance_checks!(Place);
        }
    };
}

/// The one list of checks; a test below compares it with what the files define.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_checks {
    ($place:ty) => {
        $crate::conformance_checks! { $place =>
            single {
                an_absent_key_reads_as_nothing
                an_insert_can_be_read_back
                a_second_insert_conflicts
                an_update_at_the_stored_revision_applies
                a_stale_update_conflicts
                a_stale_update_conflicts_even_after_identical_bytes
                an_update_of_an_absent_key_conflicts
                a_blind_put_always_applies
                a_delete_honours_its_expectation
                a_deleted_and_recreated_key_has_a_new_revision
                an_empty_value_is_a_value
                bytes_come_back_as_they_were_put
                many_keys_read_as_each_alone_in_the_order_asked_for
            }
            atomic {
                a_commit_spans_keys_and_partitions
                every_key_of_a_commit_gets_its_revision
                a_conflicting_commit_writes_nothing
                a_guard_on_a_present_key_is_honoured
                a_guard_on_an_absent_key_is_honoured
                a_guard_leaves_its_row_untouched
                a_conflict_names_no_key_that_held
                an_empty_commit_applies_and_changes_nothing
            }
            scans {
                a_scan_orders_awkward_keys_by_bytes
                every_awkward_key_can_be_read_and_removed_alone
                a_scan_returns_whole_rows
                a_prefix_excludes_its_neighbours
                a_prefix_is_taken_literally
                a_prefix_may_end_in_the_largest_character
                a_scan_starts_behind_its_bound_in_both_directions
                a_bound_outside_the_prefix_is_clamped
                a_limit_cuts_and_zero_returns_nothing
                pages_cover_a_partition_once_in_both_directions
                a_scan_never_leaves_its_partition
            }
            ceilings {
                as_many_operations_as_allowed_fit_and_one_more_is_refused
                a_value_as_large_as_allowed_fits_and_one_byte_more_is_refused
                a_commit_as_large_as_allowed_fits_and_one_byte_more_is_refused
                a_key_as_long_as_allowed_fits_and_one_byte_more_is_refused
                a_key_with_an_empty_part_is_refused
                a_key_named_twice_is_refused
                a_key_that_cannot_be_stored_reads_as_nothing
            }
            races {
                of_many_inserts_of_one_key_one_wins
                sixteen_writers_count_without_losing_a_step
                a_read_after_an_acknowledgement_sees_the_commit
                two_commits_that_guard_each_other_never_both_apply
            }
            history {
                a_random_history_matches_the_engine_in_memory
            }
            durable {
                every_acknowledged_commit_is_there_after_reopening
                a_revision_never_returns_after_reopening
            }
        }
    };
    ($place:ty => $($group:ident { $($check:ident)+ })+) => {
        $($(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $check() {
                $crate::conformance::$group::$check::<$place>().await;
            }
        )+)+
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_check_that_is_written_is_in_the_list() {
        let list = include_str!("conformance.rs");
        let files = [
            include_str!("conformance/single.rs"),
            include_str!("conformance/atomic.rs"),
            include_str!("conformance/scans.rs"),
            include_str!("conformance/ceilings.rs"),
            include_str!("conformance/races.rs"),
            include_str!("conformance/history.rs"),
            include_str!("conformance/durable.rs"),
        ];
        let written = files.iter().flat_map(|file| file.split("pub async fn ").skip(1));
        let names: Vec<&str> = written.filter_map(|rest| rest.split('<').next()).collect();
        assert!(names.len() > 40, "found only {names:?}");
        for name in names {
            assert!(list.lines().any(|line| line.trim() == name), "{name} is missing in the list");
        }
    }
}
