//! Finished work that did not land, put into the landing queue: `fleet land MISSION`, and `mission recover`, which
//! answers as DevFleet does.

use api::devfleet::{RecoverMission, Recovered};
use api::{Code, Error};
use missions::Relaunch;
use store::{Query, Stamp, Transaction, by};
use tokens::Member;
use types::{
    Event, Landing, LandingId, LandingRules, LandingState, LandingStateName, Mission, MissionState, Project, Proof,
    Session, Workspace,
};

use super::LIST_MAX;
use crate::{Caller, Handle, Result, Service};

impl Handle<RecoverMission> for Service {
    async fn handle(&self, caller: &Caller, op: RecoverMission) -> Result<Recovered> {
        let member = caller.member()?;
        let mission = self.mission(member, &op.mission, "Mission").await?;
        let landing = self.land(member, &mission).await?;
        Ok(Recovered {
            ok: true,
            mission_id: mission.id,
            landing_status: landing.state.name().as_str().to_owned(),
            branch_merged: landing.branch,
            stash_warning: None,
            landing_id: landing.id,
        })
    }
}

impl Service {
    /// Puts the finished work of a mission into the landing queue, or finds it there.
    pub(crate) async fn land(&self, member: &Member, mission: &Mission) -> Result<Landing> {
        let stamp = self.stamp(member, &mission.team);
        let newest = Query::latest(by::landing::mission(&mission.id), 1);
        let newest = self.store.list::<Landing>(newest).await?.records.pop();
        match newest {
            // A call that is repeated finds what the first one did.
            Some(landing) if is_on_its_way(mission, &landing) => Ok(landing),
            Some(landing)
                if landing.state.name() != LandingStateName::Landed
                    && is_of_last_session(&landing, self.with_work(mission).await?.as_ref()) =>
            {
                self.queue_again(mission, &landing, &stamp).await
            }
            Some(_) | None => self.queue_branch(mission, &stamp).await,
        }
    }

    /// Puts a landing that stopped into the queue again, by the rules that the project has now.
    async fn queue_again(&self, mission: &Mission, landing: &Landing, stamp: &Stamp) -> Result<Landing> {
        self.store
            .transact(stamp, |tx| async move {
                let held = tx.get::<Landing>(&landing.id).await?.ok_or_else(|| nothing(mission))?;
                if is_on_its_way(mission, &held.record) {
                    return Ok(held.record.clone());
                }
                let rules = rules(&tx, &held.record).await?;
                let state = LandingState::Queued { since: stamp.at };
                let queued = Landing { returns: 0, rules, state, updated_at: stamp.at, ..held.record.clone() };
                tx.update(&held, &queued)?;
                set_out(&tx, mission, &queued, Some(held.record.state.name()), stamp).await?;
                Ok(queued)
            })
            .await
    }

    /// Queues the branch of the last session that left commits.
    async fn queue_branch(&self, mission: &Mission, stamp: &Stamp) -> Result<Landing> {
        let (session, workspace) = self.with_work(mission).await?.ok_or_else(|| nothing(mission))?;
        let tree = workspace.worktree.ok_or_else(|| nothing(mission))?;
        let (session, tree) = (&session, &tree);
        self.store
            .transact(stamp, |tx| async move {
                let landing = Landing {
                    id: self.draw_id(LandingId::from_code)?,
                    team: mission.team.clone(),
                    project: mission.project.clone(),
                    folder: tree.repository.clone(),
                    mission: mission.id.clone(),
                    session: session.id.clone(),
                    branch: tree.branch.clone(),
                    title: mission.title.clone(),
                    rules: LandingRules::default(),
                    returns: 0,
                    sent_back: Vec::new(),
                    state: LandingState::Queued { since: stamp.at },
                    publication: None,
                    created_at: stamp.at,
                    updated_at: stamp.at,
                };
                let landing = Landing { rules: rules(&tx, &landing).await?, ..landing };
                tx.insert(&landing)?;
                set_out(&tx, mission, &landing, None, stamp).await?;
                Ok(landing)
            })
            .await
    }

    /// Finds the newest session of a mission whose branch has commits.
    async fn with_work(&self, mission: &Mission) -> Result<Option<(Session, Workspace)>> {
        let query = Query::latest(by::session::mission(&mission.id), LIST_MAX);
        for session in self.store.list::<Session>(query).await?.records {
            let Some(workspace) = session.workspace.clone().filter(|workspace| workspace.worktree.is_some()) else {
                continue;
            };
            // A branch that is gone holds nothing.
            if !session.state.is_live() && self.workspaces.commits(&workspace).await.is_ok_and(|commits| commits > 0) {
                return Ok(Some((session, workspace)));
            }
        }
        Ok(None)
    }
}

/// What the project says now, since that may be what was mended.
async fn rules(tx: &Transaction, landing: &Landing) -> Result<LandingRules> {
    let project = match &landing.project {
        Some(project) => tx.get::<Project>(project).await?.map(|project| project.record.landing),
        None => None,
    };
    Ok(project.unwrap_or_else(|| landing.rules.clone()))
}

/// Moves the mission with its landing, in one commit.
async fn set_out(
    tx: &Transaction,
    mission: &Mission,
    landing: &Landing,
    from: Option<LandingStateName>,
    stamp: &Stamp,
) -> Result<()> {
    let held = tx.get::<Mission>(&mission.id).await?.ok_or_else(|| nothing(mission))?;
    match missions::relaunch(&held.record, landing, stamp.at) {
        Relaunch::OnItsWay => {}
        Relaunch::Moved(step) => tx.move_mission(&held, &step.mission)?,
        Relaunch::Elsewhere => {
            let step = missions::recover(&held.record, &landing.id, &landing.session, stamp.at);
            let step = step.ok_or_else(|| nothing(&held.record))?;
            tx.move_mission(&held, &step.mission)?;
        }
    }
    let to = landing.state.name();
    tx.append(Event::LandingMoved { landing: landing.id.clone(), mission: mission.id.clone(), from, to });
    Ok(())
}

/// Returns whether there is nothing to do; what has landed is done only if the mission has not been worked on since.
fn is_on_its_way(mission: &Mission, landing: &Landing) -> bool {
    match landing.state.name() {
        LandingStateName::Queued | LandingStateName::Cleared => true,
        LandingStateName::Landed => matches!(
            &mission.state,
            MissionState::Done { proof: Proof::Landed { landing: done, .. }, .. } if *done == landing.id
        ),
        LandingStateName::Waiting
        | LandingStateName::Review
        | LandingStateName::Returned
        | LandingStateName::Stuck
        | LandingStateName::Dropped => false,
    }
}

/// Returns whether the mission had no holder since.
fn is_of_last_session(landing: &Landing, last: Option<&(Session, Workspace)>) -> bool {
    last.is_none_or(|(session, _)| session.id == landing.session)
}

fn nothing(mission: &Mission) -> Error {
    let id = &mission.id;
    let (message, hint) = if matches!(mission.state, MissionState::Held { .. }) {
        let hint = format!("Its work lands when the agent is done: `fleet logs {id} -f` follows it.");
        (format!("an agent works on mission `{id}`"), hint)
    } else {
        (format!("mission `{id}` has no work that waits to land"), format!("`fleet why {id}` shows its state."))
    };
    Error::new(Code::NOTHING_TO_RECOVER, message).hint(hint)
}
