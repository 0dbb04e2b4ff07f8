//! What the branch of a new session starts from: the project's target branch, with the work of dependencies that has
//! not landed merged on it in memory.

use std::path::Path;

use missions::UnlandedWork;
use sessions::Combined;
use store::Stamp;
use types::{
    DependencyTrouble, Event, Mission, MissionId, MissionState, ParkReason, Project, Proof, Session, StartFrom,
};

use crate::{Refusal, Result, Runner};

impl Runner {
    /// Returns the revision that the branch of a mission starts from; none for what the folder is on.
    ///
    /// # Errors
    /// When the work of its dependencies cannot be merged, or is gone.
    pub(crate) async fn start_point(
        &self,
        mission: &Mission,
        project: Option<&Project>,
        folder: &Path,
    ) -> Result<Option<String>> {
        match &mission.start_from {
            StartFrom::Target => {}
            StartFrom::Missions { missions } => return self.work_of(mission, missions, folder).await,
        }
        let target = match project {
            Some(project) => self.sessions.target_branch(project).await,
            None => None,
        };
        let mut work = self.branches(mission).await?;
        if work.is_empty() {
            return Ok(target.map(|target| format!("refs/heads/{target}")));
        }
        loop {
            let branches: Vec<String> = work.iter().map(|(_, branch)| branch.clone()).collect();
            let combined = self.sessions.combine(folder, target.as_deref(), &branches).await;
            let named = |place: usize| work.get(place).map(|(work, _)| work.mission.clone());
            match combined.map_err(|why| Refusal::StartPoint { mission: mission.id.clone(), why })? {
                Combined::Commit(commit) => return Ok(Some(commit)),
                Combined::Conflict { place, with, files } => {
                    let (conflicting, with) = (named(place), with.into_iter().filter_map(named).collect());
                    let conflicting = conflicting.unwrap_or_else(|| mission.id.clone());
                    return Err(trouble(mission, DependencyTrouble::Conflict { mission: conflicting, with, files }));
                }
                Combined::Gone { place } => match work.get(place) {
                    Some((lost, branch)) if lost.has_commits => return Err(gone(mission, lost, branch)),
                    // There was nothing on it.
                    Some(_) => drop(work.remove(place)),
                    None => return Ok(target.map(|target| format!("refs/heads/{target}"))),
                },
            }
        }
    }

    /// Returns the commit that has exactly the work of these missions.
    async fn work_of(&self, mission: &Mission, missions: &[MissionId], folder: &Path) -> Result<Option<String>> {
        let mut found: Vec<(MissionId, String)> = Vec::new();
        for id in missions {
            let Some(other) = self.store.get::<Mission>(id).await? else {
                return Err(trouble(
                    mission,
                    DependencyTrouble::BranchGone { mission: id.clone(), branch: String::new() },
                ));
            };
            let revision = match &other.state {
                MissionState::Done { proof: Proof::Landed { commit, .. }, .. } => Some(commit.clone()),
                MissionState::Done { proof: Proof::Session { session, .. }, .. } => {
                    let session = self.store.get::<Session>(session).await?;
                    session.and_then(|session| session.workspace?.worktree).map(|tree| tree.branch)
                }
                MissionState::Done { proof: Proof::Stated { .. }, .. }
                | MissionState::Draft
                | MissionState::Ready { .. }
                | MissionState::Held { .. }
                | MissionState::Landing { .. }
                | MissionState::Parked { .. }
                | MissionState::Failed { .. }
                | MissionState::Cancelled { .. } => None,
            };
            found.extend(revision.map(|revision| (id.clone(), revision)));
        }
        let [(_, first), others @ ..] = found.as_slice() else { return Ok(None) };
        let others: Vec<String> = others.iter().map(|(_, revision)| revision.clone()).collect();
        let combined = self.sessions.combine(folder, Some(first), &others).await;
        let named = |place: usize| found.get(place + 1).map(|(mission, _)| mission.clone());
        match combined.map_err(|why| Refusal::StartPoint { mission: mission.id.clone(), why })? {
            Combined::Commit(commit) => Ok(Some(commit)),
            Combined::Conflict { place, with, files } => {
                let with = with.into_iter().filter_map(named).chain(found.first().map(|(id, _)| id.clone()));
                let conflicting = named(place).unwrap_or_else(|| mission.id.clone());
                Err(trouble(mission, DependencyTrouble::Conflict { mission: conflicting, with: with.collect(), files }))
            }
            Combined::Gone { place } => {
                let lost = named(place).unwrap_or_else(|| mission.id.clone());
                Err(trouble(mission, DependencyTrouble::BranchGone { mission: lost, branch: String::new() }))
            }
        }
    }

    /// Finds the branches with the work of dependencies that has not landed.
    async fn branches(&self, mission: &Mission) -> Result<Vec<(UnlandedWork, String)>> {
        let mut dependencies = Vec::new();
        for id in &mission.depends_on {
            dependencies.extend(self.store.get::<Mission>(id).await?);
        }
        let mut found = Vec::new();
        for work in missions::unlanded(mission, &dependencies) {
            let session = self.store.get::<Session>(&work.session).await?;
            match session.and_then(|session| session.workspace?.worktree) {
                Some(tree) => found.push((work, tree.branch)),
                None if work.has_commits => {
                    let branch = format!("of session {}", work.session);
                    return Err(gone(mission, &work, &branch));
                }
                None => {}
            }
        }
        Ok(found)
    }

    /// Parks a ready mission whose dependencies leave nothing to start from, until a person has seen to them.
    pub(crate) async fn park(&self, mission: &MissionId, trouble: &DependencyTrouble) -> Result<()> {
        let Some(found) = self.store.get::<Mission>(mission).await? else { return Ok(()) };
        let stamp = &self.by_itself(&found);
        let why = &ParkReason::Dependencies { trouble: trouble.clone() };
        let parked = self.store.transact(stamp, |tx| async move {
            if let Some(held) = tx.get::<Mission>(mission).await?
                && matches!(held.record.state, MissionState::Ready { .. })
            {
                let state = MissionState::Parked { why: why.clone(), until: None };
                tx.move_mission(&held, &Mission { state, updated_at: stamp.at, ..held.record.clone() })?;
            }
            Ok::<_, store::Error>(())
        });
        Ok(parked.await?)
    }

    /// Pins the branch that a project's folder is on, if that was never done: projects of older versions have none.
    pub(crate) async fn pinned(&self, project: Option<Project>, by: &Stamp) -> Result<Option<Project>> {
        let Some(project) = project else { return Ok(None) };
        if project.landing.settled_target().is_some() {
            return Ok(Some(project));
        }
        let Some(branch) = &self.sessions.head_branch(Path::new(&project.path)).await else { return Ok(Some(project)) };
        let id = &project.id;
        let pinned = self.store.transact(by, |tx| async move {
            let Some(held) = tx.get::<Project>(id).await? else { return Ok::<_, store::Error>(None) };
            let mut project = held.record.clone();
            if project.landing.settled_target().is_none() {
                project.landing.pinned = Some(branch.clone());
                tx.update(&held, &project)?;
                tx.append(Event::ProjectUpdated { project: id.clone() });
            }
            Ok(Some(project))
        });
        Ok(pinned.await?)
    }
}

fn gone(mission: &Mission, work: &UnlandedWork, branch: &str) -> crate::Error {
    trouble(mission, DependencyTrouble::BranchGone { mission: work.mission.clone(), branch: branch.to_owned() })
}

fn trouble(mission: &Mission, trouble: DependencyTrouble) -> crate::Error {
    Refusal::Dependencies { mission: mission.id.clone(), trouble }.into()
}
