//! The sandbox of an agent, from what is wanted and what the machine can do.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use types::{Access, Network, Sandboxed, Wanted};

use crate::error::Refused;
use crate::layers::Layer;
use crate::limits::Limits;
use crate::network::Listen;
use crate::paths;
use crate::ports::LOOKUPS;
use crate::seccomp::{Inet, Sockets};
use crate::support::Support;
use crate::visible::{Hidden, Listing, links, links_on, visible};
use crate::wish::Wish;

/// What git runs, or what names what it runs, in a git directory.
const RUNS: [&str; 3] = ["config", "config.worktree", "hooks"];

/// What of a session's own git directory is not the agent's to say: settings, hooks, and which objects are borrowed.
const OWN: [&str; 3] = ["config", "hooks", "objects/info"];

/// The kernel takes no smaller number of processes for a namespace.
const PIDS_MIN: u32 = 301;

/// The sandbox of one process: its rules, if any, and what they come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// What is reached once the rules are enforced; they are, or the agent does not run.
    pub reached: Sandboxed,
    /// The rules.
    pub rules: Option<Rules>,
}

/// What an agent reaches; nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// What it reads and executes, with everything below.
    pub read: Vec<PathBuf>,
    /// What it writes to as well.
    pub write: Vec<PathBuf>,
    /// What of git it writes to: as there, but no link is made in it. Git follows links where it writes, also when it is
    /// run by a user outside of the sandbox.
    pub git: Vec<PathBuf>,
    /// What stays as it is, though everything around it is written to; enforced by mounts alone.
    pub fixed: Vec<PathBuf>,
    /// The links by which programs find what they read, each with what it leads to.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// Whether Landlock enforces the paths above, ports and scopes; mounts alone do otherwise.
    pub landlock: bool,
    /// The TCP ports it reaches; none for all.
    pub tcp: Option<Vec<u16>>,
    /// Whether it signals only what it started itself, and connects to no abstract socket of others.
    pub scoped: bool,
    /// The sockets that it may make; none if system calls are not filtered.
    pub sockets: Option<Sockets>,
    /// How much of the machine it may use.
    pub limits: Limits,
    /// Where groups for the limits of all its processes together are made; for the process that enters, those groups.
    pub cgroups: Vec<PathBuf>,
    /// What is around all this.
    pub isolation: Isolation,
}

/// What an agent has of its own, so that it does not even see what others have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// Nothing: it sees paths, processes and sockets that it does not reach.
    #[default]
    None,
    /// What `bwrap` gives it.
    Bubblewrap(Bubblewrap),
    /// Its own tree of mounts, processes, shared memory, and network where that is asked for.
    Namespaces(Namespaces),
}

/// What `bwrap` does around the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bubblewrap {
    /// The program.
    pub program: PathBuf,
    /// Whether it gives the agent a network of its own.
    pub network: bool,
    /// What it keeps as it is, though everything around it is written to.
    pub fixed: Vec<PathBuf>,
    /// The ports of its network on which a process outside listens.
    pub listen: Option<Listen>,
}

/// What is made for an agent by this program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Namespaces {
    /// Whether it has a network of its own.
    pub network: bool,
    /// Which processes it can list.
    pub proc: Proc,
    /// Folders of its own, each with the path at which its programs find it.
    pub private: Vec<(PathBuf, PathBuf)>,
    /// Caches of its user, each with a layer of its own on top.
    pub layers: Vec<Layer>,
    /// Folders of the system that are mounted whole, though Landlock lets only some of their entries be read.
    pub whole: Vec<PathBuf>,
    /// What is hidden in them, and covered.
    pub covered: Vec<PathBuf>,
    /// How many processes it may have, where the kernel counts them for each namespace.
    pub pids_max: Option<u32>,
    /// The ports of its network on which a process outside listens.
    pub listen: Option<Listen>,
}

/// Which processes an agent can list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proc {
    /// Its own.
    #[default]
    Own,
    /// Those of everybody, without what is in them: inside of some containers the kernel allows no other list.
    Shared,
}

impl Proc {
    /// Returns its name.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Shared => "shared",
        }
    }
}

impl Plan {
    /// Makes a plan without rules, as was asked for.
    #[must_use]
    pub fn off(why: &str) -> Self {
        Self { reached: Sandboxed::Off { why: why.to_owned() }, rules: None }
    }
}

