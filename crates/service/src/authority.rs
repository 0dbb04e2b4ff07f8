//! Who may do what to what: one pure decision for every operation.
//!
//! A caller is the owner, a member of a team, or the agent of a session. A member is limited by its role and its team.
//! An agent has the role of a worker and is limited further: it sees its own project, and changes what it works on and
//! what it handed on. Nothing here reads a record; `target` finds the objects that an input names.

use api::{Effect, Target};
use types::{Handle, MissionId, ProjectId, Role, SessionId, TeamName};

/// A caller, as far as it matters for what it may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Viewer {
    /// The person who holds the local key.
    Owner,
    /// A registered member of a team.
    Member {
        /// Its team.
        team: TeamName,
    },
    /// The agent of a live session.
    Agent(Agent),
    /// The agent of a session that is over.
    Gone(SessionId),
}

/// The agent of a session: its token names the session, and the session says the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Its session.
    pub session: SessionId,
    /// Its name.
    pub handle: Handle,
    /// Its team.
    pub team: TeamName,
    /// The project that it works in; none for one that works on tasks of its team.
    pub project: Option<ProjectId>,
    /// The mission that it works on; none for one that waits for tasks.
    pub mission: Option<MissionId>,
}

/// Where something belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Belonging {
    /// To a whole team: a rule for all of its projects, the team itself.
    Team(TeamName),
    /// To the people of a team, and to none of its agents: what they keep for themselves.
    People(TeamName),
    /// To a project of a team, or to none of them.
    Project(TeamName, Option<ProjectId>),
    /// To a session and its mission: what its agent asked.
    Session(TeamName, SessionId, Option<MissionId>),
}

/// A thing that an operation acts on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Object {
    pub(crate) place: Belonging,
    pub(crate) kin: Kin,
}

/// How a mission or a session is related to the agent that asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kin {
    /// Its own.
    Own,
    /// Made of its mission: a sub-mission, however deep, or a session on one.
    Below,
    /// A task without an assignee, or assigned to this agent, which has no mission.
    Open,
    /// Anything else.
    Other,
}

/// What is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It may.
    Allowed,
    /// To this caller the object does not exist.
    Hidden,
    /// It may not, by this rule.
    Refused(Rule),
}

/// Why a caller may not, though it may know of the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// A member acts in its own team.
    OtherTeam,
    /// An agent reads and changes nothing of the server as a whole.
    WholeFleet,
    /// An agent changes neither its project nor its team: their rules hold for it.
    OwnRules,
    /// An agent makes missions by handing on its own.
    SubMissionsOnly,
    /// An agent changes the mission that it works on by working, and those that it handed on.
    OtherMission,
    /// An agent acts in its own session and in those on missions that it handed on.
    OtherSession,
    /// No agent answers approvals or questions.
    NoAgentAnswers,
    /// An agent takes no part in how work lands.
    Landing,
}

impl Viewer {
    /// Returns whether the caller may know of what belongs there.
    #[must_use]
    pub fn sees(&self, thing: &impl Belongs) -> bool {
        self.reaches(&thing.belonging())
    }

    fn reaches(&self, place: &Belonging) -> bool {
        match self {
            Self::Owner => true,
            Self::Gone(_) => false,
            Self::Member { team } => team == place.team(),
            Self::Agent(agent) => {
                agent.team == *place.team()
                    && match place {
                        Belonging::Team(_) => true,
                        Belonging::People(_) => false,
                        Belonging::Project(_, project) => agent.project == *project,
                        Belonging::Session(_, session, mission) => {
                            agent.session == *session || (mission.is_some() && agent.mission == *mission)
                        }
                    }
            }
        }
    }

    /// Returns the agent that asks, if it is one.
    #[must_use]
    pub fn agent(&self) -> Option<&Agent> {
        match self {
            Self::Agent(agent) => Some(agent),
            Self::Owner | Self::Member { .. } | Self::Gone(_) => None,
        }
    }
}

