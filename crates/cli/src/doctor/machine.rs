//! The home directory, the disk it is on, and what the kernel offers.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use config::Home;
use rustix::fs::{Access, access, statvfs};

use super::{Finding, State};

/// With less than this, agents soon have no room to work.
const FREE_BYTES_MIN: u64 = 2 << 30;
/// Lists what the kernel enforces.
const SECURITY_MODULES: &str = "/sys/kernel/security/lsm";

pub(super) fn check(home: &Home) -> Vec<Finding> {
    vec![home_folder(home.path()), key(&home.token()), disk(home.path()), landlock()]
}

fn home_folder(path: &Path) -> Finding {
    let shown = path.display();
    let finding = match path.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Finding::new("home", State::Warn, format!("{shown} is not there yet")).advise("Make it: `fleet init`.")
        }
        Err(error) => Finding::new("home", State::Missing, format!("{shown} cannot be looked at: {error}")),
        Ok(data) if !data.is_dir() => Finding::new("home", State::Missing, format!("{shown} is no directory"))
            .advise("Set FLEET_HOME to a directory."),
        Ok(data) if data.permissions().mode() & 0o002 != 0 => {
            Finding::new("home", State::Missing, format!("{shown} can be written by everyone"))
                .advise(format!("Keep it to yourself: `chmod 700 {shown}`."))
        }
        Ok(_) if access(path, Access::WRITE_OK).is_err() => {
            Finding::new("home", State::Missing, format!("{shown} cannot be written"))
                .advise("Set FLEET_HOME to a directory of your own.")
        }
        Ok(data) => {
            Finding::new("home", State::Ok, format!("{shown} (mode {:03o})", data.permissions().mode() & 0o777))
        }
    };
    finding.required()
}

fn key(path: &Path) -> Finding {
    match path.metadata() {
        Err(_) => Finding::new("key", State::Warn, "not made yet").advise("Make it: `fleet init`."),
        Ok(data) if data.permissions().mode() & 0o077 != 0 => {
            let found = format!("others may read {}, so it is not used", path.display());
            let advice = format!("Keep it to yourself: `chmod 600 {}`.", path.display());
            Finding::new("key", State::Missing, found).advise(advice).required()
        }
        Ok(_) => Finding::new("key", State::Ok, "only you can read it"),
    }
}

fn disk(home: &Path) -> Finding {
    // What is not there yet will be on the disk of the folder above.
    let space = home.ancestors().find_map(|folder| statvfs(folder).ok());
    let Some(space) = space else { return Finding::new("disk", State::Warn, "the free space is unknown") };
    let free = space.f_bavail.saturating_mul(space.f_frsize);
    let found = format!("{:.1} GiB free", free as f64 / f64::from(1 << 30));
    if free < FREE_BYTES_MIN {
        return Finding::new("disk", State::Warn, found).advise("Make room, or set FLEET_HOME to another disk.");
    }
    Finding::new("disk", State::Ok, found)
}

#[expect(clippy::disallowed_methods, reason = "what the kernel offers is no file of a user")]
fn landlock() -> Finding {
    match std::fs::read_to_string(SECURITY_MODULES) {
        Ok(modules) if modules.trim().split(',').any(|module| module == "landlock") => {
            Finding::new("landlock", State::Ok, "enforced by this kernel")
        }
        Ok(_) => Finding::new("landlock", State::Warn, "this kernel does not enforce it")
            .advise("Agents run without this layer of the sandbox."),
        Err(_) => Finding::new("landlock", State::Warn, "unknown: this kernel does not say"),
    }
}
