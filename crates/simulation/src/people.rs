//! People, who state missions, edit and link them, call them off, dispatch and stop by hand, at any time.

use std::sync::Arc;
use std::time::Duration;

use missions::{Actor, Edit, Move, Statement};
use schedule::Scope;
use types::{
    Allotment, Event, Handle, LandMode, Landing, LandingRules, Limits, Mission, MissionId, Project, ProjectId,
    ProjectNotes, Role, Start, StateName, TeamName,
};

use crate::auditor::Auditor;
use crate::executor::Group;
use crate::field::FOLDER;
use crate::purse::{UNPRICED, allotment, ceiling, raised};
use crate::server::Server;
use crate::site::Site;

/// The accounts that agents run on; each kind of agent has its own.
pub(crate) const ACCOUNTS: [&str; 2] = ["sim", UNPRICED];

/// The projects that missions are of.
const PROJECTS: [&str; 2] = ["7k2m4", "x9w3q"];

/// Most missions that are stated in a run.
const MISSIONS_MAX: usize = 14;

/// Somebody does something, if a server listens.
pub(crate) fn act(site: &Site, auditor: &Auditor) {
    let Some(server) = site.server() else { return };
    let known: Vec<MissionId> = auditor.books().missions.keys().cloned().collect();
    let (site, auditor) = (site.clone(), auditor.clone());
    site.spawner.clone().begin(Group::Server, async move {
        if let Err(error) = something(&site, &server, &auditor, &known).await {
            site.trace.note(&format!("somebody is told: {error}"));
        }
    });
}

async fn something(
    site: &Site,
    server: &Arc<Server>,
    auditor: &Auditor,
    known: &[MissionId],
) -> Result<(), sessions::Error> {
    let drawn = site.rng.below(14);
    let any = known.get(site.rng.below(known.len() as u64) as usize);
    match (drawn, any) {
        (0..=3, _) | (_, None) if known.len() < MISSIONS_MAX => Ok(state(site, server, auditor, known).await?),
        (4, Some(mission)) => Ok(edit(site, server, mission, known).await?),
        (5 | 6, Some(mission)) => Ok(advance(site, server, mission).await?),
        (7, Some(mission)) => {
            site.trace.note(&format!("somebody dispatches {mission}"));
            // Refusals are for the one who asks.
            drop(server.start(mission).await);
            Ok(())
        }
        (8, _) => {
            let sessions = server.live_sessions();
            if let Some(session) = sessions.get(site.rng.below(sessions.len() as u64) as usize) {
                site.trace.note(&format!("somebody stops {session}"));
                // One that ends by itself meanwhile needs no stop.
                drop(server.sessions.stop(session, &Handle::owner()).await);
            }
            Ok(())
        }
        (10, _) => {
            site.trace.note("somebody pushes to the target branch");
            site.field.push(&site.rng);
            Ok(())
        }
        (13, _) => raise(site, server, auditor).await.map(drop),
        (11 | 12, _) => Ok(landing(site, server, auditor).await?),
        (_, Some(mission)) if site.rng.below(3) == 0 => Ok(delete(site, server, mission).await?),
        _ => unpark(site, server).await,
    }
}

/// Says that every account is good again.
pub(crate) async fn unpark(site: &Site, server: &Server) -> Result<(), sessions::Error> {
    site.trace.note("somebody sees to the accounts");
    for account in ACCOUNTS {
        server.sessions.unpark(account, &server.stamp()).await?;
    }
    Ok(())
}

/// Raises every budget that is used up and does not begin anew by itself; tells whether there was one.
pub(crate) async fn raise(site: &Site, server: &Server, auditor: &Auditor) -> Result<bool, sessions::Error> {
    let now = site.clock.now();
    let budgets = server.sessions.budgets().await?;
    let mut found = false;
    for over in budgets.iter().filter(|budget| budget.resets_at.is_none() && budget.used_up(now).is_some()) {
        found = true;
        site.trace.note(&format!("somebody raises the budget of {:?}", over.scope));
        let fleet = site.agents.purse.get();
        match &over.scope {
            Scope::Fleet => site.agents.purse.set(Allotment { total: raised(fleet.total), ..fleet }),
            Scope::Project(project) => raise_project(server, project).await?,
            Scope::Mission(_) => {}
        }
    }
    let missions: Vec<Mission> = auditor.books().missions.values().cloned().collect();
    for mission in missions.iter().filter(|mission| mission.state.name() == StateName::Ready) {
        if sessions::own_budget(mission).is_some_and(|budget| budget.used_up(now).is_some()) {
            found = true;
            site.trace.note(&format!("somebody raises the budget of {}", mission.id));
            raise_mission(server, &mission.id).await?;
        }
    }
    if found {
        server.sessions.budget_changed();
    }
    Ok(found)
}