impl Belonging {
    fn team(&self) -> &TeamName {
        match self {
            Self::Team(team) | Self::People(team) | Self::Project(team, _) | Self::Session(team, _, _) => team,
        }
    }
}

/// What belongs somewhere.
pub trait Belongs {
    /// Says where.
    fn belonging(&self) -> Belonging;
}

macro_rules! placed {
    ($($record:ty => |$it:ident| $place:expr,)*) => {
        $(impl Belongs for $record {
            fn belonging(&self) -> Belonging {
                let $it = self;
                $place
            }
        })*
    };
}

placed! {
    types::Project => |it| Belonging::Project(it.team.clone(), Some(it.id.clone())),
    types::Mission => |it| Belonging::Project(it.team.clone(), it.project.clone()),
    types::Session => |it| Belonging::Project(it.team.clone(), it.project.clone()),
    types::Report => |it| Belonging::Project(it.team.clone(), it.project.clone()),
    types::Landing => |it| Belonging::Project(it.team.clone(), it.project.clone()),
    types::ProjectServer => |it| Belonging::Project(it.team.clone(), Some(it.project.clone())),
    types::Violation => |it| Belonging::Project(it.team.clone(), it.project.clone()),
    types::Approval => |it| Belonging::Session(it.team.clone(), it.session.clone(), it.mission.clone()),
    types::Workflow => |it| Belonging::People(it.team.clone()),
    types::Execution => |it| Belonging::Project(it.team.clone(), it.project.clone()),
    types::Question => |it| Belonging::Session(it.team.clone(), it.session.clone(), it.mission.clone()),
    types::Rule => |it| match &it.project {
        Some(project) => Belonging::Project(it.team.clone(), Some(project.clone())),
        None => Belonging::Team(it.team.clone()),
    },
}

impl<K: types::RecordKind> Belongs for types::TeamRecord<K> {
    fn belonging(&self) -> Belonging {
        Belonging::People(self.team.clone())
    }
}

/// Returns whether a role is among those that an operation is for; a session's agent is a worker, whatever it says.
pub(crate) fn admits(access: api::Access, role: Role, is_agent: bool) -> bool {
    access.roles().contains(if is_agent { &Role::Worker } else { &role })
}

/// Decides whether a caller may do this to that. `object` is none for targets without a record, and where the caller's
/// own is used and it has none, which the handler says.
pub(crate) fn judge(who: &Viewer, target: Target, effect: Effect, object: Option<&Object>) -> Verdict {
    if let Some(object) = object.filter(|object| !who.reaches(&object.place)) {
        return match (target, &object.place) {
            (Target::Team(_), Belonging::Team(_)) => Verdict::Refused(Rule::OtherTeam),
            (_, Belonging::Team(_) | Belonging::People(_) | Belonging::Project(..) | Belonging::Session(..)) => {
                Verdict::Hidden
            }
        };
    }
    match who {
        Viewer::Owner | Viewer::Member { .. } => Verdict::Allowed,
        Viewer::Gone(_) => Verdict::Hidden,
        Viewer::Agent(agent) => {
            rule(agent.mission.is_some(), target, effect, object.map_or(Kin::Own, |object| object.kin))
                .map_or(Verdict::Allowed, Verdict::Refused)
        }
    }
}

