//! Objects that came in and are not yet the repository's: a folder of their own that borrows the rest.
//!
//! Git that is told of the folder sees what is in it beside the repository's objects; no other git does. Once all was
//! looked at, its files are moved in, each pack before its index, so that none is ever found that is not whole. Dropped
//! before that, nothing of it stays. A folder of a killed process goes with the user's `git gc`, by its name.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::command::Command;
use crate::disk::failed;
use crate::error::Error;
use crate::import::quoted;

/// How git names such folders, and how `git prune` knows them.
const NAME: &str = "tmp_objdir-fleet-";

/// In which order files of a pack are moved: git looks for indexes.
const PACK_ORDER: [&str; 4] = ["keep", "pack", "rev", "idx"];

/// Objects apart.
#[derive(Debug)]
pub(crate) struct Quarantine {
    folder: PathBuf,
    objects: PathBuf,
}

impl Quarantine {
    /// Makes an empty one beside the objects of a repository. Blocks.
    pub(crate) fn make(common_dir: &Path) -> Result<Self, Error> {
        let objects = common_dir.join("objects");
        let made = tempfile::Builder::new().prefix(NAME).tempdir_in(&objects);
        let folder = made.map_err(failed("make directory", &objects))?.keep();
        fs::create_dir(folder.join("pack")).map_err(failed("make directory", &folder))?;
        Ok(Self { folder, objects })
    }

    /// Lets a command store what it makes here, and see it.
    pub(crate) fn within(&self, command: Command) -> Command {
        command
            .variable("GIT_OBJECT_DIRECTORY", &self.folder)
            .variable("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(&self.objects))
    }

    /// Moves everything into the repository. Blocks.
    pub(crate) fn release(self) -> Result<(), Error> {
        let mode = fs::metadata(&self.objects).map_err(failed("read", &self.objects))?.permissions().mode();
        for folder in sorted(&self.folder)? {
            let Some(name) = folder.file_name().filter(|_| folder.is_dir()) else { continue };
            let target = self.objects.join(name);
            if crate::disk::create_dir(&target)? {
                // As git does it in a repository that several users share.
                let shared = fs::set_permissions(&target, fs::Permissions::from_mode(mode));
                shared.map_err(failed("make directory", &target))?;
            }
            let mut files = sorted(&folder)?;
            files.sort_by_key(|file| priority(file));
            for file in files {
                let Some(name) = file.file_name() else { continue };
                // What is there under this name has the same bytes.
                move_in(&file, &target.join(name))?;
            }
        }
        Ok(())
    }
}

impl Drop for Quarantine {
    fn drop(&mut self) {
        // What stays is seen by no git.
        let _ = crate::disk::remove_tree(&self.folder);
    }
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut entries: Vec<PathBuf> = entries.map_err(failed("read", folder))?;
    entries.sort();
    Ok(entries)
}

fn priority(file: &Path) -> Option<usize> {
    let kind = file.extension()?;
    PACK_ORDER.iter().position(|known| kind == *known)
}

fn move_in(from: &Path, to: &Path) -> Result<(), Error> {
    match fs::hard_link(from, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        // Some file systems have no links.
        Err(_) => fs::copy(from, to).map(drop).map_err(failed("write", to)),
        Ok(()) => Ok(()),
    }
}
