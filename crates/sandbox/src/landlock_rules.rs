//! Rules for files, ports and signals, enforced by Landlock for one thread and all that it starts.

use std::os::fd::OwnedFd;
use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, NetPort, PathBeneath, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, openat2};

use crate::error::Error;
use crate::plan::{Isolation, Rules};

/// What every kernel must know of files; see [`crate::Support`].
const LEAST: ABI = ABI::V3;

/// What is kept away as well where the kernel knows of it: devices, sockets.
const MOST: ABI = ABI::V9;

/// What a sandbox with a tree of mounts has of its own.
const OWN_DEVICES: [&str; 2] = ["/dev/pts", "/dev/shm"];

/// Applies the rules to this thread and all that it starts, for good.
pub(crate) fn apply(rules: &Rules) -> Result<(), Error> {
    restrict(ruleset(rules)?)
}

fn restrict(ruleset: RulesetCreated) -> Result<(), Error> {
    let status = ruleset.restrict_self()?;
    // Partly enforced is what any kernel but the newest does; what is necessary was demanded.
    match status.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced if status.no_new_privs => Ok(()),
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced | RulesetStatus::NotEnforced => {
            Err(Error::Less)
        }
    }
}

fn ruleset(rules: &Rules) -> Result<RulesetCreated, Error> {
    let mut ruleset =
        Ruleset::default().set_compatibility(CompatLevel::HardRequirement).handle_access(AccessFs::from_all(LEAST))?;
    if rules.tcp.is_some() {
        ruleset = ruleset.handle_access(AccessNet::from_all(ABI::V4))?;
    }
    if rules.scoped {
        ruleset = ruleset.scope(Scope::from_all(ABI::V6))?;
    }
    let ruleset = ruleset.set_compatibility(CompatLevel::BestEffort).handle_access(AccessFs::from_all(MOST))?;
    let mut created = ruleset
        .create()?
        .add_rules(beneath(&rules.read, AccessFs::from_read(MOST)))?
        .add_rules(beneath(&rules.write, writing()))?
        .add_rules(beneath(&rules.git, writing() & !AccessFs::MakeSym))?;
    if let Isolation::Namespaces(spaces) = &rules.isolation {
        let private = spaces.private.iter().map(|(_, target)| target.as_path());
        let layered = spaces.layers.iter().map(|layer| layer.cache.as_path());
        let private = private.chain(OWN_DEVICES.map(Path::new)).chain(layered);
        created = created
            .add_rules(beneath(private, writing()))?
            // Nothing else is in its tree, so it may see what is.
            .add_rules(beneath(["/"], AccessFs::ReadDir.into()))?;
    }
    for port in rules.tcp.iter().flatten() {
        created = created.add_rule(NetPort::new(*port, AccessNet::from_all(ABI::V4)))?;
    }
    Ok(created)
}

/// Opens what rules name, as it is there and without following a link: an agent of an earlier run may have put one in
/// its place. What is not there, and what its user does not reach, needs no rule.
fn beneath<P: AsRef<Path>>(
    paths: impl IntoIterator<Item = P>,
    access: BitFlags<AccessFs>,
) -> impl Iterator<Item = Result<PathBeneath<OwnedFd>, RulesetError>> {
    paths.into_iter().filter_map(move |path| {
        let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let found = openat2(CWD, path.as_ref(), OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), resolve).ok()?;
        let is_folder = FileType::from_raw_mode(fstat(&found).ok()?.st_mode) == FileType::Directory;
        let access = if is_folder { access } else { access & AccessFs::from_file(MOST) };
        Some(Ok(PathBeneath::new(found, access)))
    })
}

/// Everything but making devices: a device gives access to any disk.
fn writing() -> BitFlags<AccessFs> {
    AccessFs::from_all(MOST) & !(AccessFs::MakeChar | AccessFs::MakeBlock)
}
