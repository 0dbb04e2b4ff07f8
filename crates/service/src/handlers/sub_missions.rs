//! Work that an agent hands on: sub-missions and reviews, made for the mission that it works on.
//!
//! A sub-mission has no more than its parent: the same project and team, the same agent and model, the same way to the
//! target branch, tools that the caller has itself, and a share of what is left of its budget. Its id is derived from
//! what was said, so that a call which is repeated after its answer was lost finds the mission that the first one made.

use agents::external::External;
use api::devfleet::{CreateSubMission, CreatedSubMission, MissionStatus, RequestReview, RequestedReview};
use api::{Code, Error};
use missions::{CHILDREN_MAX, DEPTH_MAX, NoRoom, Statement};
use schedule::{Budget, Scope, Spender, allowance};
use serde_json::json;
use store::{Query, Transaction, by};
use tokens::Member;
use types::{Limits, Mission, MissionId, MissionKind, Project, ProjectId, Session, SessionId, Start};

use super::caller_view::{works_on, works_on_nothing};
use super::mission_commands::held_mission;
use super::report_submission::{Speaker, held_by, not_yours};
use crate::{Caller, Handle, Result, Service};

const NOUN: &str = "Mission";

/// The preset of a review.
const REVIEW: &str = "review";

/// Characters of a description that make the title of a review.
const TITLE_CHARS: usize = 60;

/// How urgent a review is.
const REVIEW_PRIORITY: i32 = 3;

/// How often another id is derived because another mission has the one before, which hardly ever happens once.
const IDS_MAX: u32 = 4;

/// The caller that hands work on.
pub(super) struct Giver {
    pub(super) mission: Mission,
    session: Option<Session>,
    /// The project of what is handed on.
    project: Option<ProjectId>,
    /// Whether a person does, who need not hold the mission.
    is_person: bool,
}

/// What came of handing work on.
pub(super) struct Made {
    pub(super) mission: Mission,
    /// Whether it was there before.
    again: bool,
}

impl Handle<CreateSubMission> for Service {
    async fn handle(&self, caller: &Caller, op: CreateSubMission) -> Result<CreatedSubMission> {
        let member = caller.member()?;
        let giver = self.giver(member, op.mission_id.as_ref()).await?;
        let said = Statement {
            acceptance: op.acceptance_criteria,
            kind: op.mission_type.into(),
            priority: op.priority,
            tags: vec!["sub-mission".to_owned()],
            depends_on: if op.wait_for_me { vec![giver.mission.id.clone()] } else { Vec::new() },
            ..giver.statement(op.title, op.detailed_prompt)
        };
        let made = self.hand_on(member, &giver, &said).await?;
        let starts = match op.wait_for_me {
            true => "It starts by itself once your mission is done.",
            false => "It starts by itself as soon as a slot is free; get_sub_mission_status tells how it stands.",
        };
        let note = made.note(starts);
        let Mission { id, title, state, .. } = made.mission;
        Ok(CreatedSubMission { id, title, status: MissionStatus::from(&state), note })
    }
}

impl Handle<RequestReview> for Service {
    async fn handle(&self, caller: &Caller, op: RequestReview) -> Result<RequestedReview> {
        let member = caller.member()?;
        let giver = self.giver(member, op.mission_id.as_ref()).await?;
        let brief: String = op.description.chars().take(TITLE_CHARS).collect();
        let title = format!("Review: {}", brief.split_whitespace().collect::<Vec<_>>().join(" "));
        let said = Statement {
            kind: MissionKind::Review,
            priority: REVIEW_PRIORITY,
            tags: vec![REVIEW.to_owned()],
            depends_on: vec![giver.mission.id.clone()],
            allowed_tools: self.own_part(member, REVIEW).await?,
            ..giver.statement(title, giver.review(&op))
        };
        let made = self.hand_on(member, &giver, &said).await?;
        let note = made.note("It starts by itself once your mission is done.");
        Ok(RequestedReview { id: made.mission.id, title: made.mission.title, note })
    }
}

impl Service {
    /// Finds out for which mission a caller may hand work on: the one that it works on right now.
    pub(super) async fn giver(&self, member: &Member, named: Option<&MissionId>) -> Result<Giver> {
        let (id, session) = match self.speaker(member, named).await? {
            Speaker::Holder(mission) => (mission.id.clone(), None),
            Speaker::Session(session) => {
                let id = works_on(&session).cloned().ok_or_else(|| works_on_nothing(&member.handle))?;
                (id, Some(*session))
            }
        };
        let mission = self.mission(member, &id, NOUN).await?;
        Ok(Giver { project: mission.project.clone(), mission, session, is_person: false })
    }

