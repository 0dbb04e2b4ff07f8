//! What the machine can do for a sandbox.

use std::path::{Path, PathBuf};

use landlock::{ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, Scope};

/// What the machine can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support {
    /// Whether files can be kept from a program, those included that are cut to nothing; or what is missing.
    pub files: Result<(), String>,
    /// Whether TCP ports can.
    pub ports: bool,
    /// Whether processes and sockets of others can.
    pub scopes: bool,
    /// The program that gives another a network of its own, if it is there.
    pub bubblewrap: Option<PathBuf>,
}

impl Support {
    /// Finds out; `path` is the `PATH` in which programs are looked for.
    #[must_use]
    pub fn of_machine(path: &str) -> Self {
        let bubblewrap = path.split(':').filter(|folder| folder.starts_with('/'));
        let bubblewrap = bubblewrap.map(|folder| Path::new(folder).join("bwrap")).find(|program| program.is_file());
        Self { files: files(), ports: ports(), scopes: scopes(), bubblewrap }
    }
}

/// Asks for exactly this or nothing.
fn strict() -> Ruleset {
    Ruleset::default().set_compatibility(CompatLevel::HardRequirement)
}

/// Without ABI 3 whoever may only read a file can still empty it.
fn files() -> Result<(), String> {
    let can = |abi| strict().handle_access(AccessFs::from_all(abi)).and_then(Ruleset::create).is_ok();
    match (can(ABI::V1), can(ABI::V3)) {
        (_, true) => Ok(()),
        (true, false) => Err("landlock of this kernel is too old: Linux 6.2 or later is needed".to_owned()),
        (false, false) => Err("this kernel has no landlock, or it is switched off".to_owned()),
    }
}

fn ports() -> bool {
    strict().handle_access(AccessNet::from_all(ABI::V4)).and_then(Ruleset::create).is_ok()
}

fn scopes() -> bool {
    strict().scope(Scope::from_all(ABI::V6)).and_then(Ruleset::create).is_ok()
}
