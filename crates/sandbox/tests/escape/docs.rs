//! The page that lists every attack.

use std::fmt::Write as _;

use types::Network;

use crate::table::{self, By, Excess, Places, Row, Stopped, Who};
use crate::target::Target;

const HEAD: &str = "\
<!-- Generated from crates/sandbox/tests/escape/table.rs; tests try every cell. -->
# Attacks

Look up here what the escape suite tries, and where it is stopped. Every attack is first made with nothing in its way, where it
must succeed; then in the sandbox. A plain process tries it as root and as an ordinary user, on five kinds of
machine: with namespaces, with namespaces and no Landlock, without namespaces, without but with `bwrap`, and where the kernel refuses to
make namespaces (the last three in one column). The agents try it as a command in a real session, in the default sandbox with namespaces, as the user who
runs the tests (`crates/fleet/tests/process/real/escape.rs`). Paths are below the user's home (`home`), the repository
(`repo`), Fleet's home (`fleet`); `one` is the session itself, `two` another.

- *stopped*: it fails.
- **not stopped**: it succeeds there; [limits](../sandbox.md#limits) says what follows.
- *by a control group*: it fails where the user may make control groups for memory and processes, as root usually may.
- *root*, *user*: only this user can do it at all; *–*: not tried there.

| attack | as | namespaces | no Landlock | no namespaces | claude | codex | gemini |
|---|---|---|---|---|---|---|---|
";

/// Returns the page.
pub(crate) fn page() -> String {
    let target = Target { has_key: true, ..Target::default() };
    let excess = Excess { threads: "", open_files: "", file_mib: "", memory_mib: Some(""), together_mib: "" };
    let at = |path: &str| path.to_owned();
    let rows = table::rows(&Places { at: &at, target: &target, shm: "", tmp: "", excess });
    let mut page = HEAD.to_owned();
    for row in &rows {
        let agents = ["claude", "codex", "gemini"].map(|agent| of_agent(row, agent)).join(" | ");
        let machines = [Has::Everything, Has::NoLandlock, Has::NoNamespaces];
        let machines = machines.map(|has| of_process(row, has)).join(" | ");
        let name = match row.network {
            Network::Open => row.name.clone(),
            Network::None => format!("{} (`none`)", row.name),
            Network::Hosts => format!("{} (`hosts`)", row.name),
            Network::Ports => format!("{} (ports)", row.name),
        };
        let _ = writeln!(page, "| {name} | {} | {machines} | {agents} |", who(row));
    }
    let both = rows.iter().filter(|row| row.by == By::Both).count();
    let agents = rows.iter().filter(|row| row.by == By::Agents).count();
    let _ =
        writeln!(page, "\n{} attacks: {} by a process, {} by agents.", rows.len(), rows.len() - agents, both + agents);
    page
}

fn who(row: &Row) -> &'static str {
    match row.who {
        Who::Anybody => "any",
        Who::Root => "root",
        Who::User => "user",
    }
}

/// What a machine has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Has {
    Everything,
    NoLandlock,
    NoNamespaces,
}

fn of_process(row: &Row, has: Has) -> &'static str {
    match (row.by, row.stopped, has) {
        (By::Agents, _, _) => "–",
        (_, Stopped::InNamespaces, Has::NoNamespaces) | (_, Stopped::ByLandlock, Has::NoLandlock) => "**not stopped**",
        (_, Stopped::ByCgroup, _) | (_, Stopped::InNamespacesOrByCgroup, Has::NoNamespaces) => "by a control group",
        (_, Stopped::InNamespacesOrByCgroup, Has::Everything | Has::NoLandlock) => "stopped",
        (By::Both | By::Process, Stopped::Always | Stopped::InNamespaces | Stopped::ByLandlock, _) => "stopped",
    }
}

fn of_agent(row: &Row, agent: &str) -> &'static str {
    match (row.by, row.who) {
        (By::Process, _) | (_, Who::User) => "–",
        (By::Both | By::Agents, Who::Anybody | Who::Root) if table::is_own(agent, &row.name) => "its own file",
        (By::Both | By::Agents, Who::Anybody | Who::Root) => "stopped",
    }
}
