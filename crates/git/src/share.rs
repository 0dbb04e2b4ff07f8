//! Makes the git directory that worktrees share ready for somebody who may write to some folders of it alone.
//!
//! Whenever a reference goes, as after every commit, git makes a lock beside its file of packed references, which lies
//! among settings and hooks. So the file is put into a folder of its own, and a link leads to it. Git follows such a
//! link, locks and writes behind it; whatever does not and replaces the link is followed by the next call.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::command::Git;
use crate::disk::{self, failed};
use crate::error::{Error, LOCK};
use crate::locks::patiently;

/// The folder for packed references.
const FOLDER: &str = "fleet";

/// The file of packed references.
const PACKED: &str = "packed-refs";

/// What else must be there: a folder that is not there cannot be let through.
const FOLDERS: [&str; 3] = ["objects", "refs", "logs"];

impl Git {
    /// Makes the shared git directory of a repository ready.
    ///
    /// # Errors
    /// When somebody else changes its packed references all the time, or the disk fails; then they are as they were.
    pub async fn share(&self, common_dir: &Path) -> Result<(), Error> {
        let _alone = self.locks().take(common_dir).await;
        patiently(self.clock(), || {
            let common_dir = common_dir.to_owned();
            runtime::blocking(move || shared(&common_dir))
        })
        .await
    }

    /// Makes the git directory of a checkout ready that somebody works in as it is: what is kept from him must be there,
    /// and nothing may lead git to other settings.
    ///
    /// # Errors
    /// When the disk fails.
    pub async fn keep_own(&self, git_dir: &Path) -> Result<(), Error> {
        let git_dir = git_dir.to_owned();
        runtime::blocking(move || {
            if !git_dir.join("HEAD").exists() {
                return Ok(());
            }
            disk::create_dirs(&git_dir.join("hooks"))?;
            // Only that of an added worktree has one, and it is no git directory of a checkout.
            disk::remove_file(&git_dir.join("commondir"))
        })
        .await
    }
}

fn shared(common_dir: &Path) -> Result<(), Error> {
    for name in FOLDERS {
        disk::create_dirs(&common_dir.join(name))?;
    }
    // References of the other kind are in a folder of their own anyway.
    if is_link(&common_dir.join(PACKED)) || common_dir.join("reftable").is_dir() {
        return Ok(());
    }
    let lock = Lock::take(common_dir)?;
    let moved = moved(common_dir);
    lock.give_back()?;
    moved
}

/// Puts the file into the folder and the link in its place. At every moment the references are all there.
fn moved(common_dir: &Path) -> Result<(), Error> {
    let (packed, folder) = (common_dir.join(PACKED), common_dir.join(FOLDER));
    if is_link(&packed) {
        return Ok(());
    }
    disk::create_dirs(&folder)?;
    let inside = folder.join(PACKED);
    // One that no link leads to is what is left of an earlier one.
    disk::remove_file(&inside)?;
    match fs::hard_link(&packed, &inside) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => return Err(failed("link", &packed)(source)),
        Ok(()) | Err(_) => {}
    }
    // Who has the lock may use the name that git itself writes under.
    let link = common_dir.join("packed-refs.new");
    disk::remove_file(&link)?;
    std::os::unix::fs::symlink(Path::new(FOLDER).join(PACKED), &link).map_err(failed("link", &link))?;
    replace(&link, &packed)?;
    disk::sync(common_dir)
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_symlink())
}

#[expect(clippy::disallowed_methods, reason = "what is replaced has another name already")]
fn replace(from: &Path, to: &Path) -> Result<(), Error> {
    fs::rename(from, to).map_err(failed("replace", to))
}

/// Git's own lock of packed references. It is known by a second name, so that one which a killed server left is told from
/// one that somebody holds.
struct Lock {
    lock: PathBuf,
    ours: PathBuf,
}

impl Lock {
    fn take(common_dir: &Path) -> Result<Self, Error> {
        let (lock, ours) = (common_dir.join("packed-refs.lock"), common_dir.join("packed-refs.fleet"));
        let number = |path: &Path| path.symlink_metadata().ok().map(|found| (found.dev(), found.ino()));
        if number(&lock).is_none_or(|number_of_lock| number(&ours) != Some(number_of_lock)) {
            let made = OpenOptions::new().create(true).append(true).open(&ours);
            made.map_err(failed("make", &ours))?;
            fs::hard_link(&ours, &lock).map_err(failed(LOCK, &lock))?;
        }
        Ok(Self { lock, ours })
    }

    /// First the lock: without its second name nobody would know whose it is.
    fn give_back(self) -> Result<(), Error> {
        disk::remove_file(&self.lock)?;
        disk::remove_file(&self.ours)
    }
}
