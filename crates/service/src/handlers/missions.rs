//! Missions under `/api/missions`.

use std::collections::HashMap;

use api::devfleet::{
    CreateMission, GetMission, ListChildren, ListMissionEvents, ListMissions, MissionDetail, MissionEventRow,
    MissionOrder, MissionRow, MissionStatus, SessionRow, SessionStatus, UpdateMission,
};
use api::{Code, Error, Listing};
use mission_runner::{ChosenTools, check_kind};
use missions::{Edit, Move, Statement};
use store::{Query, Transaction, by};
use tokens::Member;
use types::{
    ChosenBy, Event, Mission, MissionId, MissionKind, MissionState, Project, Retry, Role, Schedule, Session, Start,
    StateName, ToolChoice,
};

use super::LIST_MAX;
use super::mission_commands::{held_mission, tellable};
use super::privilege_limits::{no_callback, no_higher};
use super::schedules::known_cron;
use crate::{Caller, Handle, Result, Service, authorize};

const NOUN: &str = "Mission";

/// What only those who lead may set.
const LAND: &str = "what becomes of a branch (`land`)";

/// A mission that runs for ever spends for ever.
const SCHEDULE: &str = "a schedule";

impl Handle<ListMissions> for Service {
    async fn handle(&self, caller: &Caller, op: ListMissions) -> Result<Listing<MissionRow>> {
        let member = caller.member()?;
        let states: Vec<StateName> = op.status.map_or_else(Vec::new, |status| status.states().collect());
        let wanted = |mission: &Mission| matches(&op, &states, mission);
        let query = match (op.order, &op.project_id) {
            (MissionOrder::Priority, _) => {
                Query { groups: groups(member, &op, &states), ..Query::latest(String::new(), LIST_MAX) }
            }
            (MissionOrder::Number, Some(project)) => Query::earliest(by::mission::number(project), LIST_MAX),
            (MissionOrder::Number, None) => {
                return Err(Error::new(Code::FIELDS_INVALID, "order: `number` requires `project_id`").into());
            }
        };
        let page = self.page_of(member, query, op.page.clone(), wanted).await?;
        let items =
            if op.errors { self.rows_with_errors(page.records).await? } else { self.rows(page.records).await? };
        Ok(Listing { items, next: page.next })
    }
}

/// Picks the narrowest index there is for what was asked.
fn groups(member: &Member, op: &ListMissions, states: &[StateName]) -> Vec<String> {
    match (&op.parent_mission_id, &op.project_id, &op.tag) {
        (Some(parent), _, _) => vec![by::mission::parent(parent)],
        (None, Some(project), _) if states.is_empty() => vec![by::mission::project(project)],
        (None, Some(project), _) => states.iter().map(|state| by::mission::project_state(project, *state)).collect(),
        (None, None, Some(tag)) => vec![by::mission::tag(tag)],
        (None, None, None) if member.role == Role::Owner && states.is_empty() => vec![by::mission::all()],
        (None, None, None) if member.role == Role::Owner => states.iter().copied().map(by::mission::state).collect(),
        (None, None, None) if states.is_empty() => vec![by::mission::team(&member.team)],
        (None, None, None) => states.iter().map(|state| by::mission::team_state(&member.team, *state)).collect(),
    }
}

fn matches(op: &ListMissions, states: &[StateName], mission: &Mission) -> bool {
    (op.project_id.is_none() || op.project_id == mission.project)
        && (op.parent_mission_id.is_none() || op.parent_mission_id == mission.parent)
        && op.tag.as_ref().is_none_or(|tag| mission.tags.contains(tag))
        && (states.is_empty() || states.contains(&mission.state.name()))
}

