//! Which way the branch of a finished session goes.

use types::{LandMode, LandingRules};

/// Where a finished branch goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// It stays as it is.
    Stays,
    /// It lands once its checks are green.
    Lands,
    /// It waits for a person to let it land.
    WaitsForReview,
}

/// Says which way a finished branch goes; the mission's own word beats the project's.
///
/// Nothing lands automatically without a check: unchecked work is never called green.
#[must_use]
pub fn way(asked: Option<LandMode>, rules: &LandingRules, commits: Option<u64>) -> Way {
    let work = commits.is_some_and(|commits| commits > 0);
    match asked.or(rules.mode).unwrap_or_default() {
        LandMode::Auto if work && !rules.checks.is_empty() => Way::Lands,
        LandMode::Review if work => Way::WaitsForReview,
        LandMode::Auto | LandMode::Review | LandMode::Never => Way::Stays,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(mode: LandMode, checks: &[&str]) -> LandingRules {
        let checks = checks.iter().map(|check| (*check).to_owned()).collect();
        LandingRules { mode: Some(mode), checks, ..LandingRules::default() }
    }

    #[test]
    fn what_nobody_checks_does_not_land_by_itself() {
        assert_eq!(way(None, &rules(LandMode::Auto, &["make test"]), Some(2)), Way::Lands);
        assert_eq!(way(None, &rules(LandMode::Auto, &[]), Some(2)), Way::Stays);
        assert_eq!(way(None, &rules(LandMode::Review, &[]), Some(2)), Way::WaitsForReview);
    }

    #[test]
    fn where_nobody_says_a_word_it_lands_by_itself() {
        let rules = LandingRules { mode: None, ..rules(LandMode::Never, &["make test"]) };
        assert_eq!(way(None, &rules, Some(1)), Way::Lands);
    }

    #[test]
    fn a_branch_without_commits_goes_nowhere() {
        for mode in [LandMode::Auto, LandMode::Review, LandMode::Never] {
            assert_eq!(way(Some(mode), &rules(mode, &["make test"]), Some(0)), Way::Stays);
            assert_eq!(way(Some(mode), &rules(mode, &["make test"]), None), Way::Stays);
        }
    }

    #[test]
    fn the_missions_own_word_beats_the_projects() {
        assert_eq!(way(Some(LandMode::Never), &rules(LandMode::Auto, &["make test"]), Some(1)), Way::Stays);
        assert_eq!(way(Some(LandMode::Auto), &rules(LandMode::Never, &["make test"]), Some(1)), Way::Lands);
    }
}
