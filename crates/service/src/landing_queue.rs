//! The loop that lands finished branches, and what follows for their missions.
//!
//! One queue per repository and target, taken in order; as many as wait at once are tried together. What lands is
//! checked by [`landing`] on exactly the tree that lands. What cannot is sent back to its agent with the evidence, a
//! few times, and then to a person. A crash loses nothing: what was queued is queued still, and what landed is found to
//! be contained.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use landing::{Candidate, Ground, Lander, Outcome};
use missions::Arrival;
use runtime::Stop;
use sessions::Asked;
use store::{Query, Stamp, by};
use tokio::sync::mpsc;
use types::{Event, Handle, Landing, LandingState, LandingStateName, Mission, MissionState, Obstacle};

use crate::checked::note_checks;
use crate::{Result, Service};

/// How often work is sent back to its agent.
const RETURNS_MAX: u32 = 2;

/// Landings looked at in one go.
const QUEUE_MAX: usize = 100;

/// How long to wait before what stands in the way of a landing is looked at again.
const LOOK_AGAIN: Duration = Duration::from_secs(15);

/// What branches of one queue have in common: the target branch and the checks.
type Rules = (Option<String>, Vec<String>);

/// Lands branches until it is asked to stop.
pub async fn land(service: Arc<Service>, lander: Lander, stop: &Stop) {
    let mut tail = service.store.tail(service.store.position());
    loop {
        // A batch may be dropped at any await: what was queued is queued still.
        let looked = tokio::select! {
            () = stop.asked() => return,
            looked = service.land_queued(&lander) => looked,
        };
        let waiting = looked.unwrap_or_else(|error| {
            tracing::error!(%error, "landings cannot go on; they are looked at again");
            true
        });
        let again = async {
            match waiting {
                true => service.clock.sleep(LOOK_AGAIN).await,
                false => std::future::pending().await,
            }
        };
        let queued = async {
            // A store that fails is looked at again with everything else.
            while let Ok(entry) = tail.next().await {
                if entry.change.events.iter().any(joins) {
                    return;
                }
            }
            service.clock.sleep(LOOK_AGAIN).await;
        };
        tokio::select! {
            () = stop.asked() => return,
            () = queued => {}
            () = again => {}
        }
    }
}

/// Tells whether an event puts somebody into a queue.
fn joins(event: &Event) -> bool {
    matches!(event, Event::LandingMoved { to: LandingStateName::Queued, .. })
}

impl Service {
    /// Lands what is queued; says whether something waits that no event will tell of.
    async fn land_queued(&self, lander: &Lander) -> Result<bool> {
        let mut waiting = self.take_back_returned().await?;
        let groups = [LandingStateName::Queued, LandingStateName::Waiting].map(by::landing::state).to_vec();
        let query = Query { groups, ..Query::earliest(String::new(), QUEUE_MAX) };
        let queued = self.store.list::<Landing>(query).await?.records;
        let mut folders: BTreeMap<String, BTreeMap<Rules, Vec<Landing>>> = BTreeMap::new();
        for landing in queued {
            if !self.is_landing(&landing).await? {
                // Somebody took its session up again by hand; what that makes comes on a way of its own.
                let state = LandingState::Dropped { at: self.clock.now(), by: Handle::owner() };
                self.move_landing(&landing, state, None).await?;
                continue;
            }
            let rules = (landing.rules.target.clone(), landing.rules.checks.clone());
            folders.entry(landing.folder.clone()).or_default().entry(rules).or_default().push(landing);
        }
        // One after the other in a repository, all repositories side by side.
        let landing = folders.into_iter().map(|(folder, queues)| async move {
            let mut waiting = false;
            for ((target, checks), queue) in queues {
                let ground = Ground { folder: PathBuf::from(&folder), target, checks };
                waiting |= self.land_queue(lander, &ground, &queue).await?;
            }
            Ok::<_, crate::Error>(waiting)
        });
        for looked in join_all(landing).await {
            waiting |= looked?;
        }
        Ok(waiting)
    }

    /// Gives work back to agents that could not take it when it was sent; says whether some still cannot.
    async fn take_back_returned(&self) -> Result<bool> {
        let query = Query::earliest(by::landing::state(LandingStateName::Returned), QUEUE_MAX);
        let mut waiting = false;
        for landing in self.store.list::<Landing>(query).await?.records {
            if self.is_landing(&landing).await? {
                waiting |= self.take_back(&landing).await?;
            }
        }
        Ok(waiting)
    }