impl Handle<CreateMission> for Service {
    async fn handle(&self, caller: &Caller, op: CreateMission) -> Result<MissionRow> {
        let member = caller.member()?;
        authorize::leading(member, op.land.is_some(), LAND)?;
        tellable(op.callback_url.as_deref())?;
        no_callback(member, op.callback_url.as_deref())?;
        schedulable(op.schedule_cron.as_deref())?;
        authorize::leading(member, op.schedule_cron.as_deref().is_some_and(|cron| !cron.is_empty()), SCHEDULE)?;
        let (limits, sandbox) = (op.limits(), op.sandbox.applied(types::SandboxRules::default()));
        let agent = self.known_agent(&op.agent)?;
        let said = Statement {
            acceptance: op.acceptance_criteria,
            kind: self.known_kind(op.mission_type)?,
            priority: op.priority,
            tags: op.tags,
            depends_on: op.depends_on,
            parent: op.parent_mission_id,
            start: start(op.auto_dispatch),
            land: op.land.map(Into::into),
            agent,
            model: op.model.filter(|model| !model.is_empty()),
            allowed_tools: self.chosen_tools(op.allowed_tools.as_deref())?.flatten(),
            limits,
            cron: op.schedule_cron,
            callback_url: op.callback_url,
            sandbox,
            retry: Retry { times_max: op.max_retries, automatic: op.auto_retry },
            ..Statement::new(member.team.clone(), op.title, op.detailed_prompt)
        };
        let project = self.store.get::<Project>(&op.project_id).await?;
        self.known_model(said.model.as_deref(), said.agent.as_deref(), project.as_ref())?;
        if let Some(project) = project.as_ref().filter(|project| member.sees(&project.team)) {
            self.target_exists(project).await?;
        }
        let mission = self.state(member, Some(&op.project_id), said).await?;
        let around = self.around(&mission, project.as_ref());
        Ok(MissionRow::of(mission, around))
    }
}

impl Handle<GetMission> for Service {
    async fn handle(&self, caller: &Caller, op: GetMission) -> Result<MissionDetail> {
        let member = caller.member()?;
        let mission = self.mission(member, &op.mission, NOUN).await?;
        self.mission_detail(member, mission).await
    }
}

impl Handle<UpdateMission> for Service {
    async fn handle(&self, caller: &Caller, op: UpdateMission) -> Result<MissionRow> {
        let member = caller.member()?;
        authorize::leading(member, op.land.is_some(), LAND)?;
        tellable(op.callback_url.as_deref())?;
        no_callback(member, op.callback_url.as_deref())?;
        schedulable(op.schedule_cron.as_deref())?;
        let read = self.mission(member, &op.mission, NOUN).await?;
        // Read before the commit, since a read that fails after it would hide its success.
        let project = self.project_of(&read).await?;
        let by = self.stamp(member, &read.team);
        let agent = self.known_agent(&op.agent)?.filter(|_| is_own(op.agent_source));
        let (op, edit) = (&op, &Edit { agent, ..self.edit_of(&op)? });
        let of_mission = edit.agent.as_deref().or(read.agent.as_deref());
        self.known_model(edit.model.as_deref(), of_mission, project.as_ref())?;
        let _turn = self.turn(edit).await;
        let around = project.as_ref();
        let mission = self
            .store
            .transact(&by, |tx| async move {
                let held = held_mission(&tx, member, &op.mission, NOUN).await?;
                self.links(&tx, member, &held.record, edit).await?;
                let said = op.sandbox.clone();
                let sandbox = (!said.is_nothing()).then(|| said.applied(held.record.sandbox.clone()));
                let edited = missions::edit(&held.record, Edit { sandbox, ..edit.clone() }, self.clock.now());
                authorize::leading(member, held.record.schedule != edited.schedule, SCHEDULE)?;
                no_higher(member, held.record.limits, edited.limits)?;
                self.no_wider_walls(member, around, &held.record.sandbox, &edited.sandbox)?;
                if rules_of_start(&held.record) != rules_of_start(&edited) {
                    let named = held.record.allowed_tools != edited.allowed_tools;
                    self.no_wider_mission(member, &edited, named).await?;
                }
                if edited != held.record {
                    tx.append(Event::MissionUpdated { mission: edited.id.clone() });
                }
                let moved = self.follow_status(&tx, member, op, &held.record, edited).await?;
                tx.move_mission(&held, &moved)?;
                Ok::<_, crate::Error>(moved)
            })
            .await?;
        let around = self.around(&mission, project.as_ref());
        Ok(MissionRow::of(mission, around))
    }
}

impl Handle<ListChildren> for Service {
    async fn handle(&self, caller: &Caller, op: ListChildren) -> Result<Listing<MissionRow>> {
        let mut children = self.children(caller.member()?, &op.mission).await?;
        children.sort_by_key(|child| (std::cmp::Reverse(child.priority), child.created_at));
        Ok(Listing::whole(self.rows(children).await?))
    }
}

