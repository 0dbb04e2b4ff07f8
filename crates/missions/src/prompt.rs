//! What an agent is told to do, made of what was said about a mission.

use types::{Mission, Project};

/// Writes the prompt for a mission.
#[must_use]
pub fn prompt(mission: &Mission) -> String {
    let mut text = format!("## Mission: {}\n\n{}\n", mission.title, mission.prompt.trim_end());
    if !mission.acceptance.trim().is_empty() {
        text.push_str(&format!("\n## Acceptance criteria\n\n{}\n", mission.acceptance.trim_end()));
    }
    text.push_str(
        "\n## When you are done\n\nCommit your work on the branch you are on. Do not push it and do not switch branches: \
         Fleet takes it from there. Then say in a few sentences what you did, what you checked, and what is open.\n",
    );
    text
}

/// Writes the text for the system prompt: the project's, then what was asked for.
#[must_use]
pub fn system_prompt(project: Option<&Project>, asked: Option<&str>) -> Option<String> {
    let parts = project.map(|project| project.system_prompt.as_str()).into_iter().chain(asked);
    let text = parts.map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n");
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::draft;

    #[test]
    fn everything_said_about_a_mission_reaches_the_agent() {
        let mission = Mission { acceptance: "The tests pass.".to_owned(), ..draft() };
        let text = prompt(&mission);
        for part in [&mission.title, &mission.prompt, &mission.acceptance] {
            assert!(text.contains(part.as_str()), "{part}");
        }
        assert!(!prompt(&draft()).contains("Acceptance criteria"), "nothing is asked for that nobody said");
    }

    #[test]
    fn an_empty_system_prompt_is_none() {
        assert_eq!(system_prompt(None, Some("  ")), None);
        assert_eq!(system_prompt(None, Some("Be brief.")).as_deref(), Some("Be brief."));
    }
}
