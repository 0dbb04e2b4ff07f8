//! The sandbox of a session's agent: gathers what it needs, and the kernel restricts it to that.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::Needs;
use beneath::Folder;
use config::Settings;
use egress_proxy::Order;
use sandbox::{Caches, GitDirs, Listen, Plan, System, Wish};
use types::{Access, Guard, Held, Network, NetworkWish, SandboxWish, Sandboxed, Wanted, Workspace};

use super::sandbox_git as git;
use super::{Actor, egress};
use crate::command_rules::{hidden, limits};
use crate::processes::Running;

type Variables = BTreeMap<String, String>;

/// Where services are reached that are named without a port.
const HTTPS: u16 = 443;

/// The folder for temporary files.
pub(super) const TMP: &str = "tmp";

/// The folder for caches of the session alone.
const CACHE: &str = "cache";

/// The folder for what the session writes to caches of its user.
const LAYERS: &str = "layers";

/// The folder for what is to be kept beside the work.
pub(super) const ARTIFACTS: &str = "artifacts";

/// The sandbox of a process.
pub(super) struct Sandbox {
    pub(super) plan: Plan,
    /// Its environment inside.
    pub(super) env: Variables,
    /// Its proxy, if it reaches listed hosts.
    pub(super) egress: Option<Order>,
}

impl Actor {
    /// Plans the sandbox of the next process.
    pub(super) async fn sandboxed(
        &self,
        workspace: &Workspace,
        git: Option<GitDirs>,
        argv: &[String],
        env: Variables,
    ) -> Result<Sandbox, String> {
        let settings = self.shared.settings();
        let needs = self.adapter().map_err(|error| error.to_string())?.needs();
        let wished = self.wished();
        if wished.level == Wanted::Off {
            return Ok(Sandbox { plan: Plan::off(&self.said_off()), env, egress: None });
        }
        let egress = self.egress(argv, &env)?;
        let private = self.shared.spools.private(&self.session, self.session.runs);
        let folders = Folders::below(&private, &self.shared.spools.session(&self.session));
        let ask = Ask {
            access: self.access(),
            home: self.shared.parts.tasks.parent().map(Path::to_owned),
            git,
            workspace: workspace.clone(),
            program: self.shared.parts.program.clone(),
            binaries: programs(argv),
            port: self.shared.parts.server.as_ref().map(|server| server.port),
            named: sandbox::ports_named(argv.iter().map(String::as_str)),
            folders: folders.clone(),
            listen: egress.as_ref().map(egress::listen),
            needs,
        };
        let shared = Arc::clone(&self.shared);
        let planned = runtime::blocking(move || {
            ask.folders.make()?;
            let support = shared.support();
            let wish = ask.wish(&wished, &settings, &env);
            let plan = sandbox::plan(&wish, support, &System::default()).map_err(|refused| refused.to_string())?;
            Ok::<_, String>((plan, env))
        });
        let (plan, mut env) = planned.await?;
        if plan.rules.is_some() {
            env.insert("TMPDIR".to_owned(), folders.tmp.to_string_lossy().into_owned());
            git::tell(&mut env);
        }
        // Where the machine makes no network of its own, nothing is handed to a proxy.
        let has_hosts = matches!(plan.reached, Sandboxed::Held { network: Network::Hosts, .. });
        let egress = egress.filter(|_| has_hosts);
        env.extend(egress.iter().flat_map(|_| egress_proxy::variables()));
        Ok(Sandbox { plan, env, egress })
    }

    /// Returns whether the kernel will restrict the next process, whatever sandbox its agent brings.
    pub(super) fn is_sandboxed(&self) -> bool {
        self.wished().level != Wanted::Off
            && self.access() != Access::Full
            && self.shared.support().holds_files().is_ok()
    }

    /// Removes what the processes of the session left in their folders for temporary files.
    pub(super) async fn clear_temporary(&self) {
        let private = |run| [TMP, CACHE, LAYERS].map(|name| self.shared.spools.private(&self.session, run).join(name));
        let folders: Vec<PathBuf> = (1..=self.session.runs).flat_map(private).collect();
        self.shared.parts.files.remove_temporary(folders).await;
    }

