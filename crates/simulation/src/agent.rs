//! Agents that are scripts: they work, lie, stall, die, flood, and meet the limits of their accounts.
//!
//! A process belongs to the world: it goes on while the server is down, and is found again by the session and the run
//! it was started for. It never knows whether anybody listens.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agents::{Outcome, Stop};
use tokio::sync::watch;
use types::{Day, FailureClass, MissionId, ProjectId, Session, SessionId, Spent, Timestamp};

use crate::executor::Group;
use crate::purse::{Purse, turns};
use crate::site::Site;

/// How an agent behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nature {
    Works,
    /// Says that it is done and has done nothing.
    Lies,
    Stalls,
    Dies,
    /// Takes many more turns than its work needs.
    Floods,
    Slowed,
    UsedUp,
    NoKey,
}

/// Turns after which an agent that floods breaks down: where nothing limits it, nobody else would end it.
const FLOOD_TURNS: usize = 300;

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
    pub(crate) agent: String,
    pub(crate) mission: Option<MissionId>,
    pub(crate) project: Option<ProjectId>,
    /// When each of its turns was over.
    pub(crate) turns: Vec<Timestamp>,
    pub(crate) started_at: Timestamp,
    pub(crate) ended_at: Option<Timestamp>,
    /// When it last did something.
    pub(crate) heard: Timestamp,
    pub(crate) exit: Option<Outcome>,
}

impl Process {
    /// Returns for how many seconds it ran, until now if it still does.
    pub(crate) fn secs(&self, now: Timestamp) -> u64 {
        secs(self.started_at, self.ended_at.unwrap_or(now))
    }

    /// Returns what it had spent by a time; on a day or, without one, ever.
    fn spent(&self, day: Option<Day>, by: Timestamp) -> Spent {
        let counts = |at: &&Timestamp| **at <= by && day.is_none_or(|day| Day::of(**at) == day);
        let (from, to) = (self.started_at, self.ended_at.map_or(by, |ended| ended.min(by)));
        let (from, to) = day.map_or((from, to), |day| (from.max(begins_at(day)), to.min(day.ends_at())));
        Spent { secs: secs(from, to), ..turns(self.turns.iter().filter(counts).count()) }
    }
}

/// All processes there ever were. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Agents {
    processes: Arc<Mutex<BTreeMap<Key, Process>>>,
    /// Turns that sessions still have to take until they are through.
    to_do: Arc<Mutex<BTreeMap<SessionId, u64>>>,
    bell: watch::Sender<u64>,
    pub(crate) purse: Purse,
}

impl Agents {
    pub(crate) fn new(purse: Purse) -> Self {
        Self { processes: Arc::default(), to_do: Arc::default(), bell: watch::Sender::new(0), purse }
    }

    pub(crate) fn get(&self, key: &Key) -> Option<Process> {
        self.processes().get(key).cloned()
    }

    pub(crate) fn listen(&self) -> watch::Receiver<u64> {
        self.bell.subscribe()
    }