/// Makes the plan for a wish.
///
/// # Errors
/// When the sandbox is required and the machine cannot enforce all of it.
pub fn plan(wish: &Wish, support: &Support, listing: &impl Listing) -> Result<Plan, Refused> {
    let required = |lacks: &str| match wish.wanted {
        Wanted::Required => Err(Refused { lacks: lacks.to_owned() }),
        Wanted::Auto | Wanted::Off => Ok(()),
    };
    if wish.wanted == Wanted::Off {
        return Ok(Plan::off("the settings say so"));
    }
    if wish.access == Access::Full {
        required("full access was asked for")?;
        return Ok(Plan::off("full access was asked for"));
    }
    let network = network(wish, support);
    let fixed = fixed(wish, listing, support);
    let (files, given) = files(wish, support, listing);
    let private = wish.private.iter().filter_map(|(source, target)| placed(source, target, listing));
    let private = private.filter(|(_, target)| is_free(target, &files));
    let isolation = isolation(wish, support, network.own, &fixed, private.collect(), given);
    let mut lacks = lacks(wish, support, &network, &fixed, &isolation);
    if let Some(first) = lacks.first() {
        required(first)?;
    }
    // Each process is limited all the same, so that is not less than required.
    lacks.extend(support.cgroups.as_ref().err().map(|why| format!("limits for all its processes together: {why}")));
    // Without a tree of mounts every socket of the machine has a path that it could connect to.
    let unix = matches!(isolation, Isolation::Namespaces(_));
    let sockets = Sockets { unix, inet: network.inet };
    let rules = Rules {
        landlock: support.files.is_ok(),
        tcp: network.tcp,
        scoped: support.scopes,
        sockets: support.filters.then_some(sockets),
        limits: wish.limits,
        cgroups: support.cgroups.clone().unwrap_or_default(),
        fixed: if matches!(isolation, Isolation::Namespaces(_)) { fixed } else { Vec::new() },
        isolation,
        ..files
    };
    Ok(match support.holds_files() {
        Ok(()) => {
            let reached = Sandboxed::Held { access: wish.access, network: network.reached, lacks };
            Plan { reached, rules: Some(rules) }
        }
        // Limits and the filter are in force all the same, but no file is out of reach.
        Err(why) => {
            Plan { reached: Sandboxed::Missing { why: why.to_owned() }, rules: Some(rules).filter(|_| support.filters) }
        }
    })
}

/// Chooses what is around the rules: namespaces wherever they can be made.
fn isolation(
    wish: &Wish,
    support: &Support,
    network: bool,
    fixed: &[PathBuf],
    private: Vec<(PathBuf, PathBuf)>,
    Given { whole: Whole { folders: whole, covered }, layers }: Given,
) -> Isolation {
    if let Ok(proc) = support.namespaces {
        let pids_max = wish.limits.processes.map(|most| most.max(PIDS_MIN));
        let listen = wish.listen.clone();
        return Isolation::Namespaces(Namespaces { network, proc, private, layers, whole, covered, pids_max, listen });
    }
    // One more program, and its time: only for what cannot be had without.
    let needed = network || (wish.wanted == Wanted::Required && !fixed.is_empty());
    let outer = |program: PathBuf| Bubblewrap { program, network, fixed: fixed.to_vec(), listen: wish.listen.clone() };
    support
        .bubblewrap
        .clone()
        .filter(|_| needed)
        .map_or(Isolation::None, |program| Isolation::Bubblewrap(outer(program)))
}

/// Returns a folder and the place at which it is found, without links in the path of either.
fn placed(source: &Path, target: &Path, listing: &impl Listing) -> Option<(PathBuf, PathBuf)> {
    let above = listing.real(target.parent()?)?;
    Some((listing.real(source)?, above.join(target.file_name()?)))
}

/// Folders for temporary files.
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// Tells whether a folder can be one of the session: Landlock would let it write to all that lies below.
fn is_free(target: &Path, files: &Rules) -> bool {
    let mut named = files.read.iter().chain(&files.write).chain(&files.git);
    !TEMPORARY.map(Path::new).contains(&target) || !named.any(|path| path.starts_with(target))
}

/// Lists what was asked for and cannot be had.
fn lacks(wish: &Wish, support: &Support, network: &Net, fixed: &[PathBuf], isolation: &Isolation) -> Vec<String> {
    let mut lacks = network.lacks.clone();
    let held = match isolation {
        Isolation::Namespaces(_) => true,
        Isolation::Bubblewrap(outer) => outer.fixed == fixed,
        Isolation::None => fixed.is_empty(),
    };
    if !held {
        let how = match &support.bubblewrap {
            Some(_) => "`sandbox = \"required\"` does",
            None => "`bwrap` is missing",
        };
        lacks.push(format!("protecting git's settings and hooks where there is no worktree: {how}"));
    }
    // Ports are restricted for some agents only, and missed by those.
    lacks.extend(Support { ports: true, ..support.clone() }.missing());
    if wish.listen.is_some() && !network.own {
        lacks.push("a network of its own".to_owned());
    }
    lacks
}

