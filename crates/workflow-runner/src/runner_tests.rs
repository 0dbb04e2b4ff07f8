use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use kv::MemEngine;
use serde_json::{Value, json};
use store::{Options, Stamp};
use types::{ExecutionStateName, Handle, Mission, MissionState, Proof, StateName, TeamName};

use super::*;

/// Hands that fail as often as they are told, and then cancel the mission.
struct Played {
    store: Store,
    clock: Clock,
    fails: AtomicUsize,
    stopped: Mutex<Vec<MissionId>>,
}

#[async_trait]
impl Hands for Played {
    async fn stop(&self, mission: &MissionId) -> Result<(), String> {
        if self.fails.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() {
            return Err("not now".to_owned());
        }
        self.stopped.lock().unwrap().push(mission.clone());
        let at = self.clock.now();
        move_to(&self.store, mission, at, MissionState::Cancelled { at, by: Handle::owner() }).await;
        Ok(())
    }

    async fn land(&self, _: &MissionId) -> Result<(), String> {
        Ok(())
    }
}

fn stamp(at: Timestamp) -> Stamp {
    Stamp { at, handle: Handle::owner(), team: TeamName::default_team() }
}

async fn move_to(store: &Store, mission: &MissionId, at: Timestamp, state: MissionState) {
    let (state, by) = (&state, &stamp(at));
    let moved = store.transact(by, |tx| async move {
        let held = tx.get::<Mission>(mission).await?.unwrap();
        tx.move_mission(&held, &Mission { state: state.clone(), ..held.record.clone() })
    });
    moved.await.unwrap();
}

struct World {
    store: Store,
    clock: Clock,
    hands: Arc<Played>,
}

impl World {
    async fn new() -> Self {
        let options = Options { writer: "test".to_owned(), seed: 1 };
        let store = Store::open(Arc::new(MemEngine::default()), options).await.unwrap();
        let clock = Clock::manual(Timestamp::UNIX_EPOCH);
        let hands = Played {
            store: store.clone(),
            clock: clock.clone(),
            fails: AtomicUsize::new(0),
            stopped: Mutex::default(),
        };
        Self { store, clock, hands: Arc::new(hands) }
    }

    /// Begins an execution whose record is at least so long.
    async fn begin(&self, id: &str, steps: Value, bytes: usize) -> ExecutionId {
        let request = workflow::Request {
            id: id.parse().unwrap(),
            team: TeamName::default_team(),
            project: None,
            workflow: None,
            name: id.to_owned(),
            definition: serde_json::from_value(json!({ "steps": steps })).unwrap(),
            inputs: serde_json::Map::new(),
            base: None,
            swarm: None,
            by: Handle::owner(),
        };
        let mut execution = workflow::begin(request, self.clock.now()).unwrap();
        let own = serde_json::to_vec(&execution).unwrap().len();
        execution.inputs.insert("padding".to_owned(), "x".repeat(bytes.saturating_sub(own)).into());
        let (execution, by) = (&execution, &stamp(self.clock.now()));
        let begun = self.store.transact(by, |tx| async move {
            tx.insert(execution)?;
            crate::changed(&tx, None, execution);
            Ok::<_, store::Error>(())
        });
        begun.await.unwrap();
        execution.id.clone()
    }

    /// Lets a runner work until this is so; it forgets everything it knew before, as after a crash.
    async fn until(&self, is_so: impl AsyncFn() -> bool) {
        let parts = Parts {
            store: self.store.clone(),
            clock: self.clock.clone(),
            hands: Arc::clone(&self.hands) as Arc<dyn Hands>,
        };
        let runner = WorkflowRunner::new(parts);
        let wait = async {
            while !is_so().await {
                tokio::task::yield_now().await;
                if self.clock.sleepers() > 0 {
                    self.clock.advance(Duration::from_secs(1));
                }
            }
        };
        tokio::select! {
            failed = runner.work() => panic!("{failed:?}"),
            waited = tokio::time::timeout(Duration::from_secs(30), wait) => waited.expect("it does not come to that"),
        }
    }

    async fn state(&self, id: &ExecutionId) -> ExecutionStateName {
        self.store.get::<Execution>(id).await.unwrap().unwrap().state.name()
    }

    async fn missions(&self) -> Vec<Mission> {
        self.store.list::<Mission>(Query::earliest(by::mission::all(), 1_000)).await.unwrap().records
    }
}

fn agent(key: &str, on: &[&str]) -> Value {
    json!({ "key": key, "type": "spawn", "dependsOn": on, "config": { "task": "Do it" } })
}

/// The record of the first has no room left: what follows in it can never be written. The control is the second.
#[tokio::test]
async fn an_execution_that_cannot_be_written_keeps_no_other_from_going_on() {
    let world = World::new().await;
    let full = world.begin("e-aaaaa", json!([agent("a", &[])]), 349_900).await;
    let other =
        world.begin("e-bbbbb", json!([{ "key": "w", "type": "wait", "config": { "durationMs": 5000 } }]), 0).await;
    world.until(async || world.state(&other).await == ExecutionStateName::Completed).await;
    assert_eq!(world.state(&full).await, ExecutionStateName::Running);
    assert_eq!(world.missions().await.len(), 0);
}

#[tokio::test]
async fn a_fan_out_makes_each_mission_once_though_the_runner_begins_anew() {
    let world = World::new().await;
    let steps: Vec<Value> = (0..30).map(|number| agent(&format!("s{number}"), &[])).collect();
    let id = world.begin("e-aaaaa", steps.into(), 0).await;
    for wanted in [5, 20, 30] {
        world.until(async || world.missions().await.len() >= wanted).await;
    }
    assert_eq!(world.missions().await.len(), 30);
    for mission in world.missions().await {
        assert_eq!(mission.state.name(), StateName::Ready);
        let at = world.clock.now();
        let proof = Proof::Stated { by: Handle::owner() };
        move_to(&world.store, &mission.id, at, MissionState::Done { at, proof }).await;
    }
    world.until(async || world.state(&id).await == ExecutionStateName::Completed).await;
    assert_eq!(world.missions().await.len(), 30);
}

#[tokio::test]
async fn a_mission_that_is_called_off_is_stopped_until_it_is_over() {
    let world = World::new().await;
    world.hands.fails.store(3, Ordering::SeqCst);
    let id = world.begin("e-aaaaa", json!([agent("a", &[]), agent("b", &[])]), 0).await;
    world.until(async || world.missions().await.len() == 2).await;
    let failed = world.missions().await[0].id.clone();
    let at = world.clock.now();
    let failure = types::Failure::Stated { by: Handle::owner() };
    move_to(&world.store, &failed, at, MissionState::Failed { at, failure }).await;
    let settled = async || world.store.get::<Execution>(&id).await.unwrap().unwrap().stopping.is_empty();
    world.until(async || world.state(&id).await == ExecutionStateName::Failed && settled().await).await;
    let stopped = world.hands.stopped.lock().unwrap().clone();
    assert!(stopped.len() == 1 && stopped[0] != failed, "{stopped:?}");
}
