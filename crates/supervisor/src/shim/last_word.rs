//! Writes into the spool how the agent ended, for later readers.

use std::io;
use std::path::Path;
use std::time::Duration;

use runtime::Clock;

use crate::files::{self, Keep};
use crate::launch::Launch;
use crate::record::{End, Exit};
use crate::spool::{EXIT, SOCKET};

/// How often a full disk is tried again.
pub(super) const TRIES: u32 = 30;
/// How long to wait when the machine refuses what it never should.
pub(super) const TRY_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Writes how it ended. The agent may have filled the disk, and space may be freed meanwhile.
pub(super) fn leave(exit: &Exit) -> io::Result<()> {
    let text = serde_json::to_string(exit)?;
    let mut tries = 0;
    loop {
        tries += 1;
        match files::replace(Path::new(EXIT), &text, Keep::ForEver) {
            Ok(()) => return files::remove(Path::new(SOCKET)),
            Err(error) if error.kind() != io::ErrorKind::NotFound && tries < TRIES => {
                std::thread::sleep(TRY_AGAIN_AFTER);
            }
            // A spool that was removed takes no word any more.
            Err(error) => return Err(error),
        }
    }
}

/// Records that there is no agent; once, because the server waits for the answer.
pub(super) fn not_started(launch: &Launch, clock: &Clock, error: &io::Error) -> io::Result<()> {
    let now = clock.now();
    let exit = Exit {
        launch: launch.id.clone(),
        end: End::NotStarted { why: error.to_string() },
        stopped: false,
        capped: None,
        started_at: now,
        ended_at: now,
        input_delivered: 0,
        survivors: Vec::new(),
    };
    files::replace(Path::new(EXIT), &serde_json::to_string(&exit)?, Keep::ForEver)?;
    files::remove(Path::new(SOCKET))
}