    /// Returns what held the process that was just started, as its shim wrote it down.
    pub(super) fn guard(&self, running: Option<&Running>) -> Option<Guard> {
        let written = || self.shared.parts.processes.record(&self.shared.spools.run(&self.session, self.session.runs));
        let record = running.map(|running| running.record().clone()).or_else(written)?;
        let calls = self.session.guard.as_ref().map_or(Held::Untried, |guard| guard.calls.clone());
        Some(Guard { sandbox: record.sandbox?, calls, said: self.said() })
    }
}

/// The folders of one process that it writes to, whatever it may reach.
#[derive(Debug, Clone)]
struct Folders {
    private: PathBuf,
    tmp: PathBuf,
    cache: PathBuf,
    artifacts: PathBuf,
}

impl Folders {
    fn below(private: &Path, session: &Path) -> Self {
        let (tmp, cache) = (private.join(TMP), private.join(CACHE));
        Self { private: private.to_owned(), tmp, cache, artifacts: session.join(ARTIFACTS) }
    }

    /// A folder that is not there cannot be let through.
    fn make(&self) -> Result<(), String> {
        for folder in [&self.tmp, &self.cache, &self.artifacts] {
            let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
            made.map_err(|error| format!("cannot make `{}`: {error}", folder.display()))?;
        }
        // The permission check runs inside of the sandbox, and writes its journal there.
        let journal = self.private.join(policy::JOURNAL_FILE);
        let opened = std::fs::OpenOptions::new().create(true).append(true).open(&journal);
        opened.map(drop).map_err(|error| format!("cannot make `{}`: {error}", journal.display()))
    }
}

/// What is asked for an agent, before the disk and the settings are looked at.
struct Ask {
    access: Access,
    /// Fleet's own.
    home: Option<PathBuf>,
    git: Option<GitDirs>,
    workspace: Workspace,
    /// Fleet's executable, whose tools and permission hook the agent starts.
    program: PathBuf,
    /// The programs that make up the agent, as they are named.
    binaries: Vec<PathBuf>,
    /// Where this server listens.
    port: Option<u16>,
    /// The ports of the addresses among its arguments, such as that of its model.
    named: BTreeSet<u16>,
    folders: Folders,
    /// The ports that its proxy listens on, if it is to have one.
    listen: Option<Listen>,
    needs: Needs,
}

impl Ask {
    fn wish(&self, wished: &SandboxWish, settings: &Settings, env: &Variables) -> Wish {
        let home = env.get("HOME").map(PathBuf::from);
        let path: Vec<PathBuf> = env.get("PATH").map(|path| std::env::split_paths(path).collect()).unwrap_or_default();
        let declared = |list: &BTreeSet<String>| {
            list.iter().map(|path| sandbox::at_home(path, home.as_deref())).collect::<Vec<_>>()
        };

        let mut read = declared(&wished.read);
        read.extend([self.program.clone(), self.folders.private.clone()]);
        read.extend(self.binaries.iter().flat_map(|binary| around(binary, &path)));
        read.extend(path.iter().filter(|folder| folder.is_absolute()).cloned());
        read.extend(sandbox::NAMING_READ.iter().filter_map(|name| env.get(*name).map(PathBuf::from)));
        read.extend(self.workspace.worktree.iter().map(|tree| PathBuf::from(&tree.repository)));

        let mut write = declared(&wished.write);
        write.extend([
            self.folders.tmp.clone(),
            self.folders.artifacts.clone(),
            self.folders.private.join(policy::JOURNAL_FILE),
        ]);
        write.extend(self.state(home.as_deref(), env));
        if self.access == Access::ReadOnly {
            write.extend(self.talk());
        }
        let own = self.port.into_iter().chain(self.named.iter().copied());
        let (network, ports) = network(wished, self.access, own, env);
        Wish {
            wanted: wished.level,
            access: self.access,
            workspace: PathBuf::from(&self.workspace.path),
            git: self.git.clone(),
            hidden: hidden(self.home.as_deref(), settings),
            private: self.private(home.as_deref()),
            caches: Caches {
                shared: settings.sandbox_caches.iter().map(|path| sandbox::at_home(path, home.as_deref())).collect(),
                own: self.folders.private.join(LAYERS),
            },
            read,
            write,
            network,
            ports,
            limits: limits(settings),
            home,
            listen: self.listen.clone().filter(|_| network == Network::Hosts),
        }
    }

