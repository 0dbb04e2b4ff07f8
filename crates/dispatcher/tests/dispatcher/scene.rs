//! A store, a clock, a runner and a dispatcher that is polled by hand.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use fleet_dispatcher::Dispatcher;
use missions::{Edit, Statement};
use runtime::{Clock, Kind, Tree};
use store::{Options, Store};
use types::{Event, Handle, Mission, MissionId, MissionState, Start, TeamName, Timestamp};

use crate::hands::{Hands, stamp};
use crate::probe::Probe;

pub(crate) struct Scene {
    pub(crate) engine: Probe,
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) crew: Arc<Hands>,
    dispatcher: Option<Running>,
}

struct Running {
    future: Pin<Box<dyn Future<Output = ()>>>,
    woken: Arc<Woken>,
}

#[derive(Debug, Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_750_000_000 + second).unwrap()
}

pub(crate) fn id(code: &str) -> MissionId {
    MissionId::from_code(code).unwrap()
}

/// The n-th of many missions.
pub(crate) fn nth(number: usize) -> MissionId {
    let letter = |shift: usize| types::ID_ALPHABET.chars().nth((number >> shift) & 15).unwrap();
    id(&format!("zz{}{}{}", letter(8), letter(4), letter(0)))
}

pub(crate) async fn open(engine: &Probe, writer: &str) -> Store {
    Store::open(Arc::new(engine.clone()), Options { writer: writer.to_owned(), seed: 7 }).await.unwrap()
}

impl Scene {
    /// With a dispatcher that runs.
    pub(crate) async fn new() -> Self {
        let mut scene = Self::idle().await;
        scene.begin();
        scene.settle().await;
        scene
    }

    /// Without a dispatcher yet.
    pub(crate) async fn idle() -> Self {
        let (engine, clock) = (Probe::default(), Clock::manual(at(0)));
        let store = open(&engine, "w").await;
        let crew = Arc::new(Hands::new(store.clone(), clock.clone()));
        Self { engine, store, clock, crew, dispatcher: None }
    }

    /// Begins to dispatch; the dispatcher before is dropped as it is.
    pub(crate) fn begin(&mut self) {
        let dispatcher = Dispatcher::new(self.store.clone(), self.clock.clone(), Arc::clone(&self.crew));
        let stop = Tree::new(self.clock.clone()).stop_of(Kind::Listener);
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        let future = Box::pin(async move { dispatcher.run(&stop).await });
        self.dispatcher = Some(Running { future, woken });
    }

    /// Polls the dispatcher once if it has something to do; returns whether it had.
    pub(crate) async fn poll(&mut self) -> bool {
        // Gives others the turn, and with it what tokio lets a task do at a stretch.
        tokio::task::yield_now().await;
        let Some(running) = &mut self.dispatcher else { return false };
        if !running.woken.0.swap(false, Ordering::Relaxed) {
            return false;
        }
        let waker = Waker::from(Arc::clone(&running.woken));
        assert_eq!(running.future.as_mut().poll(&mut Context::from_waker(&waker)), Poll::Pending);
        true
    }

    /// Lets the dispatcher do everything that it can do now; no time passes.
    pub(crate) async fn settle(&mut self) {
        while self.poll().await {}
    }

    /// Lets time pass.
    pub(crate) async fn pass(&mut self, secs: u64) {
        self.clock.advance(Duration::from_secs(secs));
        self.settle().await;
    }

    /// States a mission that starts by itself.
    pub(crate) async fn state(&self, code: &str, depends_on: &[&str]) -> MissionId {
        let depends_on = depends_on.iter().map(|code| id(code)).collect();
        self.state_as(id(code), |said| said.depends_on = depends_on).await
    }

    pub(crate) async fn state_as(&self, id: MissionId, say: impl FnOnce(&mut Statement)) -> MissionId {
        let mut said = Statement::new(TeamName::default_team(), "Add a cart".to_owned(), "Add it.".to_owned());
        said.start = Start::WhenReady;
        say(&mut said);
        let mission = missions::create(id.clone(), said, Handle::owner(), self.clock.now());
        let mission = &mission;
        let stamp = stamp(&self.clock);
        let stated = self.store.transact(&stamp, |tx| async move {
            tx.insert(mission)?;
            tx.append(Event::MissionCreated { mission: mission.id.clone() });
            Ok::<_, store::Error>(())
        });
        stated.await.unwrap();
        id
    }

    pub(crate) async fn edit(&self, mission: &MissionId, edit: Edit) {
        let (now, edit) = (self.clock.now(), &edit);
        let stamp = stamp(&self.clock);
        let edited = self.store.transact(&stamp, |tx| async move {
            let held = tx.get::<Mission>(mission).await?.unwrap();
            tx.update(&held, &missions::edit(&held.record, edit.clone(), now))?;
            tx.append(Event::MissionUpdated { mission: mission.clone() });
            Ok::<_, store::Error>(())
        });
        edited.await.unwrap();
    }

    pub(crate) async fn delete(&self, mission: &MissionId) {
        let stamp = stamp(&self.clock);
        let deleted = self.store.transact(&stamp, |tx| async move {
            tx.delete(&tx.get::<Mission>(mission).await?.unwrap());
            tx.append(Event::MissionDeleted { mission: mission.clone() });
            Ok::<_, store::Error>(())
        });
        deleted.await.unwrap();
    }

    pub(crate) async fn get(&self, mission: &MissionId) -> Mission {
        self.store.get::<Mission>(mission).await.unwrap().unwrap()
    }

    /// Opens a mission.
    pub(crate) async fn reopen(&self, mission: &MissionId) {
        self.crew.put(mission, &MissionState::Ready { since: self.clock.now() }).await;
    }

    /// What was begun, in order.
    pub(crate) fn begun(&self) -> Vec<MissionId> {
        self.crew.begun()
    }
}
