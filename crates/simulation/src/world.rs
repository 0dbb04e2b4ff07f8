//! The run: a storm in which everything goes wrong, a calm in which everything must come right, and the last audit.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use config::{Environment, Home, Overrides, Settings};
use runtime::{Clock, Rng};
use schedule::{Plan, Why};
use sessions::memory::{MemoryFiles, MemoryProcesses};
use tokio::sync::watch;
use types::Timestamp;

use crate::agent::{Agents, Script};
use crate::auditor::Auditor;
use crate::bug::Bug;
use crate::engine::{Paced, Weather};
use crate::executor::{Executor, Group};
use crate::field::Field;
use crate::people;
use crate::purse::{Purse, allotment, settings};
use crate::server::{Machine, serve};
use crate::site::Site;
use crate::tampering::Tampering;
use crate::trace::Trace;

/// Rounds of time in which people, agents and the store do their worst.
const STORM_ROUNDS: usize = 60;

/// Rounds of time after which all must have come to rest; one wait may follow the other, a day's budget another day's.
const CALM_ROUNDS: usize = 4_000;

/// The end of a day.
const MIDNIGHT: i64 = 20_255 * 86_400;

/// Steps without time passing after which somebody goes in circles.
const STEPS_MAX: u64 = 100_000;

/// The longest that the store waits before it sends again.
const STORE_PAUSE: Duration = Duration::from_millis(200);

/// The settings of a machine on which nothing is set.
static SETTINGS: LazyLock<Settings> = LazyLock::new(|| {
    let loaded = config::load(&Home::at("/simulated"), &Environment::default(), &Overrides::new());
    #[expect(clippy::expect_used, reason = "the defaults of all settings are valid, or no server starts")]
    loaded.expect("the defaults").settings
});

/// How a run went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What it was made of.
    pub seed: u64,
    /// The first promise that was broken.
    pub violation: Option<String>,
    /// The end of what happened.
    pub tail: Vec<String>,
    /// A hash of all that happened.
    pub hash: u64,
    /// How many things happened.
    pub lines: u64,
    /// How often the server died.
    pub crashes: u32,
    /// How many missions there were at the end, and how many of them done.
    pub missions: (usize, usize),
}

/// Plays the run of a seed.
#[must_use]
pub fn run(seed: u64) -> Report {
    run_with(seed, None)
}

/// Plays the run of a seed with a rule broken on purpose.
#[must_use]
pub fn run_with(seed: u64, bug: Option<Bug>) -> Report {
    let mut world = World::new(seed, bug);
    match tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build() {
        Ok(runtime) => runtime.block_on(world.play()),
        Err(error) => world.site.trace.broken(&format!("there is no runtime: {error}")),
    }
    world.report(seed)
}

struct World {
    site: Site,
    machine: Machine,
    auditor: Auditor,
    executor: Executor,
    crashes: u32,
    weather: Weather,
}

impl World {
    fn new(seed: u64, bug: Option<Bug>) -> Self {
        let rng = Rng::seeded(seed);
        // A day ends in the midst of the storm, or soon after.
        let start = MIDNIGHT.saturating_sub_unsigned(rng.below(5_400));
        let clock = Clock::manual(Timestamp::from_second(start).unwrap_or_default());
        let trace = Trace::new(clock.clone());
        let (field, executor) = (Field::new(), Executor::default());
        let auditor = Auditor::new(trace.clone(), field.clone());
        let slots_max = 1 + rng.below(4) as u32;
        let fleet = allotment(&rng, 20 + rng.below(80), 10 + rng.below(50));
        let agents = Agents::new(Purse::new(settings(&SETTINGS, slots_max, bug), fleet, bug));
        let site = Site {
            spawner: executor.spawner(),
            auditor: auditor.clone(),
            field,
            bug,
            seat: watch::Sender::new(None),
            wild: Arc::new(AtomicBool::new(true)),
            disturbed: Arc::default(),
            clock,
            rng,
            trace,
            agents,
        };
        let tampering = Tampering::new(bug, site.rng.clone());
        let engine = Paced::new(seed, site.rng.clone(), auditor.clone(), tampering);
        let processes = MemoryProcesses::new(site.clock.clone(), Arc::new(Script(site.clone())));
        let machine = Machine { engine, processes, files: MemoryFiles::default() };
        Self { machine, site, auditor, executor, crashes: 0, weather: Weather::Fair }
    }

    async fn play(&mut self) {
        self.boot(Duration::ZERO);
        for _ in 0..STORM_ROUNDS {
            self.settle().await;
            if self.site.trace.violation().is_some() {
                return;
            }
            self.weather();
            self.site.clock.advance(people::pause(&self.site));
        }
        self.site.wild.store(false, Ordering::Relaxed);
        self.turn(Weather::Fair);
        self.site.trace.note("the storm is over");
        for _ in 0..CALM_ROUNDS {
            self.settle().await;
            if self.site.trace.violation().is_some() || self.is_at_rest().await {
                break;
            }
            self.site.clock.advance(self.auditor.idle(&self.site).unwrap_or_else(|| people::pause(&self.site)));
        }
        self.last_audit().await;
        self.site.seat.send_replace(None);
    }