    /// Tells whether a landing's mission is still on this way.
    async fn is_landing(&self, landing: &Landing) -> Result<bool> {
        let mission = self.store.get::<Mission>(&landing.mission).await?;
        Ok(mission.is_some_and(
            |mission| matches!(&mission.state, MissionState::Landing { landing: way, .. } if *way == landing.id),
        ))
    }

    async fn land_queue(&self, lander: &Lander, ground: &Ground, queue: &[Landing]) -> Result<bool> {
        let candidate = |landing: &Landing| Candidate {
            id: landing.id.to_string(),
            branch: landing.branch.clone(),
            title: landing.title.clone(),
        };
        let candidates: Vec<Candidate> = queue.iter().map(candidate).collect();
        let (sender, mut outcomes) = mpsc::unbounded_channel();
        let trying = async {
            let tried = lander
                .batch(ground, &candidates, |tried, outcome| drop(sender.send((tried.id.clone(), outcome))))
                .await;
            drop(sender);
            tried
        };
        // Each is settled as soon as it is known, so that whoever waits for it starts at once.
        let settling = async {
            let mut waiting = false;
            while let Some((id, outcome)) = outcomes.recv().await {
                if let Some(landing) = queue.iter().find(|landing| landing.id.as_str() == id) {
                    waiting |= self.settle(landing, outcome).await?;
                }
            }
            Ok::<_, crate::Error>(waiting)
        };
        let (tried, waiting) = tokio::join!(trying, settling);
        if let Err(error) = tried {
            let why = error.to_string();
            for landing in queue {
                self.wait_for(landing, &why).await?;
            }
            return Ok(true);
        }
        waiting
    }

    /// Does what follows from an outcome; says whether it has to be looked at again.
    async fn settle(&self, landing: &Landing, outcome: Outcome) -> Result<bool> {
        match outcome {
            Outcome::Landed(landed) => {
                let (commit, checks) = (landed.commit.to_string(), landed.checks);
                self.arrived(landing, commit, checks).await
            }
            Outcome::Contained { tip } => self.arrived(landing, tip.to_string(), Vec::new()).await,
            Outcome::Conflict { files, .. } => {
                let files = files.iter().map(|file| shown(file)).collect();
                self.send_back(landing, Obstacle::Conflict { files }).await
            }
            Outcome::Red(red) => match red.checks.into_iter().find(|check| !check.is_green()) {
                Some(check) => self.send_back(landing, Obstacle::Red { check }).await,
                None => {
                    self.stuck(landing, Obstacle::Failed { why: "a check was red, and none says so".to_owned() }).await
                }
            },
            Outcome::Unrelated { .. } => {
                let why = "its branch has no commit in common with the target branch".to_owned();
                self.stuck(landing, Obstacle::Failed { why }).await
            }
            Outcome::Gone { branch } => {
                self.stuck(landing, Obstacle::Failed { why: format!("its branch `{branch}` is gone") }).await
            }
            Outcome::CheckoutDirty { checkout, files } => {
                let files = files.iter().take(5).map(|file| shown(file)).collect::<Vec<_>>().join(", ");
                let why = format!(
                    "the checkout `{}` is on the target branch and has changes ({files}); commit or stash them",
                    checkout.display()
                );
                self.wait_for(landing, &why).await
            }
            Outcome::Locked { said } => {
                self.wait_for(landing, &format!("git is at work in the checkout: {said}")).await
            }
            Outcome::Moving { tries } => {
                self.wait_for(landing, &format!("the target branch moved {tries} times meanwhile")).await
            }
        }
    }

    async fn arrived(&self, landing: &Landing, commit: String, checks: Vec<types::CheckRun>) -> Result<bool> {
        let at = self.clock.now();
        let green = u32::try_from(checks.len()).unwrap_or(u32::MAX);
        let state = LandingState::Landed { at, commit: commit.clone(), checks };
        self.move_landing(landing, state, Some(Arrival::Landed { commit, checks: green })).await?;
        Ok(false)
    }

    async fn stuck(&self, landing: &Landing, obstacle: Obstacle) -> Result<bool> {
        let why = format!("landing `{}`: {obstacle}", landing.id);
        let state = LandingState::Stuck { since: self.clock.now(), obstacle };
        self.move_landing(landing, state, Some(Arrival::Stuck { why })).await?;
        Ok(false)
    }

