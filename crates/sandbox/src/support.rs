//! What the machine can do for a sandbox.

use std::path::{Path, PathBuf};
use std::process::Command;

use landlock::{ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, Scope};

use crate::plan::Proc;
use crate::{WORD, cgroup, seccomp};

/// The word after [`WORD`] with which this program tries what the machine can do.
pub(crate) const PROBE: &str = "probe";

/// The word after [`PROBE`] for a process that enters groups and ends.
pub(crate) const CGROUP: &str = "cgroup";

/// What the machine can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support {
    /// Whether Landlock keeps files from a program, truncation included; or what is missing.
    pub files: Result<(), String>,
    /// Whether Landlock restricts TCP ports.
    pub ports: bool,
    /// Whether Landlock keeps signals and abstract sockets inside.
    pub scopes: bool,
    /// Whether system calls can be filtered.
    pub filters: bool,
    /// Whether this program may make namespaces, and with which list of processes; or what is missing.
    pub namespaces: Result<Proc, String>,
    /// Where groups of processes with limits of their own can be made; or what is missing.
    pub cgroups: Result<Vec<PathBuf>, String>,
    /// Whether agents run as root, for which file modes hide nothing.
    pub root: bool,
    /// `bwrap`, if it is installed.
    pub bubblewrap: Option<PathBuf>,
}

impl Support {
    /// Finds out what can be found out without starting a process; `path` is the `PATH` in which programs are looked
    /// for.
    #[must_use]
    pub fn of_machine(path: &str) -> Self {
        let bubblewrap = path.split(':').filter(|folder| folder.starts_with('/'));
        let bubblewrap = bubblewrap.map(|folder| Path::new(folder).join("bwrap")).find(|program| program.is_file());
        let namespaces = Err("namespaces were not tried".to_owned());
        let root = rustix::process::geteuid().is_root();
        let filters = seccomp::is_supported();
        let cgroups = Err("control groups were not tried".to_owned());
        Self { files: files(), ports: ports(), scopes: scopes(), filters, namespaces, cgroups, root, bubblewrap }
    }

    /// Describes a machine that can do nothing.
    #[must_use]
    pub fn none(why: &str) -> Self {
        let (ports, scopes, filters, root) = Default::default();
        let (files, namespaces, cgroups) = (Err(why.to_owned()), Err(why.to_owned()), Err(why.to_owned()));
        Self { files, ports, scopes, filters, namespaces, cgroups, root, bubblewrap: None }
    }

    /// Lists the layers that the machine does not have, with what to do about it.
    #[must_use]
    pub fn missing(&self) -> Vec<String> {
        let mut missing: Vec<String> = self.files.clone().err().into_iter().collect();
        match &self.namespaces {
            Ok(Proc::Own) => {}
            Ok(Proc::Shared) => missing.push("a list of processes of its own: the kernel allows none here".to_owned()),
            Err(why) => missing.push(format!("namespaces: {why}")),
        }
        if !self.filters {
            missing.push("a filter of system calls: this kernel has none for this processor".to_owned());
        }
        if !self.ports {
            missing.push("restricting ports: Linux 6.7 or later is needed".to_owned());
        }
        if !self.scopes {
            missing.push("keeping signals and abstract sockets inside: Linux 6.12 or later is needed".to_owned());
        }
        missing
    }

    /// Returns whether some layer keeps files out of an agent's reach: Landlock, or a tree of mounts.
    ///
    /// # Errors
    /// When none does, with what Landlock lacks.
    pub fn holds_files(&self) -> Result<(), &str> {
        match (&self.files, &self.namespaces) {
            (Ok(()), _) | (_, Ok(_)) => Ok(()),
            (Err(why), Err(_)) => Err(why),
        }
    }

    /// Tries namespaces and `bwrap` as well; `own` is a program that calls [`crate::main`] after [`WORD`]. Blocks.
    #[must_use]
    pub fn probed(self, own: &Path) -> Self {
        let namespaces = probe(own, Proc::Own).or_else(|_| probe(own, Proc::Shared));
        // Where users may make no namespaces, `bwrap` works only as a setuid program.
        let bubblewrap = self.bubblewrap.filter(|program| namespaces.is_ok() || bubblewrap_works(program));
        let cgroups = cgroup::find(|groups| enters(own, groups));
        Self { namespaces, bubblewrap, cgroups, ..self }
    }
}

#[expect(clippy::disallowed_methods, reason = "this program is tried in a process of its own, which ends at once")]
fn enters(own: &Path, groups: &[PathBuf]) -> bool {
    let tried = Command::new(own).arg(WORD).args([PROBE, CGROUP]).args(groups).env_clear().output();
    tried.is_ok_and(|output| output.status.success())
}

#[expect(clippy::disallowed_methods, reason = "the program is tried in a process that ends at once")]
fn bubblewrap_works(program: &Path) -> bool {
    let tried = Command::new(program).args(["--dev-bind", "/", "/", "--", "/bin/sh", "-c", ":"]).output();
    tried.is_ok_and(|output| output.status.success())
}

#[expect(clippy::disallowed_methods, reason = "this program is tried in a process of its own, which ends at once")]
fn probe(own: &Path, proc: Proc) -> Result<Proc, String> {
    let tried = Command::new(own).arg(WORD).arg(PROBE).arg(proc.word()).env_clear().output();
    match tried {
        Ok(output) if output.status.success() => Ok(proc),
        Ok(output) => Err(why(String::from_utf8_lossy(&output.stdout).trim())),
        Err(error) => Err(format!("namespaces cannot be tried: {error}")),
    }
}

/// Settings of the kernel by which users are kept from namespaces, and what to set them to.
const SWITCHES: [(&str, &str, &str); 3] = [
    ("/proc/sys/user/max_user_namespaces", "0", "user.max_user_namespaces=10000"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "kernel.apparmor_restrict_unprivileged_userns=0"),
];

/// Says what hinders, and what to do about it where that is known.
#[expect(clippy::disallowed_methods, reason = "reads settings of the kernel, not a file of a user")]
fn why(said: &str) -> String {
    let is = |path: &str, value: &str| std::fs::read_to_string(path).is_ok_and(|found| found.trim() == value);
    let off = SWITCHES.iter().find(|(path, value, _)| is(path, value));
    match off {
        Some((_, _, fix)) => format!("users may make no namespaces; run `sysctl -w {fix}`"),
        None if said.is_empty() => "namespaces cannot be made here".to_owned(),
        None => format!("namespaces cannot be made here: {said}"),
    }
}

/// Asks for exactly this or nothing.
fn strict() -> Ruleset {
    Ruleset::default().set_compatibility(CompatLevel::HardRequirement)
}

/// Without ABI 3 a file that may only be read can still be truncated.
fn files() -> Result<(), String> {
    let can = |abi| strict().handle_access(AccessFs::from_all(abi)).and_then(Ruleset::create).is_ok();
    match (can(ABI::V1), can(ABI::V3)) {
        (_, true) => Ok(()),
        (true, false) => Err("Landlock of this kernel is too old: Linux 6.2 or later is needed".to_owned()),
        (false, false) => Err("this kernel has no Landlock, or it is disabled".to_owned()),
    }
}

fn ports() -> bool {
    strict().handle_access(AccessNet::from_all(ABI::V4)).and_then(Ruleset::create).is_ok()
}

fn scopes() -> bool {
    strict().scope(Scope::from_all(ABI::V6)).and_then(Ruleset::create).is_ok()
}
