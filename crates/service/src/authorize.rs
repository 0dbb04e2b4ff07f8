//! The refusals of callers that may not, and the checks of role and actor; `authority` decides the rest.

use api::{Access, Code, Error, Spec};
use serde_json::{Map, Value};
use tokens::{Member, TokenError};
use types::{SessionId, Uid};

use crate::Caller;
use crate::authority::{Rule, admits};

/// Refuses a caller whose role the operation is not for.
pub(crate) fn role(spec: &Spec, caller: &Caller) -> Result<(), Error> {
    match (spec.access, caller) {
        (Access::Public, _) => Ok(()),
        (_, Caller::Anonymous) => Err(authentication_required()),
        (access, Caller::Known(member)) if admits(access, member.role, member.session.is_some()) => Ok(()),
        (access, Caller::Known(member)) => {
            let required: Vec<_> = access.roles().iter().map(|role| role.as_str()).collect();
            Err(Error::new(Code::ROLE_REFUSED, "Insufficient permissions")
                .hint(format!("Call with a token of one of these roles: {}.", required.join(", ")))
                .with("required", required)
                .with("current", member.role.as_str()))
        }
    }
}

/// Requires a leading role to decide what runs on the server's machine and what lands without review: a worker
/// could otherwise run commands that its own tools do not allow, or land its work past a review.
pub(crate) fn leading(member: &Member, asked: bool, what: &str) -> Result<(), Error> {
    if !asked || member.role.leads() {
        return Ok(());
    }
    Err(Error::new(Code::ROLE_REFUSED, format!("Insufficient permissions: {what} requires role team-lead"))
        .hint("Ask a lead of the team to set it.")
        .with("current", member.role.as_str()))
}

/// The refusal by a rule that `authority` found.
pub(crate) fn refused(rule: Rule, member: &Member, named: &str) -> Error {
    match rule {
        Rule::OtherTeam => Error::new(Code::NOT_A_MEMBER, "Not a member of this team")
            .hint(format!("The token belongs to team `{}`.", member.team))
            .with("team", named),
        Rule::WholeFleet
        | Rule::OwnRules
        | Rule::SubMissionsOnly
        | Rule::OtherMission
        | Rule::OtherSession
        | Rule::NoAgentAnswers
        | Rule::Landing => {
            let message = format!("Insufficient permissions: {}", rule.text());
            Error::new(Code::ROLE_REFUSED, message).hint(rule.hint()).with("rule", rule.name())
        }
    }
}

/// Refuses an input that names another actor than the caller.
///
/// The owner may name anyone: a user with the local key can make a token for any of them anyway.
pub(crate) fn actor(spec: &Spec, member: &Member, input: &Map<String, Value>) -> Result<(), Error> {
    let Some(field) = spec.actor_field else { return Ok(()) };
    let Some(named) = input.get(field).and_then(Value::as_str) else { return Ok(()) };
    // A handle may look like a uid, so a text in that form is never taken for a handle.
    let agrees = match named.parse::<Uid>() {
        Ok(uid) => uid == member.uid(),
        Err(_) => named == member.handle.as_str(),
    };
    if agrees {
        return Ok(());
    }
    let message = format!("`{field}` names another agent than the token, which belongs to `{}`", member.handle);
    Err(Error::new(Code::ACTOR_MISMATCH, message)
        .hint(format!("Send `{}` as `{field}`, or use the other's own token.", member.uid())))
}

/// The refusal of a caller without a token.
pub(crate) fn authentication_required() -> Error {
    Error::new(Code::AUTHENTICATION_REQUIRED, "Authentication required")
        .hint("Send `Authorization: Bearer TOKEN`; `fleet token` prints one.")
}

/// The refusal of an agent whose session is over.
pub(crate) fn session_over(session: &SessionId) -> Error {
    Error::new(Code::TOKEN_EXPIRED, format!("the token belongs to session `{session}`, which is over"))
        .hint("It cannot be used any more; the agent that continues the work has its own token.")
}

/// The refusal of a token that is not believed.
pub(crate) fn token_refused(error: TokenError) -> Error {
    match error {
        TokenError::Expired => {
            Error::new(Code::TOKEN_EXPIRED, error.to_string()).hint("Get a new one: `fleet token`, or `POST /auth`.")
        }
        TokenError::Invalid | TokenError::Malformed => Error::new(Code::TOKEN_INVALID, error.to_string())
            .hint("Get one of this server's: `fleet token` on its machine, or `POST /auth`."),
    }
}
