//! How a stop continues: a pure decision from what is there and what time it is.
//!
//! Ask, wait, kill, give up. An agent that ends by itself goes the same way from the second step on if it has left
//! children behind, so that the end of an agent is the end of everything it started.

use std::time::Duration;

use crate::launch::Stop;

/// What killing may take: a killed process needs a moment to go, and each makes its children known only then.
const KILL_TIME: Duration = Duration::from_secs(2);
/// How often what is being killed is looked at again, beside whenever one of them ends.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How far a stop is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopping {
    /// No stop was requested, and the agent runs.
    No,
    /// The agent was asked, or has ended and its children were.
    Asked { kill_at: Duration },
    /// Everything is being killed.
    Killing { give_up_at: Duration },
}

/// What is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) agent_ended: bool,
    pub(super) others_run: bool,
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Wait for an event; at most until then, if a time is given.
    Wait(Option<Duration>),
    /// The agent ended: ask what it left behind to end too.
    AskOthers,
    /// Kill everything that is left, then wait for at most this long.
    Kill(Duration),
    /// Nothing is left, or nothing can be done about it.
    Over,
}

impl Stopping {
    /// Takes a request to stop; a second one can only shorten the first.
    pub(super) fn ask(&mut self, stop: Stop, now: Duration) {
        let wanted = now + stop.grace();
        *self = match *self {
            Self::No => Self::Asked { kill_at: wanted },
            Self::Asked { kill_at } => Self::Asked { kill_at: kill_at.min(wanted) },
            killing @ Self::Killing { .. } => killing,
        };
    }

    /// Decides what to do next. `stop` is for what an agent leaves behind that ended by itself.
    pub(super) fn next(&mut self, seen: Seen, stop: Stop, now: Duration) -> Step {
        match (*self, seen) {
            (_, Seen { agent_ended: true, others_run: false }) => Step::Over,
            (Self::No, Seen { agent_ended: false, .. }) => Step::Wait(None),
            (Self::No, Seen { agent_ended: true, others_run: true }) => {
                self.ask(stop, now);
                Step::AskOthers
            }
            (Self::Asked { kill_at }, _) if now < kill_at => Step::Wait(Some(kill_at - now)),
            (Self::Asked { .. }, _) => {
                *self = Self::Killing { give_up_at: now + KILL_TIME };
                Step::Kill(LOOK_EVERY)
            }
            (Self::Killing { .. }, Seen { agent_ended: false, .. }) => Step::Kill(LOOK_EVERY),
            (Self::Killing { give_up_at }, _) if now < give_up_at => Step::Kill(LOOK_EVERY),
            (Self::Killing { .. }, _) => Step::Over,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert, proptest};

    use super::*;
    use crate::launch::Signal;

    const RUNS: Seen = Seen { agent_ended: false, others_run: false };
    const LEFT: Seen = Seen { agent_ended: true, others_run: true };
    const GONE: Seen = Seen { agent_ended: true, others_run: false };

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn stop(grace: Duration) -> Stop {
        Stop::new(Signal::Terminate, grace)
    }

    #[test]
    fn an_agent_that_runs_is_waited_for_without_a_limit() {
        assert_eq!(Stopping::No.next(RUNS, stop(seconds(5)), seconds(100)), Step::Wait(None));
    }

    #[test]
    fn an_agent_that_leaves_nobody_behind_is_over_at_once() {
        for mut stopping in [Stopping::No, Stopping::Asked { kill_at: seconds(9) }] {
            assert_eq!(stopping.next(GONE, stop(seconds(5)), seconds(1)), Step::Over);
        }
    }

    #[test]
    fn what_an_agent_leaves_behind_is_asked_and_then_killed() {
        let mut stopping = Stopping::No;
        assert_eq!(stopping.next(LEFT, stop(seconds(5)), seconds(10)), Step::AskOthers);
        assert_eq!(stopping.next(LEFT, stop(seconds(5)), seconds(11)), Step::Wait(Some(seconds(4))));
        assert_eq!(stopping.next(LEFT, stop(seconds(5)), seconds(15)), Step::Kill(LOOK_EVERY));
        assert_eq!(stopping.next(LEFT, stop(seconds(5)), seconds(16)), Step::Kill(LOOK_EVERY));
        assert_eq!(stopping.next(LEFT, stop(seconds(5)), seconds(17)), Step::Over);
    }

    #[test]
    fn a_second_request_shortens_the_first_and_never_lengthens_it() {
        let mut stopping = Stopping::No;
        stopping.ask(stop(seconds(5)), seconds(0));
        stopping.ask(stop(seconds(8)), seconds(1));
        assert_eq!(stopping, Stopping::Asked { kill_at: seconds(5) });
        stopping.ask(stop(seconds(0)), seconds(2));
        assert_eq!(stopping.next(RUNS, stop(seconds(5)), seconds(2)), Step::Kill(LOOK_EVERY));
    }

    proptest! {
        #[test]
        fn a_stop_is_over_within_ten_seconds_of_its_request(grace_ms: u64, ended_ms in 0_u64..10_000) {
            let (mut stopping, mut now) = (Stopping::No, Duration::ZERO);
            let asked = Stop { signal: Signal::Terminate, grace_ms };
            stopping.ask(asked, now);
            loop {
                // A killed agent ends; its children may be held by the kernel for ever.
                let killed = matches!(stopping, Stopping::Killing { .. });
                let seen = Seen { agent_ended: killed || now >= Duration::from_millis(ended_ms), others_run: true };
                match stopping.next(seen, asked, now) {
                    Step::Wait(Some(time)) | Step::Kill(time) => now += time,
                    Step::Over => break,
                    Step::Wait(None) | Step::AskOthers => prop_assert!(false, "{stopping:?} waits for ever"),
                }
            }
            prop_assert!(now <= Duration::from_secs(10), "{now:?}");
        }
    }
}
