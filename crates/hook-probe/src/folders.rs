//! The folders of a trial: an empty repository, an unused home, and the files of the permission hook.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use policy::{JOURNAL_FILE, Judged, OnAsk, PERMISSIONS_FILE, SessionPermissions, Verdict};
use supervisor::{Spool, Stream};
use tempfile::TempDir;

/// What the shell is to make.
pub(crate) const BY_SHELL: &str = "by-shell";

/// What the tool that writes files is to make.
pub(crate) const BY_WRITE: &str = "by-write";

/// How much of what an agent complained of is told.
const COMPLAINT_CHARS: usize = 300;

/// The folders of one trial; they go with it.
#[derive(Debug)]
pub(crate) struct TrialFolders(TempDir);

impl TrialFolders {
    /// Creates the folders, with permissions that deny everything; blocks.
    pub(crate) fn make(below: &Path) -> io::Result<Self> {
        private_folder(below)?;
        let place = Self(TempDir::with_prefix_in("trial-", below)?);
        let git = place.repository().join(".git");
        for folder in [git.join("objects"), git.join("refs/heads"), place.home(), place.private(), place.temporary()] {
            private_folder(&folder)?;
        }
        // All that git asks of a repository in which nothing was committed.
        write(&git.join("HEAD"), "ref: refs/heads/main\n")?;
        write(&git.join("config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n")?;
        let fence = SessionPermissions {
            tools: Some(Vec::new()),
            on_ask: OnAsk::Refuse,
            ..SessionPermissions::open(place.repository())
        };
        fence.save(&place.fence()).map_err(io::Error::other)?;
        Ok(place)
    }

    pub(crate) fn repository(&self) -> PathBuf {
        self.0.path().join("repository")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.0.path().join("home")
    }

    pub(crate) fn private(&self) -> PathBuf {
        self.0.path().join("private")
    }

    pub(crate) fn temporary(&self) -> PathBuf {
        self.0.path().join("tmp")
    }

    pub(crate) fn spool(&self) -> Spool {
        spool_in(self.0.path())
    }

    pub(crate) fn fence(&self) -> PathBuf {
        self.private().join(PERMISSIONS_FILE)
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.private().join(JOURNAL_FILE)
    }

    /// What should not be there and is.
    pub(crate) fn appeared(&self) -> Vec<String> {
        let there = |name: &&str| self.repository().join(name).exists();
        [BY_SHELL, BY_WRITE].iter().filter(|name| there(name)).map(|name| (*name).to_owned()).collect()
    }

    /// How many calls were denied, and how many were not; blocks.
    pub(crate) fn judged(&self) -> io::Result<(usize, usize)> {
        let (mut denied, mut passed, mut at) = (0, 0, 0);
        loop {
            let slice = Judged::read(&self.journal(), at)?;
            for call in &slice.judged {
                match call.verdict {
                    Verdict::Block { .. } => denied += 1,
                    Verdict::Allow | Verdict::Ask { .. } => passed += 1,
                }
            }
            if !slice.more {
                return Ok((denied, passed));
            }
            at = slice.next;
        }
    }

    /// The end of what the agent wrote to standard error, or else to standard output, in one line; blocks.
    pub(crate) fn complaint(&self) -> String {
        let said = |stream| {
            #[expect(
                clippy::disallowed_methods,
                reason = "a trial is over: its logs are small and no reader follows them"
            )]
            let text = std::fs::read(self.spool().log(stream)).unwrap_or_default();
            let text = String::from_utf8_lossy(&text).split_whitespace().collect::<Vec<_>>().join(" ");
            let skipped = text.chars().count().saturating_sub(COMPLAINT_CHARS);
            text.chars().skip(skipped).collect::<String>()
        };
        [Stream::Errors, Stream::Output].into_iter().map(said).find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// Writes a file for the owner's eyes alone; one that is not absolute is below the trial's home.
    pub(crate) fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        let path = self.home().join(path);
        if let Some(folder) = path.parent() {
            private_folder(folder)?;
        }
        write(&path, text)
    }
}

/// The spool of the trial in this folder.
pub(crate) fn spool_in(trial: &Path) -> Spool {
    Spool::at(trial.join("spool"))
}

fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use policy::{Call, Dialect, decide};
    use serde_json::json;
    use types::Timestamp;

    use super::*;

    #[test]
    fn the_fence_of_a_trial_lets_nothing_through() {
        let folder = tempfile::tempdir().unwrap();
        let place = TrialFolders::make(&folder.path().join("canaries")).unwrap();
        let fence = SessionPermissions::load(&place.fence()).unwrap();
        for (tool, input) in [
            ("Bash", json!({"command": "ls"})),
            ("Write", json!({"file_path": place.repository().join("a"), "content": ""})),
            ("Read", json!({"file_path": place.repository().join("a")})),
            ("mcp__x__y", json!({})),
        ] {
            let verdict = decide(&fence, &Call::of(Dialect::Claude, tool, &input));
            assert!(matches!(verdict, Verdict::Block { .. }), "{tool}: {verdict:?}");
        }
    }

    #[test]
    fn what_was_denied_and_what_was_not_is_counted_apart_and_what_appeared_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let place = TrialFolders::make(folder.path()).unwrap();
        assert_eq!((place.judged().unwrap(), place.appeared()), ((0, 0), Vec::new()));
        let call = Call::of(Dialect::Claude, "Bash", &json!({"command": "ls"}));
        for verdict in [Verdict::unreadable("no"), Verdict::Allow, Verdict::unreadable("no")] {
            Judged::new(Timestamp::UNIX_EPOCH, None, &call, verdict).append(&place.journal()).unwrap();
        }
        place.write(&place.repository().join(BY_WRITE), "").unwrap();
        assert_eq!((place.judged().unwrap(), place.appeared()), ((2, 1), vec![BY_WRITE.to_owned()]));
    }

    #[test]
    fn a_file_of_the_trial_is_in_its_home_and_all_of_it_goes_with_the_place() {
        let folder = tempfile::tempdir().unwrap();
        let place = TrialFolders::make(folder.path()).unwrap();
        place.write(Path::new(".agent/settings.json"), "{}").unwrap();
        let file = place.home().join(".agent/settings.json");
        assert!(file.is_file());
        drop(place);
        assert!(!file.exists() && folder.path().read_dir().unwrap().next().is_none());
    }
}
