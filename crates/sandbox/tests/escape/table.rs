//! The table of attacks.

use types::Network;

use crate::world::World;

/// The users for which an attack can succeed at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    Anybody,
    Root,
    User,
}

/// What stops an attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// Landlock, limits or the filter of system calls: in every sandbox.
    Always,
    /// Namespaces alone.
    InNamespaces,
}

pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) who: Who,
    pub(crate) stopped: Stopped,
    pub(crate) network: Network,
    pub(crate) args: Vec<String>,
}

fn row(name: &str, who: Who, stopped: Stopped, args: &[&str]) -> Row {
    let args = args.iter().map(|word| (*word).to_owned()).collect();
    Row { name: name.to_owned(), who, stopped, network: Network::Open, args }
}

pub(crate) fn rows(world: &World) -> Vec<Row> {
    let mut rows = files(world);
    rows.extend(processes(world));
    rows.extend(channels(world));
    rows.extend(kernel());
    rows.extend(limits(world));
    rows
}

/// Secrets that are read, and files that the user or a program executes later.
fn files(world: &World) -> Vec<Row> {
    use Stopped::{Always, InNamespaces};
    use Who::{Anybody, Root, User};
    let mut rows: Vec<Row> =
        world.secrets().map(|path| row(&format!("read {path}"), Anybody, Always, &["read", &world.at(path)])).collect();
    rows.extend(world.obeyed().map(|path| row(&format!("write {path}"), Anybody, Always, &["write", &world.at(path)])));
    let own = |name: &str| world.at(&format!("fleet/private/one/{name}"));
    let (key, work) = (world.at("home/.ssh/id_rsa"), |name: &str| world.at(&format!("work/{name}")));
    rows.extend([
        row("truncate the settings of git", Anybody, Always, &["truncate", &world.at("home/.gitconfig")]),
        row("list the worktrees of others", Anybody, Always, &["list", &world.at("fleet/worktrees")]),
        row("move keys into the workspace", Anybody, Always, &["rename", &key, &work("moved")]),
        row("move settings of git away", Anybody, Always, &["rename", &world.at("repo/.git/config"), &work("moved")]),
        row("read a key by a hard link", Anybody, Always, &["hard-link", &key, &work("hard")]),
        row("read a key by a symbolic link", Anybody, Always, &["through-link", &key, &work("soft")]),
        row("read a key by dots", Anybody, Always, &["read", &work("../home/.ssh/id_rsa")]),
        row("leave a link where git writes", Anybody, Always, &["link", &world.at("fleet/private/one/objects/link")]),
        row("borrow other objects", Anybody, InNamespaces, &["write", &own("objects/info/alternates")]),
        row("change the settings of its own git", Anybody, InNamespaces, &["write", &own("config")]),
        row("run a program as root", User, Always, &["run-as-root", &world.at("system/id")]),
        row("read passwords of the system", Root, Always, &["read", "/etc/shadow"]),
        row("write a setting of the kernel", Root, Always, &["write", "/proc/sys/kernel/hostname"]),
        row("write to the kernel's files", Root, Always, &["write", "/sys/kernel/mm/transparent_hugepage/enabled"]),
        row("make a device", Root, Always, &["call", "device"]),
    ]);
    rows
}

/// Other processes of the same user.
fn processes(world: &World) -> Vec<Row> {
    use Stopped::{Always, InNamespaces};
    use Who::Anybody;
    let pid = world.victim.pid.as_str();
    let root = format!("root{}", world.at("home/.ssh/id_rsa"));
    vec![
        row("see a process", Anybody, InNamespaces, &["see", pid]),
        row("read the arguments of a process", Anybody, InNamespaces, &["proc", pid, "cmdline"]),
        row("read the environment of a process", Anybody, Always, &["proc", pid, "environ"]),
        row("read the mappings of a process", Anybody, Always, &["proc", pid, "maps"]),
        row("read files through the root of a process", Anybody, Always, &["proc", pid, &root]),
        row("read the folder of a process", Anybody, Always, &["proc-link", pid, "cwd"]),
        row("read the descriptors of a process", Anybody, Always, &["proc-link", pid, "fd/0"]),
        row("signal a process", Anybody, Always, &["kill", pid]),
        row("trace a process", Anybody, Always, &["ptrace", pid]),
        row("read the memory of a process", Anybody, Always, &["read-memory", pid, &world.victim.address]),
        row("take a descriptor of a process", Anybody, Always, &["take-descriptor", pid, "0"]),
    ]
}

