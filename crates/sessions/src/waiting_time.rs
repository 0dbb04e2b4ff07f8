//! For how long a process did nothing but wait for people: that is not its time.

use types::{Approval, Timestamp};

/// Returns how many seconds between two times were spent waiting for an answer with a process that waits.
pub(crate) fn waited(approvals: &[Approval], from: Timestamp, to: Timestamp) -> u64 {
    let mut waits: Vec<(Timestamp, Timestamp)> = approvals
        .iter()
        .filter(|approval| approval.held)
        .map(|approval| (approval.created_at.max(from), approval.state.settled_at().unwrap_or(to).min(to)))
        .collect();
    waits.sort_unstable();
    let (mut secs, mut counted) = (0, from);
    for (begin, end) in waits {
        // Two questions at once are one wait.
        let begin = begin.max(counted);
        if end > begin {
            secs += end.as_second().saturating_sub(begin.as_second());
            counted = end;
        }
    }
    u64::try_from(secs).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use types::{ApprovalState, WantedCall};

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn asked(from: i64, answered: Option<i64>, held: bool) -> Approval {
        let session = crate::samples::session();
        Approval {
            id: "a-x7k2m".parse().unwrap(),
            team: session.team,
            session: session.id,
            mission: None,
            handle: session.handle.clone(),
            run: 1,
            held,
            key: String::new(),
            wanted: WantedCall::default(),
            rule: None,
            why: String::new(),
            state: answered.map_or(ApprovalState::Waiting, |second| ApprovalState::Allowed {
                by: session.handle.clone(),
                at: at(second),
            }),
            created_at: at(from),
            updated_at: at(from),
        }
    }

    #[test]
    fn only_the_time_in_which_a_process_waited_counts_and_once() {
        let waits = [asked(10, Some(20), true), asked(15, Some(25), true), asked(0, None, false)];
        assert_eq!(waited(&waits, at(0), at(100)), 15);
        assert_eq!(waited(&waits, at(12), at(18)), 6);
        assert_eq!(waited(&waits, at(30), at(100)), 0);
        assert_eq!(waited(&[asked(10, None, true)], at(0), at(100)), 90, "it waits still");
    }

    proptest! {
        #[test]
        fn nobody_waits_for_longer_than_there_was_time(
            waits in proptest::collection::vec((0_i64..1_000, proptest::option::of(0_i64..1_000), any::<bool>()), 0..8),
            from in 0_i64..1_000,
            secs in 0_i64..1_000,
            middle in 0_i64..1_000,
        ) {
            let waits: Vec<_> = waits.into_iter().map(|(from, end, held)| asked(from, end, held)).collect();
            let whole = waited(&waits, at(from), at(from + secs));
            prop_assert!(whole <= secs.unsigned_abs());
            let middle = at(from + middle.min(secs));
            let parts = waited(&waits, at(from), middle) + waited(&waits, middle, at(from + secs));
            prop_assert!(whole <= parts, "an open wait lasts to the end of each part");
        }
    }
}
