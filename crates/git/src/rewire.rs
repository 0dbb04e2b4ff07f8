//! Submodules know by path where their git directory is, and it knows by path where they are; both move on a restore.

use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use beneath::Folder;

use crate::disk::failed;
use crate::error::Error;
use crate::escape::unescape;
use crate::manifest::Manifest;
use crate::repository::{Repository, path_from};
use crate::restore::Places;
use crate::walk::Area;

/// The longest `.git` file that is read.
const LINK_MAX: u64 = 8 * 1024;

impl Repository {
    /// Points submodules at the restored git directory, if it or the worktree is not where it was.
    pub(crate) async fn rewire(&self, manifest: &Manifest, to: &Path) -> Result<(), Error> {
        let (Some(root), Some(git_dir)) = (unescape(&manifest.root), unescape(&manifest.git_dir)) else {
            return Ok(());
        };
        if root == to && git_dir == self.git_dir {
            return Ok(());
        }
        let places = Places::open(to, &self.git_dir)?;
        let links = manifest.stored.iter().filter(|stored| stored.place == Area::Tree && !stored.link);
        for link in links.filter_map(|stored| unescape(&stored.path)).filter(|path| path.ends_with(".git")) {
            let content = places.at(Area::Tree).read(&link, LINK_MAX).map_err(failed("read", &link))?;
            let Some(below) = within(&root, &git_dir, &link, &content.unwrap_or_default()) else { continue };
            let config = below.join("config");
            // A main checkout's submodules stay where they are, and so do their git directories. Git follows a link
            // where it writes settings, and one that the snapshot brought leads anywhere.
            if !places.at(Area::GitDir).is_file(&config) {
                continue;
            }
            let place = to.join(&link);
            write_link(places.at(Area::Tree), &link, &self.git_dir.join(&below))?;
            let directory = place.parent().unwrap_or(to);
            // Asked from the repository itself, since the submodule's still names a directory that may be gone.
            let set =
                self.apart(["config", "--file"]).arg(self.git_dir.join(config)).arg("core.worktree").arg(directory);
            set.run().await?;
        }
        Ok(())
    }
}

/// Where below the worktree's old git directory a `.git` file leads; none if it leads elsewhere.
fn within(root: &Path, git_dir: &Path, link: &Path, content: &[u8]) -> Option<PathBuf> {
    let target = path_from(content.strip_prefix(b"gitdir: ")?.trim_ascii_end());
    let target = plain(&root.join(link).parent()?.join(target));
    Some(target.strip_prefix(git_dir).ok()?.to_owned())
}

/// Takes out the dots of a path that need not exist any more.
pub(crate) fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
        plain
    })
}

fn write_link(tree: &Folder, link: &Path, store: &Path) -> Result<(), Error> {
    let text = [b"gitdir: ", store.as_os_str().as_encoded_bytes(), b"\n"].concat();
    let written = tree.put(link).and_then(|mut file| {
        file.write_all(&text)?;
        file.set_permissions(Permissions::from_mode(0o644))
    });
    written.map_err(failed("write", link))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_into_the_old_git_directory_is_followed_through_its_dots() {
        let at = |content: &str| {
            within(Path::new("/w"), Path::new("/r/.git/worktrees/w"), Path::new("sub/.git"), content.as_bytes())
        };
        assert_eq!(at("gitdir: ../../r/.git/worktrees/w/modules/sub\n"), Some("modules/sub".into()));
        assert_eq!(at("gitdir: /r/.git/worktrees/w/modules/sub\n"), Some("modules/sub".into()));
        assert_eq!(at("gitdir: /elsewhere/.git\n"), None);
        assert_eq!(at("not a link"), None);
    }
}
