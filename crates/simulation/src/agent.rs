//! Agents that are scripts: they work, lie, stall, die, flood, and meet the limits of their accounts.
//!
//! An agent belongs to the world: it goes on while the server is down. It writes its output as every agent does and
//! never knows whether a server listens; the server is the shipped code, which reads the output and stops it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agents::{Ending, Event, Started};
use sessions::Mistake;
use sessions::memory::{AgentScript, MemoryAgent};
use supervisor::{Error, Launch};
use types::{Day, FailureClass, MissionId, ProjectId, SessionId, Spent, Timestamp};

use crate::engine::give_way;
use crate::executor::Group;
use crate::purse::{Purse, over, told, turns};
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

/// Turns after which an agent that floods breaks down: where nothing limits it, nothing else would end it.
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
    pub(crate) purse: Purse,
}

impl Agents {
    pub(crate) fn new(purse: Purse) -> Self {
        Self { processes: Arc::default(), to_do: Arc::default(), purse }
    }

    pub(crate) fn get(&self, key: &Key) -> Option<Process> {
        self.processes().get(key).cloned()
    }

    /// Plays a process; never two for one session or one mission.
    fn start(&self, site: &Site, key: Key, agent: &MemoryAgent) {
        let books = site.auditor.books();
        let session = books.sessions.get(&key.0).cloned();
        drop(books);
        let Some(session) = session else {
            return site.trace.broken(&format!("a process was started for session {}, which is not stored", key.0));
        };
        let mission = session.mission.as_ref().map(|assignment| &assignment.mission);
        let name = session.order.agent.clone();
        let process = Process {
            agent: name,
            mission: mission.cloned(),
            project: session.project.clone(),
            turns: Vec::new(),
            started_at: site.clock.now(),
            ended_at: None,
        };
        let mut processes = self.processes();
        let alive = |(other, process): (&Key, &Process)| {
            let same = other.0 == key.0 || (mission.is_some() && process.mission.as_ref() == mission);
            same && process.ended_at.is_none()
        };
        if processes.iter().any(alive) || processes.insert(key.clone(), process).is_some() {
            site.trace.broken(&format!("a second process was started for session {} run {}", key.0, key.1));
        }
        drop(processes);
        let nature = if site.is_wild() { nature(site) } else { Nature::Works };
        let (turns, pace) = (1 + site.rng.below(5), Duration::from_secs(2 + site.rng.below(40)));
        // A session that comes back goes on where it was.
        let turns = *self.to_do().entry(key.0.clone()).or_insert(turns);
        site.trace.note(&format!("process {}/{} starts: {nature:?}, {turns} turns of {pace:?}", key.0, key.1));
        let (agents, site, agent) = (self.clone(), site.clone(), agent.clone());
        site.spawner.clone().begin(Group::World, async move {
            tokio::select! {
                biased;
                () = agent.stopped() => {
                    // Others go on meanwhile, and the server may die.
                    for _ in 0..site.rng.below(4) {
                        give_way().await;
                    }
                    agents.ended(&site, &key, "it is stopped");
                    agent.terminate();
                }
                code = agents.live(&site, &key, &agent, nature, pace) => {
                    agents.ended(&site, &key, &format!("exit code {code}"));
                    agent.exit_with(code);
                }
            }
        });
    }

