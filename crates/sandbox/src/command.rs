//! The sandbox of a short-lived command that a repository names: a recipe that prepares a worktree, a check.
//!
//! Its programs and what they read were written by agents as much as by people, so it is held by the same layers as an
//! agent: it writes to its worktree, to folders of its own and to caches, and reads the repository. Nothing of git is
//! written to, so that it leaves no setting and no hook for the next git that runs there.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use types::{Access, HostRule, Network, NetworkWish, PROXY_PORT, SaidBy, SandboxRules, SandboxWish, Sandboxed, Wanted};

use crate::error::Refused;
use crate::layers::Caches;
use crate::limits::Limits;
use crate::network::{Listen, PORTS_MAX};
use crate::plan::{Plan, plan};
use crate::ports::LOOKUPS;
use crate::support::Support;
use crate::visible::System;
use crate::wish::Wish;

/// Variables that name what programs read.
pub const NAMING_READ: [&str; 8] = [
    "CARGO_HOME",
    "GOPATH",
    "JAVA_HOME",
    "NODE_EXTRA_CA_CERTS",
    "NVM_DIR",
    "RUSTUP_HOME",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
];

/// Where registries are reached, whichever ports are listed.
const HTTPS: u16 = 443;

/// The folder for what is written to caches, in the folder of a command.
const LAYERS: &str = "layers";

/// What the settings, the project and its repository say about the sandbox of commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandRules {
    /// How much it matters, and what is reached.
    pub wish: SandboxWish,
    /// How much of the machine one command may use.
    pub limits: Limits,
    /// Caches of the user that it changes for itself alone; `~` is the user's home.
    #[serde(default)]
    pub caches: Vec<String>,
}

impl Default for CommandRules {
    fn default() -> Self {
        Self { wish: SandboxWish::of_settings(&SandboxRules::default()), limits: Limits::default(), caches: Vec::new() }
    }
}

/// Where one command runs.
#[derive(Debug, Clone)]
pub struct CommandPlace<'a> {
    /// The folder that it works in and writes to.
    pub workspace: &'a Path,
    /// What it reads beside that: the repository.
    pub read: Vec<PathBuf>,
    /// A folder of its own, for temporary files and caches; made if it is not there.
    pub private: &'a Path,
}

/// Makes the sandboxes of commands on this machine; clones are the same.
#[derive(Debug, Clone)]
pub struct CommandSandboxes(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    program: PathBuf,
    hidden: Vec<PathBuf>,
    path: String,
    support: OnceLock<Support>,
}

/// A planned sandbox, and the program that enters it.
#[derive(Debug, Clone)]
pub struct Confined {
    /// What is enforced.
    pub plan: Plan,
    /// A program that calls [`crate::main`] after [`crate::WORD`].
    pub program: PathBuf,
    /// The folder for temporary files.
    pub tmp: PathBuf,
    /// Its way to listed hosts, if it has one.
    pub egress: Option<Egress>,
}

/// The proxy by which a command with a network of its own reaches listed hosts: who starts the command starts it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Egress {
    /// The hosts.
    pub hosts: Vec<HostRule>,
    /// The ports in the command's network on which the proxy listens: its own, then loopback ports that it forwards.
    pub listen: Listen,
    /// A folder that the command does not reach, for what the proxy writes down.
    pub folder: PathBuf,
}

impl CommandSandboxes {
    /// Makes sandboxes that `program` enters: one that calls [`crate::main`] after [`crate::WORD`]. No command sees
    /// what is `hidden`; `path` is the `PATH` in which programs are looked for.
    #[must_use]
    pub fn new(program: PathBuf, hidden: Vec<PathBuf>, path: &str) -> Self {
        Self(Arc::new(Inner { program, hidden, path: path.to_owned(), support: OnceLock::new() }))
    }

    /// Uses what is said about the machine in place of what it can do.
    #[must_use]
    pub fn supported_by(program: PathBuf, hidden: Vec<PathBuf>, support: Support) -> Self {
        Self(Arc::new(Inner { program, hidden, path: String::new(), support: support.into() }))
    }

    fn support(&self) -> &Support {
        self.0.support.get_or_init(|| Support::of_machine(&self.0.path).probed(&self.0.program))
    }

