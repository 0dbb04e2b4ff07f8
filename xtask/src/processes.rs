//! Which processes of a run's agents there are, by what the kernel says alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A process; its number and its start name it for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) start_ticks: u64,
    pub(crate) parent: u32,
    /// The session that it belongs to, by its own environment or that of an ancestor.
    pub(crate) session: String,
    pub(crate) role: Role,
    pub(crate) command: String,
}

/// What a process is to its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Shim,
    Agent,
    /// Whatever an agent started.
    Child,
}

struct Raw {
    pid: u32,
    start_ticks: u64,
    parent: u32,
    arguments: Vec<String>,
    session: Option<String>,
    /// Whether it runs in a process namespace of its own, as all do inside a sandbox that has one.
    apart: bool,
}

/// Walks through all processes and returns those of agents whose spools lie below `tasks`.
pub(crate) fn walk(tasks: &Path) -> Vec<Process> {
    let tasks = tasks.to_string_lossy().into_owned();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let all: BTreeMap<u32, Raw> = pids.filter_map(|pid| read(pid, &tasks)).map(|raw| (raw.pid, raw)).collect();
    all.values().filter_map(|raw| named(raw, &all)).collect()
}

/// Ends whatever is left of agents whose spools lie below `tasks`: nothing of a run outlives it.
pub(crate) fn end_all(tasks: &Path) {
    for process in walk(tasks) {
        let _ = Command::new("kill").args(["-KILL", &process.pid.to_string()]).status();
    }
}

fn named(raw: &Raw, all: &BTreeMap<u32, Raw>) -> Option<Process> {
    let session = raw.session.clone().or_else(|| inherited(raw, all))?;
    let words: Vec<_> = raw.arguments.iter().map(String::as_str).collect();
    // Between fork and exec a child looks like its parent.
    let copied = all.get(&raw.parent).is_some_and(|parent| parent.arguments == raw.arguments);
    let role = match words.as_slice() {
        [_, "__shim", _] if !copied => Role::Shim,
        // The shim writes down the outermost process of a sandbox; the agent runs inside.
        [_, "__sandbox", ..] | [_, "sim-agent"] if !copied && !is_inside(raw, all) => Role::Agent,
        _ => Role::Child,
    };
    let Raw { pid, start_ticks, parent, .. } = *raw;
    Some(Process { pid, start_ticks, parent, session, role, command: words.join(" ") })
}

/// Returns whether a process runs in the sandbox of another.
fn is_inside(raw: &Raw, all: &BTreeMap<u32, Raw>) -> bool {
    // Its parent may be gone already: the kernel ends a sandbox from the outermost process on.
    if raw.apart {
        return true;
    }
    let mut passed = BTreeSet::new();
    let mut parent = raw.parent;
    while passed.insert(parent) {
        let Some(above) = all.get(&parent) else { return false };
        if above.arguments.get(1).is_some_and(|word| word == "__sandbox") {
            return true;
        }
        parent = above.parent;
    }
    false
}

/// The session of the nearest ancestor that has one.
fn inherited(raw: &Raw, all: &BTreeMap<u32, Raw>) -> Option<String> {
    let mut passed = BTreeSet::new();
    let mut parent = raw.parent;
    while passed.insert(parent) {
        let above = all.get(&parent)?;
        if above.session.is_some() {
            return above.session.clone();
        }
        parent = above.parent;
    }
    None
}

fn read(pid: u32, tasks: &str) -> Option<Raw> {
    let (state, parent, start_ticks) = stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?;
    if matches!(state, 'Z' | 'X') {
        return None;
    }
    let arguments = list(&format!("/proc/{pid}/cmdline"));
    let environment = list(&format!("/proc/{pid}/environ"));
    let spool = match arguments.as_slice() {
        // It may have been executed in a spool that was put in its place later, with it in it.
        [_, word, _] if word == "__shim" => std::fs::read_link(format!("/proc/{pid}/cwd"))
            .ok()
            .map(|spool| spool.to_string_lossy().into_owned())
            .filter(|spool| !spool.contains("/.stock/"))
            .and_then(|spool| spool.rsplit_once('/').map(|(session, _)| session.to_owned())),
        _ => environment.iter().find_map(|entry| entry.strip_prefix("FLEET_TASK_DIR=")).map(str::to_owned),
    };
    let session = spool
        .filter(|folder| folder.starts_with(tasks))
        .and_then(|folder| folder.rsplit_once('/').map(|(_, session)| session.to_owned()));
    let apart = namespace(&pid.to_string()) != namespace("self");
    Some(Raw { pid, start_ticks, parent, arguments, session, apart })
}

/// The process namespace of a process; none for one that is gone.
fn namespace(pid: &str) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/ns/pid")).ok()
}

/// State, parent and start; the name of the program may hold anything, even brackets.
pub(crate) fn stat(text: &str) -> Option<(char, u32, u64)> {
    let fields: Vec<_> = text.rsplit_once(')')?.1.split_whitespace().collect();
    Some((fields.first()?.chars().next()?, fields.get(1)?.parse().ok()?, fields.get(19)?.parse().ok()?))
}

fn list(path: &str) -> Vec<String> {
    let bytes = std::fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    text.split('\0').filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_may_have_any_name() {
        let text = "7 (a) b) S 3 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4711 9 9";
        assert_eq!(stat(text), Some(('S', 3, 4711)));
    }

    #[test]
    fn this_process_belongs_to_no_session() {
        assert_eq!(walk(Path::new("/no/such/home/tasks")), Vec::new());
    }
}