async fn raise_project(server: &Server, id: &ProjectId) -> Result<(), store::Error> {
    let stamp = server.stamp();
    let raise = server.store.transact(&stamp, |tx| async move {
        let Some(held) = tx.get::<Project>(id).await? else { return Ok(()) };
        let budget = Allotment { total: raised(held.record.budget.total), ..held.record.budget };
        tx.update(&held, &Project { budget, ..held.record.clone() })
    });
    raise.await
}

async fn raise_mission(server: &Server, id: &MissionId) -> Result<(), store::Error> {
    let stamp = &server.stamp();
    let raise = server.store.transact(stamp, |tx| async move {
        let Some(held) = tx.get::<Mission>(id).await? else { return Ok(()) };
        let Limits { turns_max, dollars_max, tokens_max, secs_max } = raised(held.record.limits);
        let edit = Edit { turns_max, dollars_max, tokens_max, secs_max, ..Edit::default() };
        tx.update(&held, &missions::edit(&held.record, edit, stamp.at))?;
        tx.append(Event::MissionUpdated { mission: id.clone() });
        Ok::<_, store::Error>(())
    });
    raise.await
}

/// Takes a landing out, lets it land, or has it tried again.
async fn landing(site: &Site, server: &Server, auditor: &Auditor) -> Result<(), store::Error> {
    let known: Vec<_> = auditor.books().landings.keys().cloned().collect();
    let Some(id) = known.get(site.rng.below(known.len() as u64) as usize) else { return Ok(()) };
    let Some(landing) = server.store.get::<Landing>(id).await? else { return Ok(()) };
    let (what, done) = match site.rng.below(2) {
        0 => ("taken out", landing_queue::drop_landing(&server.store, &landing, &server.stamp()).await),
        _ => ("tried", landing_queue::retry(&server.store, &landing, &server.stamp()).await),
    };
    // A refusal is for the one who asks.
    site.trace.note(&format!("somebody wants landing {id} {what}: {:?}", done.map(|landing| landing.state.name())));
    Ok(())
}

async fn state(site: &Site, server: &Server, auditor: &Auditor, known: &[MissionId]) -> Result<(), store::Error> {
    let rng = &site.rng;
    let Ok(id) = MissionId::from_code(&rng.short_code(5)) else { return Ok(()) };
    let mut said = Statement::new(TeamName::default_team(), "Add a cart".to_owned(), "Add it.".to_owned());
    said.start = if rng.below(5) == 0 { Start::ByHand } else { Start::WhenReady };
    said.priority = rng.below(7) as i32 - 3;
    said.agent = ACCOUNTS.get(rng.below(2) as usize).map(|&agent| agent.to_owned());
    said.depends_on =
        (0..rng.below(3)).filter_map(|_| known.get(rng.below(known.len() as u64) as usize)).cloned().collect();
    said.land = (rng.below(8) == 0).then_some(LandMode::Review);
    said.limits = if rng.below(4) == 0 { Limits::default() } else { ceiling(rng, 3 + rng.below(10)) };
    let project = &project(site);
    said.project = project.as_ref().map(|project| (project.id.clone(), rng.below(1 << 40)));
    let mission = &missions::create(id.clone(), said, Handle::owner(), site.clock.now());
    let stamp = server.stamp();
    let stated = server.store.transact(&stamp, |tx| async move {
        if let Some(project) = project
            && tx.get::<Project>(&project.id).await?.is_none()
        {
            tx.insert(project)?;
        }
        tx.insert(mission)?;
        tx.append(Event::MissionCreated { mission: mission.id.clone() });
        Ok::<_, store::Error>(())
    });
    stated.await?;
    if !auditor.books().has_known(&id) {
        site.trace.broken(&format!("mission {id} was acknowledged and is not stored"));
    }
    Ok(())
}