    /// Lets everybody do what can be done without time passing.
    async fn settle(&mut self) {
        for steps in 0.. {
            if self.site.trace.violation().is_some() {
                return;
            }
            if steps > STEPS_MAX {
                return self.site.trace.broken("somebody goes in circles");
            }
            if self.executor.step(&self.site.rng) {
                self.strike();
                continue;
            }
            // The store waits by another clock, which nobody else looks at.
            tokio::time::advance(STORE_PAUSE).await;
            tokio::task::yield_now().await;
            if self.executor.is_idle() {
                return;
            }
        }
    }

    /// In a storm the server may die, and the store may be gone, between any two steps.
    fn strike(&mut self) {
        if !self.site.is_wild() || self.site.server().is_none() {
            return;
        }
        match self.site.rng.below(1_500) {
            0 => self.crash(),
            1..8 => self.turn(Weather::Outage),
            _ => {}
        }
    }

    fn weather(&mut self) {
        for _ in 0..self.site.rng.below(3) {
            people::act(&self.site, &self.auditor);
        }
        self.turn(match (self.weather, self.site.rng.below(20)) {
            (Weather::Fair, 0) | (Weather::Rough, 0..10) => Weather::Rough,
            (Weather::Fair, 1 | 2) | (Weather::Outage, 0..6) => Weather::Outage,
            (Weather::Fair | Weather::Rough | Weather::Outage, _) => Weather::Fair,
        });
        if self.site.rng.below(40) == 0 && self.site.server().is_some() {
            self.crash();
        }
    }

    fn turn(&mut self, weather: Weather) {
        if weather != Weather::Fair || self.weather != Weather::Fair {
            self.site.disturb();
        }
        if weather != self.weather {
            self.site.trace.note(&format!("the store: {weather:?}"));
        }
        self.weather = weather;
        self.machine.engine.turn(weather);
    }

    fn crash(&mut self) {
        self.site.trace.note("the server dies");
        self.crashes += 1;
        self.site.disturb();
        self.site.seat.send_replace(None);
        self.executor.crash();
        self.boot(Duration::from_secs(self.site.rng.below(60)));
    }

    /// Starts a server after a while.
    fn boot(&self, after: Duration) {
        let (site, machine) = (self.site.clone(), self.machine.clone());
        self.site.spawner.begin(Group::World, async move {
            site.clock.sleep(after).await;
            site.disturb();
            let seat = site.seat.clone();
            site.spawner.clone().begin(Group::Server, serve(site, machine, seat));
        });
    }

    /// Looks whether anything can still happen by itself; whatever could have happened already is a broken promise.
    async fn is_at_rest(&mut self) -> bool {
        let (site, auditor) = (self.site.clone(), self.auditor.clone());
        let Some(server) = site.server() else { return false };
        let Ok(parked) = server.sessions.parked().await else { return false };
        if parked.iter().any(|parked| parked.until.is_none()) && people::unpark(&site, &server).await.is_err() {
            return false;
        }
        if !people::raise(&site, &server, &auditor).await.is_ok_and(|raised| !raised)
            || !site.was_quiet_since(site.clock.monotonic())
        {
            return false;
        }
        let Ok(plan) = dispatcher::plan(&server.store, &site.clock, &server.runner).await else { return false };
        // What was seen to only now has had no turn yet.
        if self.executor.is_idle() {
            plan.start
                .iter()
                .for_each(|mission| site.trace.broken(&format!("mission {mission} could start and does not")));
        }
        auditor.is_at_rest() && site.agents.running() == 0 && waits_for_others_alone(&plan)
    }

    async fn last_audit(&mut self) {
        if self.site.trace.violation().is_some() {
            return;
        }
        self.auditor.rest();
        let Some(server) = self.site.server() else { return self.site.trace.broken("there is no server") };
        match dispatcher::plan(&server.store, &self.site.clock, &server.runner).await {
            Ok(plan) if !waits_for_others_alone(&plan) => {
                self.site.trace.broken(&format!("ready missions never ran: {:?} {:?}", plan.start, plan.wait));
            }
            Ok(_) => {}
            Err(error) => self.site.trace.broken(&format!("the store cannot be read: {error}")),
        }
        if let Err(error) = self.auditor.compare(&server.store).await {
            self.site.trace.broken(&format!("the store cannot be read: {error}"));
        }
        self.auditor.compare_books(&self.site, |project| server.store.spent(project, None));
    }

    fn report(&self, seed: u64) -> Report {
        let trace = &self.site.trace;
        let books = self.auditor.books();
        let done = books.missions.values().filter(|mission| mission.state.name() == types::StateName::Done).count();
        Report {
            seed,
            violation: trace.violation(),
            tail: trace.tail(),
            hash: trace.hash(),
            lines: trace.count(),
            crashes: self.crashes,
            missions: (books.missions.len(), done),
        }
    }
}

/// Tells whether nothing is to be started, and those who wait do so for a person or another mission.
fn waits_for_others_alone(plan: &Plan) -> bool {
    let others = |why: &Why| matches!(why, Why::Dependency { .. } | Why::ByHand);
    plan.start.is_empty() && plan.wait.iter().all(|waiting| others(&waiting.why))
}
