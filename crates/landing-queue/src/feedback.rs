//! The prompt for an agent whose work could not land.

use types::{Landing, Obstacle};

/// Says what is in the way, with the evidence, and what to do about it.
pub(crate) fn feedback(landing: &Landing, obstacle: &Obstacle) -> String {
    let target = landing.rules.target.as_deref().unwrap_or("HEAD");
    let what = match obstacle {
        Obstacle::Conflict { files } => format!(
            "Your branch conflicts with `{target}` in:\n\n{}\n\nMerge `{target}` into your branch, settle the conflicts \
             so that both sides' intent is kept, and commit.",
            files.iter().map(|file| format!("- {file}")).collect::<Vec<_>>().join("\n")
        ),
        Obstacle::Red { check } => format!(
            "This check {} on your branch merged with `{target}`:\n\n    {}\n\nThe end of its output:\n\n{}\n\n{}Merge \
             `{target}` into your branch, fix what fails, and commit.",
            check.outcome,
            check.command,
            check.output_tail.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n"),
            refused(&check.refused)
        ),
        Obstacle::Failed { why } => why.clone(),
    };
    format!("Your work could not land. {what} Do not push.")
}

/// Says which hosts a check may not connect to, so that an agent does not look for the reason in its work.
fn refused(hosts: &[String]) -> String {
    match hosts {
        [] => String::new(),
        hosts => format!("It may not connect to these hosts, and tried to:\n\n{}\n\n", indented(hosts)),
    }
}

fn indented(lines: &[String]) -> String {
    lines.iter().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use types::{CheckOutcome, CheckRun, LandingRules, LandingState, Timestamp};

    use super::*;

    fn landing() -> Landing {
        Landing {
            id: "d-x7k2m".parse().unwrap(),
            team: "alpha".parse().unwrap(),
            project: None,
            folder: "/srv/shop".to_owned(),
            mission: "m-x7k2m".parse().unwrap(),
            session: "s-x7k2m".parse().unwrap(),
            branch: "fleet/cart".to_owned(),
            title: "Add a cart".to_owned(),
            rules: LandingRules { target: Some("develop".to_owned()), ..LandingRules::default() },
            returns: 0,
            sent_back: Vec::new(),
            state: LandingState::Queued { since: Timestamp::UNIX_EPOCH },
            publication: None,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn feedback_names_the_target_branch_the_conflicting_files_and_the_end_of_the_output_of_the_check() {
        let files = vec!["cart.rs".to_owned(), "shop.rs".to_owned()];
        let conflict = feedback(&landing(), &Obstacle::Conflict { files });
        assert!(
            conflict.contains("conflicts with `develop`") && conflict.contains("- cart.rs\n- shop.rs"),
            "{conflict}"
        );
        let check = CheckRun {
            command: "make test".to_owned(),
            outcome: CheckOutcome::TimedOut,
            output_tail: "1 failed\nbye".to_owned(),
            duration_ms: 1,
            sandbox: None,
            refused: Vec::new(),
        };
        let red = feedback(&landing(), &Obstacle::Red { check });
        for part in ["did not end in time", "    make test", "    1 failed\n    bye", "Merge `develop`"] {
            assert!(red.contains(part), "{part}: {red}");
        }
    }
}
