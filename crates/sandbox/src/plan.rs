//! What will stand around an agent, from what is wanted and what the machine can do.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use types::{Access, Network, Sandboxed, Wanted};

use crate::error::Refused;
use crate::hidden;
use crate::support::Support;
use crate::visible::{Listing, visible};
use crate::wish::Wish;

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
    /// The TCP ports it reaches; none for all.
    pub tcp: Option<Vec<u16>>,
    /// Whether it signals only what it started itself.
    pub scoped: bool,
    /// The program that gives it a network of its own; none leaves it in that of the machine.
    pub apart: Option<PathBuf>,
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
    if !support.scopes {
        lacks.push("holding signals back".to_owned());
    }
    if let Some(first) = lacks.first() {
        required(first)?;
    }
    let (read, write) = files(wish, listing);
    let walls = Walls { read, write, tcp: network.tcp, scoped: support.scopes, apart: network.apart };
    let reached = Sandboxed::Held { access: wish.access, network: network.reached, lacks };
    Ok(Plan { reached, walls: Some(walls) })
}

/// What of the network is kept away, and by what.
struct Net {
    reached: Network,
    tcp: Option<Vec<u16>>,
    apart: Option<PathBuf>,
}

/// Returns what can be had of what is wished for, and what cannot.
fn network(wish: &Wish, support: &Support) -> (Net, Vec<String>) {
    let ports = |ports: &[u16]| Net { reached: Network::Ports, tcp: Some(ports.to_vec()), apart: None };
    let open = Net { reached: Network::Open, tcp: None, apart: None };
    let no_ports = || "holding ports back: Linux 6.7 or later is needed".to_owned();
    match (wish.network, &support.bubblewrap, support.ports) {
        (Network::Open, _, _) => (open, Vec::new()),
        (Network::Ports, _, true) => (ports(&wish.ports), Vec::new()),
        (Network::Ports, _, false) => (open, vec![no_ports()]),
        (Network::None, Some(program), _) => {
            (Net { reached: Network::None, tcp: None, apart: Some(program.clone()) }, Vec::new())
        }
        // The next best: no port at all, as far as it is TCP.
        (Network::None, None, true) => (ports(&[]), vec![no_bubblewrap()]),
        (Network::None, None, false) => (open, vec![no_bubblewrap(), no_ports()]),
    }
}

fn no_bubblewrap() -> String {
    "a network of its own: `bwrap` is not installed".to_owned()
}

/// Returns what is read, and what is written to.
fn files(wish: &Wish, listing: &impl Listing) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let real = |path: &PathBuf| listing.real(path);
    let home = wish.home.as_ref().and_then(real);
    let secrets = home.iter().flat_map(|home| hidden::in_home(home)).chain(wish.hidden.iter().cloned());
    // What is hidden is so by its name and by the place that the name leads to.
    let secrets: Vec<PathBuf> = secrets.flat_map(|path| [real(&path), Some(path)]).flatten().collect();
    let around: Vec<PathBuf> = secrets.iter().cloned().chain(hidden::in_system()).collect();
    let seen = |root: &Path| visible(root, &secrets, listing);
    let workspace = real(&wish.workspace).map(|workspace| seen(&workspace)).unwrap_or_default();

    let mut read = visible(Path::new("/"), &around, listing);
    read.extend(home.iter().flat_map(|home| seen(home)));
    read.extend(hidden::read().chain(wish.read.iter().cloned()).filter_map(|path| real(&path)));
    read.extend(wish.git.iter().filter_map(|git| real(&git.common)));
    read.extend(workspace.iter().cloned());

    let mut write: Vec<PathBuf> = hidden::written().chain(wish.write.iter().cloned()).collect();
    if wish.access == Access::Workspace {
        write.extend(wish.git.iter().flat_map(super::GitDirs::written));
        write.extend(workspace);
    }
    let write = write.iter().filter_map(real).collect();
    (tidied(read), tidied(write))
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
