//! What somebody says about how the work of a project lands: some fields, and an empty one takes back what was said.

use api::devfleet::{CreateProject, Land, UpdateProject};
use types::LandingRules;

/// The fields that were said; none leaves what there is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LandingEdit {
    land: Option<Land>,
    target_branch: Option<String>,
    checks: Option<Vec<String>>,
    check_timeout_secs: Option<u32>,
    push: Option<String>,
    pr: Option<bool>,
}

impl LandingEdit {
    /// What is said of a new project.
    pub(super) fn of_new(op: &CreateProject) -> Self {
        Self {
            land: op.land,
            target_branch: op.target_branch.clone(),
            checks: (!op.checks.is_empty()).then(|| op.checks.clone()),
            check_timeout_secs: op.check_timeout_secs,
            push: op.push.clone(),
            pr: op.pr,
        }
    }

    /// What is said of one that is there.
    pub(super) fn of(op: &UpdateProject) -> Self {
        Self {
            land: op.land,
            target_branch: op.target_branch.clone(),
            checks: op.checks.clone(),
            check_timeout_secs: op.check_timeout_secs,
            push: op.push.clone(),
            pr: op.pr,
        }
    }

    /// Returns the rules as they are then.
    pub(super) fn applied(self, rules: LandingRules) -> LandingRules {
        let unless_empty = |said: String| Some(said).filter(|said| !said.is_empty());
        LandingRules {
            mode: self.land.map(Into::into).or(rules.mode),
            target: self.target_branch.map_or(rules.target, unless_empty),
            checks: self.checks.unwrap_or(rules.checks),
            check_timeout_secs: self
                .check_timeout_secs
                .map_or(rules.check_timeout_secs, |secs| Some(secs).filter(|secs| *secs > 0)),
            push: self.push.map_or(rules.push, unless_empty),
            pr: self.pr.unwrap_or(rules.pr),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_stays_and_what_is_said_empty_is_taken_back() {
        let said = LandingEdit {
            target_branch: Some("develop".to_owned()),
            push: Some("origin".to_owned()),
            check_timeout_secs: Some(60),
            ..LandingEdit::default()
        };
        let rules = said.applied(LandingRules { checks: vec!["make".to_owned()], ..LandingRules::default() });
        assert_eq!(LandingEdit::default().applied(rules.clone()), rules);
        assert_eq!(
            (rules.target.as_deref(), rules.push.as_deref(), rules.checks.len()),
            (Some("develop"), Some("origin"), 1)
        );
        let empty = LandingEdit {
            target_branch: Some(String::new()),
            push: Some(String::new()),
            check_timeout_secs: Some(0),
            checks: Some(Vec::new()),
            ..LandingEdit::default()
        };
        assert_eq!(empty.applied(rules), LandingRules::default());
    }
}
