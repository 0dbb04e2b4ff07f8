//! Putting walls up with landlock, around one thread and all that it starts from then on.

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, NetPort, Ruleset, RulesetAttr as _,
    RulesetCreated, RulesetCreatedAttr as _, RulesetStatus, Scope, path_beneath_rules,
};

use crate::error::Error;
use crate::plan::Walls;

/// What every kernel must know of files; see [`crate::Support`].
const LEAST: ABI = ABI::V3;

/// What is kept away as well where the kernel knows of it: devices, sockets.
const MOST: ABI = ABI::V9;

/// Enough for starting a program; the shim that does it is one of hundreds.
const STACK: usize = 256 << 10;

/// Does something in a thread of its own, inside of walls: what it starts is held by them, and nobody else is.
///
/// # Errors
/// When they cannot be put up: then nothing was done.
pub fn confined<T: Send>(walls: &Walls, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    let ruleset = ruleset(walls)?;
    std::thread::scope(|scope| {
        let inside = move || restrict(ruleset).map(|()| work());
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, inside)?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Puts walls up around this very thread, for good.
pub(crate) fn confine_self(walls: &Walls) -> Result<(), Error> {
    restrict(ruleset(walls)?)
}

fn restrict(ruleset: RulesetCreated) -> Result<(), Error> {
    let status = ruleset.restrict_self()?;
    // Partly is what an older kernel than the newest does; what must be there was demanded.
    match status.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced if status.no_new_privs => Ok(()),
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced | RulesetStatus::NotEnforced => {
            Err(Error::Less)
        }
    }
}

fn ruleset(walls: &Walls) -> Result<RulesetCreated, Error> {
    let mut ruleset =
        Ruleset::default().set_compatibility(CompatLevel::HardRequirement).handle_access(AccessFs::from_all(LEAST))?;
    if walls.tcp.is_some() {
        ruleset = ruleset.handle_access(AccessNet::from_all(ABI::V4))?;
    }
    if walls.scoped {
        ruleset = ruleset.scope(Scope::from_all(ABI::V6))?;
    }
    let ruleset = ruleset.set_compatibility(CompatLevel::BestEffort).handle_access(AccessFs::from_all(MOST))?;
    let mut created = ruleset
        .create()?
        .add_rules(path_beneath_rules(&walls.read, AccessFs::from_read(MOST)))?
        .add_rules(path_beneath_rules(&walls.write, writing()))?
        .add_rules(path_beneath_rules(&walls.git, writing() & !AccessFs::MakeSym))?;
    for port in walls.tcp.iter().flatten() {
        created = created.add_rule(NetPort::new(*port, AccessNet::from_all(ABI::V4)))?;
    }
    Ok(created)
}

/// Everything but making devices: whoever makes one reads any disk.
fn writing() -> BitFlags<AccessFs> {
    AccessFs::from_all(MOST) & !(AccessFs::MakeChar | AccessFs::MakeBlock)
}
