//! What everybody in the simulation shares.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use runtime::{Clock, Rng};
use tokio::sync::watch;

use crate::agent::Agents;
use crate::auditor::Auditor;
use crate::bug::Bug;
use crate::executor::Spawner;
use crate::field::{Commit, Field};
use crate::server::Server;
use crate::trace::Trace;

/// How long after a disturbance promises about time hold again: the dispatcher's slow look, and some.
const RECOVERY: Duration = Duration::from_secs(90);

/// What everybody in the simulation shares; it outlives the server.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(crate) clock: Clock,
    pub(crate) rng: Rng,
    pub(crate) trace: Trace,
    pub(crate) spawner: Spawner,
    pub(crate) agents: Agents,
    pub(crate) field: Field,
    pub(crate) auditor: Auditor,
    /// The rule that is broken on purpose.
    pub(crate) bug: Option<Bug>,
    pub(crate) seat: watch::Sender<Option<Arc<Server>>>,
    pub(crate) wild: Arc<AtomicBool>,
    pub(crate) disturbed: Arc<Mutex<Duration>>,
}

impl Site {
    /// The server that runs, if one does.
    pub(crate) fn server(&self) -> Option<Arc<Server>> {
        self.seat.borrow().clone()
    }

    /// Returns whether a rule is broken on purpose.
    pub(crate) fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    /// Moves the target branch, if it stands where it is thought to, and has that audited; tells whether it did.
    pub(crate) fn land(&self, from: Commit, to: Commit, together: &[String]) -> bool {
        let moved = self.field.swap(from, to);
        if moved {
            self.auditor.landed(to, together);
        }
        moved
    }

    /// Returns whether things may still go wrong.
    pub(crate) fn is_wild(&self) -> bool {
        self.wild.load(Ordering::Relaxed)
    }

    /// Notes that something was disturbed just now.
    pub(crate) fn disturb(&self) {
        *self.disturbed.lock().unwrap_or_else(PoisonError::into_inner) = self.clock.monotonic();
    }

    /// Returns whether a server has run undisturbed since some time before this.
    pub(crate) fn was_quiet_since(&self, begun: Duration) -> bool {
        let disturbed = *self.disturbed.lock().unwrap_or_else(PoisonError::into_inner);
        self.server().is_some() && disturbed.saturating_add(RECOVERY) <= begun
    }
}
