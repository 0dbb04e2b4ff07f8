//! The lives of the server in a run: started, killed at a bad moment, started again.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::chance::Chance;
use super::door::{Call, Door};
use super::findings::{Breach, Findings};
use crate::server::{Access, Process, Setup};

/// How long to wait for a call of the right kind.
const CALL_MAX: Duration = Duration::from_millis(1_500);

/// How often a server is started that refuses to.
const START_TRIES: u32 = 20;

/// When the server is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Moment {
    /// Before its first response.
    Starting,
    /// Whenever.
    Anytime,
    /// While a call is under way.
    Dispatching,
    Cancelling,
    Messaging,
}

impl Moment {
    fn choose(chance: &mut Chance) -> Self {
        match chance.between(0, 10) {
            0 => Self::Starting,
            1..4 => Self::Dispatching,
            4..6 => Self::Cancelling,
            6 => Self::Messaging,
            _ => Self::Anytime,
        }
    }

    const fn call(self) -> Option<Call> {
        match self {
            Self::Starting | Self::Anytime => None,
            Self::Dispatching => Some(Call::Dispatch),
            Self::Cancelling => Some(Call::Cancel),
            Self::Messaging => Some(Call::Message),
        }
    }
}

/// Lets the server live and die `kills` times, and returns it in its last life with the moments of its deaths.
pub(super) fn live_and_die(
    setup: &Setup,
    door: &Door,
    calls: &Receiver<Call>,
    findings: &Findings,
    kills: u64,
    chance: &mut Chance,
) -> Result<(Process, BTreeMap<Moment, u64>)> {
    let mut moments = BTreeMap::new();
    let mut process = begin(setup, door)?;
    for number in 1..=kills {
        let moment = await_moment(door, calls, chance);
        process.kill()?;
        door.set(None);
        *moments.entry(moment).or_default() += 1;
        if moment == Moment::Starting {
            let process = setup.execute()?;
            std::thread::sleep(Duration::from_millis(chance.between(0, 150)));
            process.kill()?;
        }
        if chance.percent(30) {
            std::thread::sleep(Duration::from_millis(chance.between(0, 400)));
        }
        process = begin_again(setup, door, findings).with_context(|| format!("after kill {number} ({moment:?})"))?;
    }
    Ok((process, moments))
}

fn begin(setup: &Setup, door: &Door) -> Result<Process> {
    let mut process = setup.execute()?;
    let address = process.answering(&setup.home)?;
    door.set(Some(Access { address, token: setup.token()? }));
    Ok(process)
}

/// A start that is refused is a finding; the next try may succeed.
fn begin_again(setup: &Setup, door: &Door, findings: &Findings) -> Result<Process> {
    let mut tries = 0;
    loop {
        match begin(setup, door) {
            Err(error) if tries < START_TRIES => {
                tries += 1;
                findings.add(Breach::Start, format!("try {tries}: {error:#}: {}", last_words(setup)));
                std::thread::sleep(Duration::from_millis(100));
            }
            begun => return begun,
        }
    }
}

/// What the server wrote last that is not about its work.
fn last_words(setup: &Setup) -> String {
    let log = setup.log.as_ref().and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    log.lines().rev().find(|line| line.starts_with("error")).unwrap_or_default().to_owned()
}

/// Waits for a moment to kill, and says which kind it was.
fn await_moment(door: &Door, calls: &Receiver<Call>, chance: &mut Chance) -> Moment {
    let moment = Moment::choose(chance);
    std::thread::sleep(Duration::from_millis(chance.between(50, 1_200)));
    let Some(wanted) = moment.call() else { return moment };
    while calls.try_recv().is_ok() {}
    let deadline = Instant::now() + CALL_MAX;
    loop {
        match calls.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(call) if call == wanted => {
                std::thread::sleep(Duration::from_micros(chance.between(0, 40_000)));
                return moment;
            }
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Moment::Anytime,
        }
        if door.peek().is_none() {
            return Moment::Anytime;
        }
    }
}
