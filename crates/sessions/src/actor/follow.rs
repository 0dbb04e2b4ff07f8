//! Following one process: what it writes, when it is stopped, how it ends.

use std::collections::BTreeMap;
use std::time::Duration;

use agents::Event;
use futures::future::BoxFuture;
use supervisor::{Line, Spool};
use types::{Handle, Limits, SessionState, Timestamp};

use super::approvals::Pending;
use super::input::{hand, next_sent};
use super::process::{Gone, Process};
use super::stream_state::StreamState;
use super::{Actor, Command, Flow};
use crate::Result;
use crate::error::Error;
use crate::messages::uuid;
use crate::outbox::{self, Outbox, Sent};
use crate::processes::{OutputTail, Running};
use crate::waiting_time::waited;

/// Everything about the process that is followed.
pub(super) struct Following {
    pub(super) heard: StreamState,
    pub(super) spool: Spool,
    pub(super) running: Option<Running>,
    pub(super) outbox: Option<Outbox>,
    /// Why Fleet stops it, if it does.
    pub(super) stop: Option<agents::Stop>,
    /// Who asked for that, if anyone did.
    pub(super) stopped_by: Option<Handle>,
    pub(super) stopping: Option<BoxFuture<'static, std::result::Result<supervisor::Exit, supervisor::Error>>>,
    /// Letters up to this number are in the outbox.
    pub(super) letters: u64,
    pub(super) started_at: Timestamp,
    /// For how long the processes before it ran.
    pub(super) secs_before: u64,
    pub(super) linger: Option<Timestamp>,
    /// Until when it may go on with its turn, though a budget is used up.
    pub(super) last_turn: Option<Timestamp>,
    /// The calls that await a decision, by what an answer must name.
    pub(super) pending: BTreeMap<String, Pending>,
    /// How many of its questions were answered.
    pub(super) answers: u32,
}

impl Actor {
    /// Follows a process to its end and decides what comes then.
    pub(super) async fn follow(&mut self, process: Process) -> Result<Flow> {
        let spool = self.shared.spools.run(&self.session, self.session.runs);
        let running = match &process {
            Process::Runs(running) => Some(running.clone()),
            Process::Gone(_) => None,
            Process::Never(why) => return self.not_started(why.clone()).await,
        };
        let mut following = self.open(running, spool).await?;
        self.begin_counting(&following);
        let written = self.written_bytes(&following.spool);
        self.running(following.running.as_ref()).await?;
        if let Some(by) = self.told_to_go() {
            self.halt(&mut following, agents::Stop::Asked, Some(by));
        }
        let tail = self.shared.parts.processes.tail(&following.spool);
        let ended = match (tail, process) {
            (Ok(mut tail), Process::Runs(running)) => {
                self.attend(&mut following, tail.as_mut(), running, written).await?
            }
            (Ok(mut tail), Process::Gone(gone)) => {
                self.shared.parts.processes.give_up(&following.spool).map_err(unreadable)?;
                self.read_rest(&mut following, tail.as_mut()).await?;
                let earlier = self.stopped_before(&gone, following.secs_before).await?;
                following.stop = following.stop.or(earlier);
                Some(gone)
            }
            // Nothing was ever written.
            (Err(_), Process::Gone(gone)) => Some(gone),
            (Err(error), Process::Runs(_) | Process::Never(_)) => return Err(unreadable(error)),
            (Ok(_), Process::Never(_)) => None,
        };
        match ended {
            Some(gone) => self.finish(following, gone).await,
            None => Ok(Flow::Leave),
        }
    }

    /// Returns who asked for its end, if anyone did.
    pub(super) fn told_to_go(&self) -> Option<Handle> {
        match &self.session.state {
            SessionState::Stopping { by, .. } => Some(by.clone()),
            SessionState::Starting { .. }
            | SessionState::Running { .. }
            | SessionState::Waiting { .. }
            | SessionState::Ended { .. } => self.dismissed.clone(),
        }
    }

