//! Who plays: the missions of the demo, each with the script that its agent follows and what is promised of it.

use agents::sim::{Script, Step};
use api::Kind;
use cli::Failure;

/// In a hurry, an agent takes this part of its time.
const HURRY: u64 = 8;

/// A mission of the demo.
#[derive(Debug, Clone)]
pub(super) struct Role {
    /// One word for it.
    pub(super) name: &'static str,
    /// What the mission is called.
    pub(super) title: &'static str,
    /// What its agent is told.
    pub(super) prompt: String,
    /// What the agent says over all its processes, in order.
    pub(super) says: Vec<String>,
    /// How many commits it makes.
    pub(super) commits: usize,
    /// How many processes are started for it after the first.
    pub(super) restarts: u32,
}

const SCRIPTS: [(&str, &str, &str); 5] = [
    ("discounts", "Add discount codes to the cart", include_str!("scripts/discounts.toml")),
    ("tests", "Test what is not tested", include_str!("scripts/tests.toml")),
    ("handbook", "Write a handbook", include_str!("scripts/handbook.toml")),
    ("invoices", "Print invoices", include_str!("scripts/invoices.toml")),
    ("search", "Find products by name", include_str!("scripts/search.toml")),
];

/// Returns the missions, whose agents take their time or are in a hurry.
///
/// # Errors
/// Never, as long as the scripts are written in their language.
pub(super) fn roles(fast: bool) -> Result<Vec<Role>, Failure> {
    SCRIPTS.iter().map(|(name, title, script)| role(name, title, script, fast)).collect()
}

fn role(name: &'static str, title: &'static str, script: &str, fast: bool) -> Result<Role, Failure> {
    let script = if fast { hurried(script) } else { script.to_owned() };
    let wrong = |error| Failure::new(Kind::Internal, format!("script `{name}` cannot be played: {error}"));
    let played = Script::parse(&script).map_err(wrong)?;
    let crashes = played.steps.iter().any(|step| matches!(step, Step::Crash));
    let resumed = if crashes { Script::default().resumed } else { Vec::new() };
    let steps = || played.steps.iter().chain(&resumed);
    Ok(Role {
        name,
        title,
        prompt: format!("{title}.\n\n```sim\n{script}```\n"),
        says: steps().filter_map(words).collect(),
        commits: steps().filter(|step| matches!(step, Step::Commit { .. })).count(),
        restarts: u32::from(crashes),
    })
}

/// Last words are heard like all others.
fn words(step: &Step) -> Option<String> {
    if let Step::Say { text } | Step::Finish { text } = step { Some(text.clone()) } else { None }
}

/// Takes every time of a script down.
fn hurried(script: &str) -> String {
    let mut parts = script.split("ms = ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(part.len());
        let (number, rest) = part.split_at(end);
        let ms: u64 = number.parse().unwrap_or(0);
        text.push_str(&format!("ms = {}{rest}", ms / HURRY));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_can_be_played_and_one_of_them_crashes() {
        for fast in [false, true] {
            let roles = roles(fast).unwrap();
            assert_eq!(roles.iter().map(|role| role.restarts).sum::<u32>(), 1);
            assert!(roles.iter().all(|role| role.commits > 0 && role.says.len() >= 2), "{roles:?}");
        }
    }

    #[test]
    fn a_hurried_script_is_the_same_but_for_its_times() {
        assert_eq!(hurried("{ ms = 800 }, delay_ms = 80\n"), "{ ms = 100 }, delay_ms = 10\n");
        let says = |fast| roles(fast).unwrap().into_iter().map(|role| role.says).collect::<Vec<_>>();
        assert_eq!(says(true), says(false));
    }
}
