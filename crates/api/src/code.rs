//! Every refusal and failure Fleet knows, each with a page that says what happened and what to do.

use crate::Kind;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident: $kind:ident;)*) => {
        /// Which of the known refusals and failures an error is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[expect(non_camel_case_types, reason = "a code is written the same in Rust, on the wire and in the docs")]
        pub enum Code {
            $($(#[$doc])* $name,)*
        }

        impl Code {
            /// Every code, in the order of this list.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns the code as it is written everywhere.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }

            /// Returns what a caller can do about it.
            #[must_use]
            pub const fn kind(self) -> Kind {
                match self { $(Self::$name => Kind::$kind,)* }
            }

            /// Returns its page: what happened and what to do next.
            #[must_use]
            pub const fn page(self) -> &'static str {
                match self {
                    $(Self::$name => include_str!(concat!("../../../docs/errors/", stringify!($name), ".md")),)*
                }
            }
        }
    };
}

codes! {
    /// No execution or step has that id.
    EXECUTION_NOT_FOUND: NotFound;
    /// The execution or its step is not in a state for that.
    EXECUTION_STATE: Invalid;
    /// No workflow has that id.
    WORKFLOW_NOT_FOUND: NotFound;
    /// The call needs a token and came without one.
    AUTHENTICATION_REQUIRED: Unauthenticated;
    /// No agent uses an account of that name.
    ACCOUNT_UNKNOWN: NotFound;
    /// The body names somebody else than the token as the one who acts.
    ACTOR_MISMATCH: Forbidden;
    /// The agent cannot do what was asked.
    AGENT_INCAPABLE: Invalid;
    /// No agent of that handle or uid is registered.
    AGENT_NOT_FOUND: NotFound;
    /// No agent command line goes by that name.
    AGENT_UNKNOWN: Invalid;
    /// The agent was tried and cannot work.
    AGENT_UNREADY: Conflict;
    /// The call cannot be shown whole, so it cannot be allowed.
    APPROVAL_HIDDEN: Conflict;
    /// No approval has that id.
    APPROVAL_NOT_FOUND: NotFound;
    /// The approval has another answer already.
    APPROVAL_SETTLED: Conflict;
    /// The body is not JSON, or not an object.
    BODY_MALFORMED: Invalid;
    /// The body is larger than the server takes.
    BODY_TOO_LARGE: Invalid;
    /// A budget over the work is used up.
    BUDGET_USED_UP: Exhausted;
    /// The work of the mission's dependencies cannot be merged, or is gone, so there is nothing to start from.
    DEPENDENCY_CONFLICT: Conflict;
    /// A dependency would make a circle.
    DEPENDENCY_CYCLE: Invalid;
    /// A dependency names no mission.
    DEPENDENCY_UNKNOWN: Invalid;
    /// A mission cannot be finished before the missions it depends on.
    DEPENDENCY_UNRESOLVED: Conflict;
    /// One or more input fields are wrong, missing or not known.
    FIELDS_INVALID: Invalid;
    /// The request's `Host` is not one this server answers to.
    HOST_REFUSED: Forbidden;
    /// A fault of Fleet's own.
    INTERNAL: Internal;
    /// A prefix fits more than one id.
    ID_AMBIGUOUS: Invalid;
    /// Nothing has an id that begins so.
    ID_NOT_FOUND: NotFound;
    /// A call with this idempotency key was carried out, and its answer is not known any more.
    IDEMPOTENCY_ANSWER_LOST: Conflict;
    /// A call with this idempotency key is under way.
    IDEMPOTENCY_KEY_BUSY: Conflict;
    /// The idempotency key belongs to a call with another input.
    IDEMPOTENCY_KEY_REUSED: Conflict;
    /// As many agents run as may.
    FLEET_FULL: Exhausted;
    /// No landing has that id.
    LANDING_NOT_FOUND: NotFound;
    /// The landing is not in a state for it.
    LANDING_REFUSED: Conflict;
    /// A sign-in link was used already, or is too old.
    LOGIN_LINK_SPENT: Unauthenticated;
    /// The path exists, with another method.
    METHOD_NOT_ALLOWED: Invalid;
    /// Somebody else holds the mission.
    MISSION_HELD: Conflict;
    /// No mission has that id.
    MISSION_NOT_FOUND: NotFound;
    /// The state asked for cannot be set by hand.
    MISSION_STATE_REFUSED: Invalid;
    /// An agent says that work is done of which Fleet finds that out itself.
    MISSION_UNPROVEN: Conflict;
    /// The caller is not of that team.
    NOT_A_MEMBER: Forbidden;
    /// There is no work of the mission that could be put into the landing queue.
    NOTHING_TO_RECOVER: Invalid;
    /// The request comes from a page of another origin.
    ORIGIN_REFUSED: Forbidden;
    /// The project's path is not a directory.
    PATH_NOT_FOUND: Invalid;
    /// A team has as many rules as it may.
    POLICIES_FULL: Exhausted;
    /// No rule has that id.
    POLICY_NOT_FOUND: NotFound;
    /// A mission names a project that does not exist.
    PROJECT_UNKNOWN: Invalid;
    /// The project cannot be changed while its missions are being worked on or deleted.
    PROJECT_BUSY: Conflict;
    /// No project has that id.
    PROJECT_NOT_FOUND: NotFound;
    /// Another project has that folder.
    PROJECT_PATH_TAKEN: Conflict;
    /// A session has as many questions without an answer as it may.
    QUESTIONS_FULL: Exhausted;
    /// No question has that id.
    QUESTION_NOT_FOUND: NotFound;
    /// The question has another answer already, or needs none any more.
    QUESTION_SETTLED: Conflict;
    /// The client sent more requests than its limit allows.
    RATE_LIMITED: Exhausted;
    /// Registration is closed, and the caller may not register others.
    REGISTRATION_CLOSED: Unauthenticated;
    /// The caller's role does not allow the call.
    ROLE_REFUSED: Forbidden;
    /// The mission has no report to go on from.
    REPORT_MISSING: Invalid;
    /// Another record of the team has that name.
    RECORD_EXISTS: Conflict;
    /// No record of the kind has that id.
    RECORD_NOT_FOUND: NotFound;
    /// The team has as many records of the kind as a team may have.
    RECORDS_FULL: Conflict;
    /// The folder is outside of those that the settings allow.
    REPO_NOT_ALLOWED: Forbidden;
    /// No report has that id.
    REPORT_NOT_FOUND: NotFound;
    /// No such path.
    ROUTE_NOT_FOUND: NotFound;
    /// There is no conversation to go on with.
    SESSION_NOT_RESUMABLE: Conflict;
    /// The project has an MCP server of that name.
    SERVER_EXISTS: Conflict;
    /// No MCP server has that id.
    SERVER_NOT_FOUND: NotFound;
    /// No session has that id.
    SESSION_NOT_FOUND: NotFound;
    /// The session is over, or not in a state for it.
    SESSION_NOT_RUNNING: Conflict;
    /// The server does not answer.
    SERVER_UNREACHABLE: Unavailable;
    /// The store does not answer.
    STORE_UNAVAILABLE: Unavailable;
    /// A mission has as many sub-missions as it may, or stands as deep as they go.
    SUB_MISSIONS_FULL: Exhausted;
    /// What is to be stored is larger than the store takes.
    TOO_LARGE_TO_STORE: Invalid;
    /// The token is past its time.
    TOKEN_EXPIRED: Unauthenticated;
    /// The token is not one of this server's.
    TOKEN_INVALID: Forbidden;
    /// As many clients follow the fleet as the server has places for.
    TOO_MANY_STREAMS: Unavailable;
    /// Many callers changed the same thing at once, and this call lost too often.
    TOO_MUCH_CONTENTION: Unavailable;
    /// The path speaks WebSocket alone.
    UPGRADE_REQUIRED: Invalid;
    /// A live agent of the team has that name already.
    WORKER_EXISTS: Conflict;
    /// No live agent of the team has that name.
    WORKER_NOT_FOUND: NotFound;
    /// The folder a session works in cannot be made, read or changed as asked.
    WORKSPACE_REFUSED: Conflict;
}

impl Code {
    /// Finds a code by its name, in any case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(name))
    }

    /// Guesses the nearest code for an answer that carries none, such as a proxy's.
    #[must_use]
    pub fn of_status(status: u16) -> Self {
        match status {
            401 => Self::AUTHENTICATION_REQUIRED,
            403 => Self::ROLE_REFUSED,
            404 => Self::ROUTE_NOT_FOUND,
            405 => Self::METHOD_NOT_ALLOWED,
            413 => Self::BODY_TOO_LARGE,
            429 => Self::RATE_LIMITED,
            400..=499 => Self::FIELDS_INVALID,
            502..=504 => Self::SERVER_UNREACHABLE,
            _ => Self::INTERNAL,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_page_that_begins_with_its_name_and_says_what_to_do() {
        for code in Code::ALL {
            assert!(code.page().starts_with(&format!("# {}\n", code.as_str())), "{}", code.as_str());
            assert!(code.page().contains("## What to do\n"), "{}", code.as_str());
        }
    }
}