    async fn open(&mut self, running: Option<Running>, spool: Spool) -> Result<Following> {
        let now = self.shared.parts.clock.now();
        let adapter = self.adapter()?;
        self.write_permissions().await?;
        self.read_handed_on().await?;
        let heard = StreamState::new(&self.session, adapter.as_ref(), self.limits(), now);
        self.live.send_modify(|live| heard.show(live));
        self.broadcast.begin(self.written_bytes(&spool));
        let mut following = Following {
            heard,
            spool,
            outbox: None,
            stop: None,
            stopped_by: None,
            stopping: None,
            letters: 0,
            started_at: running.as_ref().map_or(now, |running| running.record().started_at),
            secs_before: self.secs_before(),
            linger: None,
            last_turn: None,
            pending: BTreeMap::new(),
            answers: 0,
            running: None,
        };
        let path = self.shared.spools.outbox(&self.session, self.session.runs);
        // What it acknowledges is in its output; which messages those are, here.
        let files = std::sync::Arc::clone(&self.shared.parts.files);
        self.told.extend(outbox::letters(files.as_ref(), &path).map_err(unreadable)?.map(|id| (uuid(id.as_str()), id)));
        if let Some(running) = running {
            // A shim that does not answer is on its way out; what it was told no longer matters.
            let delivered = running.status().await.map_or(u64::MAX, |status| status.input.delivered);
            let opened = Outbox::open(files, path, hand(running.clone()), self.shared.parts.clock.clone(), delivered);
            let (outbox, known) = opened.map_err(unreadable)?;
            following.outbox = Some(outbox);
            following.running = Some(running);
            for cause in known {
                self.sent(&mut following, Sent { cause, result: Ok(()) }).await?;
            }
            self.load_letters(&mut following).await?;
        }
        Ok(following)
    }

    /// Returns how much output of a process there is.
    pub(super) fn written_bytes(&self, spool: &Spool) -> u64 {
        self.shared.parts.processes.written(spool).map_or(0, |written| written.bytes)
    }

    /// Returns the seconds between two times in which a process did not just wait for people.
    pub(super) fn secs_between(&self, from: Timestamp, to: Timestamp) -> u64 {
        let secs = to.as_second().saturating_sub(from.as_second());
        u64::try_from(secs).unwrap_or_default().saturating_sub(waited(&self.approvals, from, to))
    }

    /// Adds up how long the processes before this one took.
    pub(super) fn secs_before(&self) -> u64 {
        let earlier = (1..self.session.runs)
            .filter_map(|run| self.shared.parts.processes.exit(&self.shared.spools.run(&self.session, run)));
        earlier.map(|exit| self.secs_between(exit.started_at, exit.ended_at)).sum()
    }

    /// What is asked for, else what the settings say of the agent, else of all.
    pub(super) fn limits(&self) -> Limits {
        let limits = self.shared.setup(&self.session.order.agent).limits(self.own_ceilings());
        let secs = self.shared.settings().session_timeout_secs;
        Limits { secs_max: limits.secs_max.or((secs > 0).then_some(secs.into())), ..limits }
    }

    /// Attends a process until it has ended and everything it wrote was read; none if the server stops before.
    async fn attend(
        &mut self,
        following: &mut Following,
        tail: &mut dyn OutputTail,
        running: Running,
        written: u64,
    ) -> Result<Option<Gone>> {
        let spool = following.spool.clone();
        let mut ended = running.ended();
        let mut gone: Option<Gone> = None;
        loop {
            // What an earlier server did not read is read by now.
            if self.heard.1 >= written {
                self.uncounted = None;
            }
            let due = self.due(following);
            let journal = self.journal.due();
            tokio::select! {
                biased;
                () = self.server.asked() => return Ok(None),
                command = self.commands.recv() => match command {
                    Some(command) => self.command(following, command).await?,
                    None => return Ok(None),
                },
                () = self.shared.parts.clock.sleep_until(self.day.ends_at()) => self.close_day(following).await?,
                stop = alarm(&self.shared.parts.clock, due) => self.time_is_up(following, stop).await?,
                () = stopped(&mut following.stopping) => following.stopping = None,
                sent = next_sent(&mut following.outbox) => self.sent(following, sent).await?,
                () = at(&self.shared.parts.clock, journal) => self.read_journal().await?,
                end = &mut ended, if gone.is_none() => gone = Some(self.ended(&spool, end).await?),
                line = tail.next() => match line.map_err(unreadable)? {
                    Some(line) => self.line(following, &line).await?,
                    None => break,
                },
            }
        }
        match gone {
            Some(gone) => Ok(Some(gone)),
            None => {
                let end = ended.await;
                self.ended(&spool, end).await.map(Some)
            }
        }
    }

