//! What the scripted agent does with a prompt that has no script: a small piece of honest work, on a file of its own.
//!
//! The file is named after the mission, so that any number of missions land beside each other, and what is in it depends
//! on the mission's title and id only: an agent that does it again, after a crash, changes nothing.

use super::{Order, Script, Step};

/// What Fleet writes before the title, at the beginning of a mission and when it continues.
const TITLES: [&str; 2] = ["## Task: ", "Continue your task: "];
/// Words and characters of a file's name.
const WORDS_MAX: usize = 5;
const NAME_MAX: usize = 60;
/// Characters of a commit's subject, before the id.
const SUBJECT_MAX: usize = 60;

/// Returns the work for an order without a script. Without a prompt it serves.
pub(super) fn plain(order: &Order) -> Script {
    let prompt = order.prompt.trim();
    let titled = title(prompt);
    match (&order.mission, titled) {
        (None, _) if prompt.is_empty() => Script { steps: vec![Step::Serve], resumed: vec![Step::Serve] },
        (_, titled) if order.reads_only => looked(titled.unwrap_or(prompt)),
        (None, _) => written(&format!("{}.md", slug(prompt)), &format!("{prompt}\n"), None),
        (Some(mission), Some(title)) => {
            let path = format!("{}-{mission}.md", slug(title));
            let text = format!(
                "# {title}\n\nMission {mission}. The scripted agent `sim` has no model: this file is all it writes.\n"
            );
            let subject: String = title.chars().take(SUBJECT_MAX).collect();
            let script = written(&path, &text, Some(format!("{} ({mission})", subject.trim())));
            Script { resumed: script.steps.clone(), ..script }
        }
        // It is told nothing new, so what it has begun is all there is to do.
        (Some(mission), None) => {
            let path = format!("{mission}.md");
            written(&path, &format!("{prompt}\n"), Some(format!("Work on {mission}")))
        }
    }
}

fn written(path: &str, text: &str, message: Option<String>) -> Script {
    Script {
        steps: vec![
            Step::Say { text: format!("I will write {path}.") },
            Step::Spend { input: 1_200, output: 90, dollars: 0.0 },
            Step::Write { path: path.to_owned(), text: text.to_owned() },
            Step::Commit { message: message.unwrap_or_else(|| format!("add {path}")) },
            Step::Finish { text: format!("Wrote and committed {path}.") },
        ],
        ..Script::default()
    }
}

/// One that may not write looks around.
fn looked(title: &str) -> Script {
    let title = title.lines().next().unwrap_or_default();
    let steps = vec![
        Step::Spend { input: 1_200, output: 90, dollars: 0.0 },
        Step::Finish { text: format!("I looked at it and changed nothing: {title}") },
    ];
    Script { resumed: steps.clone(), steps }
}

/// Finds the title of the mission in a prompt that Fleet wrote.
fn title(prompt: &str) -> Option<&str> {
    let found = prompt.lines().find_map(|line| TITLES.iter().find_map(|mark| line.strip_prefix(mark)))?;
    let found = found.trim().trim_end_matches('.');
    (!found.is_empty()).then_some(found)
}

/// A name for a file, from the first words of a text.
fn slug(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.take(WORDS_MAX).map(str::to_lowercase).collect::<Vec<_>>().join("-");
    let short: String = slug.chars().take(NAME_MAX).collect();
    if short.is_empty() { "note".to_owned() } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(prompt: &str) -> Order {
        Order { prompt: prompt.to_owned(), mission: Some("m-x7k2m".to_owned()), ..Order::default() }
    }

    fn wrote(script: &[Step]) -> (String, String, String) {
        let [_, _, Step::Write { path, text }, Step::Commit { message }, _] = script else { panic!("{script:?}") };
        (path.clone(), text.clone(), message.clone())
    }

    #[test]
    fn the_file_and_the_commit_are_named_after_the_mission() {
        let script = plain(&order("Work alone.\n\n## Task: Add a cart.\n\nPlease.\n\n## Project\n\nshop\n"));
        let (path, text, message) = wrote(&script.steps);
        assert_eq!((path.as_str(), message.as_str()), ("add-a-cart-m-x7k2m.md", "Add a cart (m-x7k2m)"));
        assert!(text.contains("# Add a cart\n") && text.contains("m-x7k2m"), "{text}");
    }

    #[test]
    fn doing_it_again_writes_the_same() {
        let first = plain(&order("## Task: Add a cart\n\nPlease."));
        let again = plain(&order("Continue your task: Add a cart.\n\n## Why you get it back\n\nRed.\n"));
        assert_eq!(wrote(&first.steps), wrote(&again.resumed));
    }

    #[test]
    fn one_that_may_not_write_does_not() {
        let script = plain(&Order { reads_only: true, ..order("## Task: Review the cart\n") });
        assert!(
            !script.steps.iter().any(|step| matches!(step, Step::Write { .. } | Step::Commit { .. })),
            "{script:?}"
        );
    }

    #[test]
    fn two_missions_with_one_title_write_two_files() {
        let other = Order { mission: Some("m-y8".to_owned()), ..order("## Task: Trial\n") };
        assert_ne!(wrote(&plain(&order("## Task: Trial\n")).steps).0, wrote(&plain(&other).steps).0);
    }
}
