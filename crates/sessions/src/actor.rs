//! The task of one session, from its first process to its end. It alone writes the session's record.

mod access;
mod approvals;
mod broadcast;
mod budget;
mod egress;
mod enforcement;
mod external;
mod finish;
mod follow;
mod input;
mod journal;
mod notices;
mod permissions;
mod process;
mod questions;
mod record;
mod release;
mod report;
mod sandbox;
mod sandbox_git;
mod sandbox_request;
mod servers;
mod start;
mod stream_state;
mod tools;
mod wait;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agents::external::External;
use policy::SessionPermissions;
use runtime::Stop;
use tokio::sync::{mpsc, watch};
use types::{Approval, Day, Handle, LetterId, SandboxWish, Session, SessionEnding, SessionState, Spent};

pub(crate) use start::contents;

use crate::Result;
use crate::ledger::Uncounted;
use crate::live::Live;
use crate::manager::{Begin, Shared};
use crate::mistakes::Mistake;
use crate::notices::Notice;
use crate::parking::needs_slot;
use crate::slots::Slot;
use broadcast::Broadcast;
use journal::Journal;

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
    /// Look for answers of people to what its agent asked.
    Answered,
    /// Stop after this turn: a budget over it is used up.
    Overdrawn,
    /// Look at what it has handed on of its ceilings.
    CeilingsChanged,
    /// Look at what its agent may do: a person has answered, or a rule has changed.
    PermissionsChanged,
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
    shared: Arc<Shared>,
    slot: Option<Slot>,
    begin: Begin,
    /// As it was last committed; what is about to be is in another variable until it is.
    session: Session,
    live: watch::Sender<Live>,
    commands: mpsc::UnboundedReceiver<Command>,
    server: Stop,
    /// Who asked for its end: kept here, for the store may fail when that is to be written down.
    dismissed: Option<Handle>,
    /// The day that counts what was spent and is not booked.
    day: Day,
    /// What of its ceilings it has handed on to sub-missions.
    handed_on: Spent,
    /// Letters that the process is told, by the id it knows.
    told: BTreeMap<String, LetterId>,
    /// What those hear who listen.
    broadcast: Broadcast,
    /// What its agent may do, as it was last written down.
    permissions: SessionPermissions,
    /// What people were asked about its calls, as it was last read.
    approvals: Vec<Approval>,
    /// How far it is known what was decided on its calls.
    journal: Journal,
    /// What its proxy refused, as far as it is written down.
    refused: BTreeSet<String>,
    /// What Fleet said of the session so far.
    notices: Vec<Notice>,
    /// The process whose output was last read, and how far.
    heard: (u32, u64),
    /// What was said about the sandbox of the process that was last started here.
    wished: Option<SandboxWish>,
    /// Until it is known what the session spent under an earlier server.
    uncounted: Option<Uncounted>,
}

impl Actor {
    pub(crate) fn new(
        shared: Arc<Shared>,
        slot: Option<Slot>,
        (begin, uncounted): (Begin, Option<Uncounted>),
        live: watch::Sender<Live>,
        commands: mpsc::UnboundedReceiver<Command>,
        server: Stop,
    ) -> Self {
        let session = live.borrow().session.clone();
        let (dismissed, told, broadcast) = (None, BTreeMap::new(), Broadcast::default());
        let day = live.borrow().day;
        // What cannot be read is not said again, which is all that it is read for here.
        let path = shared.spools.notices(&session);
        let notices = crate::notices::read(shared.parts.files.as_ref(), &path).unwrap_or_default();
        let (permissions, approvals, journal) =
            (SessionPermissions::open(PathBuf::new()), Vec::new(), Journal::default());
        Self {
            shared,
            slot,
            begin,
            session,
            live,
            commands,
            server,
            dismissed,
            day,
            handed_on: Spent::default(),
            told,
            broadcast,
            permissions,
            approvals,
            journal,
            refused: BTreeSet::new(),
            notices,
            heard: (0, 0),
            wished: None,
            uncounted,
        }
    }

    /// Runs until the session is over, or the server stops.
    pub(crate) async fn run(mut self) {
        while self.session.state.is_live() {
            match self.step().await {
                Ok(Flow::On) => {}
                Ok(Flow::Leave) => return,
                Err(error) => {
                    tracing::error!(session = %self.session.id, %error, "a session could not continue; it is tried again");
                    if let Flow::Leave = self.read_again().await {
                        return;
                    }
                }
            }
        }
    }

    /// Begins again from what is stored, for a commit whose answer was lost may have been applied.
    async fn read_again(&mut self) -> Flow {
        self.begin = Begin::Found;
        loop {
            tokio::select! {
                biased;
                () = self.shared.parts.clock.sleep(PAUSE) => {}
                () = self.server.asked() => return Flow::Leave,
            }
            if self.shared.makes(Mistake::BelievesItself) {
                return Flow::On;
            }
            match self.shared.stored(&self.session.id).await {
                Ok(Some(session)) => return self.resume_from(session),
                // It was deleted meanwhile, and stays so.
                Ok(None) => return Flow::Leave,
                Err(error) => tracing::warn!(session = %self.session.id, %error, "the store still fails"),
            }
        }
    }

    fn resume_from(&mut self, stored: Session) -> Flow {
        // The folder is made, and is written down with the next change.
        let workspace = stored.workspace.clone().or_else(|| self.session.workspace.clone());
        self.session = Session { workspace, ..stored };
        // What waits for a slot must not keep one.
        if !needs_slot(&self.session.state) {
            self.slot = None;
        }
        self.live.send_modify(|live| live.session = self.session.clone());
        Flow::On
    }

    async fn step(&mut self) -> Result<Flow> {
        match self.session.state.clone() {
            SessionState::Starting { .. } | SessionState::Running { .. } | SessionState::Stopping { .. }
                if self.session.order.agent == External::NAME =>
            {
                self.uncounted = None;
                self.follow_external().await
            }
            SessionState::Starting { .. } => self.start().await,
            SessionState::Running { .. } | SessionState::Stopping { .. } => {
                self.point_here();
                let process = self.find().await;
                self.follow(process).await
            }
            SessionState::Waiting { wait, until } => {
                self.uncounted = None;
                match self.dismissed.clone() {
                    Some(by) => self.end(SessionEnding::Cancelled { by }).await,
                    None => self.wait(wait, until).await,
                }
            }
            SessionState::Ended { .. } => Ok(Flow::On),
        }
    }
}
