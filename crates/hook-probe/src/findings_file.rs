//! The file of what was found, so that a version is tried once and not once in each life of the server.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use types::Timestamp;

use crate::finding::Finding;
use crate::program::Program;

/// What was tried: findings of one say nothing of another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// The agent's name in Fleet.
    pub agent: String,
    /// Its program.
    pub program: Program,
    /// How Fleet speaks with it.
    pub protocol: String,
    /// The version of Fleet, which is the other side.
    pub fleet: String,
}

/// A finding, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFinding {
    /// What was tried.
    #[serde(flatten)]
    pub key: Key,
    /// What was found.
    pub finding: Finding,
    /// When.
    pub tried_at: Timestamp,
}

/// All findings.
#[derive(Debug)]
pub(crate) struct Book {
    path: PathBuf,
    kept: BTreeMap<Key, StoredFinding>,
}

impl Book {
    /// Opens the book; one that cannot be read is empty, and everything is tried again.
    pub(crate) fn open(path: &Path) -> Self {
        #[expect(clippy::disallowed_methods, reason = "the book is the file that only this module knows")]
        let text = std::fs::read(path).unwrap_or_default();
        let kept: Vec<StoredFinding> = serde_json::from_slice(&text).unwrap_or_default();
        Self { path: path.to_owned(), kept: kept.into_iter().map(|kept| (kept.key.clone(), kept)).collect() }
    }

    pub(crate) fn find(&self, key: &Key) -> Option<&StoredFinding> {
        self.kept.get(key)
    }

    /// Enters a finding in place of what was found with earlier versions of the same program, and writes the book.
    pub(crate) fn enter(&mut self, kept: StoredFinding) -> io::Result<()> {
        let same = |key: &Key| {
            (&key.agent, &key.program.path, &key.protocol)
                == (&kept.key.agent, &kept.key.program.path, &kept.key.protocol)
        };
        self.kept.retain(|key, _| !same(key));
        self.kept.insert(kept.key.clone(), kept);
        let folder = self.path.parent().unwrap_or(Path::new("."));
        // Readers find the old book or the new one, never a half.
        let mut draft = tempfile::NamedTempFile::new_in(folder)?;
        draft.write_all(&serde_json::to_vec_pretty(&self.kept.values().collect::<Vec<_>>())?)?;
        draft.as_file().sync_all()?;
        draft.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(agent: &str, bytes: u64, finding: Finding) -> StoredFinding {
        let program = Program { path: format!("/bin/{agent}").into(), modified_ms: 1, bytes };
        let key = Key { agent: agent.to_owned(), program, protocol: "hooks".to_owned(), fleet: "1".to_owned() };
        StoredFinding { key, finding, tried_at: Timestamp::UNIX_EPOCH }
    }

    #[test]
    fn what_was_found_is_there_in_the_next_life_and_an_update_takes_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("canaries.json");
        let (old, new) = (kept("a", 1, Finding::Held), kept("a", 2, Finding::Broken { why: "x".to_owned() }));
        let other = kept("b", 1, Finding::Held);
        let mut book = Book::open(&path);
        book.enter(old.clone()).unwrap();
        book.enter(other.clone()).unwrap();
        assert_eq!(Book::open(&path).find(&old.key), Some(&old));
        book.enter(new.clone()).unwrap();
        let book = Book::open(&path);
        assert_eq!((book.find(&old.key), book.find(&new.key), book.find(&other.key)), (None, Some(&new), Some(&other)));
    }

    #[test]
    fn a_book_that_is_none_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("canaries.json");
        #[expect(clippy::disallowed_methods, reason = "the test spoils the book")]
        std::fs::write(&path, "[{").unwrap();
        let held = kept("a", 1, Finding::Held);
        let mut book = Book::open(&path);
        assert_eq!(book.find(&held.key), None);
        book.enter(held.clone()).unwrap();
        assert_eq!(Book::open(&path).find(&held.key), Some(&held));
    }
}