impl Handle<ListMissionEvents> for Service {
    async fn handle(&self, caller: &Caller, op: ListMissionEvents) -> Result<Listing<MissionEventRow>> {
        // Events outlive their mission: a deleted one still tells its story, to whoever could see it.
        let member = caller.member()?;
        let mission = self.store.get::<Mission>(&op.mission).await?;
        let who = self.viewer(member);
        let visible = mission.map_or(member.role == Role::Owner, |mission| who.sees(&mission));
        let limit = op.limit.map_or(20, |limit| limit as usize);
        let events = if visible { self.store.mission_events(&op.mission, limit).await? } else { Vec::new() };
        let row = |(id, at, event): (u64, _, Event)| MissionEventRow::of(id, op.mission.clone(), &event, at);
        Ok(Listing::whole(events.into_iter().map(row).collect()))
    }
}

impl Service {
    /// Shows a mission with everything around it.
    pub(super) async fn mission_detail(&self, member: &Member, mission: Mission) -> Result<MissionDetail> {
        let project = self.project_of(&mission).await?;
        let mut children = self.children(member, &mission.id).await?;
        children.sort_by_key(|child| child.created_at);
        let runs = Query::latest(by::session::mission(&mission.id), LIST_MAX);
        let runs = self.store.list::<Session>(runs).await?.records;
        let stderr = match runs.first() {
            Some(session) if SessionStatus::from(&session.state) == SessionStatus::Failed => {
                Some(self.sessions.errors(session).await?)
            }
            Some(_) | None => None,
        };
        let sessions = self.session_rows(runs).await?;
        let latest_report = match self.latest_report(&mission.id).await? {
            Some(report) => Some(self.report_row(report).await?),
            None => None,
        };
        let around = self.around(&mission, project.as_ref());
        Ok(MissionDetail {
            mission: self.mission_row(mission, around).await?,
            project_path: project.map(|project| project.path),
            sessions,
            latest_report,
            children: children.into_iter().map(Into::into).collect(),
            stderr,
        })
    }

    /// Shows missions with what went wrong in the newest session of each.
    async fn rows_with_errors(&self, missions: Vec<Mission>) -> Result<Vec<MissionRow>> {
        // Most were never begun, and have no session to read.
        let begun: Vec<bool> = missions.iter().map(|mission| mission.holders > 0).collect();
        let mut rows = self.rows(missions).await?;
        for (row, _) in rows.iter_mut().zip(begun).filter(|(_, begun)| *begun) {
            let newest = Query::latest(by::session::mission(&row.id), 1);
            if let Some(session) = self.store.list::<Session>(newest).await?.records.pop() {
                row.add_error(SessionRow::of(&session, session.spending));
            }
        }
        Ok(rows)
    }

    /// Reads the missions made for one, those that the member may see: the owner may have made some for another team.
    pub(super) async fn children(&self, member: &Member, parent: &MissionId) -> Result<Vec<Mission>> {
        let who = self.viewer(member);
        self.first(Query::latest(by::mission::parent(parent), LIST_MAX), |child: &Mission| who.sees(child)).await
    }

    /// Shows missions with what their projects say, each project read once.
    pub(super) async fn rows(&self, missions: Vec<Mission>) -> Result<Vec<MissionRow>> {
        let mut projects = HashMap::new();
        for project in missions.iter().filter_map(|mission| mission.project.as_ref()) {
            if !projects.contains_key(project) {
                projects.insert(project.clone(), self.store.get::<Project>(project).await?);
            }
        }
        let project = |mission: &Mission| projects.get(mission.project.as_ref()?)?.as_ref();
        let mut rows = Vec::with_capacity(missions.len());
        for mission in missions {
            let around = self.around(&mission, project(&mission));
            rows.push(self.mission_row(mission, around).await?);
        }
        Ok(rows)
    }

    /// Follows the status that was asked for, or what switching the automatic start on or off implies.
    async fn follow_status(
        &self,
        tx: &Transaction,
        member: &Member,
        op: &UpdateMission,
        before: &Mission,
        edited: Mission,
    ) -> Result<Mission> {
        let step = match op.status {
            Some(status) => step_to(status, &edited)?,
            None => implied(before, &edited),
        };
        match step {
            Some(step) => self.moved(tx, member, &edited, step).await,
            None => Ok(edited),
        }
    }
}