    /// Waits for something outside; said once, however often it is looked at.
    async fn wait_for(&self, landing: &Landing, why: &str) -> Result<bool> {
        let known = matches!(&landing.state, LandingState::Waiting { why: known, .. } if known == why);
        if !known {
            let state = LandingState::Waiting { since: self.clock.now(), why: why.to_owned() };
            self.move_landing(landing, state, None).await?;
        }
        Ok(true)
    }

    /// Sends work back to its agent with the evidence; after a few times, to a person.
    async fn send_back(&self, landing: &Landing, obstacle: Obstacle) -> Result<bool> {
        if landing.returns >= RETURNS_MAX {
            return self.stuck(landing, obstacle).await;
        }
        // Counted before the agent hears of it: it may be done again before this is written.
        let state = LandingState::Returned { since: self.clock.now(), obstacle };
        let counted = Landing { returns: landing.returns + 1, ..landing.clone() };
        let returned = self.move_landing(&counted, state, None).await?;
        self.take_back(&returned).await
    }

    /// Lets the agent of a landing that was sent back take it up; says whether that has to be tried again.
    async fn take_back(&self, landing: &Landing) -> Result<bool> {
        let LandingState::Returned { obstacle, .. } = &landing.state else { return Ok(false) };
        let asked = Asked { prompt: Some(told(landing, obstacle)), ..Asked::default() };
        match self.sessions.resume(&landing.session, asked, &self.landing_stamp(landing)).await {
            Ok(_) => Ok(false),
            Err(sessions::Error::Refused(sessions::Refusal::Full { .. })) => Ok(true),
            Err(sessions::Error::Refused(refusal)) => {
                let why = format!("{obstacle}, and its agent cannot take it up again: {refusal}");
                self.stuck(landing, Obstacle::Failed { why }).await
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Moves a landing and, with it, its mission, in one commit.
    pub(crate) async fn move_landing(
        &self,
        landing: &Landing,
        state: LandingState,
        arrival: Option<Arrival>,
    ) -> Result<Landing> {
        let stamp = self.landing_stamp(landing);
        let (returns, state, arrival, stamp) = (landing.returns, &state, &arrival, &stamp);
        self.store
            .transact(stamp, |tx| async move {
                let held = tx.get::<Landing>(&landing.id).await?;
                let Some(held) = held else { return Ok(landing.clone()) };
                // Somebody took it out meanwhile, or an earlier outcome was told already.
                if held.record.state.name() != landing.state.name() {
                    return Ok(held.record.clone());
                }
                let moved = Landing { returns, state: state.clone(), updated_at: stamp.at, ..held.record.clone() };
                tx.update(&held, &moved)?;
                let (from, to) = (Some(held.record.state.name()), moved.state.name());
                let (id, mission) = (moved.id.clone(), moved.mission.clone());
                tx.append(Event::LandingMoved { landing: id, mission, from, to });
                note_checks(&self.store, &tx, &moved, stamp.at).await?;
                if let (Some(arrival), Some(held)) = (arrival, tx.get::<Mission>(&moved.mission).await?)
                    && let Some(step) = missions::arrive(&held.record, &moved.id, arrival.clone(), stamp.at)
                {
                    tx.update(&held, &step.mission)?;
                    let mission = step.mission.id.clone();
                    tx.append(Event::MissionMoved { mission, from: step.from, to: step.to });
                }
                Ok(moved)
            })
            .await
    }

    fn landing_stamp(&self, landing: &Landing) -> Stamp {
        Stamp { at: self.clock.now(), handle: Handle::owner(), team: landing.team.clone() }
    }
}

/// What an agent is told whose work could not land.
fn told(landing: &Landing, obstacle: &Obstacle) -> String {
    let target = landing.rules.target.as_deref().unwrap_or("the target branch");
    let what = match obstacle {
        Obstacle::Conflict { files } => format!(
            "Your branch conflicts with {target} in:\n\n{}\n\nMerge {target} into your branch, settle the conflicts so \
             that both sides' intent is kept, and commit.",
            files.iter().map(|file| format!("- {file}")).collect::<Vec<_>>().join("\n")
        ),
        Obstacle::Red { check } => format!(
            "This check is not green on your branch merged with {target}:\n\n    {}\n\nThe end of its output:\n\n{}\n\n\
             Merge {target} into your branch, mend what is red, and commit.",
            check.command,
            check.output_tail.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
        ),
        Obstacle::Failed { why } => why.clone(),
    };
    format!("Your work could not land. {what} Do not push.")
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
