//! Limits for all processes of a session together, where this user may make control groups: memory and processes.
//!
//! Limits of the kernel for a process (`limits.rs`) do not add up: a hundred processes may use a hundred times as much. A
//! group is made by the process that starts an agent, entered by the agent's process before anything else, and removed
//! after its end. Groups of both versions work; of the second, wherever a folder above ours hands out both controllers.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::limits::Limits;

/// What groups are made for.
const CONTROLLERS: [&str; 2] = ["memory", "pids"];

/// How the names of groups begin; the process that made one and a number follow.
const NAME: &str = "fleet";

/// How often, and how long, it is waited for the last process to leave: the kernel removes no group with one in it.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(1);

/// Groups of one session, a folder each; removed when this is dropped.
#[derive(Debug)]
pub struct Cgroup {
    folders: Vec<PathBuf>,
}

impl Cgroup {
    /// Makes a group in each of these folders, with the limits that it has a controller for.
    pub(crate) fn make(parents: &[PathBuf], limits: &Limits) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("{NAME}-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let mut made = Self { folders: Vec::with_capacity(parents.len()) };
        for parent in parents {
            sweep(parent);
            let folder = parent.join(&name);
            std::fs::create_dir(&folder)?;
            made.folders.push(folder.clone());
            let bytes = limits.together_mb.map(|mib| (u64::from(mib) << 20).to_string());
            let processes = limits.processes.map(|most| most.to_string());
            for (file, limit) in [("memory.max", &bytes), ("memory.limit_in_bytes", &bytes), ("pids.max", &processes)] {
                if let Some(limit) = limit.as_ref().filter(|_| folder.join(file).exists()) {
                    put(&folder.join(file), limit)?;
                }
            }
        }
        Ok(made)
    }

    /// Returns the folders, for the process that enters.
    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        for folder in &self.folders {
            for _ in 0..TRIES {
                match std::fs::remove_dir(folder) {
                    Err(error) if error.kind() == io::ErrorKind::ResourceBusy => std::thread::sleep(PAUSE),
                    Ok(()) | Err(_) => break,
                }
            }
        }
    }
}

/// Lets this process, and all that it starts, be counted in these groups.
pub(crate) fn enter(folders: &[PathBuf]) -> io::Result<()> {
    folders.iter().try_for_each(|folder| put(&folder.join("cgroup.procs"), "0"))
}

fn put(file: &Path, text: &str) -> io::Result<()> {
    use std::io::Write as _;
    std::fs::OpenOptions::new().write(true).open(file)?.write_all(text.as_bytes())
}

/// Removes groups that a process left which is gone: it was killed.
fn sweep(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let maker = name.to_str().and_then(|name| name.strip_prefix(NAME)?.strip_prefix('-')?.split_once('-'));
        if maker.is_some_and(|(pid, _)| !Path::new("/proc").join(pid).exists()) {
            let _ = std::fs::remove_dir(entry.path());
        }
    }
}

/// Finds the folders in which groups can be made, one for each controller, and tries `enters` on a group there: it starts a process
/// that enters it.
pub(crate) fn find(enters: impl Fn(&[PathBuf]) -> bool) -> Result<Vec<PathBuf>, String> {
    let read = |path: &str| read(Path::new(path)).unwrap_or_default();
    let (mounts, own) = (read("/proc/self/mountinfo"), read("/proc/self/cgroup"));
    let mut parents: Vec<PathBuf> = Vec::new();
    for controller in CONTROLLERS {
        let found = candidates(controller, &mounts, &own).into_iter().find(|folder| hands_out(folder, controller));
        parents.push(found.ok_or_else(|| format!("no control group for {controller} can be made here"))?);
    }
    parents.sort();
    parents.dedup();
    let tried =
        Cgroup::make(&parents, &Limits::default()).map_err(|error| format!("no control group can be made: {error}"))?;
    if enters(tried.folders()) {
        Ok(parents)
    } else {
        Err("a control group can be made here and not entered".to_owned())
    }
}

#[expect(clippy::disallowed_methods, reason = "reads what the kernel says, not a file of a user")]
fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// Whether groups in a folder have a controller: of the first version if it has the controller's files itself, of the
/// second if it hands it out.
fn hands_out(folder: &Path, controller: &str) -> bool {
    let file = if controller == "memory" { "memory.limit_in_bytes" } else { "cgroup.clone_children" };
    let given = read(&folder.join("cgroup.subtree_control")).unwrap_or_default();
    folder.join(file).exists() || given.split_whitespace().any(|given| given == controller)
}

/// Lists the folders that a group for a controller could be made in: our own first, then those above.
fn candidates(controller: &str, mounts: &str, own: &str) -> Vec<PathBuf> {
    let ours = |first: bool| {
        own.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':');
            let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
            let is_it =
                if first { controllers.split(',').any(|name| name == controller) } else { controllers.is_empty() };
            is_it.then(|| PathBuf::from(path))
        })
    };
    let mounted = |first: bool| {
        mounts.lines().find_map(|line| {
            let (before, after) = line.split_once(" - ")?;
            let mut before = before.split(' ').skip(3);
            let (root, point) = (before.next()?, before.next()?);
            let kind = after.split(' ').next()?;
            let options = after.rsplit(' ').next()?;
            let is_it = if first {
                kind == "cgroup" && options.split(',').any(|name| name == controller)
            } else {
                kind == "cgroup2"
            };
            is_it.then(|| (PathBuf::from(root), PathBuf::from(point)))
        })
    };
    let mut found = Vec::new();
    for first in [true, false] {
        let (Some(path), Some((root, point))) = (ours(first), mounted(first)) else { continue };
        let Ok(below) = path.strip_prefix(&root) else { continue };
        let here = if below.as_os_str().is_empty() { point.clone() } else { point.join(below) };
        found.extend(here.ancestors().take_while(|folder| folder.starts_with(&point)).map(Path::to_owned));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_looked_for_in_our_own_and_then_above_in_either_version() {
        let paths = |controller, mounts, own| {
            let found = candidates(controller, mounts, own);
            found.iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        let second = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate";
        let own = "0::/user.slice/user@1000.service/app.slice/x.scope\n";
        assert_eq!(
            paths("pids", second, own),
            [
                "/sys/fs/cgroup/user.slice/user@1000.service/app.slice/x.scope",
                "/sys/fs/cgroup/user.slice/user@1000.service/app.slice",
                "/sys/fs/cgroup/user.slice/user@1000.service",
                "/sys/fs/cgroup/user.slice",
                "/sys/fs/cgroup",
            ]
        );
        let first = "33 30 0:30 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n\
                     34 30 0:31 /docker/abc /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids";
        let own = "4:memory:/a\n8:pids:/docker/abc\n0::/\n";
        assert_eq!(paths("memory", first, own), ["/sys/fs/cgroup/memory/a", "/sys/fs/cgroup/memory"]);
        assert_eq!(paths("pids", first, own), ["/sys/fs/cgroup/pids"]);
        assert_eq!(paths("memory", "", ""), Vec::<String>::new());
    }
}