    /// Says how a process went; one whose shim was killed may still run, and is ended before anything else is begun.
    async fn ended(
        &self,
        spool: &Spool,
        end: std::result::Result<supervisor::Exit, supervisor::Error>,
    ) -> Result<Gone> {
        if let Ok(exit) = end {
            return Ok(Gone::of(&exit));
        }
        let gone = match self.find().await {
            Process::Gone(gone) => gone,
            Process::Runs(_) => return Err(unreadable(std::io::Error::other("it cannot be waited for"))),
            Process::Never(why) => return Err(unreadable(std::io::Error::other(why))),
        };
        self.shared.parts.processes.give_up(spool).map_err(unreadable)?;
        Ok(gone)
    }

    async fn read_rest(&mut self, following: &mut Following, tail: &mut dyn OutputTail) -> Result<()> {
        while let Some(line) = tail.next().await.map_err(unreadable)? {
            self.line(following, &line).await?;
        }
        Ok(())
    }

    async fn line(&mut self, following: &mut Following, line: &Line) -> Result<()> {
        let settings = self.shared.settings();
        let now = self.shared.parts.clock.now();
        self.close_day(following).await?;
        let (events, wishes) = following.heard.line(&line.bytes, &settings, now);
        self.live.send_modify(|live| following.heard.show(live));
        self.heard = (self.session.runs, line.next);
        self.speak(&events, line.next);
        for wish in wishes {
            self.grant(following, wish).await?;
        }
        if events.iter().any(|event| matches!(event, Event::ToolResult { .. })) {
            self.read_journal().await?;
            self.read_refused(false).await?;
        }
        self.check_budget(following, &events).await
    }

    async fn command(&mut self, following: &mut Following, command: Command) -> Result<()> {
        match command {
            Command::Stop { by } => {
                self.dismissed = Some(by.clone());
                let since = self.shared.parts.clock.now();
                let state = SessionState::Stopping { since, by: by.clone() };
                self.change(|session| session.state = state.clone()).await?;
                self.halt(following, agents::Stop::Asked, Some(by));
                Ok(())
            }
            Command::Letters => self.load_letters(following).await,
            Command::Answered => self.tell_answers(following).await,
            Command::PermissionsChanged => {
                self.write_permissions().await?;
                self.answer_pending(following).await
            }
            Command::Overdrawn => {
                self.overdrawn(following);
                Ok(())
            }
            Command::CeilingsChanged => {
                self.read_handed_on().await?;
                following.heard.hold_to(self.limits());
                Ok(())
            }
        }
    }

    /// Asks the process and everything it started to exit; the first reason is the one that counts.
    pub(super) fn halt(&mut self, following: &mut Following, stop: agents::Stop, by: Option<Handle>) {
        following.stopped_by = following.stopped_by.take().or(by);
        if following.stop.is_some() {
            return;
        }
        tracing::info!(session = %self.session.id, "an agent is told to go");
        following.stop = Some(stop);
        self.live.send_modify(|live| live.phase = live.phase.told_to_go());
        following.heard.phase = following.heard.phase.told_to_go();
        if let Some(running) = following.running.clone() {
            let signal = self.adapter().map_or(agents::Signal::Term, |adapter| adapter.stop());
            let how = self.stop_order(signal);
            following.stopping = Some(running.stop(how));
        }
    }

