//! A process of a session: one that runs, or what is known of one that did.

use std::time::Duration;

use agents::{Exit, Outcome, Stop};
use supervisor::{End, Loss, Spool, Stream};
use types::{FailureClass, Limits};

use super::Actor;
use crate::processes::{Adopted, Running};

/// How long a shim that was seen to begin may take until it says who runs.
const STARTING: Duration = Duration::from_secs(10);

/// How long to wait between two looks at such a shim.
const LOOK: Duration = Duration::from_millis(10);

/// How often a shim is asked that runs and does not answer.
const SILENT_TIMES_MAX: u32 = 3;

/// A process of a session.
pub(super) enum Process {
    /// It runs.
    Runs(Running),
    /// It ran.
    Gone(Gone),
    /// It could not be started, and this is why.
    Never(String),
}

/// What is known of a process that is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gone {
    /// What it returned.
    pub(super) exit: Exit,
    /// For how many seconds it ran, if its shim stopped it because a server asked for that.
    pub(super) stopped_after: Option<u64>,
    /// Whether it went with everything else on the machine.
    pub(super) rebooted: bool,
    /// Why it exited, or why that is unknown.
    pub(super) note: Option<Note>,
}

/// Something that its exit code does not tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Note {
    /// It wrote more than its log may hold, and was stopped for that.
    Capped(Stream),
    /// Its end was not observed.
    Lost(String),
}

impl Gone {
    pub(super) fn of(exit: &supervisor::Exit) -> Self {
        let secs = exit.ended_at.as_second().saturating_sub(exit.started_at.as_second());
        let asked = exit.stopped && exit.capped.is_none();
        Self {
            exit: code(&exit.end),
            stopped_after: asked.then(|| u64::try_from(secs).unwrap_or_default()),
            rebooted: false,
            note: exit.capped.map(Note::Capped),
        }
    }

    pub(super) fn unseen(why: &Loss) -> Self {
        let note = Some(Note::Lost(why.to_string()));
        Self { exit: Exit::Unseen, stopped_after: None, rebooted: *why == Loss::Rebooted, note }
    }

    /// Returns why an earlier server stopped it, if that was not recorded: people's wishes are in the record, and what
    /// was spent is in the output, so it was for the time.
    pub(super) fn stopped_for(&self, limits: &Limits, secs_before: u64) -> Option<Stop> {
        let secs = self.stopped_after?.saturating_add(secs_before);
        Some(if limits.secs_max.is_some_and(|most| secs >= most) { Stop::Timeout } else { Stop::Stale })
    }

    /// Adds what is known beside the exit code to a failure.
    pub(super) fn explain(&self, outcome: Outcome) -> Outcome {
        match (outcome, &self.note) {
            (Outcome::Failed { .. }, Some(Note::Capped(stream))) => {
                let text = format!("it was stopped because it wrote more than `{}` may hold", name(*stream));
                // Another process would only write as much again.
                Outcome::Failed { class: FailureClass::Interrupted, text }
            }
            (Outcome::Failed { class: FailureClass::Crash, .. }, Some(Note::Lost(why))) => {
                Outcome::Failed { class: FailureClass::Crash, text: why.clone() }
            }
            (
                outcome @ (Outcome::Succeeded { .. } | Outcome::Asking { .. } | Outcome::Failed { .. }),
                Some(Note::Capped(_) | Note::Lost(_)) | None,
            ) => outcome,
        }
    }
}

impl Actor {
    /// Finds the process of the last run again, or how it ended.
    pub(super) async fn find(&self) -> Process {
        let spool = self.shared.spools.run(&self.session, self.session.runs);
        match self.adopt(&spool).await {
            Adopted::Running(running) => Process::Runs(running),
            Adopted::Ended(exit) => match &exit.end {
                End::NotStarted { why } => Process::Never(why.clone()),
                End::Exited { .. } | End::Signalled { .. } => Process::Gone(Gone::of(&exit)),
            },
            Adopted::Lost { why, kill_leftover } => {
                tracing::warn!(session = %self.session.id, %why, "the end of a session's process was not observed");
                if let Some(kill) = kill_leftover {
                    let left = kill.await;
                    tracing::warn!(session = %self.session.id, left, "what went on without a shim was ended");
                }
                Process::Gone(Gone::unseen(&why))
            }
        }
    }