    /// Plans the sandbox of one command with this environment. Blocks.
    ///
    /// # Errors
    /// When it is required and the machine cannot enforce all of it, or its folder cannot be made.
    pub fn confine<'v>(
        &self,
        rules: &CommandRules,
        place: &CommandPlace<'_>,
        variable: impl Fn(&str) -> Option<&'v str>,
    ) -> Result<Confined, Refused> {
        let tmp = place.private.join("tmp");
        let cache = place.private.join("cache");
        for folder in [&tmp, &cache] {
            make(folder).map_err(|error| Refused { lacks: format!("`{}`: {error}", folder.display()) })?;
        }
        let home = variable("HOME").map(PathBuf::from);
        let declared = |path: &String| at_home(path, home.as_deref());
        let mut read: Vec<PathBuf> = rules.wish.read.iter().map(declared).chain(place.read.iter().cloned()).collect();
        let folders = variable("PATH").into_iter().flat_map(std::env::split_paths);
        read.extend(folders.filter(|folder| folder.is_absolute()));
        read.extend(NAMING_READ.iter().filter_map(|name| variable(name).map(PathBuf::from)));
        let temporary = ["/tmp", "/var/tmp"].map(|path| (tmp.clone(), PathBuf::from(path)));
        let cached = home.iter().map(|home| (cache.clone(), home.join(".cache")));
        let caches = Caches { shared: rules.caches.iter().map(declared).collect(), own: place.private.join(LAYERS) };
        let (network, ports) = network_of(&rules.wish);
        let egress = (network == Network::Hosts).then(|| egress(&rules.wish, place.private)).transpose()?;
        let wish = Wish {
            wanted: rules.wish.level,
            access: Access::Workspace,
            workspace: place.workspace.to_owned(),
            git: None,
            hidden: self.0.hidden.clone(),
            read,
            write: rules.wish.write.iter().map(declared).chain([tmp.clone()]).collect(),
            caches,
            network,
            ports,
            listen: egress.as_ref().map(|egress| egress.listen.clone()),
            private: temporary.into_iter().chain(cached).collect(),
            limits: rules.limits,
            home: home.clone(),
        };
        let plan = match (rules.wish.level, rules.wish.level_by) {
            (Wanted::Off, SaidBy::Settings) => Plan::off("the settings say so"),
            (Wanted::Off, by) => Plan::off(&format!("{by} says so")),
            (Wanted::Auto | Wanted::Required, _) => plan(&wish, self.support(), &System::default())?,
        };
        // Where the machine makes no network of its own, nothing is handed to a proxy.
        let has_hosts = matches!(plan.reached, Sandboxed::Held { network: Network::Hosts, .. });
        Ok(Confined { plan, program: self.0.program.clone(), tmp, egress: egress.filter(|_| has_hosts) })
    }
}

/// Returns what of the network a command reaches. Registries and services are needed by most, so it is open unless
/// a level says otherwise.
fn network_of(wish: &SandboxWish) -> (Network, Vec<u16>) {
    let network = match wish.network {
        NetworkWish::None => Network::None,
        NetworkWish::Hosts => Network::Hosts,
        NetworkWish::Auto | NetworkWish::Open if wish.ports.is_some() => Network::Ports,
        NetworkWish::Auto | NetworkWish::Open => Network::Open,
    };
    (network, wish.ports.iter().flatten().copied().chain([HTTPS, LOOKUPS]).collect())
}

/// Plans the proxy of a command, with a folder for it that is empty but for what it writes.
#[expect(clippy::disallowed_methods, reason = "the folder is Fleet's own; no command writes to it")]
fn egress(wish: &SandboxWish, private: &Path) -> Result<Egress, Refused> {
    let folder = private.join("egress");
    let failed = |error: io::Error| Refused { lacks: format!("`{}`: {error}", folder.display()) };
    match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        Ok(()) | Err(_) => {}
    }
    make(&folder).map_err(failed)?;
    let hosts: Vec<HostRule> = match &wish.ports {
        None => wish.hosts.iter().cloned().collect(),
        Some(ports) => wish.hosts.iter().flat_map(|rule| rule.limited_to(ports)).collect(),
    };
    let forwarded = hosts.iter().filter_map(HostRule::loopback_port).filter(|port| *port != PROXY_PORT);
    let forwarded: BTreeSet<u16> = forwarded.collect();
    let ports = std::iter::once(PROXY_PORT).chain(forwarded).take(PORTS_MAX).collect();
    let give_to = folder.join(unguessable().map_err(failed)?);
    Ok(Egress { hosts, listen: Listen { ports, give_to }, folder })
}

/// Returns a name that no other process can know.
#[expect(clippy::disallowed_methods, reason = "the device of random numbers is not a file of a user")]
fn unguessable() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Reads a path of the settings, in which `~` stands for the home of the user.
#[must_use]
pub fn at_home(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        (Some(_), None) | (None, _) => PathBuf::from(path),
    }
}

fn make(folder: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_the_settings_may_be_below_the_home_of_the_user() {
        assert_eq!(at_home("~/.npm", Some(Path::new("/users/me"))), Path::new("/users/me/.npm"));
        assert_eq!(at_home("/var/cache/x", Some(Path::new("/users/me"))), Path::new("/var/cache/x"));
    }

    #[test]
    fn commands_reach_the_network_unless_a_level_closes_it() {
        let said = |network, ports: &[u16]| {
            let rules = SandboxRules { network, ports: ports.to_vec(), ..SandboxRules::default() };
            network_of(&SandboxWish::of_settings(&rules))
        };
        assert_eq!(said(None, &[]).0, Network::Open);
        assert_eq!(said(Some(NetworkWish::None), &[]).0, Network::None);
        assert_eq!(said(None, &[5432]), (Network::Ports, vec![5432, HTTPS, LOOKUPS]));
        assert_eq!(said(Some(NetworkWish::Hosts), &[5432]).0, Network::Hosts);
    }
}
