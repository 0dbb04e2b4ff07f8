//! Makes the git directory of a session, and makes it ready again for its next process.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::beneath::Beneath;
use crate::disk;
use crate::error::Error;
use crate::escape::quote;
use crate::oid::Oid;
use crate::private::{Private, packed};
use crate::private_state::{REFS, copy_state, read_refs};
use crate::repository::{Head, Kind, Repository};

/// What leads git to other settings or other objects, and is never there unless an agent made it.
const FOREIGN: [&str; 4] = ["commondir", "config.worktree", "gitdir", "objects/info/http-alternates"];

/// Where a session's own git directory names the objects that it borrows.
pub(crate) const ALTERNATES: &str = "objects/info/alternates";

/// What a session's own git directory is made of.
struct Recipe {
    config: String,
    alternates: Vec<u8>,
    /// Branches, tags and remotes of the repository.
    refs: BTreeMap<String, Oid>,
    head: Head,
}

impl Repository {
    /// Gives the added worktree a git directory of its own at `place`, or makes the one that it has ready for the next
    /// process; returns where it is.
    ///
    /// The worktree's `.git` leads there from now on. Its registration stays in the repository and is Fleet's.
    ///
    /// # Errors
    /// [`Error::NoWorktree`] if this is not an added worktree; when git or the disk fails.
    pub async fn give_private(&self, place: &Path) -> Result<PathBuf, Error> {
        let Kind::Linked { root } = self.kind.clone() else {
            return Err(Error::NoWorktree { path: self.root().unwrap_or(&self.git_dir).to_owned() });
        };
        let known = self.private()?;
        if known.is_some() {
            self.take_over().await?;
        }
        let _alone = self.git.locks().take(&self.git_dir).await;
        let recipe = Recipe {
            config: self.private_config().await?,
            alternates: self.alternates(),
            refs: self.all_refs().await?,
            head: self.head().await?,
        };
        let (own, place) = (self.clone(), known.as_ref().map_or_else(|| place.to_owned(), |known| known.path.clone()));
        let made = runtime::blocking(move || {
            let there = known.is_some() && place.is_dir();
            if !there {
                own.make_private(&place, &recipe)?;
            }
            ready(&place, &recipe)?;
            lead(&root, &place)?;
            Ok::<_, Error>(place)
        });
        let place = made.await?;
        self.move_modules(&self.git_dir, &place).await?;
        Ok(place)
    }

    /// Returns what the file of borrowed objects says.
    pub(crate) fn alternates(&self) -> Vec<u8> {
        let objects = self.common_dir.join("objects");
        let bytes = objects.as_os_str().as_bytes();
        let mut line = Vec::new();
        if bytes.contains(&b'\n') || bytes.starts_with(b"\"") || bytes.starts_with(b"#") {
            quote(&objects, &mut line);
        } else {
            line.extend_from_slice(bytes);
            line.push(b'\n');
        }
        line
    }

    pub(crate) async fn all_refs(&self) -> Result<BTreeMap<String, Oid>, Error> {
        let args = ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags", "refs/remotes"];
        let printed = String::from_utf8_lossy(&self.look(args).run().await?).into_owned();
        let lines = printed.lines().filter_map(|line| line.split_once(' '));
        Ok(lines.filter_map(|(oid, name)| Some((name.to_owned(), oid.parse().ok()?))).collect())
    }

    /// Makes it from what the registration says; the record is written last.
    fn make_private(&self, place: &Path, recipe: &Recipe) -> Result<(), Error> {
        // What is there without a record was never finished.
        disk::remove_tree(place)?;
        for folder in ["objects/info", "objects/pack", "refs/heads", "refs/tags", "logs", "info"] {
            disk::create_dirs(&place.join(folder))?;
        }
        disk::set_mode(place, 0o700)?;
        let own = Beneath::open(place)?;
        let (head, branch) = match &recipe.head {
            Head::Branch { name, .. } | Head::Unborn { name } => (format!("ref: {}\n", name.reference()), Some(name)),
            Head::Detached { commit } => (format!("{commit}\n"), None),
        };
        own.write(Path::new("HEAD"), head.as_bytes())?;
        let tip = recipe.head.commit().filter(|_| branch.is_some()).map(ToString::to_string);
        if let (Some(branch), Some(tip)) = (branch, &tip) {
            own.write(Path::new(&branch.reference()), format!("{tip}\n").as_bytes())?;
        }
        for (from, name) in [
            (&self.git_dir, "index"),
            (&self.git_dir, "info/sparse-checkout"),
            (&self.common_dir, "info/exclude"),
            (&self.common_dir, "info/attributes"),
            (&self.common_dir, "shallow"),
        ] {
            if let Ok(bytes) = disk::read(&from.join(name)) {
                own.write(Path::new(name), &bytes)?;
            }
        }
        copy_state(&Beneath::open(&self.git_dir)?, &own)?;
        for (name, oid) in read_refs(&disk::read(&self.git_dir.join(REFS)).unwrap_or_default()) {
            own.write(Path::new(&name), format!("{oid}\n").as_bytes())?;
        }
        let branch = branch.map(ToString::to_string);
        self.write_private(&Private { path: place.to_owned(), branch, tip, before: None, committing: false })
    }
}

/// Writes what is Fleet's to say, and takes away what would say otherwise.
fn ready(place: &Path, recipe: &Recipe) -> Result<(), Error> {
    let own = Beneath::open(place)?;
    for name in FOREIGN {
        own.remove(Path::new(name))?;
    }
    disk::create_dirs(&place.join("hooks"))?;
    own.write(Path::new("config"), recipe.config.as_bytes())?;
    own.write(Path::new(ALTERNATES), &recipe.alternates)?;
    // What the session has under the same name in a file of its own counts before this.
    let mut refs: BTreeMap<String, Oid> = packed(&own)?.into_iter().collect();
    refs.extend(recipe.refs.iter().map(|(name, oid)| (name.clone(), oid.clone())));
    let mut text = b"# pack-refs with: sorted \n".to_vec();
    for (name, oid) in &refs {
        text.extend(format!("{oid} {name}\n").as_bytes());
    }
    own.write(Path::new("packed-refs"), &text)
}

/// Makes the `.git` of a worktree lead to a git directory.
pub(crate) fn lead(root: &Path, git_dir: &Path) -> Result<(), Error> {
    let link = root.join(".git");
    let text = [b"gitdir: ", git_dir.as_os_str().as_bytes(), b"\n"].concat();
    if !root.is_dir() || disk::read_own(&link, u64::from(u16::MAX)).is_some_and(|found| found == text) {
        return Ok(());
    }
    disk::create_over(&link)?.write_all(&text).map_err(disk::failed("write", &link))?;
    disk::set_mode(&link, 0o644)
}
