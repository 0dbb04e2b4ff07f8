//! Why a mission was not started or resumed.

use missions::Conflict;
use types::{DependencyTrouble, MissionId, SessionId};

use crate::tools::ToolsError;

/// A failure to start or resume a mission.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be started as asked; nothing was changed.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The session could not be started.
    #[error(transparent)]
    Session(#[from] sessions::Error),
}

/// Why a mission cannot be started as asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The mission names another agent than the request.
    #[error("{conflict}")]
    Agent {
        /// The mission.
        mission: MissionId,
        /// The two names.
        conflict: Conflict,
    },
    /// The tools cannot be determined.
    #[error(transparent)]
    Tools(#[from] ToolsError),
    /// The agent has no model of this name.
    #[error("agent `{agent}` has no model `{model}`{}", crate::tools::meant(model, known))]
    UnknownModel {
        /// The agent.
        agent: String,
        /// The model.
        model: String,
        /// Models that it has.
        known: Vec<String>,
    },
    /// The agent reports no cost, and the settings have no prices for its model.
    #[error("agent `{agent}` cannot keep to a budget in dollars: it reports no cost, and the settings have no prices for {}", model.as_deref().map_or_else(|| "its model".to_owned(), |model| format!("model `{model}`")))]
    Unpriced {
        /// The agent.
        agent: String,
        /// The model, if one is named.
        model: Option<String>,
    },
    /// The agent takes no MCP servers, so it cannot have the context mode.
    #[error("context_mode: agent `{agent}` takes no MCP servers")]
    ContextModeWithoutMcp {
        /// The agent.
        agent: String,
    },
    /// The program of the context mode is not installed.
    #[error("context_mode: no program `{program}` on the server's machine")]
    ContextModeProgram {
        /// The program.
        program: String,
    },
    /// A copy of a session has the servers of that session.
    #[error("context_mode and fork_session: a fork has the servers of the session it copies")]
    ContextModeOfFork,
    /// The folder is outside of those that the settings allow.
    #[error("{} is outside of the folders that `allowed_repos` names", folder.display())]
    FolderNotAllowed {
        /// The folder.
        folder: std::path::PathBuf,
    },
    /// The session to inherit from works in no worktree.
    #[error("session `{session}` has no branch")]
    NoBranch {
        /// The session.
        session: SessionId,
    },
    /// A conversation continues only with the agent that had it.
    #[error("session `{session}` is one of agent `{agent}`, not `{named}`")]
    OtherAgent {
        /// The mission.
        mission: MissionId,
        /// Its last session.
        session: SessionId,
        /// The agent that had it.
        agent: String,
        /// The agent that was named.
        named: String,
    },
    /// The work of its dependencies cannot be merged, or is gone.
    #[error("{trouble}")]
    Dependencies {
        /// The mission.
        mission: MissionId,
        /// What is wrong.
        trouble: DependencyTrouble,
    },
    /// git cannot merge the work of its dependencies.
    #[error("cannot find what mission `{mission}` starts from: {why}")]
    StartPoint {
        /// The mission.
        mission: MissionId,
        /// The message of git.
        why: String,
    },
    /// No session of the mission had a conversation.
    #[error("No resumable session found for this mission")]
    NotResumable {
        /// The mission.
        mission: MissionId,
    },
}

impl From<sessions::Refusal> for Error {
    fn from(refusal: sessions::Refusal) -> Self {
        Self::Session(refusal.into())
    }
}

impl From<ToolsError> for Error {
    fn from(error: ToolsError) -> Self {
        Self::Refused(error.into())
    }
}
