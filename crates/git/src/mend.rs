//! What of a worktree's git directory decides which settings git reads, kept as git made it.
//!
//! Whoever works in a worktree writes to its git directory: to HEAD, to the index, and so to these files too. Fleet's own
//! git is told where the repository is and asks none of them, but a person's is not. They are put right whenever Fleet
//! looks at the worktree, at the latest when a session ends.

use std::io::Write as _;
use std::path::Path;

use crate::disk::{self, failed};
use crate::error::Error;
use crate::repository::Repository;

/// Leads from the git directory of a worktree to that of its repository.
const COMMON: &[u8] = b"../..\n";

/// Settings of one worktree that git itself writes, and that name no program.
const HARMLESS: [&str; 5] =
    ["core.bare", "core.sparsecheckout", "core.sparsecheckoutcone", "core.worktree", "index.sparse"];

impl Repository {
    /// Puts right what leads from this added worktree to settings.
    pub(crate) async fn mend(&self) -> Result<(), Error> {
        let (git_dir, common_dir) = (self.git_dir.clone(), self.common_dir.clone());
        let has_settings = runtime::blocking(move || {
            lead_to(&git_dir, &common_dir)?;
            let settings = |folder: &Path| disk::read(&folder.join("config.worktree")).ok();
            // Git gives a new worktree what the main one has.
            let own = settings(&git_dir);
            Ok::<_, Error>(own.is_some() && own != settings(&common_dir))
        });
        if !has_settings.await? || self.settings_are_harmless().await? {
            return Ok(());
        }
        let (from, to) = (self.git_dir.join("config.worktree"), self.git_dir.join("config.worktree.refused"));
        tracing::warn!(path = %from.display(), "settings that somebody gave a worktree are put aside");
        runtime::blocking(move || put_aside(&from, &to)).await
    }

    async fn settings_are_harmless(&self) -> Result<bool, Error> {
        let file = self.git_dir.join("config.worktree");
        let list = self.apart(["config", "--list", "--name-only", "-z", "--file"]).arg(file);
        // What git cannot read is not harmless either.
        let listed = list.run_to(&[0, 1, 3, 128]).await?;
        let mut keys = listed.stdout.split(|byte| *byte == 0).filter(|key| !key.is_empty());
        Ok(listed.code == 0 && keys.all(|key| HARMLESS.iter().any(|harmless| harmless.as_bytes() == key)))
    }
}

fn lead_to(git_dir: &Path, common_dir: &Path) -> Result<(), Error> {
    let path = git_dir.join("commondir");
    let registered = git_dir.parent() == Some(&common_dir.join("worktrees"));
    let plain = path.symlink_metadata().is_ok_and(|found| found.is_file());
    if !registered || (plain && disk::read(&path)? == COMMON) {
        return Ok(());
    }
    tracing::warn!(path = %path.display(), "a worktree was led to other settings; it is led back");
    disk::create_over(&path)?.write_all(COMMON).map_err(failed("write", &path))?;
    disk::set_mode(&path, 0o644)
}

#[expect(clippy::disallowed_methods, reason = "an earlier file of that name is no more than this one")]
fn put_aside(from: &Path, to: &Path) -> Result<(), Error> {
    std::fs::rename(from, to).map_err(failed("put aside", from))
}
