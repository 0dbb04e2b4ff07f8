//! One turn of a queue: settle what a crash left open, weed out who has gone, try those at the head.

use std::path::PathBuf;

use landing::{Candidate, Ground, Lander};
use missions::Standing;
use tokio::sync::mpsc;
use types::{Landing, LandingState};

use super::desk::Desk;
use super::queues::{Key, Queues};
use super::records::Move;
use super::rules::{Rulebook, Ruled};
use super::worker::Turn;
use crate::{Result, Service};

/// What there is to do in a queue.
#[derive(Debug, Default)]
struct Line {
    /// Those who wait to be tried.
    tried: Vec<Landing>,
    /// Those of whom nobody knows whether they have landed.
    cleared: Vec<Landing>,
    /// Whether somebody waits for something that no event tells of.
    waits: bool,
}

impl Service {
    /// Does what there is to do in a queue now.
    pub(super) async fn queue_turn(
        &self,
        queues: &Queues,
        queue: &Key,
        folder: &str,
        target: Option<&str>,
    ) -> Result<Turn> {
        let line = self.line_up(self.queue(folder, target).await?).await?;
        if !line.cleared.is_empty() {
            self.look_where_it_stands(queues.lander(), &line.cleared).await?;
            return Ok(Turn::Again);
        }
        let (mut ruled, mut waits, mut book) = (Vec::new(), line.waits, Rulebook::default());
        for landing in line.tried {
            match self.rule(landing.clone(), &mut book).await? {
                Ruled::Tried(landing) => ruled.push(*landing),
                Ruled::Unclear { why } => {
                    self.wait_for(&landing, &why).await?;
                    waits = true;
                }
                Ruled::Gone => {}
            }
        }
        let batch: Vec<Landing> = landing::next(&ruled).into_iter().cloned().collect();
        match batch.first() {
            Some(first) => {
                let ground = self.ground(first);
                self.try_batch((queues, queue), &ground, &batch).await
            }
            None if waits => Ok(Turn::Waits),
            None => Ok(Turn::Empty),
        }
    }

    /// Says who is still in a queue; who has left it otherwise is taken out.
    async fn line_up(&self, queue: Vec<Landing>) -> Result<Line> {
        let mut line = Line::default();
        for landing in queue {
            let standing = self.standing(&landing).await?;
            match (&landing.state, standing) {
                (LandingState::Cleared { .. }, _) => line.cleared.push(landing),
                (LandingState::Returned { .. }, Standing::AtWork) => {}
                (LandingState::Returned { .. }, Standing::OnItsWay) => line.waits |= self.take_back(&landing).await?,
                (LandingState::Queued { .. } | LandingState::Waiting { .. }, Standing::OnItsWay) => {
                    line.tried.push(landing);
                }
                (
                    LandingState::Queued { .. } | LandingState::Waiting { .. } | LandingState::Returned { .. },
                    Standing::AtWork | Standing::Elsewhere,
                ) => self.leave_behind(&landing).await?,
                (
                    LandingState::Review { .. }
                    | LandingState::Stuck { .. }
                    | LandingState::Landed { .. }
                    | LandingState::Dropped { .. },
                    _,
                ) => {}
            }
        }
        Ok(line)
    }

    /// Settles those who may have landed when somebody was cut short: the target branch has their commit, or not.
    async fn look_where_it_stands(&self, lander: &Lander, cleared: &[Landing]) -> Result<()> {
        for landing in cleared {
            let LandingState::Cleared { commit, checks, .. } = &landing.state else { continue };
            let has = lander.has(&self.ground(landing), &[commit]).await;
            let has = has.map_err(|error| crate::Error::Fault(format!("landing `{}`: {error}", landing.id)))?;
            if has.first() == Some(&true) {
                self.arrived(landing, commit.clone(), checks.clone()).await?;
            } else {
                self.put_landing(landing, LandingState::Queued { since: self.clock.now() }).await?;
            }
        }
        Ok(())
    }

    fn ground(&self, landing: &Landing) -> Ground {
        Ground {
            folder: PathBuf::from(&landing.folder),
            target: landing.rules.target.clone(),
            checks: landing.rules.checks.clone(),
            check_timeout: self.check_timeout(&landing.rules),
        }
    }

    async fn try_batch(&self, (queues, queue): (&Queues, &Key), ground: &Ground, batch: &[Landing]) -> Result<Turn> {
        let candidate = |landing: &Landing| Candidate {
            id: landing.id.to_string(),
            branch: landing.branch.clone(),
            title: landing.title.clone(),
        };
        let candidates: Vec<Candidate> = batch.iter().map(candidate).collect();
        let (sender, mut outcomes) = mpsc::unbounded_channel();
        let desk = Desk::new(self, batch, sender);
        let trying = queues.lander().batch(ground, &candidates, desk.clone());
        let trying = async {
            let tried = trying.await;
            desk.close();
            tried
        };
        // Each is settled as soon as it is known, so that whoever waits for it starts at once.
        let settling = async {
            let mut waits = false;
            while let Some((id, outcome)) = outcomes.recv().await {
                if let Some(landing) = desk.take(&id) {
                    waits |= self.settle(&landing, outcome).await?;
                }
            }
            Ok::<_, crate::Error>(waits)
        };
        let gone = async {
            loop {
                queues.rings(queue).await;
                if self.any_dropped(&desk.untold()).await {
                    return;
                }
            }
        };
        // Cut short, it leaves records as a crash would, from which the next turn goes on without who was dropped.
        let (tried, waits) = tokio::select! {
            ended = async { tokio::join!(trying, settling) } => ended,
            () = gone => return Ok(Turn::Again),
        };
        if let Err(error) = tried {
            let why = error.to_string();
            for landing in desk.untold() {
                self.wait_for(&landing, &why).await?;
            }
            return Ok(Turn::Waits);
        }
        Ok(if waits? { Turn::Waits } else { Turn::Again })
    }

    /// Tells whether somebody was taken out of a batch that is being checked; where the store fails, nobody was.
    async fn any_dropped(&self, batch: &[Landing]) -> bool {
        for landing in batch {
            let now = self.store.get::<Landing>(&landing.id).await;
            if matches!(now, Ok(Some(Landing { state: LandingState::Dropped { .. }, .. }))) {
                return true;
            }
        }
        false
    }

    /// Takes out a landing whose mission went on without it; what that makes comes on a way of its own.
    async fn leave_behind(&self, landing: &Landing) -> Result<()> {
        let why = "its mission went another way".to_owned();
        let state = LandingState::Dropped { at: self.clock.now(), by: types::Handle::owner(), why };
        match self.put_landing(landing, state).await? {
            Move::Done(_) | Move::Lost => Ok(()),
        }
    }
}
