//! Everything below a folder but what is hidden, as a list of what may be seen.
//!
//! Landlock knows only what is allowed, with everything below. So a folder with something hidden in it is not named,
//! but each of its entries is that hides nothing. Links are never named: what they lead to is judged by its own place.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

/// What is on the disk, as far as it is asked about.
pub trait Listing {
    /// Returns the entries of a folder that are not links; nothing if it is none or cannot be read.
    fn entries(&self, folder: &Path) -> Vec<PathBuf>;

    /// Returns the links in a folder, each with what it leads to.
    fn links(&self, folder: &Path) -> Vec<(PathBuf, PathBuf)>;

    /// Returns what a link leads to; none if it is not a link.
    fn link(&self, path: &Path) -> Option<PathBuf>;

    /// Returns the place itself behind all links; none if there is nothing.
    fn real(&self, path: &Path) -> Option<PathBuf>;
}

/// The disks of this machine, for one look: hundreds of places are asked about that lie in a few folders, so what is
/// behind a folder is kept.
#[derive(Debug, Default)]
pub struct System {
    folders: RefCell<HashMap<PathBuf, Option<PathBuf>>>,
}

impl System {
    /// Returns the place behind a folder, asking the disk once.
    fn folder(&self, folder: &Path) -> Option<PathBuf> {
        if let Some(known) = self.folders.borrow().get(folder) {
            return known.clone();
        }
        let real = folder.canonicalize().ok();
        self.folders.borrow_mut().insert(folder.to_owned(), real.clone());
        real
    }
}

impl Listing for System {
    fn entries(&self, folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let real = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
        let mut entries: Vec<PathBuf> = real.map(|entry| entry.path()).collect();
        entries.sort();
        entries
    }

    fn links(&self, folder: &Path) -> Vec<(PathBuf, PathBuf)> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
        links.filter_map(|entry| Some((entry.path(), std::fs::read_link(entry.path()).ok()?))).collect()
    }

    fn link(&self, path: &Path) -> Option<PathBuf> {
        std::fs::read_link(path).ok()
    }

    fn real(&self, path: &Path) -> Option<PathBuf> {
        // Only a name can be added to what is behind its folder.
        let (Some(parent), Some(Component::Normal(name))) = (path.parent(), path.components().next_back()) else {
            return path.canonicalize().ok();
        };
        let here = self.folder(parent)?.join(name);
        let found = here.symlink_metadata().ok()?;
        if found.is_symlink() { here.canonicalize().ok() } else { Some(here) }
    }
}

/// What is not to be seen, and what lies above it.
///
/// Every start of an agent asks about each entry of every folder above a hundred such places; looking an entry up takes
/// no longer with more of them.
#[derive(Debug)]
pub(crate) struct Hidden<'a> {
    places: HashSet<&'a Path>,
    above: HashSet<&'a Path>,
}

impl<'a> Hidden<'a> {
    pub(crate) fn new(paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        let places: HashSet<&Path> = paths.into_iter().map(PathBuf::as_path).collect();
        let above = places.iter().flat_map(|place| place.ancestors().skip(1)).collect();
        Self { places, above }
    }

    /// Returns whether something below a path is hidden.
    pub(crate) fn is_above(&self, path: &Path) -> bool {
        self.above.contains(path)
    }

    /// Returns whether a path is hidden, or below something that is.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        path.ancestors().any(|part| self.places.contains(part))
    }
}

/// Returns what to name so that everything at and below `root` is seen, but for what is hidden below it.
pub(crate) fn visible(root: &Path, hidden: &Hidden<'_>, listing: &impl Listing) -> Vec<PathBuf> {
    if !hidden.above.contains(root) {
        return vec![root.to_owned()];
    }
    let entries = listing.entries(root).into_iter().filter(|entry| !hidden.places.contains(entry.as_path()));
    entries.flat_map(|entry| visible(&entry, hidden, listing)).collect()
}

/// Returns the links in `root` and in the folders below it of which [`visible`] names the entries.
pub(crate) fn links(root: &Path, hidden: &Hidden<'_>, listing: &impl Listing) -> Vec<(PathBuf, PathBuf)> {
    if !hidden.above.contains(root) {
        return Vec::new();
    }
    let mut found = listing.links(root);
    found.retain(|(link, _)| !hidden.places.contains(link.as_path()));
    let entries = listing.entries(root).into_iter().filter(|entry| !hidden.places.contains(entry.as_path()));
    for entry in entries {
        found.extend(links(&entry, hidden, listing));
    }
    found
}

/// How many links a path may lead through, as with the kernel.
const LINKS_MAX: usize = 40;

