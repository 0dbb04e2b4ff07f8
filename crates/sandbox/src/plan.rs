//! What will stand around an agent, from what is wanted and what the machine can do.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use types::{Access, Network, Sandboxed, Wanted};

use crate::error::Refused;
use crate::hidden;
use crate::support::Support;
use crate::visible::{Hidden, Listing, visible};
use crate::wish::{GitDirs, Wish};

/// What git runs, or what names what it runs, in a git directory.
const RUNS: [&str; 3] = ["config", "config.worktree", "hooks"];

/// What stands around an agent: the walls, if any, and what they come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// What is reached once the walls are up; they are, or the agent does not run.
    pub reached: Sandboxed,
    /// The walls.
    pub walls: Option<Walls>,
}

/// What an agent reaches; nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Walls {
    /// What it reads and executes, with everything below.
    pub read: Vec<PathBuf>,
    /// What it writes to as well.
    pub write: Vec<PathBuf>,
    /// What of git it writes to: as there, but no link is made in it. Git follows links where it writes, also when it is
    /// run by somebody whom nothing holds.
    #[serde(default)]
    pub git: Vec<PathBuf>,
    /// The TCP ports it reaches; none for all.
    pub tcp: Option<Vec<u16>>,
    /// Whether it signals only what it started itself.
    pub scoped: bool,
    /// The program around it, for what landlock cannot do.
    pub outer: Option<Outer>,
}

/// What a program around the agent, `bwrap`, does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outer {
    /// The program.
    pub program: PathBuf,
    /// Whether it gives the agent a network of its own.
    pub network: bool,
    /// What it keeps as it is, though everything around it is written to.
    pub fixed: Vec<PathBuf>,
}

impl Plan {
    /// Makes a plan without walls, as somebody wants it.
    #[must_use]
    pub fn off(why: &str) -> Self {
        Self { reached: Sandboxed::Off { why: why.to_owned() }, walls: None }
    }
}

/// Makes the plan for a wish.
///
/// # Errors
/// When the sandbox is required and the machine cannot keep all of it.
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
    if let Err(why) = &support.files {
        required(why)?;
        return Ok(Plan { reached: Sandboxed::Missing { why: why.clone() }, walls: None });
    }
    let (network, mut lacks) = network(wish, support);
    // A program between the shim and the agent, and its time: not for a checkout that was chosen over a worktree, unless
    // somebody insists.
    let insists = network.apart || wish.wanted == Wanted::Required;
    let fixed = fixed(wish, listing);
    if let Some(how) = unheld(&fixed, insists, support) {
        lacks.push(format!("holding git's settings and hooks where there is no worktree: {how}"));
    }
    if !support.scopes {
        lacks.push("holding signals back".to_owned());
    }
    if let Some(first) = lacks.first() {
        required(first)?;
    }
    let outer = support.bubblewrap.clone().filter(|_| network.apart || (insists && !fixed.is_empty()));
    let outer = outer.map(|program| Outer { program, network: network.apart, fixed });
    let walls = Walls { tcp: network.tcp, scoped: support.scopes, outer, ..files(wish, listing) };
    let reached = Sandboxed::Held { access: wish.access, network: network.reached, lacks };
    Ok(Plan { reached, walls: Some(walls) })
}

/// Returns what it would take to hold what is to stay as it is; none if it is held.
fn unheld(fixed: &[PathBuf], insists: bool, support: &Support) -> Option<&'static str> {
    match (fixed.is_empty(), &support.bubblewrap, insists) {
        (true, _, _) | (false, Some(_), true) => None,
        (false, None, _) => Some("`bwrap` is missing"),
        (false, Some(_), false) => Some("`sandbox = \"required\"` does"),
    }
}

/// What of the network is kept away, and by what.
struct Net {
    reached: Network,
    tcp: Option<Vec<u16>>,
    /// Whether it is a network of its own.
    apart: bool,
}

/// Returns what can be had of what is wished for, and what cannot.
fn network(wish: &Wish, support: &Support) -> (Net, Vec<String>) {
    let ports = |ports: &[u16]| Net { reached: Network::Ports, tcp: Some(ports.to_vec()), apart: false };
    let open = Net { reached: Network::Open, tcp: None, apart: false };
    let no_ports = || "holding ports back: Linux 6.7 or later is needed".to_owned();
    match (wish.network, &support.bubblewrap, support.ports) {
        (Network::Open, _, _) => (open, Vec::new()),
        (Network::Ports, _, true) => (ports(&wish.ports), Vec::new()),
        (Network::Ports, _, false) => (open, vec![no_ports()]),
        (Network::None, Some(_), _) => (Net { reached: Network::None, tcp: None, apart: true }, Vec::new()),
        // The next best: no port at all, as far as it is TCP.
        (Network::None, None, true) => (ports(&[]), vec![no_bubblewrap()]),
        (Network::None, None, false) => (open, vec![no_bubblewrap(), no_ports()]),
    }
}

fn no_bubblewrap() -> String {
    "a network of its own: `bwrap` is not installed".to_owned()
}

/// Returns what of git is to stay as it is inside of what must be written to as a whole.
///
/// The git directory of a checkout that is worked in as it is takes a lock for whatever is changed in it, beside its
/// settings. That of a worktree lies apart from them, and they are simply not let through.
fn fixed(wish: &Wish, listing: &impl Listing) -> Vec<PathBuf> {
    let Some(git) = wish.git.as_ref().filter(|git| git.own == git.common && wish.access == Access::Workspace) else {
        return Vec::new();
    };
    let modules = listing.entries(&git.common.join("modules"));
    let named = modules.iter().chain([&git.common]).flat_map(|git| RUNS.map(|name| git.join(name)));
    named.filter_map(|path| listing.real(&path)).collect()
}

/// Returns what is read, and what is written to.
fn files(wish: &Wish, listing: &impl Listing) -> Walls {
    let real = |path: &PathBuf| listing.real(path);
    let home = wish.home.as_ref().and_then(real);
    let secrets = home.iter().flat_map(|home| hidden::in_home(home)).chain(wish.hidden.iter().cloned());
    // What is hidden is so by its name and by the place that the name leads to.
    let secrets: Vec<PathBuf> = secrets.flat_map(|path| [real(&path), Some(path)]).flatten().collect();
    let of_system: Vec<PathBuf> = hidden::in_system().collect();
    let around = Hidden::new(secrets.iter().chain(&of_system));
    let secrets = Hidden::new(&secrets);
    let seen = |root: &Path| visible(root, &secrets, listing);
    let workspace = real(&wish.workspace).map(|workspace| seen(&workspace)).unwrap_or_default();

    let mut read = visible(Path::new("/"), &around, listing);
    read.extend(home.iter().flat_map(|home| seen(home)));
    read.extend(hidden::read().chain(wish.read.iter().cloned()).filter_map(|path| real(&path)));
    read.extend(wish.git.iter().filter_map(|git| real(&git.common)));
    read.extend(workspace.iter().cloned());

    let mut write: Vec<PathBuf> = hidden::written().chain(wish.write.iter().cloned()).collect();
    let mut git = Vec::new();
    if wish.access == Access::Workspace {
        git.extend(wish.git.iter().flat_map(GitDirs::written));
        write.extend(workspace);
    }
    let [write, git] = [write, git].map(|paths| tidied(paths.iter().filter_map(real).collect()));
    Walls { read: tidied(read), write, git, ..Walls::default() }
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
