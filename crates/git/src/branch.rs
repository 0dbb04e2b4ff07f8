//! Names of branches and snapshots, checked before git sees them.
//!
//! The rules are git's own (`git check-ref-format`), narrowed: no name can be read as an option, climb out of its
//! folder, or be hidden from a person by control characters.

use std::fmt;
use std::str::FromStr;

/// The most bytes of a name; a file system takes 255 for each part, with room for `.lock`.
const NAME_MAX: usize = 200;

/// Where snapshots are kept: below `refs/`, but neither a branch nor a tag, so no listing and no push shows them
/// unasked.
const SNAPSHOTS: &str = "refs/fleet/snapshots/";

/// A name that git would refuse, or that would be taken for something else.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot use `{given}` as {kind} name: {reason}")]
pub struct NameError {
    /// What kind of name it was to be.
    pub kind: &'static str,
    /// The name, shortened and made printable.
    pub given: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl NameError {
    pub(crate) fn new(kind: &'static str, given: &str, reason: &'static str) -> Self {
        Self { kind, given: given.chars().take(60).flat_map(char::escape_default).collect(), reason }
    }
}

/// The name of a local branch, without `refs/heads/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BranchName(String);

/// The name of a snapshot, without `refs/fleet/snapshots/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SnapshotName(String);

impl BranchName {
    /// Returns the short name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the full name of the reference.
    #[must_use]
    pub fn reference(&self) -> String {
        format!("refs/heads/{}", self.0)
    }

    /// Reads a full reference name that git printed; none if it is not a branch.
    pub(crate) fn from_reference(reference: &str) -> Option<Self> {
        // What git has may be odder than what we would make, so only the prefix is looked at.
        reference.strip_prefix("refs/heads/").map(|name| Self(name.to_owned()))
    }
}

impl SnapshotName {
    /// Returns the short name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the full name of the reference.
    #[must_use]
    pub fn reference(&self) -> String {
        format!("{SNAPSHOTS}{}", self.0)
    }

    pub(crate) fn from_reference(reference: &str) -> Option<Self> {
        reference.strip_prefix(SNAPSHOTS).map(|name| Self(name.to_owned()))
    }

    /// Returns the folder of all snapshots.
    pub(crate) fn folder() -> &'static str {
        SNAPSHOTS
    }
}

impl FromStr for BranchName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        match flaw(text) {
            // git itself refuses a branch of this name, since it could no longer be told from the real one.
            None if text == "HEAD" => Err(NameError::new("branch", text, "it means the current commit")),
            None => Ok(Self(text.to_owned())),
            Some(reason) => Err(NameError::new("branch", text, reason)),
        }
    }
}

impl FromStr for SnapshotName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        match flaw(text) {
            None => Ok(Self(text.to_owned())),
            Some(reason) => Err(NameError::new("snapshot", text, reason)),
        }
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for SnapshotName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Says what is wrong with a name, if anything is.
fn flaw(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("it is empty");
    }
    if name.len() > NAME_MAX {
        return Some("it is longer than 200 bytes");
    }
    if name.starts_with('-') {
        return Some("it starts with `-` and would be read as an option");
    }
    if name.chars().any(|c| c.is_control() || c.is_whitespace() || "~^:?*[\\".contains(c)) {
        return Some("it holds blanks, control characters or one of ~ ^ : ? * [ \\");
    }
    if name.contains("..") || name.contains("@{") || name == "@" {
        return Some("it holds `..` or `@{`");
    }
    name.split('/').find_map(part_flaw)
}

fn part_flaw(part: &str) -> Option<&'static str> {
    match part {
        "" => Some("a part of it is empty"),
        _ if part.starts_with('.') || part.ends_with('.') => Some("a part of it starts or ends with a dot"),
        _ if part.ends_with(".lock") => Some("a part of it ends with `.lock`"),
        _ => None,
    }
}

#[cfg(test)]
#[path = "branch_tests.rs"]
mod tests;
