//! The objects that an input names, as far as it matters for who may act on them; `authority` decides.

use api::{Access, Code, Error, Spec, Target};
use serde_json::{Map, Value};
use store::{Query, Record, by};
use tokens::Member;
use types::{
    Approval, Execution, Handle, Landing, Mission, MissionId, Project, ProjectServer, Question, Report, Role, Rule,
    Session, TeamName, Workflow,
};

use crate::authority::{Agent, Belonging, Belongs, Kin, Object, Verdict, Viewer, judge};
use crate::handlers::{not_found, team_records};
use crate::{Caller, Result, Service, authorize};

/// How many missions may lie above one that an agent handed on; more are never made.
const ANCESTORS_MAX: usize = missions::DEPTH_MAX + 1;

impl Service {
    /// Says whose eyes a caller has.
    #[must_use]
    pub fn viewer(&self, member: &Member) -> Viewer {
        match &member.session {
            None if member.role == Role::Owner => Viewer::Owner,
            None => Viewer::Member { team: member.team.clone() },
            Some(id) => match self.sessions.live(id).map(|live| live.session).filter(|it| it.state.is_live()) {
                Some(session) => Viewer::Agent(Agent {
                    handle: session.handle,
                    team: session.team,
                    project: session.project,
                    mission: session.mission.map(|assignment| assignment.mission),
                    session: session.id,
                }),
                None => Viewer::Gone(id.clone()),
            },
        }
    }

    /// Refuses a caller that may not do this with what the input names.
    pub(crate) async fn allow(
        &self,
        spec: &Spec,
        caller: &Caller,
        input: &Map<String, Value>,
    ) -> std::result::Result<(), Error> {
        let Caller::Known(member) = caller else { return Ok(()) };
        let who = self.viewer(member);
        match &who {
            Viewer::Owner => return Ok(()),
            Viewer::Gone(session) => return Err(authorize::session_over(session)),
            Viewer::Member { .. } | Viewer::Agent(_) => {}
        }
        // What needs no token is open to every caller that has one.
        let targets = if spec.access == Access::Public { &[] } else { spec.targets };
        for target in targets {
            for named in names(*target, input) {
                let object = self.object(member, &who, *target, named).await.map_err(crate::Error::told)?;
                // The handler says that there is none, in the words it has for what does not exist.
                if named.is_some() && object.is_none() {
                    continue;
                }
                match judge(&who, *target, spec.effect, object.as_ref()) {
                    Verdict::Allowed => {}
                    Verdict::Hidden => return Err(absent(spec, *target, named.unwrap_or_default())),
                    Verdict::Refused(rule) => {
                        return Err(authorize::refused(rule, member, named.unwrap_or_default()));
                    }
                }
            }
        }
        authorize::actor(spec, member, input)
    }

    /// Finds what is named; none if there is none, which the handler says.
    async fn object(
        &self,
        member: &Member,
        who: &Viewer,
        target: Target,
        named: Option<&str>,
    ) -> Result<Option<Object>> {
        let other = |place| Some(Object { place, kin: Kin::Other });
        Ok(match target {
            Target::Nothing | Target::Fleet | Target::Seen => None,
            Target::Team(_) => {
                let named = named.and_then(|name| name.parse::<TeamName>().ok());
                other(Belonging::Team(named.unwrap_or_else(|| member.team.clone())))
            }
            Target::Project(_) | Target::Into(_) => self.placed::<Project>(named).await?.and_then(other),
            Target::Approval(_) => self.placed::<Approval>(named).await?.and_then(other),
            Target::Question(_) => self.placed::<Question>(named).await?.and_then(other),
            Target::Policy(_) => self.placed::<Rule>(named).await?.and_then(other),
            Target::Landing(_) => self.placed::<Landing>(named).await?.and_then(other),
            Target::McpServer(_) => self.placed::<ProjectServer>(named).await?.and_then(other),
            Target::Report(_) => self.placed::<Report>(named).await?.and_then(other),
            Target::Record(_) => self.record_place(named).await?.and_then(other),
            Target::Workflow(_) => self.placed::<Workflow>(named).await?.and_then(other),
            // A step is named behind its execution.
            Target::Execution(_) => {
                let named = named.and_then(|id| id.split('.').next());
                self.placed::<Execution>(named).await?.and_then(other)
            }
            Target::Mission(_) | Target::Parent(_) | Target::Link(_) => match self.found::<Mission>(named).await? {
                Some(mission) => Some(Object { place: mission.belonging(), kin: self.kin(who, &mission).await? }),
                None => None,
            },
            Target::Session(_) => self.session_object(who, self.found::<Session>(named).await?).await?,
            Target::Worker(_) => {
                let session = match named.and_then(|name| name.parse::<Handle>().ok()) {
                    Some(handle) => self.by_handle(&member.team, &handle).await?,
                    None => None,
                };
                self.session_object(who, session).await?
            }
        })
    }

