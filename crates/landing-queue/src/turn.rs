//! One turn of a queue: settle what a crash left open, take out landings whose mission moved on, try those at the head.

use std::path::PathBuf;

use landing::{AnyClearance, Candidate, CommandRules, Ground};
use missions::Standing;
use tokio::sync::mpsc;
use types::{Landing, LandingState};

use crate::clearance::StoreClearance;
use crate::landings::Landings;
use crate::queues::{LandingQueues, QueueKey};
use crate::records::Move;
use crate::rules::{RulesOfTurn, Ruling};
use crate::worker::Turn;
use crate::{Error, Result};

/// What there is to do in a queue.
#[derive(Debug, Default)]
struct Work {
    /// Landings to be tried.
    to_try: Vec<Landing>,
    /// Landings that may have landed when a server died.
    cleared: Vec<Landing>,
    /// Whether a landing waits for something that no event announces.
    waits: bool,
}

impl Landings {
    /// Does what there is to do in a queue now.
    pub(crate) async fn queue_turn(
        &self,
        queues: &LandingQueues,
        queue: &QueueKey,
        folder: &str,
        target: Option<&str>,
    ) -> Result<Turn> {
        let work = self.sort(self.queue(folder, target).await?).await?;
        if !work.cleared.is_empty() {
            self.settle_cleared(&work.cleared).await?;
            return Ok(Turn::Again);
        }
        let (mut ruled, mut waits, mut rules) = (Vec::new(), work.waits, RulesOfTurn::default());
        for landing in work.to_try {
            match self.rule(landing.clone(), &mut rules).await? {
                Ruling::Try(landing) => ruled.push(*landing),
                Ruling::Unclear { why } => {
                    self.wait_for(&landing, &why).await?;
                    waits = true;
                }
                Ruling::Left => {}
            }
        }
        let batch: Vec<Landing> = landing::next(&ruled).into_iter().cloned().collect();
        match batch.first() {
            Some(first) => match self.sandbox_of(&batch).await? {
                Ok((sandbox, together)) => {
                    let ground = Ground { sandbox, ..self.ground(first) };
                    let batch = batch.get(..together).unwrap_or(&batch);
                    if queues.take_check_again(queue)
                        && let Err(error) = self.lander.check_again(&ground).await
                    {
                        tracing::warn!(%error, "cannot forget what was red on the target branch");
                    }
                    self.try_batch((queues, queue), &ground, batch).await
                }
                Err(why) => {
                    self.wait_for(first, &why).await?;
                    Ok(Turn::Waits)
                }
            },
            None if waits => Ok(Turn::Waits),
            None => Ok(Turn::Empty),
        }
    }

    /// Returns what checks of the first landing may reach, and how many landings at the head of the batch have checks
    /// that may reach just that.
    async fn sandbox_of(&self, batch: &[Landing]) -> Result<std::result::Result<(CommandRules, usize), String>> {
        let mut first = None;
        for (at, landing) in batch.iter().enumerate() {
            match (self.check_sandbox(landing).await?, &first) {
                (Ok(rules), None) => first = Some(rules),
                (Ok(rules), Some(known)) if rules == *known => {}
                (Err(why), None) => return Ok(Err(why)),
                (Ok(_) | Err(_), Some(known)) => return Ok(Ok((known.clone(), at))),
            }
        }
        Ok(Ok((first.unwrap_or_default(), batch.len())))
    }

