//! How the work of a project lands, as an input says it: an empty field takes back what was said.

use api_macros::fields;
use types::LandingRules;

use super::words::Land;

/// What is said about how work lands; none leaves what there is
#[fields(Default)]
pub struct LandingEdit {
    /// Shell commands that must all pass on exactly what lands; those in `fleet.toml`, when there are none
    #[schemars(length(max = 50), inner(length(min = 1, max = 2000)))]
    pub checks: Option<Vec<String>>,
    /// The branch that finished work lands on; the one the folder was on when the project was created, when unset
    #[schemars(length(max = 200))]
    pub target_branch: Option<String>,
    /// Whether finished work lands; without a check nothing lands by itself
    pub land: Option<Land>,
    /// Seconds that one check may run; the server's own setting, when unset, and again with 0
    #[schemars(range(max = 86_400))]
    pub check_timeout_secs: Option<u32>,
    /// The remote that the target branch is pushed to once work has landed; none, when unset or empty
    #[schemars(length(max = 200))]
    pub push: Option<String>,
    /// Open a pull request of the branch once it has landed here, and leave the target branch of the remote alone
    pub pr: Option<bool>,
}

impl LandingEdit {
    /// Returns the rules as they are then.
    #[must_use]
    pub fn applied(self, rules: LandingRules) -> LandingRules {
        let unless_empty = |said: String| Some(said).filter(|said| !said.is_empty());
        LandingRules {
            mode: self.land.map(Into::into).or(rules.mode),
            target: self.target_branch.map_or(rules.target, unless_empty),
            pinned: rules.pinned,
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
