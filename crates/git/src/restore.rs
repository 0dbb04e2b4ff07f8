//! A snapshot made into a worktree again: every byte, mode and link, the index, and a merge or rebase under way.
//!
//! Files are written as they were stored, past the filters that a checkout would apply. A restored worktree is one more
//! worktree: nothing that exists is overwritten, and what fails half-way is taken back.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, Read as _, Write as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::branch::{BranchName, SnapshotName};
use crate::command::LONG;
use crate::commit::Swap;
use crate::disk::{self, failed};
use crate::error::Error;
use crate::escape::unescape;
use crate::manifest::Manifest;
use crate::oid::Oid;
use crate::repository::{Repository, path_from};
use crate::walk::Place;
use crate::worktree::resolved;

/// Files of a git directory that say where the worktree is; the new one has its own.
const OWN: [&str; 4] = ["HEAD", "gitdir", "commondir", "locked"];

/// A worktree that a snapshot was restored to.
#[derive(Debug, Clone)]
pub struct Restored {
    /// The repository, seen from the worktree.
    pub worktree: Repository,
    /// Where its HEAD is.
    pub head: RestoredHead,
}

/// Where the HEAD of a restored worktree is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestoredHead {
    /// Where it was.
    AsItWas,
    /// At the commit where it was, but on no branch, because the branch moved on or is used elsewhere.
    Detached {
        /// The branch it was on.
        instead_of: BranchName,
    },
    /// On another branch without a commit, because the one it was on has one now or is used elsewhere.
    Renamed {
        /// The branch it was on.
        instead_of: BranchName,
        /// The branch it is on.
        name: BranchName,
    },
}

/// How many other names are tried for a branch without a commit.
const NAMES_MAX: u32 = 1000;

/// Something to be written.
struct Job {
    id: Oid,
    to: PathBuf,
    mode: u32,
    link: bool,
}

/// A snapshot as it was found.
struct Kept {
    commit: Oid,
    rest: Oid,
    manifest: Manifest,
}

impl Repository {
    /// Makes a worktree at `to` that is what the snapshot captured; nothing may be there but an empty directory.
    ///
    /// # Errors
    /// When there is no such snapshot, something is at `to`, or git or the disk fails; then nothing is left behind.
    pub async fn restore(&self, name: &SnapshotName, to: &Path) -> Result<Restored, Error> {
        let kept = self.kept(name).await?;
        let to = resolved(to);
        let at = kept.manifest.commit.clone().unwrap_or_else(|| kept.commit.to_string());
        {
            let _alone = self.git.locks().take(&self.common_dir).await;
            if !disk::is_free(&to) {
                return Err(Error::Occupied { path: to });
            }
            self.add(&to, &at, &["--detach"]).await?;
        }
        let restored = self.refill(&kept, name, &to).await;
        if restored.is_err() {
            let _alone = self.git.locks().take(&self.common_dir).await;
            self.forget(&to).await;
        }
        restored
    }

    async fn kept(&self, name: &SnapshotName) -> Result<Kept, Error> {
        let foreign = |reason: String| Error::ForeignSnapshot { name: name.clone(), reason };
        let commit =
            self.commit_at(&name.reference()).await?.ok_or_else(|| Error::NoSnapshot { name: name.clone() })?;
        let printed = self.apart(["rev-list", "--parents", "--max-count=1", commit.as_str()]).run().await?;
        let rest = printed.trim_ascii().rsplit(|byte| *byte == b' ').next().and_then(Oid::from_bytes);
        let rest = rest.filter(|rest| *rest != commit).ok_or_else(|| foreign("it has no parent".to_owned()))?;
        let text = self.apart(["cat-file", "blob", &format!("{rest}:manifest")]).run().await;
        let text = text.map_err(|_| foreign("it has no manifest".to_owned()))?;
        let manifest = Manifest::read(&text).map_err(foreign)?;
        Ok(Kept { commit, rest, manifest })
    }

    async fn refill(&self, kept: &Kept, name: &SnapshotName, to: &Path) -> Result<Restored, Error> {
        let worktree = self.worktree(to).await?;
        worktree.is_partial(name)?;
        let head = worktree.set_head(kept).await?;
        let jobs = worktree.jobs(kept, to).await?;
        let input = jobs.iter().flat_map(|job| format!("{}\n", job.id).into_bytes()).collect();
        let stream = self.apart(["cat-file", "--batch"]).input(input).limit(LONG);
        stream.stream(move |answer| jobs.iter().try_for_each(|job| job.write(answer))).await?;
        let directories = worktree.directories(&kept.manifest, to);
        runtime::blocking(move || make_directories(&directories)).await?;
        worktree.rewire(&kept.manifest, to).await?;
        worktree.is_whole()?;
        Ok(Restored { worktree, head })
    }

    /// Puts HEAD on the branch it was on, if that is still where it was and nobody has it.
    async fn set_head(&self, kept: &Kept) -> Result<RestoredHead, Error> {
        let branch = kept.manifest.branch.as_deref();
        let Some(was_on) = branch.and_then(|name| BranchName::from_reference(&format!("refs/heads/{name}"))) else {
            return Ok(RestoredHead::AsItWas);
        };
        let Some(was_at) = kept.manifest.commit.as_deref().and_then(|commit| commit.parse::<Oid>().ok()) else {
            return self.set_unborn(was_on).await;
        };
        let free = !self.is_used(&was_on).await?
            && match self.update_ref(&was_on.reference(), &was_at, Swap::Absent).await? {
                Ok(()) => true,
                Err(found) => found == Some(was_at),
            };
        if !free {
            return Ok(RestoredHead::Detached { instead_of: was_on });
        }
        self.point_head(&was_on).await?;
        Ok(RestoredHead::AsItWas)
    }