    /// Looks for the process. A shim that is silent may only be slow, on a machine that has much to do: unless its
    /// agent is to go anyway, it is asked again before the agent is ended for it.
    async fn adopt(&self, spool: &Spool) -> Adopted {
        for _ in 1..SILENT_TIMES_MAX {
            let found = self.shared.parts.processes.adopt(spool).await;
            let is_silent = matches!(found, Adopted::Lost { why: Loss::ShimSilent, .. });
            if !is_silent || self.told_to_go().is_some() {
                return found;
            }
            tracing::warn!(session = %self.session.id, "the shim of an agent does not answer; it is asked again");
        }
        self.shared.parts.processes.adopt(spool).await
    }

    /// Finds the process that another server started for this run, and waits for one that is just being started; none
    /// if there is none.
    pub(super) async fn begun(&self, spool: &Spool) -> Option<Process> {
        let clock = &self.shared.parts.clock;
        let until = clock.monotonic() + STARTING;
        let processes = &self.shared.parts.processes;
        while processes.is_begun(spool) {
            let known = processes.record(spool).is_some() || processes.exit(spool).is_some();
            if known || clock.monotonic() >= until {
                return Some(self.find().await);
            }
            clock.sleep(LOOK).await;
        }
        None
    }
}

fn code(end: &End) -> Exit {
    match end {
        End::Exited { code } => Exit::Code { code: *code },
        End::Signalled { signal } => Exit::Signal { signal: *signal },
        End::NotStarted { .. } => Exit::Unseen,
    }
}

fn name(stream: Stream) -> &'static str {
    match stream {
        Stream::Output => "log.jsonl",
        Stream::Errors => "log.stderr",
    }
}

#[cfg(test)]
mod tests {
    use types::Timestamp;

    use super::*;

    fn exit(stopped: bool, capped: Option<Stream>) -> supervisor::Exit {
        let at = |second| Timestamp::from_second(second).unwrap();
        supervisor::Exit {
            launch: String::new(),
            end: End::Signalled { signal: 15 },
            stopped,
            capped,
            started_at: at(100),
            ended_at: at(160),
            input_delivered: 0,
            survivors: Vec::new(),
        }
    }

    fn failed(class: FailureClass) -> Outcome {
        Outcome::Failed { class, text: "before its turn was over".to_owned() }
    }

    #[test]
    fn a_process_that_an_earlier_server_stopped_was_stopped_for_its_time() {
        let (gone, secs) = (Gone::of(&exit(true, None)), |secs_max| Limits { secs_max, ..Limits::default() });
        assert_eq!(gone.stopped_for(&secs(None), 0), Some(Stop::Stale));
        assert_eq!(gone.stopped_for(&secs(Some(61)), 0), Some(Stop::Stale));
        assert_eq!(gone.stopped_for(&secs(Some(60)), 0), Some(Stop::Timeout));
        assert_eq!(gone.stopped_for(&secs(Some(90)), 30), Some(Stop::Timeout), "earlier processes took time too");
        assert_eq!(Gone::of(&exit(false, None)).stopped_for(&secs(Some(60)), 0), None);
        assert_eq!(Gone::unseen(&Loss::ShimDied).stopped_for(&secs(Some(60)), 0), None);
    }

    #[test]
    fn one_that_wrote_too_much_is_not_begun_again_and_says_why() {
        let gone = Gone::of(&exit(true, Some(Stream::Output)));
        assert_eq!(gone.stopped_for(&Limits::default(), 0), None);
        let Outcome::Failed { class, text } = gone.explain(failed(FailureClass::Crash)) else { panic!("it failed") };
        assert_eq!(class, FailureClass::Interrupted);
        assert!(text.contains("log.jsonl"), "{text}");
    }

    #[test]
    fn what_nobody_saw_is_explained_by_why_and_what_is_known_better_is_not() {
        let gone = Gone::unseen(&Loss::Rebooted);
        assert!(gone.rebooted && !Gone::unseen(&Loss::ShimDied).rebooted);
        let text = Loss::Rebooted.to_string();
        assert_eq!(gone.explain(failed(FailureClass::Crash)), Outcome::Failed { class: FailureClass::Crash, text });
        assert_eq!(gone.explain(failed(FailureClass::Budget)), failed(FailureClass::Budget));
        let plain = Gone::of(&exit(false, None));
        assert_eq!(plain.explain(failed(FailureClass::Crash)), failed(FailureClass::Crash));
    }
}
