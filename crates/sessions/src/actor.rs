//! The task of one session, from its first process to its end. It alone writes the session's record.

mod begin;
mod external;
mod finish;
mod follow;
mod heard;
mod record;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use runtime::Stop;
use supervisor::{Adopted, Running};
use tokio::sync::{mpsc, watch};
use types::{Handle, LetterId, Session, SessionEnding, SessionState, Wait};

use crate::Result;
use crate::hub::{Begin, Hub};
use crate::live::Live;
use crate::slots::Slot;

/// How long to wait before trying again when the store fails.
const PAUSE: Duration = Duration::from_secs(1);

/// Something asked of a session.
#[derive(Debug, Clone)]
pub(crate) enum Command {
    /// End it.
    Stop {
        /// Who asks.
        by: Handle,
    },
    /// Look for letters.
    Letters,
}

/// What the task does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    /// Goes on with the state that it is in now.
    On,
    /// Leaves the session as it is: the server stops.
    Leave,
}

pub(crate) struct Actor {
    hub: Arc<Hub>,
    slot: Option<Slot>,
    begin: Begin,
    session: Session,
    live: watch::Sender<Live>,
    commands: mpsc::UnboundedReceiver<Command>,
    server: Stop,
    /// Letters that the process was told, by the id it knows.
    told: BTreeMap<String, LetterId>,
}

/// A process of the session: one that runs, or what is known of one that did.
enum Process {
    Runs(Running),
    Gone(agents::Exit),
}

impl Actor {
    pub(crate) fn new(
        hub: Arc<Hub>,
        slot: Option<Slot>,
        begin: Begin,
        live: watch::Sender<Live>,
        commands: mpsc::UnboundedReceiver<Command>,
        server: Stop,
    ) -> Self {
        let session = live.borrow().session.clone();
        Self { hub, slot, begin, session, live, commands, server, told: BTreeMap::new() }
    }

    /// Runs until the session is over, or the server stops.
    pub(crate) async fn run(mut self) {
        while self.session.state.is_live() {
            match self.step().await {
                Ok(Flow::On) => {}
                Ok(Flow::Leave) => return,
                Err(error) => {
                    tracing::error!(session = %self.session.id, %error, "a session could not go on; it is tried again");
                    self.begin = Begin::Found;
                    tokio::select! {
                        () = self.hub.parts.clock.sleep(PAUSE) => {}
                        () = self.server.asked() => return,
                    }
                }
            }
        }
    }

    async fn step(&mut self) -> Result<Flow> {
        match self.session.state.clone() {
            SessionState::Starting { .. } => self.start().await,
            SessionState::Running { .. } | SessionState::Stopping { .. } => {
                let process = self.find().await;
                self.follow(process).await
            }
            SessionState::Waiting { wait, until } => self.wait(wait, until).await,
            SessionState::Ended { .. } => Ok(Flow::On),
        }
    }

    /// Finds the process of the last run again, or what became of it.
    async fn find(&self) -> Process {
        let spool = self.hub.spools.run(&self.session, self.session.runs);
        match self.hub.parts.supervisor.adopt(&spool).await {
            Adopted::Running(running) => Process::Runs(running),
            Adopted::Ended(exit) => Process::Gone(follow::exit(&exit.end)),
            Adopted::Lost { why, leftover } => {
                tracing::warn!(session = %self.session.id, %why, "nobody saw the process of a session end");
                if let Some(leftover) = leftover {
                    let left = leftover.end().await;
                    tracing::warn!(session = %self.session.id, left, "an agent without a shim was ended");
                }
                Process::Gone(agents::Exit::Unseen)
            }
        }
    }

    /// Waits for a time, a slot or an account; whoever is told to go while it waits is gone at once.
    async fn wait(&mut self, wait: Wait, until: Option<types::Timestamp>) -> Result<Flow> {
        let mut unparked = self.hub.unparked.subscribe();
        let hub = Arc::clone(&self.hub);
        let due = async {
            match (&wait, until) {
                (Wait::Slot, _) => Some(hub.slots.wait(|| hub.settings().max_workers).await),
                (Wait::BackOff { .. } | Wait::Parked { .. }, Some(until)) => {
                    hub.parts.clock.sleep_until(until).await;
                    None
                }
                (Wait::BackOff { .. } | Wait::Parked { .. }, None) => futures::future::pending().await,
            }
        };
        tokio::pin!(due);
        loop {
            tokio::select! {
                () = self.server.asked() => return Ok(Flow::Leave),
                slot = &mut due => {
                    self.slot = slot.or(self.slot.take());
                    return self.again().await;
                }
                _ = unparked.changed(), if matches!(wait, Wait::Parked { .. }) => return self.again().await,
                command = self.commands.recv() => match command {
                    Some(Command::Stop { by }) => return self.end(SessionEnding::Cancelled { by }).await,
                    Some(Command::Letters) => {}
                    None => return Ok(Flow::Leave),
                },
            }
        }
    }
}
