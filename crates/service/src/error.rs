//! How a handler fails, and what the caller is told of it.

use api::Code;
use mission_runner::ToolsError;
use missions::Conflict;
use schedule::{Overdrawn, Scope};
use types::MissionId;

/// A refusal to be told as it is, or a failure of something beneath.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller is told so.
    #[error(transparent)]
    Refused(#[from] api::Error),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A session could not do it.
    #[error(transparent)]
    Session(#[from] sessions::Error),
    /// A fault of ours.
    #[error("{0}")]
    Fault(String),
}

impl From<mission_runner::Error> for Error {
    fn from(error: mission_runner::Error) -> Self {
        match error {
            mission_runner::Error::Refused(refusal) => start_refused(&refusal).into(),
            mission_runner::Error::Store(error) => error.into(),
            mission_runner::Error::Session(error) => error.into(),
        }
    }
}

impl From<ToolsError> for Error {
    fn from(error: ToolsError) -> Self {
        start_refused(&error.into()).into()
    }
}

impl Error {
    /// Returns what the caller is told; what only an operator can mend is logged and not told in detail.
    #[must_use]
    pub fn told(self) -> api::Error {
        match self {
            Self::Refused(error) => error,
            Self::Store(error) | Self::Session(sessions::Error::Store(error)) => store_error(&error),
            Self::Session(sessions::Error::Refused(refusal)) => session_refused(refusal),
            Self::Session(error @ sessions::Error::File { .. }) => {
                tracing::error!(%error, "the files of a session");
                api::Error::new(Code::STORE_UNAVAILABLE, error.to_string())
                    .hint("Run `fleet doctor` on the server's machine; a full disk is the usual cause.")
            }
            Self::Fault(fault) => {
                tracing::error!(%fault, "internal fault");
                api::Error::new(Code::INTERNAL, "Internal server error").hint("Look into the server's log.")
            }
        }
    }
}

/// The setting that says how many agents may run.
fn setting(bound: &sessions::Bound) -> &'static str {
    match bound {
        sessions::Bound::Fleet => "max_workers",
        sessions::Bound::Project(_) => "max_workers_per_project",
        sessions::Bound::Agent(_) => "max_workers_per_agent",
    }
}

fn session_refused(refusal: sessions::Refusal) -> api::Error {
    use sessions::Refusal;
    let message = refusal.to_string();
    match refusal {
        Refusal::Full { bound, .. } => api::Error::new(Code::FLEET_FULL, message)
            .hint(format!("Wait until a session has ended, or allow more: `fleet config set {}=N`.", setting(&bound))),
        Refusal::Overdrawn(over) => overdrawn(&over),
        Refusal::SpentMeanwhile { mission, .. } => api::Error::new(Code::MISSION_HELD, message)
            .hint(format!("A session of it has just ended; start it again: `fleet dispatch {mission}`.")),
        Refusal::HandleTaken { handle, .. } => api::Error::new(Code::WORKER_EXISTS, message)
            .hint(format!("Choose another name, or end it first: `fleet dismiss {handle}`.")),
        Refusal::UnknownAgent { known, .. } => api::Error::new(Code::AGENT_UNKNOWN, message)
            .hint(format!("The agents are {known}; `fleet agent list` shows which are installed.")),
        Refusal::NotFound { .. } => {
            api::Error::new(Code::SESSION_NOT_FOUND, "Session not found").hint("`fleet session list` shows them.")
        }
        Refusal::ApprovalNotFound { .. } => {
            api::Error::new(Code::APPROVAL_NOT_FOUND, "Approval not found").hint("`fleet approval list` shows them.")
        }
        Refusal::Settled { approval, .. } => api::Error::new(Code::APPROVAL_SETTLED, message)
            .hint(format!("`fleet approval show {approval}` tells who said what.")),
        Refusal::QuestionNotFound { .. } => crate::handlers::not_found::question(),
        Refusal::QuestionSettled { question, .. } => api::Error::new(Code::QUESTION_SETTLED, message)
            .hint(format!("`fleet question show {question}` shows who said what.")),
        Refusal::QuestionsFull { .. } => api::Error::new(Code::QUESTIONS_FULL, message)
            .hint("End your turn and wait for the answers, or decide yourself."),
        Refusal::Hidden { approval, .. } => api::Error::new(Code::APPROVAL_HIDDEN, message)
            .hint(format!("Refuse it with what to do instead: `fleet approval deny {approval} \"…\"`.")),
        Refusal::MissionNotFound { .. } => api::Error::new(Code::MISSION_NOT_FOUND, "Mission not found")
            .hint("`fleet mission list` shows what there is."),
        Refusal::Mission(refusal) => crate::handlers::mission_refused(refusal),
        Refusal::WrongState { session, .. } => api::Error::new(Code::SESSION_NOT_RUNNING, message)
            .hint(format!("`fleet session show {session}` tells more.")),
        Refusal::Incapable { .. } => api::Error::new(Code::AGENT_INCAPABLE, message),
        Refusal::NoConversation { .. } => {
            api::Error::new(Code::SESSION_NOT_RESUMABLE, message).hint("Start anew: `fleet dispatch MISSION`.")
        }
    }
}