    fn due(&self, following: &Following) -> Option<Due> {
        if following.stop.is_some() {
            return None;
        }
        let linger = following.linger.filter(|_| following.heard.is_done()).map(|at| (at, agents::Stop::Asked));
        let last_turn = following.last_turn.map(|at| (at, agents::Stop::Budget));
        // An agent that waits for people is neither stale nor late, however long they take.
        let own = || {
            let now = self.shared.parts.clock.now();
            let waited = Duration::from_secs(waited(&self.approvals, following.started_at, now));
            let since = following.started_at.checked_add(waited).unwrap_or(following.started_at);
            following.heard.due(&self.shared.settings(), since, following.secs_before)
        };
        let own = if following.pending.is_empty() { own() } else { None };
        first_due(linger, last_turn, own)
    }

    /// Stops the process whose time is up; a last turn goes on if its budget was raised meanwhile.
    async fn time_is_up(&mut self, following: &mut Following, stop: agents::Stop) -> Result<()> {
        let now = self.shared.parts.clock.now();
        let is_last_turn = stop == agents::Stop::Budget && following.last_turn.is_some();
        if is_last_turn && self.shared.overdrawn(&self.session, now).await?.is_none() {
            following.last_turn = None;
            return Ok(());
        }
        self.halt(following, stop, None);
        Ok(())
    }
}

/// When a process is stopped at the latest, and why.
type Due = (Timestamp, agents::Stop);

/// Returns what is due first. An agent that is done has its time to linger; otherwise neither a last turn nor its budget
/// frees an agent from its own time.
fn first_due(linger: Option<Due>, last_turn: Option<Due>, own: Option<Due>) -> Option<Due> {
    linger.or_else(|| last_turn.into_iter().chain(own).min_by_key(|(at, _)| *at))
}

/// Waits for a time; for ever if there is none.
async fn at(clock: &runtime::Clock, time: Option<Timestamp>) {
    match time {
        Some(time) => clock.sleep_until(time).await,
        None => futures::future::pending().await,
    }
}

/// Waits for the time that is due; for ever if none is.
async fn alarm(clock: &runtime::Clock, due: Option<Due>) -> agents::Stop {
    match due {
        Some((at, stop)) => {
            clock.sleep_until(at).await;
            stop
        }
        None => futures::future::pending().await,
    }
}

async fn stopped(stopping: &mut Option<BoxFuture<'static, std::result::Result<supervisor::Exit, supervisor::Error>>>) {
    match stopping {
        Some(stopping) => {
            if let Err(error) = stopping.await {
                tracing::warn!(%error, "an agent could not be stopped as it should");
            }
        }
        None => futures::future::pending().await,
    }
}

pub(super) fn unreadable(source: std::io::Error) -> Error {
    Error::File { what: "cannot follow the agent".to_owned(), source }
}

#[cfg(test)]
mod tests {
    use agents::Stop;

    use super::*;

    fn at(second: i64, stop: Stop) -> Option<Due> {
        Some((Timestamp::from_second(second).unwrap(), stop))
    }

    #[test]
    fn a_last_turn_does_not_free_an_agent_from_its_own_time() {
        let (own, last_turn) = (at(10, Stop::Budget), at(20, Stop::Asked));
        assert_eq!(first_due(None, last_turn, own), own);
        assert_eq!(first_due(None, at(5, Stop::Asked), own), at(5, Stop::Asked));
        assert_eq!(first_due(None, last_turn, None), last_turn);
    }

    #[test]
    fn an_agent_that_is_done_has_its_time_to_linger() {
        let linger = at(30, Stop::Asked);
        assert_eq!(first_due(linger, at(20, Stop::Budget), at(10, Stop::Budget)), linger);
        assert_eq!(first_due(None, None, None), None);
    }
}
