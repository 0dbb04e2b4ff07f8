//! How it ended, left in the spool for whoever looks there later.

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

/// Writes how it ended. The agent may have filled the disk, and somebody may be making room.
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

/// Leaves word that there is no agent; once, for somebody waits for the answer.
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
