//! The end of a session's own git directory: all that is in it goes into the repository and the registration, where a
//! snapshot finds it; only then it is removed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::beneath::Beneath;
use crate::disk;
use crate::error::Error;
use crate::oid::Oid;
use crate::private::{Private, TEXT_MAX};
use crate::private_make::lead;
use crate::private_state::{REFS, copy_state, refs, state, written_refs};
use crate::repository::Repository;
use crate::take_over::Moved;

/// How many directories that could not be taken over whole are kept beside each other.
const KEPT_MAX: u32 = 1000;

/// What a session's git directory names beside its HEAD and branch.
struct Named {
    refs: Vec<(String, Oid)>,
    mentioned: BTreeSet<Oid>,
}

impl Repository {
    /// Takes over everything, so that the registration has what the session's own git directory has.
    pub(crate) async fn settle(&self) -> Result<(), Error> {
        let Some(private) = self.private()? else { return Ok(()) };
        self.take_over_or(Moved::Detach).await?;
        let read = private.clone();
        let Named { refs, mentioned } = runtime::blocking(move || named(&read)).await?;
        let tips = refs.iter().map(|(_, oid)| oid.clone()).chain(mentioned).collect();
        let tips = self.found_in(&private, &tips).await?;
        self.import(&private, &tips).await?;
        let (beyond, known) = (self.beyond(&tips).await?, self.all_refs().await?);
        let own = refs.into_iter().filter(|(_, oid)| tips.contains(oid));
        let own = own.filter(|(name, oid)| !known.contains_key(name) || beyond.contains(oid));
        let (own, git_dir): (Vec<_>, _) = (own.collect(), self.git_dir.clone());
        runtime::blocking(move || {
            let to = Beneath::open(&git_dir)?;
            to.write(Path::new(REFS), &written_refs(&own))?;
            copy_state(&private.open()?, &to)
        })
        .await
    }

    /// Makes the worktree one that has no git directory of its own again.
    ///
    /// What cannot be taken over stays beside where it was, and is told of.
    pub(crate) async fn dissolve(&self) -> Result<(), Error> {
        let Some(private) = self.private()? else { return Ok(()) };
        let settled = if private.path.is_dir() { self.settle().await } else { Ok(()) };
        let moved = self.move_modules(&private.path, &self.git_dir).await;
        let (own, root) = (self.clone(), self.linked_root());
        runtime::blocking(move || {
            root.map_or(Ok(()), |root| lead(&root, &own.git_dir))?;
            own.forget_private()?;
            match settled.and(moved) {
                Ok(()) => disk::remove_tree(&private.path),
                Err(error) => {
                    let kept = put_aside(&private.path)?;
                    tracing::warn!(path = %kept.display(), %error, "a session's git directory is kept: not all of it could be taken over");
                    Ok(())
                }
            }
        })
        .await
    }

    /// Returns those of `names` that are commits or tags, here or in the session's own git directory.
    async fn found_in(&self, private: &Private, names: &BTreeSet<Oid>) -> Result<BTreeSet<Oid>, Error> {
        if names.is_empty() {
            return Ok(BTreeSet::new());
        }
        self.plain_objects(private).await?;
        let input = names.iter().flat_map(|id| format!("{id}\n").into_bytes()).collect();
        let check = self.borrowing(private, ["cat-file", "--batch-check=%(objecttype) %(objectname)", "--buffer"]);
        let printed = check.input(input).run().await?;
        let lines = printed.split(|byte| *byte == b'\n');
        let objects = lines.filter_map(|line| line.strip_prefix(b"commit ").or_else(|| line.strip_prefix(b"tag ")));
        Ok(objects.filter_map(Oid::from_bytes).collect())
    }

    /// Returns the commits of `tips` that no branch, tag or remote of the repository leads to.
    async fn beyond(&self, tips: &BTreeSet<Oid>) -> Result<BTreeSet<Oid>, Error> {
        let input = tips.iter().flat_map(|id| format!("{id}\n").into_bytes()).collect();
        let args = ["rev-list", "--stdin", "--not", "--branches", "--tags", "--remotes"];
        let printed = self.apart(args).input(input).run().await?;
        Ok(printed.split(|byte| *byte == b'\n').filter_map(Oid::from_bytes).collect())
    }
}

fn named(private: &Private) -> Result<Named, Error> {
    let own = private.open()?;
    let mut mentioned = BTreeSet::new();
    for below in state(&own)? {
        // Longer ones are lists of nothing that a person did.
        let Ok(Some(bytes)) = own.read(&below.path, TEXT_MAX) else { continue };
        let words = bytes.split(|byte| !byte.is_ascii_hexdigit());
        mentioned.extend(words.filter_map(Oid::from_bytes).filter(|oid| oid.as_str().bytes().any(|byte| byte != b'0')));
    }
    Ok(Named { refs: refs(&own)?, mentioned })
}

#[expect(clippy::disallowed_methods, reason = "it is moved to a name that nothing has")]
fn put_aside(path: &Path) -> Result<PathBuf, Error> {
    let name = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".kept{number}"));
        PathBuf::from(name)
    };
    let to = (1..KEPT_MAX).map(name).find(|to| to.symlink_metadata().is_err()).unwrap_or_else(|| name(KEPT_MAX));
    match std::fs::rename(path, &to) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(disk::failed("put aside", path)(error)),
        Ok(()) | Err(_) => Ok(to),
    }
}
