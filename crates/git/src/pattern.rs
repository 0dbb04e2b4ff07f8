//! How the branch of a session is named: a pattern with places for what is known about it.
//!
//! What fills a place is made harmless first, so a task named `../x` or `--force` gives a plain branch.

use std::str::FromStr;

use crate::branch::{BranchName, NameError};

/// The most characters that a task gives to a branch name.
const SLUG_MAX: usize = 50;

/// How many characters of a session's id stand for it.
const SHORT: usize = 8;

/// What a branch name can be made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject<'a> {
    /// The id of the session.
    pub session: &'a str,
    /// What the work is called.
    pub task: &'a str,
    /// The agent that does it.
    pub agent: &'a str,
}

/// A branch name with places: `{session}`, `{short}` (its first eight characters), `{task}`, `{agent}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(String);

/// A pattern that gives no branch names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// A place that nothing fills.
    #[error("cannot use branch pattern `{pattern}`: `{place}` is none of {{session}}, {{short}}, {{task}}, {{agent}}")]
    Place {
        /// The pattern.
        pattern: String,
        /// The place.
        place: String,
    },
    /// Two sessions would get one branch.
    #[error("cannot use branch pattern `{pattern}`: it needs {{session}} or {{short}} to tell sessions apart")]
    NoSession {
        /// The pattern.
        pattern: String,
    },
    /// The result is not a branch name.
    #[error(transparent)]
    Name(#[from] NameError),
}

impl Pattern {
    /// The branches of sessions that are dispatched for a mission.
    pub const MISSIONS: &str = "devfleet/{short}";

    /// The branches of workers that are spawned by handle.
    pub const WORKERS: &str = "worker/{short}";

    /// The branches of workers and stages that are named by executor and task.
    pub const STAGES: &str = "{agent}/{task}/{session}";

    /// Names the branch of one session.
    ///
    /// # Errors
    /// When the id of the session leaves nothing that can stand in a name.
    pub fn branch(&self, subject: Subject<'_>) -> Result<BranchName, NameError> {
        let session = slug(subject.session, usize::MAX);
        let filled = self
            .0
            .replace("{session}", session.as_deref().unwrap_or(""))
            .replace("{short}", short(session.as_deref().unwrap_or("")))
            .replace("{task}", slug(subject.task, SLUG_MAX).as_deref().unwrap_or("task"))
            .replace("{agent}", slug(subject.agent, SLUG_MAX).as_deref().unwrap_or("agent"));
        if session.is_none() {
            return Err(NameError::new("session", subject.session, "it holds neither letter nor digit"));
        }
        filled.parse()
    }
}

impl Default for Pattern {
    fn default() -> Self {
        Self(Self::MISSIONS.to_owned())
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let pattern = Self(text.to_owned());
        if !text.contains("{session}") && !text.contains("{short}") {
            return Err(PatternError::NoSession { pattern: pattern.0 });
        }
        let sample = pattern.branch(Subject { session: "s", task: "t", agent: "a" })?;
        let brace = sample.as_str().find(['{', '}']);
        if let Some(at) = brace {
            return Err(PatternError::Place { pattern: pattern.0, place: sample.as_str()[at..].to_owned() });
        }
        Ok(pattern)
    }
}

/// Makes a part of a name from any text: letters, digits, `_` and `-`, cut to `max`; none if nothing is left.
#[must_use]
pub fn slug(text: &str, max: usize) -> Option<String> {
    let mut slug = String::new();
    for c in text.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => slug.push(c),
            _ if !slug.is_empty() && !slug.ends_with('-') => slug.push('-'),
            _ => {}
        }
        if slug.len() >= max {
            break;
        }
    }
    let slug = slug.trim_matches('-');
    (!slug.is_empty()).then(|| slug.to_owned())
}

/// The first characters of an id that is already made of ASCII.
fn short(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SUBJECT: Subject<'_> = Subject { session: "1a2b3c4d-5e6f-7a8b", task: "wrr/implement: it!", agent: "codex" };

    #[test]
    fn the_contracts_get_their_branches() {
        for (pattern, branch) in [
            (Pattern::MISSIONS, "devfleet/1a2b3c4d"),
            (Pattern::WORKERS, "worker/1a2b3c4d"),
            (Pattern::STAGES, "codex/wrr-implement-it/1a2b3c4d-5e6f-7a8b"),
        ] {
            assert_eq!(pattern.parse::<Pattern>().unwrap().branch(SUBJECT).unwrap().as_str(), branch);
        }
    }

    #[test]
    fn a_pattern_that_cannot_work_is_refused_when_it_is_set() {
        for pattern in
            ["x", "{task}", "{session}/{nope}", "-{session}", "../{session}", "a b/{short}", "{session}.lock"]
        {
            assert!(pattern.parse::<Pattern>().is_err(), "{pattern}");
        }
    }

    #[test]
    fn a_session_without_a_letter_is_refused() {
        assert!(Pattern::default().branch(Subject { session: "--../", ..SUBJECT }).is_err());
    }

    proptest! {
        #[test]
        fn whatever_a_task_is_called_its_branch_is_plain(task in ".{0,80}", agent in ".{0,80}") {
            let pattern: Pattern = Pattern::STAGES.parse().unwrap();
            let branch = pattern.branch(Subject { session: "s1", task: &task, agent: &agent }).unwrap();
            prop_assert_eq!(branch.as_str().split('/').count(), 3);
            prop_assert!(branch.as_str().chars().all(|c| c.is_ascii_alphanumeric() || "_-/".contains(c)));
        }
    }
}
