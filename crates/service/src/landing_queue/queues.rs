//! Which queues there are: hears who comes to one and sees to it that somebody works on it.
//!
//! A worker is rung for, never waited for. The feed tells of everybody who comes; a look at all queues now and then is
//! only there for a worker that failed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use landing::Lander;
use runtime::{Kind, Stop, Tree};
use store::{Query, by};
use tokio::sync::Notify;
use types::{Event, Landing, LandingState, LandingStateName, MissionId, Publication};

use super::worker;
use crate::{Result, Service};

/// How often all queues are looked at.
const BACKSTOP: Duration = Duration::from_secs(60);

/// Landings read at once.
const PAGE: usize = 100;

/// What one worker works on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// The branches that land on one target branch of a repository; without one, those of which nobody knows where.
    Queue { folder: String, target: Option<String> },
    /// What a repository's remotes are to be told.
    Publication { folder: String },
}

/// All queues; clones are the same.
#[derive(Debug, Clone)]
pub(super) struct Queues(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    service: Arc<Service>,
    lander: Lander,
    tree: Tree,
    workers: Mutex<HashMap<Key, Bell>>,
    /// Missions whose agents work on what was sent back, and the queues that they left.
    returned: Mutex<HashMap<MissionId, Key>>,
}

#[derive(Debug, Default)]
struct Bell {
    rung: bool,
    bell: Arc<Notify>,
}

impl Key {
    fn queue(landing: &Landing) -> Self {
        Self::Queue { folder: landing.folder.clone(), target: landing.rules.target.clone() }
    }

    /// Returns the queue that has to see to a landing, if one has.
    pub(super) fn of(landing: &Landing) -> Option<Self> {
        match (&landing.state, &landing.publication) {
            (
                LandingState::Queued { .. }
                | LandingState::Waiting { .. }
                | LandingState::Cleared { .. }
                | LandingState::Returned { .. },
                _,
            ) => Some(Self::queue(landing)),
            (LandingState::Landed { .. }, Some(Publication::Pending { .. })) => {
                Some(Self::Publication { folder: landing.folder.clone() })
            }
            (
                LandingState::Landed { .. }
                | LandingState::Review { .. }
                | LandingState::Stuck { .. }
                | LandingState::Dropped { .. },
                _,
            ) => None,
        }
    }
}

impl Queues {
    pub(super) fn new(service: Arc<Service>, lander: Lander, tree: Tree) -> Self {
        let (workers, returned) = (Mutex::default(), Mutex::default());
        Self(Arc::new(Inner { service, lander, tree, workers, returned }))
    }

    pub(super) fn service(&self) -> &Service {
        &self.0.service
    }

    pub(super) fn lander(&self) -> &Lander {
        &self.0.lander
    }

    /// Hears of whoever comes, until it is asked to stop.
    pub(super) async fn run(&self, stop: &Stop) {
        let service = self.service();
        // Listened to before the look, so that who comes in between is heard.
        let mut tail = service.store.tail(service.store.position());
        let mut looked = self.look().await;
        loop {
            if let Err(error) = &looked {
                tracing::error!(%error, "cannot tell which landings there are; they are looked at again");
            }
            looked = tokio::select! {
                () = stop.asked() => return,
                next = tail.next() => match next {
                    Ok(entry) => self.hear(&entry.change.events).await,
                    Err(error) => Err(error.into()),
                },
                () = service.clock.sleep(BACKSTOP) => self.look().await,
            };
            if looked.is_err() {
                // A store that fails is given a moment.
                service.clock.sleep(worker::LOOK_AGAIN).await;
            }
        }
    }

    async fn hear(&self, events: &[Event]) -> Result<()> {
        for event in events {
            match event {
                Event::LandingMoved { landing, mission, to, .. } => {
                    if *to != LandingStateName::Returned {
                        self.returned().remove(mission);
                    }
                    let landing = self.service().store.get::<Landing>(landing).await?;
                    let landing = landing.filter(|landing| landing.state.name() == *to);
                    landing.iter().for_each(|landing| self.see(landing));
                }
                Event::MissionMoved { mission, .. } => {
                    let queue = self.returned().get(mission).cloned();
                    queue.into_iter().for_each(|queue| self.ring(queue));
                }
                Event::ProjectCreated { .. }
                | Event::ProjectUpdated { .. }
                | Event::ProjectDeleted { .. }
                | Event::MissionCreated { .. }
                | Event::MissionUpdated { .. }
                | Event::MissionAssigned { .. }
                | Event::MissionDeleted { .. }
                | Event::AgentRegistered { .. }
                | Event::SessionCreated { .. }
                | Event::SessionMoved { .. }
                | Event::ServerFailed { .. }
                | Event::ApprovalMoved { .. }
                | Event::ReportMade { .. }
                | Event::BudgetUsedUp { .. }
                | Event::BudgetRenewed { .. }
                | Event::CallbackDelivered { .. }
                | Event::CallbackFailed { .. }
                | Event::LetterWritten { .. }
                | Event::RuleCreated { .. }
                | Event::RuleUpdated { .. }
                | Event::RuleDeleted { .. }
                | Event::CallRefused { .. }
                | Event::AutoDispatched { .. }
                | Event::DependencyMet { .. }
                | Event::DispatchFailed { .. } => {}
            }
        }
        Ok(())
    }