    async fn found<R: Record<Id: std::str::FromStr>>(&self, named: Option<&str>) -> Result<Option<R>> {
        match named.and_then(|id| id.parse::<R::Id>().ok()) {
            Some(id) => Ok(self.store.get::<R>(&id).await?),
            None => Ok(None),
        }
    }

    pub(crate) async fn placed<R: Record<Id: std::str::FromStr> + Belongs>(
        &self,
        named: Option<&str>,
    ) -> Result<Option<Belonging>> {
        Ok(self.found::<R>(named).await?.map(|record| record.belonging()))
    }

    async fn session_object(&self, who: &Viewer, session: Option<Session>) -> Result<Option<Object>> {
        let Some(session) = session else { return Ok(None) };
        let place = session.belonging();
        let kin = match (who.agent(), &session.mission) {
            (Some(agent), _) if agent.session == session.id => Kin::Own,
            (Some(_), Some(assignment)) => match self.store.get::<Mission>(&assignment.mission).await? {
                Some(mission) if self.kin(who, &mission).await? == Kin::Below => Kin::Below,
                Some(_) | None => Kin::Other,
            },
            (Some(_) | None, _) => Kin::Other,
        };
        Ok(Some(Object { place, kin }))
    }

    /// Returns the live session of a worker, or the last one that had its name.
    async fn by_handle(&self, team: &TeamName, handle: &Handle) -> Result<Option<Session>> {
        if let Some(live) = self.sessions.named(team, handle).await? {
            return Ok(Some(live));
        }
        let last = Query::latest(by::session::handle(team, handle), 1);
        Ok(self.store.list::<Session>(last).await?.records.pop())
    }

    /// Says how a mission is related to the agent that asks.
    pub(crate) async fn kin(&self, who: &Viewer, mission: &Mission) -> Result<Kin> {
        let Some(agent) = who.agent() else { return Ok(Kin::Other) };
        let Some(own) = &agent.mission else {
            let waits = mission.assignee.as_ref().is_none_or(|to| *to == agent.handle);
            return Ok(if waits || mission.created_by == agent.handle { Kin::Open } else { Kin::Other });
        };
        if mission.id == *own {
            return Ok(Kin::Own);
        }
        let mut above: Option<MissionId> = mission.parent.clone();
        for _ in 0..ANCESTORS_MAX {
            match above {
                Some(id) if id == *own => return Ok(Kin::Below),
                Some(id) => above = self.store.get::<Mission>(&id).await?.and_then(|mission| mission.parent),
                None => break,
            }
        }
        Ok(Kin::Other)
    }
}

/// Returns what an input names as a target: nothing means the caller's own, where the field is optional.
fn names(target: Target, input: &Map<String, Value>) -> Vec<Option<&str>> {
    match (target, target.field().and_then(|field| input.get(field))) {
        (_, Some(Value::String(text))) => vec![Some(text)],
        (_, Some(Value::Array(all))) => all.iter().map(Value::as_str).collect(),
        // What is not named is not touched: only of missions, workers and teams has a caller its own.
        (Target::Link(_) | Target::Parent(_) | Target::Project(_) | Target::Session(_), _) => Vec::new(),
        (_, Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None) => vec![None],
    }
}

/// The refusal of what a caller may not know of: in the words for what does not exist.
pub(crate) fn absent(spec: &Spec, target: Target, named: &str) -> Error {
    match target {
        Target::Mission(_) => {
            let is_task = spec.rest.is_some_and(|rest| rest.path.starts_with("/tasks"));
            let is_worker = spec.rest.is_none() && spec.name.starts_with("worker_");
            not_found::mission(if is_task {
                "Task"
            } else if is_worker {
                "Worker"
            } else {
                "Mission"
            })
        }
        Target::Parent(_) | Target::Link(_) => not_found::dependency(named),
        Target::Project(_) => not_found::project(),
        Target::Into(_) => not_found::project_named(),
        Target::Session(_) => not_found::session(),
        Target::Worker(_) => not_found::worker(named),
        Target::Approval(_) => not_found::approval(),
        Target::Question(_) => not_found::question(),
        Target::Policy(_) => not_found::policy(),
        Target::Landing(_) => not_found::landing(),
        Target::McpServer(_) => not_found::server(),
        Target::Report(_) => not_found::report(),
        Target::Record(_) => {
            team_records::not_found(spec.cli.and_then(|cli| cli.split(' ').next()).unwrap_or("record"), named)
        }
        Target::Workflow(_) => not_found::workflow(),
        Target::Execution(_) => not_found::execution(),
        Target::Nothing | Target::Fleet | Target::Seen | Target::Team(_) => {
            Error::new(Code::ROLE_REFUSED, "Insufficient permissions")
        }
    }
}
