//! What kind of work a mission is.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kind of a mission, which is also the preset of tools it runs under unless it names another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum MissionKind {
    /// Any work, with the network.
    Full,
    /// Make or change something.
    #[default]
    Implement,
    /// Read and judge.
    Review,
    /// Run tests and write them.
    Test,
    /// Read and find out.
    Explore,
    /// Repair something.
    Fix,
    /// A kind that the settings name.
    Custom(String),
}

impl MissionKind {
    /// Returns the word for it on the wire and in records.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Full => "full",
            Self::Implement => "implement",
            Self::Review => "review",
            Self::Test => "test",
            Self::Explore => "explore",
            Self::Fix => "fix",
            Self::Custom(name) => name,
        }
    }

    /// Whether work of this kind changes files, so that a commit is expected of it.
    #[must_use]
    pub fn makes_changes(&self) -> bool {
        match self {
            Self::Full | Self::Implement | Self::Fix | Self::Custom(_) => true,
            Self::Review | Self::Test | Self::Explore => false,
        }
    }
}

impl From<String> for MissionKind {
    fn from(name: String) -> Self {
        match name.as_str() {
            "full" => Self::Full,
            "implement" => Self::Implement,
            "review" => Self::Review,
            "test" => Self::Test,
            "explore" => Self::Explore,
            "fix" => Self::Fix,
            _ => Self::Custom(name),
        }
    }
}

impl From<MissionKind> for String {
    fn from(kind: MissionKind) -> Self {
        kind.to_string()
    }
}

impl fmt::Display for MissionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_the_word_it_was_read_from() {
        let words = ["full", "implement", "review", "test", "explore", "fix", "document", "Review", ""];
        for word in words {
            let kind = MissionKind::from(word.to_owned());
            assert_eq!(serde_json::to_value(&kind).unwrap(), word);
            assert_eq!((kind.to_string(), String::from(kind.clone())), (word.to_owned(), word.to_owned()));
            let known = words.iter().position(|known| *known == word).unwrap() < 6;
            assert_eq!(matches!(kind, MissionKind::Custom(_)), !known, "{word}");
        }
    }

    #[test]
    fn a_commit_is_expected_of_every_kind_but_those_that_look() {
        let of = |word: &str| MissionKind::from(word.to_owned()).makes_changes();
        assert!(["full", "implement", "fix", "document"].into_iter().all(of));
        assert!(!["review", "test", "explore"].into_iter().any(of));
    }
}
