//! One worker: turn after turn until its queue is empty.

use std::time::Duration;

use crate::Result;
use crate::queues::{LandingQueues, QueueKey};

/// How long a worker waits before it tries again what no event announces.
pub(crate) const RETRY_AFTER: Duration = Duration::from_secs(5);

/// What a turn of a queue came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Something changed, so there may be more to do.
    Again,
    /// What is left waits for something that no event announces.
    Waits,
    /// Nothing is left that this worker can do.
    Empty,
}

/// Works on a queue until it is empty.
pub(crate) async fn work(queues: &LandingQueues, queue: &QueueKey) {
    loop {
        queues.begin(queue);
        let turn = turn(queues, queue).await.unwrap_or_else(|error| {
            tracing::error!(%queue, %error, "a turn of a landing queue failed; it is tried again");
            Turn::Waits
        });
        match turn {
            Turn::Again => {}
            Turn::Empty if queues.remove_idle(queue) => return,
            Turn::Empty => {}
            Turn::Waits => {
                let again = queues.landings().clock.sleep(RETRY_AFTER);
                tokio::select! {
                    biased;
                    () = queues.woken(queue) => {}
                    () = again => {}
                }
            }
        }
    }
}

async fn turn(queues: &LandingQueues, queue: &QueueKey) -> Result<Turn> {
    let landings = queues.landings();
    match queue {
        QueueKey::Target { folder, target } => landings.queue_turn(queues, queue, folder, target.as_deref()).await,
        QueueKey::Publication { folder } => landings.publication_turn(folder).await,
    }
}
