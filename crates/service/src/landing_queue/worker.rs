//! One worker: turn after turn until its queue is empty.

use std::time::Duration;

use super::queues::{Key, Queues};
use crate::Result;

/// How long to wait before what stands in the way is looked at again.
pub(super) const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// What a look at a queue came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Something happened, so there may be more to do.
    Again,
    /// Whoever is left waits for something that no event tells of.
    Waits,
    /// Nobody is left whom this worker can do anything for.
    Empty,
}

/// Works on a queue until nobody is left in it.
pub(super) async fn work(queues: &Queues, queue: &Key) {
    loop {
        queues.begin(queue);
        let turn = turn(queues, queue).await.unwrap_or_else(|error| {
            tracing::error!(?queue, %error, "landings cannot go on; they are looked at again");
            Turn::Waits
        });
        match turn {
            Turn::Again => {}
            Turn::Empty if queues.leave(queue) => return,
            Turn::Empty => {}
            Turn::Waits => {
                let again = queues.service().clock.sleep(LOOK_AGAIN);
                tokio::select! {
                    () = queues.rung(queue) => {}
                    () = again => {}
                }
            }
        }
    }
}

async fn turn(queues: &Queues, queue: &Key) -> Result<Turn> {
    let (service, lander) = (queues.service(), queues.lander());
    match queue {
        Key::Queue { folder, target } => service.queue_turn(queues, queue, folder, target.as_deref()).await,
        Key::Publication { folder } => service.publication_turn(lander, folder).await,
    }
}
