use proptest::prelude::*;

use super::*;

fn candidate(path: &str, purpose: Use, bytes: u64, second: i64, in_use: bool) -> Candidate {
    let last_used = Timestamp::from_second(second).unwrap();
    Candidate { path: path.into(), purpose, bytes, last_used, in_use }
}

#[test]
fn caches_go_first_then_the_least_recently_used_and_nothing_in_use() {
    let candidates = [
        candidate("new", Use::Session, 10, 9, false),
        candidate("old", Use::Session, 10, 1, false),
        candidate("busy", Use::Session, 10, 0, true),
        candidate("pool", Use::Cache, 10, 99, false),
    ];
    let plan = plan(&candidates, 5, 21);
    assert_eq!(
        plan,
        Plan {
            remove: vec!["pool".into(), "old".into()],
            keep: vec![("busy".into(), Reason::InUse), ("new".into(), Reason::NotNeeded)],
            freed: 20,
            missing: 0,
        }
    );
}

#[test]
fn with_space_enough_nothing_goes() {
    assert!(plan(&[candidate("a", Use::Cache, 10, 0, false)], 100, 100).remove.is_empty());
}

proptest! {
    #[test]
    fn a_plan_reaches_its_target_or_says_what_is_missing_and_never_takes_one_too_many(
        sizes in prop::collection::vec((0_u64..1000, 0_i64..50, any::<bool>(), any::<bool>()), 0..20),
        free in 0_u64..2000,
        target in 0_u64..5000,
    ) {
        let candidates: Vec<_> = sizes.iter().enumerate().map(|(at, (bytes, second, cache, in_use))| {
            candidate(&format!("{at:02}"), if *cache { Use::Cache } else { Use::Session }, *bytes, *second, *in_use)
        }).collect();
        let plan = plan(&candidates, free, target);
        let bytes = |path: &PathBuf| candidates.iter().find(|one| one.path == *path).unwrap();
        prop_assert!(plan.remove.iter().all(|path| !bytes(path).in_use));
        prop_assert_eq!(plan.remove.len() + plan.keep.len(), candidates.len());
        prop_assert_eq!(plan.remove.iter().map(|path| bytes(path).bytes).sum::<u64>(), plan.freed);
        prop_assert!(free + plan.freed + plan.missing >= target);
        if let Some(last) = plan.remove.last() {
            prop_assert!(free + plan.freed - bytes(last).bytes < target);
        }
        if plan.missing > 0 {
            prop_assert!(plan.keep.iter().all(|(path, why)| *why == Reason::InUse || bytes(path).bytes == 0));
        }
        let mut reversed = candidates.clone();
        reversed.reverse();
        prop_assert_eq!(super::plan(&reversed, free, target), plan);
    }
}
