//! Agents that are scripts: they work, lie, stall, die, flood, and meet the limits of their accounts.
//!
//! A process belongs to the world: it goes on while the server is down, and is found again by the session and the run
//! it was started for. It never knows whether anybody listens.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agents::{Outcome, Stop};
use tokio::sync::watch;
use types::{FailureClass, MissionId, SessionId, Timestamp};

use crate::executor::Group;
use crate::purse::Purse;
use crate::site::Site;

/// How an agent behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nature {
    Works,
    /// Says that it is done and has done nothing.
    Lies,
    Stalls,
    Dies,
    /// Never ends by itself.
    Floods,
    Slowed,
    UsedUp,
    NoKey,
}

const NATURES: [Nature; 9] = [
    Nature::UsedUp,
    Nature::Works,
    Nature::Lies,
    Nature::Stalls,
    Nature::Dies,
    Nature::Floods,
    Nature::Slowed,
    Nature::UsedUp,
    Nature::NoKey,
];

/// One process of a session: which session, and the number of the run.
pub(crate) type Key = (SessionId, u32);

#[derive(Debug, Clone)]
pub(crate) struct Process {
    pub(crate) mission: Option<MissionId>,
    pub(crate) turns: u32,
    /// When it last did something.
    pub(crate) heard: Timestamp,
    pub(crate) exit: Option<Outcome>,
}

/// All processes there ever were. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Agents {
    processes: Arc<Mutex<BTreeMap<Key, Process>>>,
    bell: watch::Sender<u64>,
    pub(crate) purse: Purse,
}

impl Agents {
    pub(crate) fn new(purse: Purse) -> Self {
        Self { processes: Arc::default(), bell: watch::Sender::new(0), purse }
    }

    pub(crate) fn get(&self, key: &Key) -> Option<Process> {
        self.processes().get(key).cloned()
    }

    pub(crate) fn listen(&self) -> watch::Receiver<u64> {
        self.bell.subscribe()
    }

    /// Starts a process, unless its program cannot be started; never two for one session or one mission.
    pub(crate) fn start(&self, site: &Site, key: &Key, mission: Option<&MissionId>) -> bool {
        if site.is_wild() && site.rng.below(25) == 0 {
            return false;
        }
        let heard = site.clock.now();
        let process = Process { mission: mission.cloned(), turns: 0, heard, exit: None };
        let mut processes = self.processes();
        let alive = |(other, process): (&Key, &Process)| {
            let same = other.0 == key.0 || (mission.is_some() && process.mission.as_ref() == mission);
            same && process.exit.is_none()
        };
        if processes.iter().any(alive) || processes.insert(key.clone(), process).is_some() {
            site.trace.broken(&format!("a second process was started for session {} run {}", key.0, key.1));
        }
        drop(processes);
        site.field.branch_off(&key.0);
        let nature = if site.is_wild() { nature(site) } else { Nature::Works };
        let (turns, pace) = (1 + site.rng.below(5) as u32, Duration::from_secs(2 + site.rng.below(40)));
        site.trace.note(&format!("process {}/{} starts: {nature:?}, {turns} turns of {pace:?}", key.0, key.1));
        let (agents, site, key) = (self.clone(), site.clone(), key.clone());
        site.spawner.clone().spawn(Group::World, async move { agents.live(&site, &key, nature, turns, pace).await });
        true
    }

    /// Ends a process.
    pub(crate) fn kill(&self, site: &Site, key: &Key, stop: Stop) {
        let class = match stop {
            Stop::Asked => FailureClass::Interrupted,
            Stop::Stale => FailureClass::Stale,
            Stop::Timeout => FailureClass::Timeout,
            Stop::Budget => FailureClass::Budget,
            Stop::MaxTurns => FailureClass::MaxTurns,
            Stop::ContextPressure => FailureClass::ContextFull,
        };
        self.exit(site, key, Outcome::Failed { class, text: "it was ended".to_owned() });
    }

    /// How many processes run.
    pub(crate) fn running(&self) -> usize {
        self.processes().values().filter(|process| process.exit.is_none()).count()
    }

    async fn live(&self, site: &Site, key: &Key, nature: Nature, turns: u32, pace: Duration) {
        for turn in 0.. {
            // What is spent when a turn begins must keep the next from being finished, if anybody is there to see.
            let (begun, closed) = (site.clock.monotonic(), self.purse.is_used_up(site.clock.now()));
            site.clock.sleep(pace).await;
            if self.get(key).is_none_or(|process| process.exit.is_some()) {
                return;
            }
            if turn >= turns && nature != Nature::Floods {
                break;
            }
            if let Some(process) = self.processes().get_mut(key) {
                (process.turns, process.heard) = (process.turns + 1, site.clock.now());
            }
            self.purse.spend(site.clock.now());
            if closed && site.was_quiet_since(begun) {
                site.trace.broken(&format!("process {}/{} took a turn on a budget that was used up", key.0, key.1));
            }
            self.bell.send_modify(|count| *count += 1);
        }
        if let Some(outcome) = outcome(site, key, nature) {
            self.exit(site, key, outcome);
        }
    }

    fn exit(&self, site: &Site, key: &Key, outcome: Outcome) {
        if let Some(process) = self.processes().get_mut(key).filter(|process| process.exit.is_none()) {
            site.trace.note(&format!("process {}/{} ends after {} turns: {outcome:?}", key.0, key.1, process.turns));
            process.exit = Some(outcome);
        }
        self.bell.send_modify(|count| *count += 1);
    }

    fn processes(&self) -> MutexGuard<'_, BTreeMap<Key, Process>> {
        self.processes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn nature(site: &Site) -> Nature {
    let drawn = site.rng.below(2 * NATURES.len() as u64) as usize;
    NATURES.get(drawn).copied().unwrap_or(Nature::Works)
}

/// Says how a process ends by itself; none if it does not.
fn outcome(site: &Site, key: &Key, nature: Nature) -> Option<Outcome> {
    let failed = |class| Some(Outcome::Failed { class, text: "it failed".to_owned() });
    match nature {
        Nature::Works | Nature::Lies => {
            if nature == Nature::Works {
                // Whoever comes back to what is there was told what keeps it from landing, or was interrupted.
                match site.field.commits(&key.0) {
                    0 => site.field.commit(&key.0, &site.rng, site.is_wild()),
                    _ => site.field.mend(&key.0, &site.rng),
                }
            }
            Some(Outcome::Succeeded { text: "done".to_owned(), denials: Vec::new(), structured: None })
        }
        Nature::Stalls | Nature::Floods => None,
        Nature::Dies => failed(FailureClass::Crash),
        Nature::Slowed => failed(FailureClass::RateLimit),
        Nature::UsedUp => {
            let wait = Duration::from_secs(60 * (1 + site.rng.below(30)));
            failed(FailureClass::Quota { resets_at: Some(site.clock.now() + wait) })
        }
        Nature::NoKey => failed(FailureClass::Auth),
    }
}
