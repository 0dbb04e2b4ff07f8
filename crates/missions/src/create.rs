//! How a mission comes to be.

use types::{
    Handle, LandMode, Limits, Mission, MissionId, MissionKind, MissionState, ProjectId, Retry, SandboxRules, Schedule,
    Spent, Start, StartFrom, TeamName, Timestamp, ToolChoice, WorkerNotes,
};

/// What was said about a new mission, whichever door it came through.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// The project it works on, with the number it gets there.
    pub project: Option<(ProjectId, u64)>,
    /// The team that sees it.
    pub team: TeamName,
    /// One line.
    pub title: String,
    /// What to do.
    pub prompt: String,
    /// How to tell that it is done.
    pub acceptance: String,
    /// What kind of work it is.
    pub kind: MissionKind,
    /// Higher runs earlier.
    pub priority: i32,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Missions that must be done first.
    pub depends_on: Vec<MissionId>,
    /// The mission it is made for.
    pub parent: Option<MissionId>,
    /// Who is to do it.
    pub assignee: Option<Handle>,
    /// Whether it starts by itself.
    pub start: Start,
    /// What becomes of its branch.
    pub land: Option<LandMode>,
    /// The agent asked for.
    pub agent: Option<String>,
    /// The model asked for.
    pub model: Option<String>,
    /// The tools of its agents.
    pub allowed_tools: Option<ToolChoice>,
    /// Ceilings on one run.
    pub limits: Limits,
    /// Cron fields, to run it again and again.
    pub cron: Option<String>,
    /// Told when it ends.
    pub callback_url: Option<String>,
    /// What is said about the sandbox of its agents.
    pub sandbox: SandboxRules,
    /// The branch or commit that its work starts from.
    pub base: Option<String>,
    /// What a client said about it as a worker.
    pub worker: Option<WorkerNotes>,
    /// What happens after a failure that may pass.
    pub retry: Retry,
    /// What its branches start from.
    pub start_from: StartFrom,
    /// Whether it may be done without a commit, if its agent says that nothing needed doing.
    pub may_change_nothing: bool,
}

impl Statement {
    /// Starts with what nobody leaves out; the rest is as it is when nobody says otherwise.
    #[must_use]
    pub fn new(team: TeamName, title: String, prompt: String) -> Self {
        Self {
            project: None,
            team,
            title,
            prompt,
            acceptance: String::new(),
            kind: MissionKind::Implement,
            priority: 0,
            tags: Vec::new(),
            depends_on: Vec::new(),
            parent: None,
            assignee: None,
            start: Start::ByHand,
            agent: None,
            land: None,
            model: None,
            allowed_tools: None,
            limits: Limits::default(),
            cron: None,
            callback_url: None,
            sandbox: SandboxRules::default(),
            base: None,
            worker: None,
            retry: Retry { times_max: 3, automatic: true },
            start_from: StartFrom::Target,
            may_change_nothing: false,
        }
    }
}

/// Makes a mission of what was said.
///
/// One that starts by itself, or that is given to somebody, is ready at once; any other is a draft until a person says
/// otherwise. Repeated tags and dependencies count once.
#[must_use]
pub fn create(id: MissionId, said: Statement, by: Handle, now: Timestamp) -> Mission {
    let ready = said.start == Start::WhenReady || said.assignee.is_some();
    let (project, number) = said.project.map_or((None, None), |(project, number)| (Some(project), Some(number)));
    Mission {
        id,
        project,
        number,
        team: said.team,
        title: said.title,
        prompt: said.prompt,
        acceptance: said.acceptance,
        kind: said.kind,
        state: if ready { MissionState::Ready { since: now } } else { MissionState::Draft },
        priority: said.priority,
        tags: distinct(said.tags),
        depends_on: distinct(said.depends_on),
        parent: said.parent,
        assignee: said.assignee,
        created_by: by,
        start: said.start,
        agent: given(said.agent),
        land: said.land,
        model: given(said.model),
        allowed_tools: said.allowed_tools,
        limits: said.limits,
        spent: Spent::default(),
        schedule: schedule(said.cron, now),
        callback_url: given(said.callback_url),
        sandbox: said.sandbox,
        base: said.base,
        worker: said.worker,
        shares: Vec::new(),
        retry: said.retry,
        start_from: said.start_from,
        may_change_nothing: said.may_change_nothing,
        holders: 0,
        created_at: now,
        updated_at: now,
    }
}

/// A schedule is in force as soon as it is given.
pub(crate) fn schedule(cron: Option<String>, now: Timestamp) -> Option<Schedule> {
    given(cron).map(|cron| Schedule::new(cron, now))
}

/// Treats an empty text as none: clients send both for "nothing".
pub(crate) fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// Drops repetitions and keeps the order.
pub(crate) fn distinct<T: PartialEq>(list: Vec<T>) -> Vec<T> {
    list.into_iter().fold(Vec::new(), |mut kept, item| {
        if !kept.contains(&item) {
            kept.push(item);
        }
        kept
    })
}

#[cfg(test)]
#[path = "create_tests.rs"]
mod tests;