    /// Looks at everybody who is in a queue.
    async fn look(&self) -> Result<()> {
        let states = [LandingStateName::IN_QUEUE.to_vec(), vec![LandingStateName::Returned]].concat();
        let groups: Vec<String> = states.into_iter().map(by::landing::state).collect();
        for groups in [groups, vec![by::landing::publishing()]] {
            let mut query = Query { groups, ..Query::earliest(String::new(), PAGE) };
            loop {
                let page = self.service().store.list::<Landing>(query.clone()).await?;
                page.records.iter().for_each(|landing| self.see(landing));
                query.after = page.next;
                if query.after.is_none() {
                    break;
                }
            }
        }
        Ok(())
    }

    fn see(&self, landing: &Landing) {
        if landing.state.name() == LandingStateName::Dropped {
            // Whoever checks it need not go on.
            return self.tell(&Key::queue(landing));
        }
        let Some(queue) = Key::of(landing) else { return };
        if landing.state.name() == LandingStateName::Returned {
            self.returned().insert(landing.mission.clone(), queue.clone());
        }
        self.ring(queue);
    }

    /// Tells whoever works on a queue, if somebody does, that it is not what it was.
    fn tell(&self, queue: &Key) {
        if let Some(bell) = self.workers().get_mut(queue) {
            bell.rung = true;
            bell.bell.notify_one();
        }
    }

    /// Sees to it that somebody looks at a queue from now on.
    fn ring(&self, queue: Key) {
        let mut workers = self.workers();
        if let Some(bell) = workers.get_mut(&queue) {
            bell.rung = true;
            bell.bell.notify_one();
            return;
        }
        workers.insert(queue.clone(), Bell { rung: true, ..Bell::default() });
        drop(workers);
        let queues = self.clone();
        let name = match &queue {
            Key::Queue { folder, target } => {
                format!("land in {folder} on {}", target.as_deref().unwrap_or("no branch"))
            }
            Key::Publication { folder } => format!("publish what landed in {folder}"),
        };
        // May be cut short at any await: whatever is queued is queued still.
        self.0.tree.spawn(Kind::Chore, name, move |_| async move {
            let post = Post { queues: queues.clone(), queue: queue.clone() };
            worker::work(&queues, &queue).await;
            drop(post);
        });
    }

    /// Says that what was rung for so far is about to be looked at.
    pub(super) fn begin(&self, queue: &Key) {
        if let Some(bell) = self.workers().get_mut(queue) {
            bell.rung = false;
        }
    }

    /// Gives up a queue that is empty; false if somebody has come meanwhile.
    pub(super) fn leave(&self, queue: &Key) -> bool {
        let mut workers = self.workers();
        let rung = workers.get(queue).is_some_and(|bell| bell.rung);
        if !rung {
            workers.remove(queue);
        }
        !rung
    }

    /// Waits until somebody has rung since the last look.
    pub(super) async fn rung(&self, queue: &Key) {
        while !self.workers().get(queue).is_some_and(|bell| bell.rung) {
            self.rings(queue).await;
        }
    }

    /// Waits until somebody rings.
    pub(super) async fn rings(&self, queue: &Key) {
        let bell = self.workers().get(queue).map(|bell| Arc::clone(&bell.bell));
        match bell {
            Some(bell) => bell.notified().await,
            None => std::future::pending().await,
        }
    }

    fn workers(&self) -> MutexGuard<'_, HashMap<Key, Bell>> {
        self.0.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn returned(&self) -> MutexGuard<'_, HashMap<MissionId, Key>> {
        self.0.returned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A worker's place, given up also when the worker fails.
struct Post {
    queues: Queues,
    queue: Key,
}

impl Drop for Post {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.queues.workers().remove(&self.queue);
        }
    }
}
