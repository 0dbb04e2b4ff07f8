//! The home directory, the disk it is on, and what the kernel offers.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use config::Home;
use rustix::fs::{Access, access, statvfs};
use sandbox::Support;

use super::{Finding, State};

/// With less than this, agents soon have no room to work.
const FREE_BYTES_MIN: u64 = 2 << 30;
/// Entries of a folder that are looked at to tell its size.
const ENTRIES_MAX: usize = 50_000;
/// Where `bwrap` is looked for.
const PROGRAMS: &str = "/usr/local/bin:/usr/bin:/bin";

pub(super) fn check(home: &Home) -> Vec<Finding> {
    let support = Support::of_machine(PROGRAMS).probed(Path::new("/proc/self/exe"));
    let own = [home_folder(home.path()), key(&home.token()), disk(home.path()), kept(home.path())];
    own.into_iter().chain([sandbox(&support), limits(&support)]).collect()
}

fn home_folder(path: &Path) -> Finding {
    let shown = path.display();
    let finding = match path.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Finding::new("home", State::Warn, format!("{shown} is not there yet")).advise("Make it: `fleet init`.")
        }
        Err(error) => Finding::new("home", State::Missing, format!("{shown} cannot be looked at: {error}")),
        Ok(data) if !data.is_dir() => Finding::new("home", State::Missing, format!("{shown} is not a directory"))
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

/// Says how much room Fleet's own data takes, and where it is said what goes when.
fn kept(home: &Path) -> Finding {
    let parts = [("database", "data"), ("output of agents", "tasks"), ("worktrees", "worktrees"), ("logs", "logs")];
    let sizes = parts.map(|(name, folder)| {
        let mut left = ENTRIES_MAX;
        let bytes = size(&home.join(folder), &mut left);
        let more = if left == 0 { "over " } else { "" };
        format!("{name} {more}{} MB", bytes / 1_000_000)
    });
    Finding::new("kept", State::Ok, sizes.join(", ")).advise("What is removed when: `fleet retention show`.")
}

/// Adds up the files below a folder, up to so many entries; links are not followed.
fn size(folder: &Path, left: &mut usize) -> u64 {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if *left == 0 {
            return bytes;
        }
        *left -= 1;
        bytes += match entry.metadata() {
            Ok(data) if data.is_dir() => size(&entry.path(), left),
            Ok(data) => data.blocks() * 512,
            Err(_) => 0,
        };
    }
    bytes
}

/// Names the layers of the sandbox that this machine supports, and how to get the others.
fn sandbox(support: &Support) -> Finding {
    let missing = support.missing();
    match (support.holds_files(), missing.is_empty()) {
        (Ok(()), true) => Finding::new("sandbox", State::Ok, "namespaces, Landlock and a system call filter"),
        (Ok(()), false) => {
            let found = format!("without {}", missing.join("; without "));
            Finding::new("sandbox", State::Warn, found).advise("See docs/sandbox.md for what each layer stops.")
        }
        (Err(_), _) => Finding::new("sandbox", State::Warn, format!("without {}", missing.join("; without "))).advise(
            "Agents reach every file of yours. Use Linux 6.2 or later with Landlock, or allow user namespaces.",
        ),
    }
}

/// Says whether the memory and the processes of a session can be limited as a whole.
fn limits(support: &Support) -> Finding {
    match &support.cgroups {
        Ok(_) => Finding::new("limits", State::Ok, "memory and processes of a whole session, by control groups"),
        Err(why) => Finding::new("limits", State::Warn, format!("of each process alone: {why}")).advise(
            "Start the server where it may make control groups: `systemd-run --user --scope -p Delegate=yes fleet up`.",
        ),
    }
}
