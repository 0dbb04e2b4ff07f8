//! The mission that follows from a report: no model is asked, the report's own words are put in order.

use types::{Mission, Said};

use crate::cut::head;
use crate::said::{Section, Sections as _, says_nothing};

/// Characters of a title.
const TITLE_MAX: usize = 80;

/// What the next mission says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextMission {
    /// One line.
    pub title: String,
    /// What to do.
    pub prompt: String,
    /// How to tell that it is done.
    pub acceptance: String,
}

/// Writes the mission that follows from what was said at the end of one.
#[must_use]
pub fn next_mission(before: &Mission, said: &Said) -> NextMission {
    let parts = [
        ("Already Completed", Section::Done),
        ("Errors (fix these first)", Section::Errors),
        ("Open Items", Section::Open),
        ("Needs Testing", Section::Untested),
    ];
    let mut prompt = format!("## Context from Previous Mission: {}\n", before.title);
    for (heading, section) in parts {
        if let Some(text) = given(said, section) {
            prompt.push_str(&format!("\n### {heading}\n\n{text}\n"));
        }
    }
    let task = given(said, Section::NextSteps).or_else(|| given(said, Section::Open));
    let task = task.unwrap_or("Look at what is there, find what is missing to the goal of that mission, and do it.");
    prompt.push_str(&format!("\n## Your Task\n\n{task}\n"));
    let criteria = [Section::Untested, Section::Open].into_iter().filter_map(|section| given(said, section));
    let acceptance = criteria.collect::<Vec<_>>().join("\n");
    NextMission { title: title(before, said), prompt, acceptance: head(&acceptance, 20_000).into_owned() }
}

fn title(before: &Mission, said: &Said) -> String {
    let wanted = given(said, Section::NextSteps).or_else(|| given(said, Section::Open));
    let bullet = |c: char| c.is_whitespace() || matches!(c, '-' | '*' | '+' | '•' | '#') || c.is_ascii_digit();
    let line = |line: &str| {
        let words = line.trim_start_matches(bullet).trim_start_matches(['.', ')']).trim();
        (!words.is_empty()).then(|| words.to_owned())
    };
    let first = wanted.and_then(|text| text.lines().find_map(line));
    let title = first.unwrap_or_else(|| format!("Continue: {}", before.title));
    title.chars().take(TITLE_MAX).collect()
}

fn given(said: &Said, section: Section) -> Option<&str> {
    Some(said.text(section).trim()).filter(|text| !says_nothing(text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::samples::{any_said, mission, said};

    #[test]
    fn the_next_steps_become_the_task_and_the_rest_its_context() {
        let next = next_mission(&mission(), &Said { next_steps: "\n- 1. Add taxes.\n- Ship".to_owned(), ..said() });
        assert_eq!(next.title, "Add taxes.");
        assert_eq!(next.acceptance, "Taxes.", "what says nothing is no criterion");
        for part in
            ["Add a cart", "Added a cart.", "Which tax rate applies?", "## Your Task\n\n- 1. Add taxes.\n- Ship"]
        {
            assert!(next.prompt.contains(part), "{part}: {}", next.prompt);
        }
        assert!(!next.prompt.contains("Needs Testing"), "{}", next.prompt);
    }

    #[test]
    fn a_report_that_leaves_nothing_open_still_makes_a_mission() {
        let next = next_mission(&mission(), &Said { what_done: "All.".to_owned(), ..Said::default() });
        assert_eq!(next.title, "Continue: Add a cart");
        assert!(next.prompt.contains("## Your Task\n\nLook"), "{}", next.prompt);
    }

    proptest! {
        #[test]
        fn every_report_makes_a_mission_that_may_be_stated(said in any_said()) {
            let next = next_mission(&mission(), &said);
            prop_assert!((1..=300).contains(&next.title.chars().count()), "{:?}", next.title);
            prop_assert!(!next.title.contains('\n'));
            prop_assert!(next.prompt.chars().count() <= 100_000 && next.acceptance.chars().count() <= 20_000);
        }
    }
}