    /// Sorts the landings of a queue by what there is to do; drops those whose mission moved on.
    async fn sort(&self, queue: Vec<Landing>) -> Result<Work> {
        let mut work = Work::default();
        for landing in queue {
            let Some((landing, standing)) = self.at_one_moment(landing).await? else { continue };
            match (&landing.state, standing) {
                (LandingState::Cleared { .. }, _) => work.cleared.push(landing),
                (LandingState::Returned { .. }, Standing::AtWork) => {}
                (LandingState::Returned { .. }, Standing::OnItsWay) => {
                    work.waits |= self.resume_agent(&landing).await?
                }
                (LandingState::Queued { .. } | LandingState::Waiting { .. }, Standing::OnItsWay) => {
                    work.to_try.push(landing);
                }
                (
                    LandingState::Queued { .. } | LandingState::Waiting { .. } | LandingState::Returned { .. },
                    Standing::AtWork | Standing::Elsewhere,
                ) => self.drop_superseded(&landing).await?,
                (
                    LandingState::Review { .. }
                    | LandingState::Stuck { .. }
                    | LandingState::Landed { .. }
                    | LandingState::Dropped { .. },
                    _,
                ) => {}
            }
        }
        Ok(work)
    }

    /// Settles landings that may have landed when a server died: the target branch has their commit, or not.
    async fn settle_cleared(&self, cleared: &[Landing]) -> Result<()> {
        for landing in cleared {
            let LandingState::Cleared { commit, checks, .. } = &landing.state else { continue };
            let has = self.lander.has(&self.ground(landing), &[commit]).await;
            let has = has.map_err(|source| Error::Repository { landing: landing.id.clone(), source })?;
            if has.first() == Some(&true) {
                self.landed(landing, commit.clone(), checks.clone()).await?;
            } else {
                self.put_landing(landing, LandingState::Queued { since: self.now() }).await?;
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
            sandbox: CommandRules::default(),
        }
    }

    async fn try_batch(
        &self,
        (queues, queue): (&LandingQueues, &QueueKey),
        ground: &Ground,
        batch: &[Landing],
    ) -> Result<Turn> {
        let candidate = |landing: &Landing| Candidate {
            id: landing.id.to_string(),
            branch: landing.branch.clone(),
            title: landing.title.clone(),
        };
        let candidates: Vec<Candidate> = batch.iter().map(candidate).collect();
        let (sender, mut outcomes) = mpsc::unbounded_channel();
        let clearance = StoreClearance::new(self, batch, sender);
        let trying = self.lander.batch(ground, &candidates, AnyClearance::new(clearance.clone()));
        let trying = async {
            let tried = trying.await;
            clearance.close();
            tried
        };
        // Each is settled as soon as it is known, so that missions that depend on it start at once.
        let settling = async {
            let mut waits = false;
            while let Some((id, outcome)) = outcomes.recv().await {
                if let Some(landing) = clearance.take(&id) {
                    waits |= self.settle(&landing, outcome).await?;
                }
            }
            Ok::<_, Error>(waits)
        };
        let dropped = async {
            loop {
                queues.notified(queue).await;
                if self.any_dropped(&clearance.undecided()).await {
                    return;
                }
            }
        };
        // Cut short, it leaves records as a crash would; the next turn continues without the landing that was dropped.
        let (tried, waits) = tokio::select! {
            biased;
            ended = async { tokio::join!(trying, settling) } => ended,
            () = dropped => return Ok(Turn::Again),
        };
        if let Err(error) = tried {
            let why = error.to_string();
            for landing in clearance.undecided() {
                self.wait_for(&landing, &why).await?;
            }
            return Ok(Turn::Waits);
        }
        Ok(if waits? { Turn::Waits } else { Turn::Again })
    }

    /// Returns whether a landing of a batch that is being checked was dropped; a store that fails counts as no.
    async fn any_dropped(&self, batch: &[Landing]) -> bool {
        for landing in batch {
            let now = self.store.get::<Landing>(&landing.id).await;
            if matches!(now, Ok(Some(Landing { state: LandingState::Dropped { .. }, .. }))) {
                return true;
            }
        }
        false
    }

    /// Drops a landing whose mission went on without it; what that makes is queued as another landing.
    async fn drop_superseded(&self, landing: &Landing) -> Result<()> {
        let why = "its mission went another way".to_owned();
        let state = LandingState::Dropped { at: self.now(), by: types::Handle::owner(), why };
        match self.put_landing(landing, state).await? {
            Move::Done(_) | Move::Lost => Ok(()),
        }
    }
}
