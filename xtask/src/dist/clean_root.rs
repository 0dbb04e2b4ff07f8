//! A file system with nothing in it but an installed package, and the libraries that its binary asks for: what works there
//! needs nothing of the machine that built it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::cargo;

/// Runs a command with an empty environment and namespaces of its own, in which it may change its root.
const ENTER: [&str; 10] = [
    "--user",
    "--map-root-user",
    "--mount",
    "--net",
    "--pid",
    "--fork",
    "--kill-child",
    "env",
    "-i",
    "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
];

/// The file system.
pub(super) struct CleanRoot<'a> {
    workspace: &'a Path,
    root: PathBuf,
}

impl<'a> CleanRoot<'a> {
    /// Puts an installed tree into a new root, with the libraries of this machine that the binary in it names.
    pub(super) fn with(workspace: &'a Path, root: PathBuf, tree: &Path, binary: &str) -> Result<Self> {
        for folder in ["dev", "proc", "tmp"] {
            fs::create_dir_all(root.join(folder))?;
        }
        // With links as they are: an installer may have made some.
        let copied = cargo::passes(workspace, "cp", &["-a", text(&tree.join("."))?, text(&root)?])?;
        ensure!(copied, "cannot copy {} into a clean root", tree.display());
        let made = Self { workspace, root };
        for library in made.libraries(binary)? {
            let to = made.root.join(library.trim_start_matches('/'));
            fs::create_dir_all(to.parent().context("a library is in a folder")?)?;
            fs::copy(&library, to)?;
        }
        Ok(made)
    }

    /// Runs the binary in it and returns what it prints.
    pub(super) fn run(&self, binary: &str, args: &[&str]) -> Result<String> {
        let root = text(&self.root)?;
        let inside = ["HOME=/tmp", "FLEET_HOME=/tmp/fleet", "chroot", root, binary];
        let words: Vec<&str> = ENTER.into_iter().chain(inside).chain(args.iter().copied()).collect();
        cargo::output(self.workspace, "unshare", &words).with_context(|| format!("`{binary}` fails in a clean root"))
    }

    /// The libraries that the binary needs, with their loader; none of a static one.
    fn libraries(&self, binary: &str) -> Result<Vec<String>> {
        let binary = self.root.join(binary.trim_start_matches('/'));
        if super::elf::read(&binary)?.is_static {
            return Ok(Vec::new());
        }
        Ok(named(&cargo::output(self.workspace, "ldd", &[text(&binary)?])?))
    }
}

/// Reads the paths in the output of `ldd`.
fn named(output: &str) -> Vec<String> {
    let paths = output.lines().filter_map(|line| line.split_whitespace().find(|word| word.starts_with('/')));
    paths.map(str::to_owned).collect()
}

/// Returns whether this machine lets a program without privileges have a root of its own.
pub(super) fn can_be_made(workspace: &Path) -> bool {
    let words: Vec<&str> = ENTER.into_iter().chain(["chroot", "/", "true"]).collect();
    cargo::output(workspace, "unshare", &words).is_ok()
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_read_with_their_loader_and_without_what_the_kernel_gives() {
        let output = "\tlinux-vdso.so.1 (0x00007f)\n\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)\n\t\
                      /lib64/ld-linux-x86-64.so.2 (0x00007f)\n";
        assert_eq!(named(output), ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2"]);
    }
}