    /// Makes a sub-mission, or finds the one that was made of the same words.
    pub(super) async fn hand_on(&self, member: &Member, giver: &Giver, said: &Statement) -> Result<Made> {
        let by = self.stamp(member, &giver.mission.team);
        let project = self.project_of(&giver.mission).await?;
        let sandbox = &self.walls_handed_on(project.as_ref(), &giver.mission, giver.session.as_ref());
        // How many there are is counted outside of the commit, so whoever adds one waits for its turn.
        let _turn = self.linking.lock().await;
        self.store
            .transact(&by, |tx| async move {
                let held = held_mission(&tx, member, &giver.mission.id, NOUN).await?;
                let parent = held.record.clone();
                giver.holds(&parent)?;
                let id = match self.derived(&tx, &parent, said).await? {
                    Ok(mission) => return Ok(Made { mission, again: true }),
                    Err(free) => free,
                };
                let allotted = self.allotted(giver, &parent).await?;
                let limits = missions::within(allotted, said.limits);
                let parent_id = Some(parent.id.clone());
                let said = Statement { limits, sandbox: sandbox.clone(), parent: parent_id, ..said.clone() };
                let mission = self.add_stated(&tx, member, giver.project.as_ref(), id, said).await?;
                // From now on the giver has that much less, in the same commit.
                let by = giver.session.as_ref().map(|session| session.id.clone()).or_else(|| at_work_on(&parent));
                if let Some(share) = missions::share(&mission, by) {
                    let shares = parent.shares.iter().cloned().chain([share]).collect();
                    tx.move_mission(&held, &Mission { shares, ..parent })?;
                }
                Ok(Made { mission, again: false })
            })
            .await
            .inspect(|_| self.ceilings_changed(giver))
    }

    /// Notifies the session that works on the giver's mission that it has less.
    fn ceilings_changed(&self, giver: &Giver) {
        let own = giver.session.as_ref().map(|session| session.id.clone());
        if let Some(session) = own.or_else(|| at_work_on(&giver.mission)) {
            self.sessions.ceilings_changed(&session);
        }
    }

    /// Returns the mission that was made of the same words before, or the id of one that is to be.
    async fn derived(
        &self,
        tx: &Transaction,
        parent: &Mission,
        said: &Statement,
    ) -> Result<std::result::Result<Mission, MissionId>> {
        for attempt in 0..IDS_MAX {
            let words = (&said.title, &said.prompt, &said.acceptance, &said.kind, said.priority, &said.depends_on);
            let text = match &said.worker {
                None => json!([parent.id, attempt, words]),
                // The same work may be given to several agents, to compare what they make of it.
                Some(notes) => json!([parent.id, attempt, words, said.agent, said.model, said.base, notes]),
            };
            let id = MissionId::derived(&text.to_string());
            match tx.get::<Mission>(&id).await? {
                None => return Ok(Err(id)),
                Some(held) if held.record.parent.as_ref() == Some(&parent.id) => return Ok(Ok(held.record)),
                Some(_) => {}
            }
        }
        Err(crate::Error::Fault("every id of a sub-mission is taken".to_owned()))
    }

    /// Says what a new sub-mission may spend, if there may be one.
    async fn allotted(&self, giver: &Giver, parent: &Mission) -> Result<Limits> {
        let query = Query::latest(by::mission::parent(&parent.id), CHILDREN_MAX);
        let given: Vec<Limits> =
            self.store.list::<Mission>(query).await?.records.iter().map(|child| uncounted(parent, child)).collect();
        let above = self.generations(parent).await?;
        let deep = self.settings().max_spawn_depth as usize;
        missions::allot((above, deep), self.left(giver, parent), &given).map_err(|full| no_room(parent, full).into())
    }

    /// Counts the missions above a sub-mission, its parent included, as far as it matters.
    async fn generations(&self, parent: &Mission) -> Result<usize> {
        let (mut above, mut next) = (1, parent.parent.clone());
        while let Some(id) = next.filter(|_| above <= DEPTH_MAX) {
            above += 1;
            next = self.store.get::<Mission>(&id).await?.and_then(|mission| mission.parent);
        }
        Ok(above)
    }