fn start_refused(refusal: &mission_runner::Refusal) -> api::Error {
    use mission_runner::Refusal;
    let error = |code| api::Error::new(code, refusal.to_string());
    match refusal {
        Refusal::Agent { mission, conflict } => agent_conflict(mission, conflict),
        Refusal::Tools(ToolsError::Malformed(_)) => {
            error(Code::FIELDS_INVALID).hint("A tool is `Read`, `Bash(git diff *)`, `mcp__server__tool` or the like.")
        }
        Refusal::Tools(ToolsError::UnknownPreset { known, .. }) => {
            error(Code::FIELDS_INVALID).hint(format!("The presets are {}.", known.join(", ")))
        }
        Refusal::Tools(ToolsError::UnknownKind { known, .. }) => {
            error(Code::FIELDS_INVALID).hint(format!("The mission types are {}.", known.join(", ")))
        }
        Refusal::UnknownModel { agent, known, .. } => error(Code::FIELDS_INVALID).hint(format!(
            "Its models are {}, and others by their full names. Another provider's: `fleet config set \
             agents.{agent}.aliases.NAME=MODEL`.",
            known.join(", ")
        )),
        Refusal::Unpriced { agent, model } => error(Code::AGENT_INCAPABLE).hint(format!(
            "Add what a million tokens cost: `fleet config set 'agents.{agent}.prices.{model}.input=DOLLARS' \
             'agents.{agent}.prices.{model}.output=DOLLARS'`; or set a budget in tokens, turns or minutes instead.",
            model = model.as_deref().unwrap_or("*")
        )),
        Refusal::ContextModeWithoutMcp { .. } => {
            error(Code::AGENT_INCAPABLE).hint("Leave it out, or name another agent.")
        }
        Refusal::ContextModeProgram { .. } => error(Code::FIELDS_INVALID)
            .hint("Install it (`npm install -g context-mode`), or name it: `fleet config set context_mode_cmd=PATH`."),
        Refusal::ContextModeOfFork => error(Code::FIELDS_INVALID).hint("Name one of them."),
        Refusal::FolderNotAllowed { .. } => {
            error(Code::REPO_NOT_ALLOWED).hint("The owner can add it: `fleet config set allowed_repos=FOLDER,FOLDER`.")
        }
        Refusal::NoBranch { .. } => {
            error(Code::WORKSPACE_REFUSED).hint("Inherit from a session that works in a worktree.")
        }
        Refusal::Dependencies { mission, .. } => error(Code::DEPENDENCY_CONFLICT)
            .hint(format!("Or name what to start from: `fleet dispatch {mission} --base BRANCH`.")),
        Refusal::StartPoint { mission, .. } => {
            error(Code::WORKSPACE_REFUSED).hint(format!("`fleet mission show {mission}` shows its dependencies."))
        }
        Refusal::OtherAgent { mission, named, .. } => error(Code::AGENT_INCAPABLE)
            .hint(format!("Start anew with the other: `fleet dispatch {mission} --agent {named}`.")),
        Refusal::NotResumable { mission } => {
            error(Code::SESSION_NOT_RESUMABLE).hint(format!("Start it anew: `fleet dispatch {mission}`."))
        }
    }
}

fn agent_conflict(mission: &MissionId, conflict: &Conflict) -> api::Error {
    let error = api::Error::new(Code::FIELDS_INVALID, conflict.to_string());
    match conflict {
        Conflict::Words { .. } => error.hint("Keep one of them."),
        Conflict::Mission { command, .. } => error
            .hint(format!("Give the mission another agent first: `fleet mission update {mission} --agent {command}`.")),
    }
}

/// The refusal of what nobody may spend anything on.
fn overdrawn(over: &Overdrawn) -> api::Error {
    let raise = match &over.scope {
        Scope::Fleet => "raise it with `fleet config set`".to_owned(),
        Scope::Project(project) => format!("raise it with `fleet project update {project}`"),
        Scope::Mission(mission) => format!("raise it with `fleet mission update {mission}`"),
    };
    let error = api::Error::new(Code::BUDGET_USED_UP, over.to_string());
    match over.resets_at {
        Some(at) => error.hint(format!("It begins anew at {at:.0}; or {raise}.")).with("resets_at", at.to_string()),
        None => error.hint(format!("See what is left with `fleet budget`; {raise}.")),
    }
}

fn store_error(error: &store::Error) -> api::Error {
    match error {
        store::Error::Contention { tries } => {
            let message = format!("others changed the same records {tries} times in a row; nothing was changed");
            api::Error::new(Code::TOO_MUCH_CONTENTION, message).hint("Try again.")
        }
        store::Error::Engine(store::EngineError::TooLarge(excess)) => {
            api::Error::new(Code::TOO_LARGE_TO_STORE, excess.to_string()).hint("Send shorter texts or fewer items.")
        }
        store::Error::Engine(error @ store::EngineError::Unknown(_)) => {
            tracing::error!(%error, "store lost an answer");
            api::Error::new(Code::STORE_UNAVAILABLE, "the store did not confirm; the change may have been made")
                .hint("Read before you try again.")
        }
        store::Error::Engine(error @ store::EngineError::Unavailable(_)) => {
            tracing::error!(%error, "store unavailable");
            api::Error::new(Code::STORE_UNAVAILABLE, "the store does not answer; nothing was changed")
                .hint("Run `fleet doctor` on the server's machine; a full disk is the usual cause.")
        }
        store::Error::KeyTaken => crate::once::busy(),
        store::Error::Trimmed { .. }
        | store::Error::Engine(store::EngineError::Corrupt(_))
        | store::Error::Decode { .. }
        | store::Error::Newer { .. }
        | store::Error::Encode(_)
        | store::Error::DamagedBlob { .. } => {
            tracing::error!(%error, "store holds what cannot be read");
            api::Error::new(Code::INTERNAL, "Internal server error").hint("Look into the server's log.")
        }
    }
}
