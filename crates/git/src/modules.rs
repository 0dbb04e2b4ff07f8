//! The stores of submodules, which lie in the git directory of their worktree and move when that becomes another one.
//!
//! A submodule knows by path where its store is, and the store knows by path where its files are. Both are an agent's to
//! write, so neither is followed out of the worktree.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use crate::beneath::Beneath;
use crate::disk;
use crate::error::Error;
use crate::private::TEXT_MAX;
use crate::repository::{Repository, path_from};
use crate::rewire::plain;

/// The folder of the stores.
const MODULES: &str = "modules";

/// How many files of stores are looked at.
const FILES_MAX: usize = 2_000_000;

/// The longest file of a store that is copied, where it cannot be moved.
const FILE_MAX: u64 = 1 << 33;

impl Repository {
    /// Moves the stores of submodules from one git directory of this worktree to another.
    pub(crate) async fn move_modules(&self, from: &Path, to: &Path) -> Result<(), Error> {
        let Some(root) = self.linked_root() else { return Ok(()) };
        let (old, new) = (from.join(MODULES), to.join(MODULES));
        if !old.symlink_metadata().is_ok_and(|found| found.is_dir()) || new.symlink_metadata().is_ok() {
            return Ok(());
        }
        let (source, target) = (from.to_owned(), to.to_owned());
        let stores = runtime::blocking(move || {
            carry(&source, &target)?;
            stores(&Beneath::open(&target)?)
        });
        for store in stores.await? {
            let (before, now) = (from.join(&store), to.join(&store));
            let ask = self.apart(["config", "--file"]).arg(now.join("config")).arg("--get").arg("core.worktree");
            let said = ask.run_to(&[0, 1]).await?.stdout;
            let folder = plain(&before.join(path_from(said.trim_ascii_end())));
            let Ok(inside) = folder.strip_prefix(&root).map(Path::to_owned) else { continue };
            let (top, link) = (root.clone(), now.clone());
            let led = runtime::blocking(move || lead_back(&top, &inside, &before, &link)).await;
            if led? {
                let set = self.apart(["config", "--file"]).arg(now.join("config")).arg("core.worktree").arg(&folder);
                set.run().await?;
            }
        }
        Ok(())
    }
}

/// Finds the stores, also of submodules of submodules.
fn stores(git_dir: &Beneath) -> Result<Vec<PathBuf>, Error> {
    let found = git_dir.walk(Path::new(MODULES), FILES_MAX)?;
    let heads = found.iter().filter(|below| below.kind == FileType::RegularFile && below.path.ends_with("HEAD"));
    let folders = heads.filter_map(|below| below.path.parent().map(Path::to_owned));
    let has_config = |folder: &PathBuf| {
        found.iter().any(|below| below.kind == FileType::RegularFile && below.path == folder.join("config"))
    };
    Ok(folders.filter(has_config).collect())
}

/// Makes the link of a submodule lead to its store, if it led to where that was.
fn lead_back(root: &Path, inside: &Path, before: &Path, now: &Path) -> Result<bool, Error> {
    let (top, name) = (Beneath::open(root)?, inside.join(".git"));
    let Ok(Some(said)) = top.read(&name, TEXT_MAX) else { return Ok(false) };
    let Some(target) = said.strip_prefix(b"gitdir: ") else { return Ok(false) };
    if plain(&root.join(inside).join(path_from(target.trim_ascii_end()))) != before {
        return Ok(false);
    }
    top.write(&name, &[b"gitdir: ", now.as_os_str().as_bytes(), b"\n"].concat())?;
    Ok(true)
}

#[expect(clippy::disallowed_methods, reason = "it is moved to a name that nothing has")]
fn carry(from: &Path, to: &Path) -> Result<(), Error> {
    match std::fs::rename(from.join(MODULES), to.join(MODULES)) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::CrossesDevices => {}
        Err(error) => return Err(disk::failed("move", &from.join(MODULES))(error)),
    }
    let (source, target) = (Beneath::open(from)?, Beneath::open(to)?);
    for below in source.walk(Path::new(MODULES), FILES_MAX)?.iter().filter(|one| one.kind == FileType::RegularFile) {
        if let Some(bytes) = source.read(&below.path, FILE_MAX)? {
            target.write(&below.path, &bytes)?;
        }
    }
    disk::remove_tree(&from.join(MODULES))
}