    /// Returns what is left of what the giver may spend: of its mission's ceilings, and of its session's.
    fn left(&self, giver: &Giver, parent: &Mission) -> Limits {
        let now = self.clock.now();
        let live = giver.session.as_ref().and_then(|session| self.sessions.live(&session.id));
        let own = live.map(|live| Budget {
            scope: Scope::Mission(parent.id.clone()),
            ceiling: live.session.order.limits,
            spent: live.spent(now).plus(missions::handed_on(parent, Some(&live.session.id))),
            resets_at: None,
        });
        let budgets: Vec<Budget> = sessions::own_budget(parent).into_iter().chain(own).collect();
        let who = Spender { mission: Some(&parent.id), project: parent.project.as_ref() };
        allowance(Limits::default(), who, &budgets, now)
    }
}

/// The session that works on a mission: what is handed on meanwhile is taken off its ceilings.
fn at_work_on(mission: &Mission) -> Option<SessionId> {
    match held_by(mission) {
        Some((types::Holder::Session { session, .. }, _)) => Some(session.clone()),
        Some((types::Holder::Agent { .. }, _)) | None => None,
    }
}

/// The ceilings of a sub-mission that its parent's shares do not count: older versions wrote none.
fn uncounted(parent: &Mission, child: &Mission) -> Limits {
    let is_counted = parent.shares.iter().any(|share| share.to == child.id);
    if is_counted { Limits::default() } else { child.limits }
}

impl Giver {
    /// A person hands on a part of a mission.
    pub(super) fn by_person(mission: Mission) -> Self {
        Self { project: mission.project.clone(), mission, session: None, is_person: true }
    }

    /// What is handed on is of this project.
    pub(super) fn into_project(self, project: &Project) -> Self {
        Self { project: Some(project.id.clone()), ..self }
    }

    /// Begins a sub-mission: what it has of its parent.
    fn statement(&self, title: String, prompt: String) -> Statement {
        let Mission { id, team, land, agent, model, retry, .. } = &self.mission;
        // An agent that others run cannot be started by Fleet.
        let order = self.session.as_ref().map(|session| &session.order).filter(|order| order.agent != External::NAME);
        let (agent, model) = match order {
            Some(order) => (Some(order.agent.clone()), order.model.clone()),
            None => (agent.clone(), model.clone()),
        };
        Statement {
            parent: Some(id.clone()),
            start: Start::WhenReady,
            land: *land,
            agent,
            model,
            retry: *retry,
            ..Statement::new(team.clone(), title, prompt)
        }
    }

    /// Refuses whoever does not hold the mission any more.
    fn holds(&self, parent: &Mission) -> Result<()> {
        let holder = held_by(parent);
        if self.is_person {
            return Ok(());
        }
        let is_own = match (&self.session, holder) {
            (Some(own), Some((types::Holder::Session { session, .. }, _))) => own.id == *session,
            (None, Some((types::Holder::Agent { .. }, _))) => holder == held_by(&self.mission),
            (Some(_) | None, _) => false,
        };
        if is_own { Ok(()) } else { Err(not_yours(parent).into()) }
    }

    /// Writes what a reviewer is told.
    fn review(&self, op: &RequestReview) -> String {
        let mut told =
            format!("Review what was done for the mission \"{}\".\n\n{}", self.mission.title, op.description);
        let workspace = self.session.as_ref().and_then(|session| session.workspace.as_ref());
        if let Some(tree) = workspace.and_then(|workspace| workspace.worktree.as_ref()) {
            let (base, branch) = (&tree.base, &tree.branch);
            told.push_str(&format!("\n\nIt was done on branch `{branch}`: `git diff {base} {branch}` shows it."));
        }
        if !op.files_to_review.trim().is_empty() {
            told.push_str(&format!("\n\nLook at these files:\n{}", op.files_to_review.trim()));
        }
        told
    }
}

impl Made {
    fn note(&self, starts: &str) -> String {
        if self.again {
            format!("You have said exactly this before, so it is the same mission. {starts}")
        } else {
            starts.to_owned()
        }
    }
}

fn no_room(parent: &Mission, full: NoRoom) -> Error {
    let code = match full {
        NoRoom::Children | NoRoom::Depth { .. } => Code::SUB_MISSIONS_FULL,
        NoRoom::Budget => Code::BUDGET_USED_UP,
    };
    Error::new(code, format!("cannot hand on more of mission `{}`: {full}", parent.id))
        .hint("Do it yourself, or say in your report what is left to do.")
}
