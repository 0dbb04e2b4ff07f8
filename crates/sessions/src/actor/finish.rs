//! The end of a process: how it is judged, what it leaves, what follows.

use agents::{BackOff, Exit, Outcome, judge};
use types::{SessionEnding, SessionState, Timestamp, Wait};

use super::follow::Following;
use super::record::Effects;
use super::{Actor, Flow};
use crate::Result;
use crate::next::{Decided, Ended, Next, Rules, decide};

impl Actor {
    /// Judges a process that has ended and does what follows.
    pub(super) async fn finish(&mut self, following: Following, exit: Exit) -> Result<Flow> {
        let Following { heard, stop, stopped_by, .. } = following;
        let outcome = judge(&heard.account, exit, stop);
        let now = self.hub.parts.clock.now();
        self.session.conversation = heard.account.session.clone().or(self.session.conversation.take());
        self.session.spending = heard.account.meter.spending();
        let can_resume = self.adapter()?.capabilities().resume;
        let chance = self.hub.parts.rng.below(1_000) as f64 / 1_000.0;
        let advanced = heard.advanced();
        let stopped_by = stopped_by.as_ref();
        let ended = Ended { outcome: &outcome, stopped_by, advanced, can_resume, now, chance };
        let decided = decide(&self.session, &ended, &self.rules());
        tracing::info!(session = %self.session.id, ?exit, next = ?decided.next, "a process of a session ended");
        self.session.exit = code(exit);
        self.proceed(decided, &outcome, now).await
    }

    fn rules(&self) -> Rules {
        let settings = self.hub.settings();
        let waits = self.session.order.waits;
        Rules {
            parking: settings.parking,
            stale_restarts_max: settings.stale_restarts_max,
            back_off: BackOff {
                first_ms: waits.map_or(u64::from(settings.retry_first_delay_secs) * 1_000, |waits| waits.first_ms),
                longest_ms: waits
                    .map_or(u64::from(settings.retry_longest_delay_secs) * 1_000, |waits| waits.longest_ms),
                times_max: self.session.order.retries_max.unwrap_or(settings.retries_max),
            },
        }
    }

    async fn proceed(&mut self, decided: Decided, outcome: &Outcome, now: Timestamp) -> Result<Flow> {
        let Decided { next, failures, restarts, trouble } = decided;
        (self.session.failures, self.session.restarts) = (failures, restarts);
        self.session.trouble = trouble.or(self.session.trouble.take());
        self.live.send_modify(|live| live.pid = None);
        match next {
            Next::End(ending) => {
                if let SessionEnding::Completed { .. } = ending {
                    self.keep_work().await;
                }
                let unpark = matches!(outcome, Outcome::Succeeded { .. });
                self.over(SessionState::Ended { at: now, ending }, Effects { unpark, ..Effects::default() }).await
            }
            Next::Again(begun) => {
                self.hub.settle_letters(&self.session, None).await?;
                let state = SessionState::Starting { since: now };
                self.change(|session| {
                    (session.begun, session.state) = (begun, state.clone());
                    session.runs += 1;
                })
                .await?;
                Ok(Flow::On)
            }
            Next::Later { begun, wait, until } => {
                self.hub.settle_letters(&self.session, None).await?;
                self.session.begun = begun;
                self.session.runs += 1;
                self.later(wait, until).await
            }
        }
    }

    async fn later(&mut self, wait: Wait, until: Option<Timestamp>) -> Result<Flow> {
        match &wait {
            Wait::BackOff { .. } | Wait::Slot => self.pause(wait, until).await,
            Wait::Parked { class } => {
                let why = self.session.trouble.as_ref().map_or_else(String::new, |trouble| trouble.text.clone());
                let park = Some((class.clone(), why.clone(), until));
                let release = Some(missions::Release::Parked { why, until });
                let effects = Effects { release, park, unpark: false };
                let state = SessionState::Waiting { wait, until };
                self.change_with(|session| session.state = state.clone(), effects).await?;
                self.slot = None;
                Ok(Flow::On)
            }
        }
    }

    /// Commits what the agent left uncommitted: what it says is done must be on its branch.
    async fn keep_work(&self) {
        let Some(workspace) = self.session.workspace.as_ref().filter(|workspace| workspace.worktree.is_some()) else {
            return;
        };
        let message = format!("Keep what session {} left uncommitted", self.session.id);
        if let Err(error) = self.hub.parts.workspaces.commit_all(workspace, &message).await {
            tracing::warn!(session = %self.session.id, %error, "work that was left uncommitted could not be committed");
        }
    }

    /// Counts the commits on the session's branch.
    pub(super) async fn commits(&self) -> Option<u64> {
        let workspace = self.session.workspace.as_ref().filter(|workspace| workspace.worktree.is_some())?;
        self.hub.parts.workspaces.commits(workspace).await.ok()
    }
}

fn code(exit: Exit) -> Option<i32> {
    match exit {
        Exit::Code { code } => Some(code),
        Exit::Signal { signal } => Some(128 + signal),
        Exit::Unseen => None,
    }
}
