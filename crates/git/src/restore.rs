//! A snapshot made into a worktree again: every byte, mode and link, the index, and a merge or rebase under way.
//!
//! Files are written as they were stored, past the filters that a checkout would apply. A restored worktree is one more
//! worktree: nothing that exists is overwritten, and what fails half-way is taken back.
//!
//! A snapshot is a reference, and agents write references: what it says need not be what Fleet took. So nothing is
//! written outside of the new worktree and its git directory, nor through a link that the snapshot itself brings, nor
//! over what leads git from the one to the other.

use std::collections::HashMap;
use std::fs::Permissions;
use std::io::{self, BufRead, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use beneath::Folder;

use crate::branch::{BranchName, SnapshotName};
use crate::command::LONG;
use crate::commit::Swap;
use crate::disk::{self, failed};
use crate::error::Error;
use crate::escape::unescape;
use crate::manifest::Manifest;
use crate::oid::Oid;
use crate::repository::{Repository, path_from};
use crate::walk::Area;
use crate::worktree::resolved;

/// Files of a git directory that say where the worktree is; the new one has its own.
const OWN: [&str; 5] = ["HEAD", "gitdir", "commondir", "config.worktree", "locked"];

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

/// The mode of folders above what is restored, as far as the umask allows.
const FOLDER_MODE: u32 = 0o777;

/// How many other names are tried for a branch without a commit.
const NAMES_MAX: u32 = 1000;

/// Something to be written.
struct Job {
    id: Oid,
    place: Area,
    /// Below its place, of names alone.
    path: PathBuf,
    mode: u32,
    link: bool,
}

/// The two folders of the new worktree, opened: whatever is written lies beneath one of them.
pub(crate) struct Places {
    tree: Folder,
    git_dir: Folder,
}

impl Places {
    pub(crate) fn open(tree: &Path, git_dir: &Path) -> Result<Self, Error> {
        let open = |path: &Path| Folder::open(path).map_err(failed("open", path));
        Ok(Self { tree: open(tree)?, git_dir: open(git_dir)? })
    }

    pub(crate) fn at(&self, place: Area) -> &Folder {
        match place {
            Area::Tree => &self.tree,
            Area::GitDir => &self.git_dir,
        }
    }
}

/// A snapshot as it was found.
struct StoredSnapshot {
    commit: Oid,
    rest: Oid,
    /// The commit that HEAD was at.
    head: Option<Oid>,
    manifest: Manifest,
}

impl Repository {
    /// Makes a worktree at `to` that is what the snapshot captured; nothing may be there but an empty directory.
    ///
    /// # Errors
    /// When there is no such snapshot, something is at `to`, or git or the disk fails; then nothing is left behind.
    pub async fn restore(&self, name: &SnapshotName, to: &Path) -> Result<Restored, Error> {
        let commit = self.commit_at(&name.reference()).await?;
        let commit = commit.ok_or_else(|| Error::NoSnapshot { name: name.clone() })?;
        self.restored(&self.kept(name, commit).await?, name, to).await
    }

    /// Makes a worktree of the very snapshot that was taken, wherever its reference leads by now; one whose reference was
    /// deleted is none.
    ///
    /// # Errors
    /// As [`Repository::restore`].
    pub async fn restore_from(&self, name: &SnapshotName, commit: Oid, to: &Path) -> Result<Restored, Error> {
        if self.commit_at(&name.reference()).await?.is_none() {
            return Err(Error::NoSnapshot { name: name.clone() });
        }
        self.restored(&self.kept(name, commit).await?, name, to).await
    }

    async fn restored(&self, kept: &StoredSnapshot, name: &SnapshotName, to: &Path) -> Result<Restored, Error> {
        let to = resolved(to);
        let at = kept.head.as_ref().unwrap_or(&kept.commit).to_string();
        {
            let _alone = self.git.locks().take(&self.common_dir).await;
            if !disk::is_free(&to) {
                return Err(Error::Occupied { path: to });
            }
            self.add(&to, &at, &["--detach"]).await?;
        }
        let restored = self.refill(kept, name, &to).await;
        if restored.is_err() {
            let _alone = self.git.locks().take(&self.common_dir).await;
            self.forget(&to).await;
        }
        restored
    }

    async fn kept(&self, name: &SnapshotName, commit: Oid) -> Result<StoredSnapshot, Error> {
        let foreign = |reason: String| Error::ForeignSnapshot { name: name.clone(), reason };
        let missing = || Error::NoSnapshot { name: name.clone() };
        let commit = self.commit_at(commit.as_str()).await?.ok_or_else(missing)?;
        let printed = self.apart(["rev-list", "--parents", "--max-count=1", commit.as_str()]).run().await?;
        let rest = printed.trim_ascii().rsplit(|byte| *byte == b' ').next().and_then(Oid::from_bytes);
        let rest = rest.filter(|rest| *rest != commit).ok_or_else(|| foreign("it has no parent".to_owned()))?;
        let text = self.apart(["cat-file", "blob", &format!("{rest}:manifest")]).run().await;
        let text = text.map_err(|_| foreign("it has no manifest".to_owned()))?;
        let manifest = Manifest::read(&text).map_err(foreign)?;
        let head = manifest.commit.as_deref().map(str::parse::<Oid>).transpose();
        let head = head.map_err(|_| foreign("its HEAD is not a commit".to_owned()))?;
        Ok(StoredSnapshot { commit, rest, head, manifest })
    }

    async fn refill(&self, kept: &StoredSnapshot, name: &SnapshotName, to: &Path) -> Result<Restored, Error> {
        let worktree = self.worktree(to).await?;
        worktree.is_partial(name)?;
        let head = worktree.set_head(kept).await?;
        let foreign = |reason: String| Error::ForeignSnapshot { name: name.clone(), reason };
        let jobs = worktree.jobs(kept).await?.map_err(foreign)?;
        let directories = directories(&kept.manifest).map_err(foreign)?;
        let input = jobs.iter().flat_map(|job| format!("{}\n", job.id).into_bytes()).collect();
        let stream = self.apart(["cat-file", "--batch"]).input(input).limit(LONG);
        let (tree, git_dir) = (to.to_owned(), worktree.git_dir.clone());
        let written = move |answer: &mut dyn BufRead| {
            let places = Places::open(&tree, &git_dir)?;
            jobs.iter().try_for_each(|job| job.write(&places, answer))?;
            make_directories(&places, &directories)
        };
        stream.stream(written).await?;
        worktree.rewire(&kept.manifest, to).await?;
        worktree.is_whole()?;
        Ok(Restored { worktree, head })
    }

    /// Puts HEAD on its branch, if the branch is unchanged and not checked out elsewhere.
    async fn set_head(&self, kept: &StoredSnapshot) -> Result<RestoredHead, Error> {
        let branch = kept.manifest.branch.as_deref();
        let Some(was_on) = branch.and_then(|name| BranchName::from_reference(&format!("refs/heads/{name}"))) else {
            return Ok(RestoredHead::AsItWas);
        };
        let Some(was_at) = kept.head.clone() else {
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

    /// Lists what is to be written, or says why it may not be.
    async fn jobs(&self, kept: &StoredSnapshot) -> Result<Result<Vec<Job>, String>, Error> {
        let files = self.files_of(kept.commit.as_str()).await?;
        let stored = if kept.manifest.stored.is_empty() {
            HashMap::new()
        } else {
            let files = self.files_of(&format!("{}:stored", kept.rest)).await?;
            files.into_iter().filter_map(|(_, id, path)| Some((path.to_str()?.parse::<usize>().ok()?, id))).collect()
        };
        Ok(listed(files, &stored, &kept.manifest))
    }
}

fn listed(
    files: Vec<(String, Oid, PathBuf)>,
    stored: &HashMap<usize, Oid>,
    manifest: &Manifest,
) -> Result<Vec<Job>, String> {
    let modes = manifest.modes();
    let mut jobs = Vec::new();
    for (mode, id, path) in files {
        let usual = if mode == "100755" { 0o755 } else { 0o644 };
        let mode_wanted = modes.get(&path).copied().unwrap_or(usual);
        let path = below(Area::Tree, &path)?;
        jobs.push(Job { id, place: Area::Tree, path, mode: mode_wanted, link: mode == "120000" });
    }
    for (number, entry) in manifest.stored.iter().enumerate() {
        let (Some(id), Some(path)) = (stored.get(&number), unescape(&entry.path)) else { continue };
        let path = below(entry.place, &path)?;
        if entry.place == Area::Tree || !is_own(&path) {
            jobs.push(Job { id: id.clone(), place: entry.place, path, mode: entry.mode, link: entry.link });
        }
    }
    Ok(jobs)
}

fn directories(manifest: &Manifest) -> Result<Vec<(Area, PathBuf, u32)>, String> {
    let directories = manifest.directories.iter();
    let named = directories.filter_map(|(place, path, mode)| Some((*place, unescape(path)?, *mode)));
    named.map(|(place, path, mode)| Ok((place, below(place, &path)?, mode))).collect()
}

/// Returns a path of names alone, unless it leads out of its place, or to what leads git from the files to their git
/// directory.
fn below(place: Area, path: &Path) -> Result<PathBuf, String> {
    let parts = || path.components().filter(|part| *part != Component::CurDir);
    let inside = parts().next().is_some() && parts().all(|part| matches!(part, Component::Normal(_)));
    let leads = place == Area::Tree && parts().next().is_some_and(|first| first.as_os_str() == ".git");
    if inside && !leads { Ok(parts().collect()) } else { Err(format!("it has a file at `{}`", path.display())) }
}

/// Whether a file of a git directory is not restored; nor is a lock of a process that has ended.
fn is_own(path: &Path) -> bool {
    let name = path.to_str().filter(|name| !name.contains('/'));
    name.is_some_and(|name| OWN.contains(&name) || name.ends_with(".lock"))
}

impl Job {
    /// Takes the next object from what `git cat-file --batch` prints and writes it to its place.
    fn write(&self, places: &Places, answer: &mut dyn BufRead) -> Result<(), Error> {
        let read = || failed("restore", &self.path);
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
        let folder = places.at(self.place);
        if let Some(above) = self.path.parent() {
            folder.create_folders(above, FOLDER_MODE).map_err(read())?;
        }
        let mut content = answer.take(size);
        if self.link {
            let mut target = Vec::new();
            content.read_to_end(&mut target).map_err(read())?;
            folder.put_link(&self.path, &path_from(&target)).map_err(read())?;
        } else {
            let mut file = folder.put(&self.path).map_err(read())?;
            let copied = io::copy(&mut content, &mut file).map_err(read())?;
            if copied != size {
                return Err(read()(io::ErrorKind::UnexpectedEof.into()));
            }
            file.set_permissions(Permissions::from_mode(self.mode)).map_err(read())?;
        }
        let mut end = [0; 1];
        answer.read_exact(&mut end).map_err(read())
    }
}

/// Deepest first, since a directory that cannot be written must be the last thing made in it.
fn make_directories(places: &Places, directories: &[(Area, PathBuf, u32)]) -> Result<(), Error> {
    let made = |(place, path, _): &(Area, PathBuf, u32)| {
        places.at(*place).create_folders(path, FOLDER_MODE).map(drop).map_err(failed("make directory", path))
    };
    directories.iter().try_for_each(made)?;
    let mut deepest_first: Vec<_> = directories.iter().collect();
    deepest_first.sort_by_key(|(_, path, _)| std::cmp::Reverse(path.components().count()));
    deepest_first.iter().try_for_each(|(place, path, mode)| {
        let folder = places.at(*place).folder(path);
        folder.and_then(|folder| folder.set_mode(*mode)).map_err(failed("set the mode of", path))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_names_nothing_outside_and_nothing_that_leads_git() {
        for path in ["/etc/x", "../x", "a/../../x", "", ".", ".git", "./.git/config", ".git/hooks/x"] {
            assert!(below(Area::Tree, Path::new(path)).is_err(), "{path}");
        }
        for path in ["../../hooks/x", "/x"] {
            assert!(below(Area::GitDir, Path::new(path)).is_err(), "{path}");
        }
        assert_eq!(below(Area::Tree, Path::new("./sub/.git")), Ok("sub/.git".into()));
        for path in ["./commondir", "HEAD", "index.lock"] {
            assert!(is_own(&below(Area::GitDir, Path::new(path)).unwrap()), "{path}");
        }
        assert!(!is_own(Path::new("modules/sub/HEAD")));
    }
}