/// What decides with which tools a mission starts, and whether it does by itself.
fn rules_of_start(mission: &Mission) -> (&MissionKind, Option<&ToolChoice>, Start, Option<&Schedule>) {
    (&mission.kind, mission.allowed_tools.as_ref(), mission.start, mission.schedule.as_ref())
}

fn start(automatic: bool) -> Start {
    if automatic { Start::WhenReady } else { Start::ByHand }
}

/// Translates a status that a person sets; running comes from work alone.
fn step_to(status: MissionStatus, mission: &Mission) -> Result<Option<Move>> {
    match status {
        MissionStatus::Draft => Ok(Some(Move::Redraft)),
        MissionStatus::Queued if mission.state.name() == StateName::Parked => Ok(None),
        MissionStatus::Queued => Ok(Some(Move::Open)),
        MissionStatus::Completed => Ok(Some(Move::Finish)),
        MissionStatus::Failed => Ok(Some(Move::Fail)),
        MissionStatus::Cancelled => Ok(Some(Move::Cancel)),
        MissionStatus::Running if mission.state.name() == StateName::Held => Ok(None),
        MissionStatus::Running => {
            let message = format!("mission `{}` runs when an agent works on it, not by being said to", mission.id);
            Err(Error::new(Code::MISSION_STATE_REFUSED, message)
                .hint("Set `queued` to let it start, or claim it as a task: `fleet task-update ID in_progress`.")
                .into())
        }
    }
}

/// Switching the automatic start on makes a draft ready; switching it off makes one that waits a draft again.
fn implied(before: &Mission, edited: &Mission) -> Option<Move> {
    match (before.start, edited.start, &edited.state) {
        (Start::ByHand, Start::WhenReady, MissionState::Draft) => Some(Move::Open),
        (Start::WhenReady, Start::ByHand, MissionState::Ready { .. }) => Some(Move::Redraft),
        (Start::ByHand | Start::WhenReady, _, _) => None,
    }
}

/// A row that is sent back as it was read shows what others chose, too.
fn is_own(source: Option<ChosenBy>) -> bool {
    source.is_none_or(|source| source == ChosenBy::Mission)
}

impl Service {
    /// Reads the tools that a caller names; an empty text leaves them to the mission's kind.
    fn chosen_tools(&self, named: Option<&str>) -> Result<Option<Option<ToolChoice>>> {
        let chosen = named.map(ToolChoice::parse).transpose();
        let chosen = chosen.map_err(|error| Error::new(Code::FIELDS_INVALID, error.to_string()))?;
        if let Some(Some(ToolChoice::Preset(name))) = &chosen {
            ChosenTools::named(&self.settings(), name)?;
        }
        Ok(chosen)
    }

    /// Reads the kind of a mission; one that does not exist would run with other tools than its name promises.
    fn known_kind(&self, named: String) -> Result<MissionKind> {
        let kind = MissionKind::from(named);
        check_kind(&self.settings(), &kind)?;
        Ok(kind)
    }

    fn edit_of(&self, op: &UpdateMission) -> Result<Edit> {
        let op = op.clone();
        Ok(Edit {
            title: op.title,
            prompt: op.detailed_prompt,
            acceptance: op.acceptance_criteria,
            kind: op.mission_type.map(|named| self.known_kind(named)).transpose()?,
            priority: op.priority,
            tags: op.tags,
            depends_on: op.depends_on,
            parent: op.parent_mission_id,
            start: op.auto_dispatch.map(start),
            land: op.land.map(Into::into),
            agent: None,
            model: op.model.filter(|_| is_own(op.model_source)),
            allowed_tools: self.chosen_tools(op.allowed_tools.as_deref())?,
            turns_max: op.max_turns,
            dollars_max: op.max_budget_usd,
            tokens_max: op.max_tokens,
            secs_max: op.max_minutes.map(|minutes| u64::from(minutes) * 60),
            cron: op.schedule_cron,
            schedule_enabled: op.schedule_enabled,
            callback_url: op.callback_url,
            sandbox: None,
            retries_max: op.max_retries,
            retry_automatic: op.auto_retry,
        })
    }
}

/// Refuses a schedule that would never run.
fn schedulable(cron: Option<&str>) -> Result<()> {
    match cron.filter(|cron| !cron.is_empty()) {
        Some(cron) => known_cron("schedule_cron", cron, None).map(drop),
        None => Ok(()),
    }
}