    /// A branch without a commit cannot be left for its commit; where the name is taken, another one is made up.
    async fn set_unborn(&self, was_on: BranchName) -> Result<RestoredHead, Error> {
        let mut name = was_on.clone();
        for number in 2..NAMES_MAX {
            if !self.is_used(&name).await? && self.reference(&name.reference()).await?.is_none() {
                break;
            }
            name = BranchName::from_reference(&format!("{}-{number}", was_on.reference())).unwrap_or(name);
        }
        self.point_head(&name).await?;
        Ok(if name == was_on { RestoredHead::AsItWas } else { RestoredHead::Renamed { instead_of: was_on, name } })
    }

    async fn is_used(&self, branch: &BranchName) -> Result<bool, Error> {
        Ok(self.list().await?.iter().any(|other| other.branch.as_ref() == Some(branch)))
    }

    async fn point_head(&self, branch: &BranchName) -> Result<(), Error> {
        self.command(["symbolic-ref", "HEAD", &branch.reference()]).run().await.map(drop)
    }

    async fn jobs(&self, kept: &Kept, to: &Path) -> Result<Vec<Job>, Error> {
        let modes = kept.manifest.modes();
        let mut jobs = Vec::new();
        for (mode, id, path) in self.files_of(kept.commit.as_str()).await? {
            let usual = if mode == "100755" { 0o755 } else { 0o644 };
            let mode_wanted = modes.get(&path).copied().unwrap_or(usual);
            jobs.push(Job { id, to: to.join(path), mode: mode_wanted, link: mode == "120000" });
        }
        let stored = if kept.manifest.stored.is_empty() {
            HashMap::new()
        } else {
            let files = self.files_of(&format!("{}:stored", kept.rest)).await?;
            files.into_iter().filter_map(|(_, id, path)| Some((path.to_str()?.parse::<usize>().ok()?, id))).collect()
        };
        for (number, entry) in kept.manifest.stored.iter().enumerate() {
            let (Some(id), Some(path)) = (stored.get(&number), unescape(&entry.path)) else { continue };
            let own = entry.place == Place::GitDir && path.to_str().is_some_and(is_own);
            if !own {
                jobs.push(Job {
                    id: id.clone(),
                    to: self.at(entry.place, to).join(path),
                    mode: entry.mode,
                    link: entry.link,
                });
            }
        }
        Ok(jobs)
    }

    fn directories(&self, manifest: &Manifest, to: &Path) -> Vec<(PathBuf, u32)> {
        let directories = manifest.directories.iter();
        directories.filter_map(|(place, path, mode)| Some((self.at(*place, to).join(unescape(path)?), *mode))).collect()
    }

    fn at<'a>(&'a self, place: Place, to: &'a Path) -> &'a Path {
        match place {
            Place::Tree => to,
            Place::GitDir => &self.git_dir,
        }
    }
}

/// Whether a file of a git directory is not restored; nor is a lock of a process that is no more.
fn is_own(path: &str) -> bool {
    OWN.contains(&path) || path.ends_with(".lock") && !path.contains('/')
}

impl Job {
    /// Takes the next object from what `git cat-file --batch` prints and writes it to its place.
    fn write(&self, answer: &mut dyn BufRead) -> Result<(), Error> {
        let read = || failed("restore", &self.to);
        let mut header = String::new();
        answer.read_line(&mut header).map_err(read())?;
        let mut fields = header.split_whitespace();
        let size = match (fields.next(), fields.next(), fields.next().and_then(|size| size.parse::<u64>().ok())) {
            (Some(id), Some("blob"), Some(size)) if id == self.id.as_str() => size,
            _ => {
                return Err(read()(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("git answered `{}`", header.trim()),
                )));
            }
        };
        if let Some(above) = self.to.parent() {
            disk::create_dirs(above)?;
        }
        let mut content = answer.take(size);
        if self.link {
            let mut target = Vec::new();
            content.read_to_end(&mut target).map_err(read())?;
            disk::remove_file(&self.to)?;
            symlink(path_from(&target), &self.to).map_err(read())?;
        } else {
            let mut file: File = disk::create_over(&self.to)?;
            let copied = io::copy(&mut content, &mut file).map_err(read())?;
            if copied != size {
                return Err(read()(io::ErrorKind::UnexpectedEof.into()));
            }
            file.flush().map_err(read())?;
            disk::set_mode(&self.to, self.mode)?;
        }
        let mut end = [0; 1];
        answer.read_exact(&mut end).map_err(read())
    }
}

/// Deepest first, since a directory that cannot be written must be the last thing made in it.
fn make_directories(directories: &[(PathBuf, u32)]) -> Result<(), Error> {
    directories.iter().try_for_each(|(path, _)| disk::create_dirs(path))?;
    let mut deepest_first: Vec<_> = directories.iter().collect();
    deepest_first.sort_by_key(|(path, _)| std::cmp::Reverse(path.components().count()));
    deepest_first.iter().try_for_each(|(path, mode)| disk::set_mode(path, *mode))
}
