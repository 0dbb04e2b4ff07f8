//! The programs that Fleet starts or lets agents use.

use config::Environment;
use futures::future::join_all;
use runtime::Clock;

use super::probe::{self, Answer};
use super::{Finding, State};

/// A program, and what it is good for.
struct Program {
    name: &'static str,
    /// The oldest version that will do.
    oldest: (u32, u32),
    required: bool,
    /// What to do when it is not there.
    advice: &'static str,
}

/// Fleet merges without a work tree, which git can do from this version on.
const GIT_OLDEST: (u32, u32) = (2, 38);

const PROGRAMS: &[Program] = &[
    Program { name: "git", oldest: GIT_OLDEST, required: true, advice: "Install git 2.38 or newer." },
    agent("claude", "Install Claude Code, if agents are to run it: `npm install -g @anthropic-ai/claude-code`."),
    agent("codex", "Install Codex, if agents are to run it: `npm install -g @openai/codex`."),
    agent("gemini", "Install Gemini CLI, if agents are to run it: `npm install -g @google/gemini-cli`."),
    agent("agy", "Install Antigravity, if agents are to run it."),
    agent("opencode", "Install opencode, if agents are to run it: `npm install -g opencode-ai`."),
    agent("gh", "Install the GitHub CLI, if agents are to open pull requests."),
    agent("glab", "Install the GitLab CLI, if agents are to open merge requests."),
    agent("bwrap", "Install bubblewrap, if agents are to be kept from the network."),
];

const fn agent(name: &'static str, advice: &'static str) -> Program {
    Program { name, oldest: (0, 0), required: false, advice }
}

/// Looks for every program and asks those that are there for their version, all at once.
pub(super) async fn check(environment: &Environment, clock: &Clock) -> Vec<Finding> {
    join_all(PROGRAMS.iter().map(|program| examine(program, environment, clock))).await
}

async fn examine(program: &Program, environment: &Environment, clock: &Clock) -> Finding {
    let finding = match probe::find(program.name, environment) {
        None => Finding::new(program.name, State::Missing, "not on PATH").advise(program.advice),
        Some(path) => judge(program, probe::version(&path, environment, clock).await),
    };
    if program.required { finding.required() } else { finding }
}

fn judge(program: &Program, answer: Answer) -> Finding {
    match answer {
        Answer::Silent(why) => Finding::new(program.name, State::Warn, why),
        Answer::Said(said) => match version_in(&said) {
            Some(version) if version < program.oldest => {
                Finding::new(program.name, State::Missing, format!("{said}: too old")).advise(program.advice)
            }
            Some(_) | None => Finding::new(program.name, State::Ok, said),
        },
    }
}

/// Finds the first two numbers with a dot between them.
fn version_in(text: &str) -> Option<(u32, u32)> {
    text.split(|letter: char| !letter.is_ascii_digit() && letter != '.').find_map(|word| {
        let mut numbers = word.split('.');
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_wherever_it_stands() {
        for (text, version) in [
            ("git version 2.39.5 (Apple Git-154)", Some((2, 39))),
            ("2.0.14 (Claude Code)", Some((2, 0))),
            ("codex-cli 0.46.0", Some((0, 46))),
            ("v1.2", Some((1, 2))),
            ("bubblewrap", None),
        ] {
            assert_eq!(version_in(text), version, "{text}");
        }
    }

    #[test]
    fn a_git_that_is_too_old_is_as_good_as_none() {
        let git = &PROGRAMS[0];
        assert_eq!(judge(git, Answer::Said("git version 2.38.0".to_owned())).state, State::Ok);
        assert_eq!(judge(git, Answer::Said("git version 2.37.9".to_owned())).state, State::Missing);
        assert_eq!(judge(git, Answer::Said("git version 10.0".to_owned())).state, State::Ok);
    }
}
