//! One process per file: an advisory lock on `<path>.lock`, which the operating system drops when its holder dies.
//!
//! The lock file is never removed, since a name that comes and goes can be locked twice.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::open::OpenError;

/// How often a lock is asked for whose holder is gone.
const TRIES_MAX: u32 = 100;

/// How long to wait in between.
const PAUSE: Duration = Duration::from_millis(20);

/// Holds the lock until dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock that guards a database, and leaves this process's id in it for processes that are refused.
    pub(crate) fn take(database: &Path) -> Result<Self, OpenError> {
        let path = lock_path(database);
        let failed = |source| OpenError::File { path: path.clone(), source };
        let mut file = private().read(true).create(true).truncate(false).open(&path).map_err(failed)?;
        for tries in 1.. {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {
                    let pid = holder(&mut file);
                    if tries >= TRIES_MAX || pid.is_some_and(runs) {
                        return Err(OpenError::InUse { path: database.to_owned(), pid });
                    }
                    // A child that a killed server had just forked shares its lock until it replaces itself.
                    std::thread::sleep(PAUSE);
                }
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
        }
        leave_pid(&mut file).map_err(failed)?;
        Ok(Self { file })
    }
}

/// Returns whether a process runs; where that cannot be seen, it counts as running.
fn runs(pid: u32) -> bool {
    if !Path::new("/proc/self/stat").exists() {
        return true;
    }
    let mut stat = String::new();
    let read = OpenOptions::new().read(true).open(format!("/proc/{pid}/stat"));
    let read = read.and_then(|mut file| file.read_to_string(&mut stat));
    // The state follows the name, which may itself hold anything.
    let state = stat.rsplit(')').next().and_then(|rest| rest.trim_start().chars().next());
    read.is_ok() && !matches!(state, Some('Z' | 'X'))
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing alone would leave the lock to a child that was forked but has not yet replaced itself.
        if let Err(error) = self.file.unlock() {
            tracing::warn!(%error, "could not unlock the database; it is free once this process ends");
        }
    }
}

/// Opens for writing, and creates what only its owner can read: rows hold what agents said and saw.
pub(crate) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn lock_path(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

fn leave_pid(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

/// Reads who holds the lock; unknown for the instant between taking it and writing the id.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
