//! One line in the server's log for each step of a landing, by Fleet or a person: for operators, in plain words.

use types::{Landing, LandingState, LandingStateName};

/// Logs the state that a landing has come to.
pub(crate) fn log(landing: &Landing, from: Option<LandingStateName>) {
    if let Some(line) = line(landing, from) {
        tracing::info!(landing = %landing.id, mission = %landing.mission, "{line}");
    }
}

/// Says what happened to a landing; none where the next step says more.
fn line(landing: &Landing, from: Option<LandingStateName>) -> Option<String> {
    let target = landing.rules.target.as_deref().unwrap_or("the target branch");
    let (id, branch) = (&landing.id, &landing.branch);
    match &landing.state {
        // The move did not happen, and what follows says why.
        LandingState::Queued { .. } if from == Some(LandingStateName::Cleared) => None,
        // The queue finds the target first, and then says so.
        LandingState::Queued { .. } if landing.rules.target.is_none() => None,
        LandingState::Queued { .. } => Some(format!("`{branch}` is queued to land on `{target}`")),
        LandingState::Review { .. } => {
            Some(format!("`{branch}` waits for approval to land on `{target}`: `fleet land approve {id}`"))
        }
        LandingState::Waiting { why, .. } => Some(format!("`{branch}` waits to land: {why}")),
        LandingState::Cleared { .. } => None,
        LandingState::Returned { obstacle, .. } => {
            Some(format!("`{branch}` went back to its agent ({}. time): {obstacle}", landing.returns))
        }
        LandingState::Stuck { obstacle, .. } => {
            Some(format!("`{branch}` cannot land and needs a person: {obstacle}; then `fleet land retry {id}`"))
        }
        // The push or the pull request is shown with the landing.
        LandingState::Landed { .. } if from == Some(LandingStateName::Landed) => None,
        LandingState::Landed { commit, checks, .. } => {
            let commit = commit.get(..10).unwrap_or(commit);
            Some(format!("`{branch}` landed on `{target}` as {commit}, {}", green(checks.len())))
        }
        LandingState::Dropped { by, why, .. } if why.is_empty() => Some(format!("`{branch}` was dropped by {by}")),
        LandingState::Dropped { why, .. } => Some(format!("`{branch}` was dropped: {why}")),
    }
}

fn green(checks: usize) -> String {
    match checks {
        0 => "nothing checked".to_owned(),
        1 => "1 check green".to_owned(),
        many => format!("{many} checks green"),
    }
}

#[cfg(test)]
mod tests {
    use types::{CheckOutcome, CheckRun, Handle, LandingRules, Obstacle, Timestamp};

    use super::*;

    fn said(state: LandingState, from: Option<LandingStateName>) -> Option<String> {
        let landing = Landing {
            id: "d-x7k2m".parse().unwrap(),
            team: "alpha".parse().unwrap(),
            project: None,
            folder: "/srv/shop".to_owned(),
            mission: "m-x7k2m".parse().unwrap(),
            session: "s-x7k2m".parse().unwrap(),
            branch: "fleet/cart".to_owned(),
            title: "Add a cart".to_owned(),
            rules: LandingRules { target: Some("main".to_owned()), ..LandingRules::default() },
            returns: 1,
            sent_back: Vec::new(),
            state,
            publication: None,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
        };
        line(&landing, from)
    }

    #[test]
    fn every_step_that_an_operator_wants_to_know_is_one_plain_line() {
        let at = Timestamp::UNIX_EPOCH;
        let check = CheckRun {
            command: "make test".to_owned(),
            outcome: CheckOutcome::Failed { code: 2 },
            output_tail: String::new(),
            duration_ms: 1,
            sandbox: None,
            refused: Vec::new(),
        };
        let states = [
            LandingState::Queued { since: at },
            LandingState::Review { since: at },
            LandingState::Waiting { since: at, why: "it is dirty".to_owned(), check: None },
            LandingState::Returned { since: at, obstacle: Obstacle::Red { check: check.clone() } },
            LandingState::Stuck { since: at, obstacle: Obstacle::Conflict { files: vec!["a".to_owned()] } },
            LandingState::Landed { at, commit: "1".repeat(40), checks: vec![check] },
            LandingState::Dropped { at, by: Handle::owner(), why: String::new() },
        ];
        let lines: Vec<String> = states.into_iter().filter_map(|state| said(state, None)).collect();
        let expected = [
            "`fleet/cart` is queued to land on `main`",
            "`fleet/cart` waits for approval to land on `main`: `fleet land approve d-x7k2m`",
            "`fleet/cart` waits to land: it is dirty",
            "`fleet/cart` went back to its agent (1. time): check `make test` failed with exit code 2",
            "`fleet/cart` cannot land and needs a person: it conflicts with the target branch in a; then \
             `fleet land retry d-x7k2m`",
            "`fleet/cart` landed on `main` as 1111111111, 1 check green",
            "`fleet/cart` was dropped by owner",
        ];
        assert_eq!(lines, expected);
        assert_eq!(said(LandingState::Queued { since: at }, Some(LandingStateName::Cleared)), None);
    }
}