/// Ways to talk to what is outside.
fn channels(world: &World) -> Vec<Row> {
    use Stopped::{Always, InNamespaces};
    use Who::{Anybody, Root};
    let victim = &world.victim;
    let name = format!("victim-{}", victim.pid);
    let alone = |row: Row| Row { network: Network::None, ..row };
    let mut rows = vec![
        row("connect to a socket by its path", Anybody, Always, &["unix", &world.at("victim/socket")]),
        row("connect to an abstract socket", Anybody, Always, &["abstract", &name]),
        row("exchange files in shared memory", Anybody, Always, &["read", &world.shm]),
        row("exchange files in /tmp", Anybody, Always, &["read", &world.tmp]),
        row("attach shared memory", Anybody, InNamespaces, &["shared-memory", &victim.key]),
        row("open a message queue", Anybody, Always, &["queue", &name]),
        row("open the terminal of others", Anybody, InNamespaces, &["terminal", &victim.terminal]),
        row("type into a terminal", Root, Always, &["type"]),
        alone(row("reach a port without a network", Anybody, Always, &["tcp", &victim.tcp])),
        alone(row("send a datagram without a network", Anybody, Always, &["udp", &victim.udp])),
        row("make a raw socket", Root, Always, &["socket", "2", "3", "1"]),
        row("make a packet socket", Root, Always, &["socket", "17", "3", "768"]),
        row("make a socket to the hypervisor", Anybody, Always, &["socket", "40", "1", "0"]),
        row("make a socket for audit", Anybody, Always, &["socket", "16", "3", "15"]),
    ];
    if victim.has_key {
        rows.push(row("find a key of the user", Anybody, Always, &["key", &name]));
    }
    rows
}

/// Parts of the kernel that no agent needs.
fn kernel() -> Vec<Row> {
    use Stopped::Always;
    use Who::{Anybody, Root};
    [
        ("mount a file system", Root, "mount"),
        ("make a file system", Root, "fsopen"),
        ("copy the tree of mounts", Root, "open-tree"),
        ("change the root", Root, "chroot"),
        ("make a user namespace", Anybody, "user-namespace"),
        ("make a user namespace with a process", Anybody, "clone-user-namespace"),
        ("make a mount namespace", Root, "mount-namespace"),
        ("keep a key", Anybody, "add-key"),
        ("load a program into the kernel", Root, "bpf"),
        ("watch the processor", Root, "perf"),
        ("handle its own page faults", Anybody, "userfaultfd"),
        ("queue calls", Anybody, "io-uring"),
        ("make a handle of a file", Root, "handle"),
        ("rename the machine", Root, "hostname"),
        ("read the log of the kernel", Root, "syslog"),
        ("become another user", Root, "become-another"),
    ]
    .map(|(name, who, call)| row(name, who, Always, &["call", call]))
    .into()
}

/// More of the machine than a session may use. The limits of the tests are 400 processes, 256 files, 512 MiB, 16 MiB.
fn limits(world: &World) -> Vec<Row> {
    use Stopped::{Always, InNamespaces};
    use Who::{Root, User};
    vec![
        row("start many processes as a user", User, Always, &["threads", "4000"]),
        row("start many processes as root", Root, InNamespaces, &["threads", "4000"]),
        row("use much memory", Who::Anybody, Always, &["memory", "2048"]),
        row("open many files", Who::Anybody, Always, &["files", "600"]),
        row("write a long file", Who::Anybody, Always, &["grow", &world.at("work/long"), "64"]),
    ]
}