    /// How many processes run.
    pub(crate) fn running(&self) -> usize {
        self.processes().values().filter(|process| process.ended_at.is_none()).count()
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

    /// Works until it ends by itself, and returns its exit code.
    async fn live(&self, site: &Site, key: &Key, agent: &MemoryAgent, nature: Nature, pace: Duration) -> i32 {
        let name = self.get(key).map(|process| process.agent).unwrap_or_default();
        let conversation = (!site.is_wild() || site.rng.below(10) > 0).then(|| format!("conversation-{}", key.0));
        say(agent, &Event::Started(Started { session: conversation, ..Started::default() }));
        let turns = loop {
            // What is spent when a turn begins must keep it from being finished, if a server is there to see.
            let (begun, begun_at) = (site.clock.monotonic(), site.clock.now());
            let was_closed = site.auditor.closed(site, key, begun_at).is_some();
            site.clock.sleep(pace).await;
            let taken = self.get(key).map_or(0, |process| process.turns.len());
            if self.is_through(&key.0) && (nature != Nature::Floods || taken >= FLOOD_TURNS) {
                break taken;
            }
            // Unless it was raised meanwhile.
            let closed = site.auditor.closed(site, key, begun_at).filter(|_| was_closed);
            if let Some(process) = self.processes().get_mut(key) {
                process.turns.push(site.clock.now());
            }
            say(agent, &told(&name));
            if let Some(closed) = closed.filter(|_| site.was_quiet_since(begun)) {
                site.trace
                    .broken(&format!("process {}/{} took a turn on a budget that was used up: {closed}", key.0, key.1));
            }
        };
        match ending(site, key, nature) {
            End::Never => std::future::pending().await,
            End::Dies => 1,
            End::Reports(ending) => {
                let done = ending == Ending::Completed;
                say(agent, &over(&name, turns, ending));
                if !done {
                    return 1;
                }
                self.to_do().remove(&key.0);
                if site.is_wild() && site.rng.below(20) == 0 {
                    // It stays until it is stopped, though it has nothing to do.
                    std::future::pending::<()>().await;
                }
                agent.input_closed().await;
                0
            }
        }
    }

    /// Returns whether a session has taken all the turns it has to, and counts one more if not.
    fn is_through(&self, session: &SessionId) -> bool {
        let mut to_do = self.to_do();
        let left = to_do.entry(session.clone()).or_default();
        let through = *left == 0;
        *left = left.saturating_sub(1);
        through
    }

    fn ended(&self, site: &Site, key: &Key, how: &str) {
        let now = site.clock.now();
        if let Some(process) = self.processes().get_mut(key).filter(|process| process.ended_at.is_none()) {
            let turns = process.turns.len();
            site.trace.note(&format!("process {}/{} ends after {turns} turns: {how}", key.0, key.1));
            process.ended_at = Some(now);
        }
        site.auditor.late(site, key);
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

/// How a process ends by itself.
enum End {
    Never,
    Dies,
    Reports(Ending),
}

fn ending(site: &Site, key: &Key, nature: Nature) -> End {
    let failed = |class| End::Reports(Ending::Failed { class });
    match nature {
        Nature::Works | Nature::Lies => {
            if nature == Nature::Works {
                // An agent that comes back to its work was told what keeps it from landing, or was interrupted.
                match site.field.commits(&key.0) {
                    0 => site.field.commit(&key.0, &site.rng, site.is_wild()),
                    _ => site.field.mend(&key.0, &site.rng),
                }
            }
            End::Reports(Ending::Completed)
        }
        Nature::Stalls => End::Never,
        Nature::Floods | Nature::Dies => End::Dies,
        Nature::Slowed => failed(FailureClass::RateLimit),
        Nature::UsedUp => {
            let wait = Duration::from_secs(60 * (1 + site.rng.below(30)));
            failed(FailureClass::Quota { resets_at: Some(site.clock.now() + wait) })
        }
        Nature::NoKey => failed(FailureClass::Auth),
    }
}

fn say(agent: &MemoryAgent, event: &Event) {
    // Every event can be written as JSON.
    agent.say(&serde_json::to_string(event).unwrap_or_default());
}

/// Starts the processes that the server asks for, on some days not.
#[derive(Debug)]
pub(crate) struct Script(pub(crate) Site);

impl AgentScript for Script {
    fn start(&self, agent: &MemoryAgent, _launch: &Launch) -> Result<(), Error> {
        let site = &self.0;
        let key = agent.id().split_once('/').and_then(|(id, run)| Some((id.parse().ok()?, run.parse().ok()?)));
        let Some(key) = key else { return Err(Error::NotStarted("it has no id".to_owned())) };
        let chance = if site.is_wild() { site.rng.below(40) } else { u64::MAX };
        if chance == 0 {
            return Err(Error::NotStarted("the program is missing".to_owned()));
        }
        site.agents.start(site, key, agent);
        // It runs all the same.
        if chance == 1 { Err(Error::Silent) } else { Ok(()) }
    }

    fn makes(&self, mistake: Mistake) -> bool {
        self.0.bug.is_some_and(|bug| bug.is(mistake))
    }
}