/// What of the network is kept away, and by what.
struct Net {
    reached: Network,
    tcp: Option<Vec<u16>>,
    /// Which sockets of the internet can be made.
    inet: Inet,
    /// Whether it is a network of its own.
    own: bool,
    lacks: Vec<String>,
}

/// Returns what can be had of what is wished for, and what cannot.
fn network(wish: &Wish, support: &Support) -> Net {
    let net = |reached, tcp, lacks| Net { reached, tcp, inet: Inet::All, own: false, lacks };
    let no_ports = || "restricting ports: Linux 6.7 or later is needed".to_owned();
    let own = support.namespaces.is_ok() || support.bubblewrap.is_some();
    match (wish.network, own, support.ports) {
        (Network::Open, _, _) => net(Network::Open, None, Vec::new()),
        (Network::Ports, _, true) => {
            let inet = Inet::Listed { udp: wish.ports.contains(&LOOKUPS) };
            Net { inet, ..net(Network::Ports, Some(wish.ports.clone()), Vec::new()) }
        }
        (Network::Ports, _, false) => net(Network::Open, None, vec![no_ports()]),
        (reached @ (Network::Hosts | Network::None), true, _) => Net { own: true, ..net(reached, None, Vec::new()) },
        // The next best: no socket, and no port.
        (Network::Hosts | Network::None, false, true) => {
            Net { inet: Inet::None, ..net(Network::Ports, Some(Vec::new()), vec![no_network()]) }
        }
        (Network::Hosts | Network::None, false, false) => {
            Net { inet: Inet::None, ..net(Network::Open, None, vec![no_network(), no_ports()]) }
        }
    }
}

fn no_network() -> String {
    "a network of its own: neither namespaces nor `bwrap` can make one here".to_owned()
}

/// Returns what of git is to stay as it is inside of what must be written to as a whole.
///
/// The git directory of a checkout that is worked in as it is takes a lock for whatever is changed in it, beside its
/// settings. So does that of a session; only the agent's own git reads those, so they are kept where that is free.
fn fixed(wish: &Wish, listing: &impl Listing, support: &Support) -> Vec<PathBuf> {
    let Some(git) = wish.git.as_ref().filter(|_| wish.access == Access::Workspace) else { return Vec::new() };
    if !git.is_checkout() {
        let named = OWN.iter().filter(|_| support.namespaces.is_ok()).map(|name| git.own.join(name));
        return named.filter_map(|path| listing.real(&path)).collect();
    }
    let modules = listing.entries(&git.common.join("modules"));
    let named = modules.iter().chain([&git.common]).flat_map(|git| RUNS.map(|name| git.join(name)));
    named.filter_map(|path| listing.real(&path)).collect()
}

/// Folders of the system that are mounted whole, and what is covered in them.
#[derive(Debug, Default)]
struct Whole {
    folders: Vec<PathBuf>,
    covered: Vec<PathBuf>,
}

impl Whole {
    /// Chooses the folders of the system in which only the system hides something: a mount for each of their entries
    /// is most of what a start would cost root. Landlock still lets no entry be read but those that there are now.
    fn of_system(wish: &Wish, hidden: &Hidden<'_>, private: &[PathBuf], listing: &impl Listing) -> Self {
        let own = wish.hidden.iter().chain(private).chain([&wish.workspace]).chain(&wish.home);
        let own =
            own.chain(&wish.read).chain(&wish.write).chain(wish.git.iter().flat_map(|git| [&git.own, &git.common]));
        let own: Vec<PathBuf> = own.flat_map(|path| [listing.real(path), Some(path.clone())]).flatten().collect();
        let secrets: Vec<PathBuf> = paths::system_hidden().collect();
        // What is itself a link leads to what is hidden by its own place.
        let is_there = |path: &&PathBuf| listing.real(path).as_ref() == Some(*path);
        let mut found = Self::default();
        for root in paths::system().filter_map(|path| listing.real(&path)) {
            let below = |path: &&PathBuf| path.starts_with(&root);
            let asked_for = |path: &PathBuf| own.iter().any(|own| own.starts_with(path));
            // What a session, its user or Fleet has there is mounted by its own place, among what is not.
            let is_plain = own.iter().filter(below).all(|own| !hidden.covers(own) && !hidden.is_above(own));
            if hidden.is_above(&root) && is_plain && !secrets.iter().filter(below).any(asked_for) {
                found.covered.extend(secrets.iter().filter(below).filter(is_there).cloned());
                found.folders.push(root);
            }
        }
        found
    }

