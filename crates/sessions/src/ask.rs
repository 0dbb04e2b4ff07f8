//! What a new session is asked for with.

use types::{Begun, Handle, MissionId, Order, Origin, ProjectId, SessionId, Spending, Spent, TeamName};

/// A session to begin.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSession {
    /// The team that sees it.
    pub team: TeamName,
    /// The name of its agent; none lets Fleet choose one.
    pub handle: Option<Handle>,
    /// The project it works on.
    pub project: Option<ProjectId>,
    /// The mission it takes.
    pub mission: Option<MissionId>,
    /// What the mission had spent when the ceilings of the order were made; none if they are not the mission's.
    pub spent: Option<Spent>,
    /// Where it comes from.
    pub origin: Origin,
    /// The conversation that it continues with; a fork begins with a copy of it.
    pub conversation: Option<String>,
    /// What that had cost when the copy is made, which is not this one's cost.
    pub seen: Spending,
    /// Set if Fleet starts it by itself.
    pub automatic: Option<Automatic>,
    /// What is asked.
    pub order: Order,
}

/// Why Fleet starts a session by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Automatic {
    /// The mission that its own had waited for last.
    pub freed_by: Option<MissionId>,
}

impl NewSession {
    /// Asks for a session that begins from nothing.
    #[must_use]
    pub fn new(team: TeamName, order: Order) -> Self {
        let (handle, project, mission, spent, conversation) = (None, None, None, None, None);
        let (origin, seen, automatic) = (Origin::New, Spending::default(), None);
        Self { team, handle, project, mission, spent, origin, conversation, seen, automatic, order }
    }

    pub(crate) fn begun(&self) -> Begun {
        match (&self.origin, &self.conversation) {
            (Origin::Fork { .. }, Some(_)) => Begun::Forked,
            // It was started with the agent itself, and Fleet takes it over.
            (Origin::New, Some(_)) => Begun::Resumed,
            (Origin::New | Origin::Fork { .. } | Origin::Trim { .. } | Origin::Continue { .. }, _) => Begun::Anew,
        }
    }

    /// A unique name, since no other session has its id.
    pub(crate) fn name(&self, id: &SessionId) -> Option<Handle> {
        let code = id.as_str().strip_prefix(SessionId::PREFIX).unwrap_or_default();
        self.handle.clone().or_else(|| format!("worker-{code}").parse().ok())
    }
}

/// What may be asked of a session that is taken up again; what is none stays as it was.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asked {
    /// What to do now.
    pub prompt: Option<String>,
    /// Which model.
    pub model: Option<String>,
    /// More text for the system prompt.
    pub system_prompt: Option<String>,
    /// Other ceilings.
    pub limits: Option<types::Limits>,
    /// Other tools.
    pub allowed_tools: Option<Vec<String>>,
    /// Whether it gets the context mode from now on.
    pub context_mode: bool,
    /// What is said about its sandbox from now on.
    pub sandbox: Option<types::SandboxRules>,
}
