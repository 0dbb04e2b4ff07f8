//! Caches that an agent finds as its user left them, and changes for itself alone.
//!
//! Package managers unpack what they download and run it at the next build, of this project or another. So no agent
//! writes to a cache of its user: it sees the shared one, with a layer of its own on top (overlayfs) that takes what it
//! writes. Where the kernel makes no layers, it has an empty cache of its own in that place.

use std::fs::{DirBuilder, OpenOptions, Permissions};
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsconfig_set_flag, fsconfig_set_string, fsmount, fsopen,
};
use serde::{Deserialize, Serialize};

/// Longer paths are not layered: the name of a layer's folder is made of its path.
const NAME_MAX: usize = 200;

/// What is written to one cache, and the folder that the kernel needs to write it.
const WRITTEN: &str = "written";
const WORK: &str = "work";

/// Caches of the user, and where the layers on top of them are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caches {
    /// The caches.
    pub shared: Vec<PathBuf>,
    /// A folder of this process alone.
    pub own: PathBuf,
}

/// A cache with a layer on top.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// The cache, which is where programs find it.
    pub cache: PathBuf,
    /// The folder of the layer; made if it is not there.
    pub own: PathBuf,
}

impl Caches {
    /// Returns the layer for a cache; the same each time, as its folder may be used again.
    pub(crate) fn layer(&self, cache: PathBuf) -> Option<Layer> {
        let name = cache.to_str()?.replace('/', "%");
        (name.len() <= NAME_MAX).then(|| Layer { own: self.own.join(name), cache })
    }
}

/// Makes the mount of a layer on top of its cache. `/proc` must be the one of this process.
pub(crate) fn mount(layer: &Layer, attributes: MountAttrFlags) -> io::Result<OwnedFd> {
    let lower = open(&layer.cache)?;
    let [written, work] = [WRITTEN, WORK].map(|name| layer.own.join(name));
    if !layer.cache.is_dir() {
        // A lock: an empty one of its own.
        DirBuilder::new().recursive(true).mode(0o700).create(&layer.own)?;
        OpenOptions::new().create(true).append(true).mode(0o600).open(&written)?;
        return crate::mounts::cloned(&written);
    }
    for folder in [&written, &work] {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let [upper, work] = [open(&written)?, open(&work)?];
    // By descriptors: no link is followed, and no sign in a path is taken for one between paths.
    let name = |folder: &OwnedFd| format!("/proc/self/fd/{}", folder.as_raw_fd());
    let layered = || -> io::Result<OwnedFd> {
        let made = fsopen("overlay", FsOpenFlags::FSOPEN_CLOEXEC)?;
        for (option, folder) in [("lowerdir", &lower), ("upperdir", &upper), ("workdir", &work)] {
            fsconfig_set_string(made.as_fd(), option, name(folder))?;
        }
        fsconfig_set_flag(made.as_fd(), "userxattr")?;
        fsconfig_create(made.as_fd())?;
        Ok(fsmount(made.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes)?)
    };
    layered().or_else(|_| crate::mounts::cloned(&written))
}

fn open(path: &Path) -> io::Result<OwnedFd> {
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    Ok(openat2(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), resolve)?)
}

/// Removes a folder that an agent or a command wrote to, with folders that it took its user's rights to; layers have such.
/// One that is not there is removed.
///
/// # Errors
/// When something in it cannot be removed.
#[expect(clippy::disallowed_methods, reason = "callers name folders of temporary files and caches alone")]
pub fn remove_private(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let mut rest = vec![folder.to_owned()];
            while let Some(folder) = rest.pop() {
                let _ = give_back(&folder);
                let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
                let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
                rest.extend(folders.map(|entry| entry.path()));
            }
            std::fs::remove_dir_all(folder)
        }
        done => done,
    }
}

/// Gives the owner its rights to a folder; never to what a link leads to.
fn give_back(folder: &Path) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::open(folder, flags, Mode::empty())?;
    std::fs::set_permissions(format!("/proc/self/fd/{}", folder.as_raw_fd()), Permissions::from_mode(0o700))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_is_named_after_its_cache() {
        let caches = Caches { shared: Vec::new(), own: "/own".into() };
        let layer = caches.layer("/users/me/.cargo/registry".into()).unwrap();
        assert_eq!(layer.own, Path::new("/own/%users%me%.cargo%registry"));
        assert_eq!(caches.layer(format!("/{}", "a".repeat(NAME_MAX)).into()), None);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test makes a folder as a program would")]
    fn folders_without_rights_are_removed_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (gone, kept) = (folder.path().join("gone"), folder.path().join("kept"));
        std::fs::create_dir_all(gone.join("a/b")).unwrap();
        std::fs::create_dir_all(&kept).unwrap();
        std::fs::write(gone.join("a/b/file"), "text").unwrap();
        std::os::unix::fs::symlink(&kept, gone.join("link")).unwrap();
        std::fs::set_permissions(&kept, Permissions::from_mode(0o500)).unwrap();
        for path in ["a/b", "a"] {
            std::fs::set_permissions(gone.join(path), Permissions::from_mode(0o000)).unwrap();
        }
        remove_private(&gone).unwrap();
        assert!(!gone.exists() && kept.exists());
        assert_eq!(kept.metadata().unwrap().permissions().mode() & 0o777, 0o500);
        remove_private(&gone).unwrap();
    }
}