    /// Starts a process, unless its program cannot be started; never two for one session or one mission.
    pub(crate) fn start(&self, site: &Site, key: &Key, session: &Session) -> bool {
        if site.is_wild() && site.rng.below(25) == 0 {
            return false;
        }
        let now = site.clock.now();
        let mission = session.mission.as_ref().map(|assignment| &assignment.mission);
        let process = Process {
            agent: session.order.agent.clone(),
            mission: mission.cloned(),
            project: session.project.clone(),
            turns: Vec::new(),
            started_at: now,
            ended_at: None,
            heard: now,
            exit: None,
        };
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
        let (turns, pace) = (1 + site.rng.below(5), Duration::from_secs(2 + site.rng.below(40)));
        // Whoever comes back goes on where it was.
        let turns = *self.to_do().entry(key.0.clone()).or_insert(turns);
        site.trace.note(&format!("process {}/{} starts: {nature:?}, {turns} turns of {pace:?}", key.0, key.1));
        let (agents, site, key) = (self.clone(), site.clone(), key.clone());
        site.spawner.clone().spawn(Group::World, async move { agents.live(&site, &key, nature, pace).await });
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

    /// Adds up what some have really spent; by a time, on a day or, without one, ever.
    pub(crate) fn spent(&self, whose: impl Fn(&Process) -> bool, day: Option<Day>, by: Timestamp) -> Spent {
        self.spent_by(whose, day, |_| by)
    }

    /// Adds up what some have really spent, each by a time of its own.
    pub(crate) fn spent_by(
        &self,
        whose: impl Fn(&Process) -> bool,
        day: Option<Day>,
        by: impl Fn(&Key) -> Timestamp,
    ) -> Spent {
        let processes = self.processes();
        let of = processes.iter().filter(|(_, process)| whose(process));
        of.fold(Spent::default(), |sum, (key, process)| sum.plus(process.spent(day, by(key))))
    }

    async fn live(&self, site: &Site, key: &Key, nature: Nature, pace: Duration) {
        loop {
            // What is spent when a turn begins must keep it from being finished, if anybody is there to see.
            let (begun, begun_at) = (site.clock.monotonic(), site.clock.now());
            let was_closed = site.auditor.closed(site, key, begun_at).is_some();
            site.clock.sleep(pace).await;
            if self.get(key).is_none_or(|process| process.exit.is_some()) {
                return;
            }
            let flooded = self.get(key).is_some_and(|process| process.turns.len() >= FLOOD_TURNS);
            if self.is_through(&key.0) && (nature != Nature::Floods || flooded) {
                break;
            }
            // Unless somebody has raised it meanwhile.
            let closed = site.auditor.closed(site, key, begun_at).filter(|_| was_closed);
            if let Some(process) = self.processes().get_mut(key) {
                process.heard = site.clock.now();
                process.turns.push(process.heard);
            }
            if let Some(closed) = closed.filter(|_| site.was_quiet_since(begun)) {
                site.trace
                    .broken(&format!("process {}/{} took a turn on a budget that was used up: {closed}", key.0, key.1));
            }
            self.ring();
        }
        if let Some(outcome) = outcome(site, key, nature) {
            if matches!(outcome, Outcome::Succeeded { .. }) {
                self.to_do().remove(&key.0);
            }
            self.exit(site, key, outcome);
        }
    }

    /// Tells whether a session has taken all the turns it has to, and counts one more if not.
    fn is_through(&self, session: &SessionId) -> bool {
        let mut to_do = self.to_do();
        let left = to_do.entry(session.clone()).or_default();
        let through = *left == 0;
        *left = left.saturating_sub(1);
        through
    }

    fn exit(&self, site: &Site, key: &Key, outcome: Outcome) {
        let now = site.clock.now();
        if let Some(process) = self.processes().get_mut(key).filter(|process| process.exit.is_none()) {
            let turns = process.turns.len();
            site.trace.note(&format!("process {}/{} ends after {turns} turns: {outcome:?}", key.0, key.1));
            (process.exit, process.ended_at) = (Some(outcome), Some(now));
        }
        site.auditor.late(site, key);
        self.ring();
    }

    fn ring(&self) {
        self.bell.send_modify(|count| *count += 1);
    }

    fn to_do(&self) -> MutexGuard<'_, BTreeMap<SessionId, u64>> {
        self.to_do.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn processes(&self) -> MutexGuard<'_, BTreeMap<Key, Process>> {
        self.processes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the whole seconds between two times.
pub(crate) fn secs(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.as_second().saturating_sub(from.as_second())).unwrap_or_default()
}

fn begins_at(day: Day) -> Timestamp {
    day.ends_at().checked_sub(Duration::from_secs(86_400)).unwrap_or(Timestamp::MIN)
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
        Nature::Stalls => None,
        Nature::Floods | Nature::Dies => failed(FailureClass::Crash),
        Nature::Slowed => failed(FailureClass::RateLimit),
        Nature::UsedUp => {
            let wait = Duration::from_secs(60 * (1 + site.rng.below(30)));
            failed(FailureClass::Quota { resets_at: Some(site.clock.now() + wait) })
        }
        Nature::NoKey => failed(FailureClass::Auth),
    }
}