    /// Returns the folders of this process alone, and where its programs expect them.
    fn private(&self, home: Option<&Path>) -> Vec<(PathBuf, PathBuf)> {
        let temporary = ["/tmp", "/var/tmp"].map(|path| (self.folders.tmp.clone(), PathBuf::from(path)));
        let cache = home.map(|home| (self.folders.cache.clone(), home.join(".cache")));
        temporary.into_iter().chain(cache).collect()
    }

    /// Returns where the agent's program keeps its own files; makes what is not there yet.
    fn state(&self, home: Option<&Path>, env: &Variables) -> Vec<PathBuf> {
        let below = home.into_iter().flat_map(|home| self.needs.home.iter().map(move |name| home.join(name)));
        let named = self.needs.variables.iter().filter_map(|name| env.get(name).map(PathBuf::from));
        let all: Vec<PathBuf> = below.chain(named).filter(|path| path.is_absolute()).collect();
        for path in all.iter().filter(|path| !path.exists()) {
            // One that cannot be made is one that the program cannot make either.
            let _ = match path.extension().and_then(|kind| kind.to_str()) {
                Some("json") => empty_json(path),
                Some(_) | None => std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path),
            };
        }
        all
    }

    /// Returns where an agent that only reads leaves its report.
    fn talk(&self) -> Option<PathBuf> {
        self.workspace.worktree.as_ref()?;
        let workspace = Path::new(&self.workspace.path);
        // What the branch has there may be a link to anywhere; only a folder of the workspace itself is written to.
        let tree = Folder::open(workspace).ok()?;
        tree.create_folders(Path::new(workspaces::TALK), 0o755).ok()?;
        Some(workspace.join(workspaces::TALK))
    }
}

/// Returns what of the network is to be reached, and by which ports.
fn network(
    wished: &SandboxWish,
    access: Access,
    own: impl IntoIterator<Item = u16>,
    env: &Variables,
) -> (Network, Vec<u16>) {
    let listed = wished.ports.is_some();
    let network = match (wished.network, access) {
        (NetworkWish::None, _) => Network::None,
        (NetworkWish::Hosts, _) => Network::Hosts,
        (NetworkWish::Open | NetworkWish::Auto, _) if listed => Network::Ports,
        (NetworkWish::Auto, Access::ReadOnly) => Network::Ports,
        (NetworkWish::Open, _) | (NetworkWish::Auto, Access::Workspace | Access::Full) => Network::Open,
    };
    let mut ports = sandbox::ports_named(env.values().map(String::as_str));
    // What is reached by HTTPS is found by its name.
    ports.extend([HTTPS, sandbox::LOOKUPS].into_iter().chain(own));
    ports.extend(wished.ports.iter().flatten());
    (network, ports.into_iter().collect())
}

/// Returns the programs of a command line: the first, and the one that it starts itself, behind a `--`.
fn programs(argv: &[String]) -> Vec<PathBuf> {
    let inner = argv.iter().skip_while(|argument| *argument != "--").nth(1);
    argv.first().into_iter().chain(inner).map(PathBuf::from).collect()
}

/// Returns the folder that a program needs to run: its own, or all of the packages that it is installed among.
fn around(binary: &Path, path: &[PathBuf]) -> Vec<PathBuf> {
    let named = if binary.components().count() > 1 {
        Some(binary.to_owned())
    } else {
        path.iter().map(|folder| folder.join(binary)).find(|file| file.is_file())
    };
    let Some(named) = named else { return Vec::new() };
    let real = named.canonicalize().unwrap_or_else(|_| named.clone());
    let packages =
        |file: &Path| file.ancestors().filter(|folder| folder.ends_with("node_modules")).last().map(Path::to_owned);
    let folder = |file: &Path| packages(file).or_else(|| file.parent().map(Path::to_owned));
    [folder(&named), folder(&real)].into_iter().flatten().collect()
}

/// Makes a file of settings in which nothing is set yet; the program may not make one beside others.
fn empty_json(path: &Path) -> std::io::Result<()> {
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(b"{}\n")
}

#[cfg(test)]
#[path = "sandbox_tests.rs"]
mod tests;