    fn holds(&self, path: &Path) -> bool {
        self.folders.iter().any(|folder| path.starts_with(folder))
    }
}

/// What is mounted otherwise than by its own path.
struct Given {
    whole: Whole,
    layers: Vec<Layer>,
}

/// Returns the layers on top of caches. One that hides something, or that may be written to for all, has none.
fn layers(wish: &Wish, secrets: &Hidden<'_>, listing: &impl Listing) -> Vec<Layer> {
    let written: Vec<PathBuf> = wish.write.iter().filter_map(|path| listing.real(path)).collect();
    let is_plain = |cache: &PathBuf| {
        !secrets.covers(cache) && !secrets.is_above(cache) && !written.iter().any(|path| cache.starts_with(path))
    };
    let caches = wish.caches.shared.iter().filter_map(|path| listing.real(path)).filter(is_plain);
    tidied(caches.collect()).into_iter().filter_map(|cache| wish.caches.layer(cache)).collect()
}

/// Returns what is read, and what is written to; and what of it is mounted in another way.
fn files(wish: &Wish, support: &Support, listing: &impl Listing) -> (Rules, Given) {
    let real = |path: &PathBuf| listing.real(path);
    let home = wish.home.as_ref().and_then(real);
    let secrets = home.iter().flat_map(|home| paths::home_hidden(home)).chain(wish.hidden.iter().cloned());
    // Only root reads what is hidden of the system.
    let secrets = secrets.chain(paths::system_hidden().filter(|_| support.root));
    // What is hidden is so by its name and by the place that the name leads to.
    let secrets: Vec<PathBuf> = secrets.flat_map(|path| [real(&path), Some(path)]).flatten().collect();
    let secrets = Hidden::new(&secrets);
    let seen = |root: &Path| visible(root, &secrets, listing);

    let given: Vec<PathBuf> = paths::system().chain(home.iter().flat_map(|home| paths::home(home))).collect();
    let open = given.iter().filter_map(real).filter(|path| !secrets.covers(path));
    let mut read: Vec<PathBuf> = open.flat_map(|path| seen(&path)).collect();
    let workspace = real(&wish.workspace).map(|workspace| seen(&workspace)).unwrap_or_default();
    read.extend(wish.read.iter().filter_map(real).flat_map(|path| seen(&path)));
    read.extend(wish.git.iter().flat_map(|git| [&git.own, &git.common]).filter_map(real));
    read.extend(workspace.iter().cloned());

    let private: Vec<PathBuf> = wish.private.iter().map(|(_, target)| target.clone()).collect();
    let mut write: Vec<PathBuf> = paths::devices().chain(wish.write.iter().cloned()).collect();
    let (layers, whole) = match &support.namespaces {
        Ok(_) => (layers(wish, &secrets, listing), Whole::of_system(wish, &secrets, &private, listing)),
        Err(_) => (Vec::new(), Whole::default()),
    };
    if support.namespaces.is_err() {
        write.extend(wish.caches.shared.iter().cloned());
    }
    let mut git = Vec::new();
    if wish.access == Access::Workspace {
        git.extend(wish.git.iter().map(|git| git.own.clone()));
        write.extend(workspace);
    }
    let asked = given
        .iter()
        .chain(&wish.read)
        .chain(&wish.write)
        .chain([&wish.workspace])
        .chain(&wish.home)
        .chain(&wish.caches.shared);
    let mut found: Vec<_> = asked.flat_map(|path| links_on(path, listing)).collect();
    found.extend(given.iter().filter_map(real).flat_map(|path| links(&path, &secrets, listing)));
    found.sort();
    found.dedup();
    found.retain(|(link, _)| !whole.holds(link));
    // What is in the workspace was put there by an agent, or by the branch: a link there leads nowhere.
    let inside = |path: &PathBuf| match (path.strip_prefix(&wish.workspace), real(&wish.workspace)) {
        (Ok(rest), Some(workspace)) => real(path).filter(|found| *found == workspace.join(rest)),
        (Ok(_), None) | (Err(_), _) => real(path),
    };
    let [write, git] = [write, git].map(|paths| tidied(paths.iter().filter_map(inside).collect()));
    (Rules { read: tidied(read), write, git, links: found, ..Rules::default() }, Given { whole, layers })
}

/// Each path once, and none that another one covers.
fn tidied(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort();
    let mut kept: Vec<PathBuf> = Vec::with_capacity(paths.len());
    for path in paths {
        // A folder sorts right before what is below it.
        if !kept.last().is_some_and(|last| path.starts_with(last)) {
            kept.push(path);
        }
    }
    kept
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