/// Draws the project of a mission, as it would be stated if nobody has yet.
fn project(site: &Site) -> Option<Project> {
    let rng = &site.rng;
    let code = PROJECTS.get(rng.below(PROJECTS.len() as u64 + 1) as usize)?;
    Some(Project {
        id: ProjectId::from_code(code).ok()?,
        team: TeamName::default_team(),
        name: (*code).to_owned(),
        path: FOLDER.to_owned(),
        description: String::new(),
        system_prompt: String::new(),
        agent: None,
        model: None,
        notes: ProjectNotes::default(),
        landing: LandingRules::default(),
        sandbox: types::SandboxRules::default(),
        budget: allotment(rng, 10 + rng.below(40), 8 + rng.below(20)),
        deleting: false,
        created_at: site.clock.now(),
    })
}

/// Links go to missions with a smaller id only, so they never make a circle.
async fn edit(site: &Site, server: &Server, id: &MissionId, known: &[MissionId]) -> Result<(), store::Error> {
    let rng = &site.rng;
    let others: Vec<_> = known.iter().filter(|other| *other < id && rng.below(4) == 0).cloned().collect();
    let edit = &Edit {
        priority: Some(rng.below(7) as i32 - 3),
        depends_on: (rng.below(2) == 0).then_some(others),
        start: (rng.below(2) == 0).then_some(Start::WhenReady),
        ..Edit::default()
    };
    site.trace.note(&format!("somebody edits {id}: {:?}", edit.depends_on));
    let stamp = &server.stamp();
    let edited = server.store.transact(stamp, |tx| async move {
        let Some(held) = tx.get::<Mission>(id).await? else { return Ok(()) };
        tx.update(&held, &missions::edit(&held.record, edit.clone(), stamp.at))?;
        tx.append(Event::MissionUpdated { mission: id.clone() });
        Ok::<_, store::Error>(())
    });
    edited.await
}

async fn advance(site: &Site, server: &Server, id: &MissionId) -> Result<(), store::Error> {
    let step = &match site.rng.below(8) {
        0 => Move::Cancel,
        1 => Move::Redraft,
        2 => Move::Finish,
        3 => Move::Claim,
        4 => Move::Park,
        _ => Move::Open,
    };
    site.trace.note(&format!("somebody wants {step:?} of {id}"));
    let actor = &Actor { handle: Handle::owner(), role: Role::Owner, is_agent: false };
    let stamp = &server.stamp();
    let moved = server.store.transact(stamp, |tx| async move {
        let Some(held) = tx.get::<Mission>(id).await? else { return Ok(()) };
        let unresolved = sessions::unresolved(&tx, &held.record).await?;
        // A refusal is for the one who asks.
        let Ok(Some(moved)) = missions::advance(&held.record, step.clone(), actor, unresolved, stamp.at) else {
            return Ok(());
        };
        tx.move_mission(&held, &moved.mission)
    });
    moved.await
}

async fn delete(site: &Site, server: &Server, id: &MissionId) -> Result<(), store::Error> {
    site.trace.note(&format!("somebody deletes {id}"));
    let stamp = server.stamp();
    let deleted = server.store.transact(&stamp, |tx| async move {
        if let Some(held) = tx.get::<Mission>(id).await?
            && held.record.state.name() != StateName::Held
        {
            tx.delete(&held);
            tx.append(Event::MissionDeleted { mission: id.clone() });
        }
        Ok::<_, store::Error>(())
    });
    deleted.await
}

/// How long nobody does anything.
pub(crate) fn pause(site: &Site) -> Duration {
    let rng = &site.rng;
    if !site.is_wild() {
        return Duration::from_millis(500 + rng.below(60_000));
    }
    match rng.below(40) {
        0..13 => Duration::from_millis(1 + rng.below(500)),
        13..26 => Duration::from_millis(500 + rng.below(5_000)),
        26..39 => Duration::from_secs(5 + rng.below(20)),
        _ => {
            site.disturb();
            site.trace.note("the clock jumps");
            Duration::from_secs(600 + rng.below(3_000))
        }
    }
}