/// The rule that keeps an agent from what it may see.
pub(crate) fn rule(has_mission: bool, target: Target, effect: Effect, kin: Kin) -> Option<Rule> {
    if effect == Effect::Read && target != Target::Fleet {
        return None;
    }
    match target {
        Target::Fleet | Target::Nothing | Target::Seen => Some(Rule::WholeFleet),
        // Who has no mission to hand on gives tasks, as every member of a team does.
        Target::Team(_) if effect == Effect::Create && !has_mission => None,
        Target::Team(_) if effect == Effect::Create => Some(Rule::SubMissionsOnly),
        Target::Team(_)
        | Target::Project(_)
        | Target::Policy(_)
        | Target::McpServer(_)
        | Target::Report(_)
        | Target::Record(_)
        | Target::Workflow(_)
        | Target::Execution(_) => Some(Rule::OwnRules),
        Target::Into(_) | Target::Parent(_) => Some(Rule::SubMissionsOnly),
        Target::Link(_) => None,
        Target::Mission(_) => mission_rule(effect, kin),
        Target::Session(_) | Target::Worker(_) => session_rule(effect, kin),
        Target::Approval(_) | Target::Question(_) => Some(Rule::NoAgentAnswers),
        Target::Landing(_) => Some(Rule::Landing),
    }
}

fn mission_rule(effect: Effect, kin: Kin) -> Option<Rule> {
    match (effect, kin) {
        (Effect::Create, _) => Some(Rule::SubMissionsOnly),
        (Effect::Read, _)
        | (Effect::Work, Kin::Own | Kin::Below | Kin::Open)
        | (Effect::Message | Effect::Change | Effect::Remove, Kin::Below) => None,
        (Effect::Work, Kin::Other)
        | (Effect::Message | Effect::Change | Effect::Remove, Kin::Own | Kin::Open | Kin::Other) => {
            Some(Rule::OtherMission)
        }
    }
}

fn session_rule(effect: Effect, kin: Kin) -> Option<Rule> {
    match (effect, kin) {
        (Effect::Read | Effect::Message, _)
        | (Effect::Work, Kin::Own)
        | (Effect::Change | Effect::Remove, Kin::Below) => None,
        (Effect::Work, Kin::Below | Kin::Open | Kin::Other)
        | (Effect::Change | Effect::Remove, Kin::Own | Kin::Open | Kin::Other)
        | (Effect::Create, _) => Some(Rule::OtherSession),
    }
}

impl Rule {
    /// Returns its name: in the body of a refusal and in the reference.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::OtherTeam => "other-team",
            Self::WholeFleet => "whole-fleet",
            Self::OwnRules => "own-rules",
            Self::SubMissionsOnly => "sub-missions-only",
            Self::OtherMission => "other-mission",
            Self::OtherSession => "other-session",
            Self::NoAgentAnswers => "no-agent-answers",
            Self::Landing => "landing",
        }
    }

    /// Returns what it says.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::OtherTeam => "a member acts in its own team",
            Self::WholeFleet => "an agent reads and changes nothing of the server as a whole",
            Self::OwnRules => "an agent changes neither its project nor its team, whose rules hold for it",
            Self::SubMissionsOnly => "an agent makes missions by handing on parts of its own",
            Self::OtherMission => "an agent works on its own mission, and changes those that it handed on",
            Self::OtherSession => "an agent acts in its own session, and ends those on missions that it handed on",
            Self::NoAgentAnswers => "a person answers approvals and questions, no agent",
            Self::Landing => "an agent takes no part in how work lands",
        }
    }

    /// Returns what to do instead.
    pub(crate) const fn hint(self) -> &'static str {
        match self {
            Self::OtherTeam => "Use a token of that team.",
            Self::WholeFleet => "get_project_context and list_project_missions show your own project.",
            Self::SubMissionsOnly => "Use create_sub_mission or request_review.",
            Self::OtherMission => {
                "End your own by your report: Fleet judges your work. For the rest, ask a lead of your team."
            }
            Self::OwnRules | Self::OtherSession | Self::NoAgentAnswers | Self::Landing => "Ask a lead of your team.",
        }
    }

    /// Every rule, as the reference lists them.
    pub(crate) const ALL: [Self; 8] = [
        Self::OtherTeam,
        Self::WholeFleet,
        Self::OwnRules,
        Self::SubMissionsOnly,
        Self::OtherMission,
        Self::OtherSession,
        Self::NoAgentAnswers,
        Self::Landing,
    ];
}

#[cfg(test)]
#[path = "authority_tests.rs"]
mod tests;