/// Returns the links that a path leads through, each with what it leads to.
pub(crate) fn links_on(path: &Path, listing: &impl Listing) -> Vec<(PathBuf, PathBuf)> {
    let mut found = Vec::new();
    let mut path = path.to_owned();
    while found.len() < LINKS_MAX {
        let mut parts: Vec<&Path> = path.ancestors().collect();
        parts.reverse();
        let first = parts.into_iter().find_map(|part| Some((part.to_owned(), listing.link(part)?)));
        let Some((link, target)) = first else { break };
        let rest = path.strip_prefix(&link).map(Path::to_owned).unwrap_or_default();
        let leads_to = link.parent().unwrap_or(Path::new("/")).join(&target).join(rest);
        found.push((link, target));
        path = without_dots(&leads_to);
    }
    found
}

/// Takes `.` and `..` out of a path whose part before them has no links left in it, or will be looked at again.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            Component::RootDir | Component::Normal(_) | Component::Prefix(_) => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// A disk of files, by their paths.
    #[derive(Debug, Clone)]
    struct Disk(BTreeSet<PathBuf>);

    impl Listing for Disk {
        fn entries(&self, folder: &Path) -> Vec<PathBuf> {
            let below = self.0.iter().filter_map(|path| path.strip_prefix(folder).ok()?.components().next());
            let names: BTreeSet<_> = below.collect();
            names.into_iter().map(|name| folder.join(name)).collect()
        }

        fn links(&self, _: &Path) -> Vec<(PathBuf, PathBuf)> {
            Vec::new()
        }

        fn link(&self, _: &Path) -> Option<PathBuf> {
            None
        }

        fn real(&self, path: &Path) -> Option<PathBuf> {
            Some(path.to_owned())
        }
    }

    fn path() -> impl Strategy<Value = PathBuf> {
        prop::collection::vec("[abc]", 1..5).prop_map(|parts| Path::new("/").join(parts.join("/")))
    }

    proptest! {
        #[test]
        fn a_file_is_seen_exactly_if_nothing_hides_it(
            files in prop::collection::btree_set(path(), 1..40),
            hidden in prop::collection::vec(path(), 0..6),
        ) {
            // A path with others below it is a folder.
            let is_file = |file: &&PathBuf| !files.iter().any(|other| other != *file && other.starts_with(file));
            let disk = Disk(files.iter().filter(is_file).cloned().collect());
            // Nothing lies below a file.
            let can_be = |hidden: &PathBuf| !disk.0.iter().any(|file| hidden != file && hidden.starts_with(file));
            let hidden: Vec<PathBuf> = hidden.into_iter().filter(can_be).collect();
            let seen = visible(Path::new("/"), &Hidden::new(&hidden), &disk);
            for file in &disk.0 {
                let hides = hidden.iter().any(|hidden| file.starts_with(hidden));
                let shows = seen.iter().any(|seen| file.starts_with(seen));
                prop_assert_eq!(shows, !hides, "{:?} in {:?}", file, seen);
            }
        }
    }

    #[test]
    fn a_folder_that_hides_nothing_is_named_once_and_whole() {
        let disk = Disk(["/usr/bin/a", "/usr/lib/b", "/h/.ssh/key", "/h/notes"].map(PathBuf::from).into());
        let hidden = [PathBuf::from("/h/.ssh")];
        assert_eq!(
            visible(Path::new("/"), &Hidden::new(&hidden), &disk),
            [PathBuf::from("/h/notes"), PathBuf::from("/usr")]
        );
        assert_eq!(visible(Path::new("/usr"), &Hidden::new(&hidden), &disk), [PathBuf::from("/usr")]);
        // A hidden path that is named explicitly is shown.
        assert_eq!(visible(Path::new("/h/.ssh"), &Hidden::new(&hidden), &disk), [PathBuf::from("/h/.ssh")]);
    }

    #[test]
    fn links_are_not_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("real")).unwrap();
        std::os::unix::fs::symlink("real", folder.path().join("link")).unwrap();
        assert_eq!(System::default().entries(folder.path()), [folder.path().join("real")]);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test makes what is looked at")]
    fn what_is_behind_a_place_is_what_the_kernel_says() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("real/deep")).unwrap();
        std::fs::File::create(folder.path().join("real/file")).unwrap();
        for (to, link) in [("real", "link"), ("../real/file", "real/again"), ("nowhere", "dangling"), ("loop", "loop")]
        {
            std::os::unix::fs::symlink(to, folder.path().join(link)).unwrap();
        }
        let system = System::default();
        let names = ["real", "link", "link/file", "link/deep", "link/deep/..", "link/./file", "link/again", "dangling"];
        for name in names.into_iter().chain(["dangling/file", "real/file/no", "loop", "link/none", "", ".."]) {
            let path = folder.path().join(name);
            assert_eq!(system.real(&path), path.canonicalize().ok(), "{name}");
        }
        assert_eq!(system.real(Path::new("/")), Some(PathBuf::from("/")));
    }
}
