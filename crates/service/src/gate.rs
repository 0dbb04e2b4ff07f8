//! Who may: the role, the team and the actor of a call, checked once for all operations.

use api::{Access, Code, Error, Spec};
use serde_json::{Map, Value};
use tokens::{Member, TokenError};
use types::{Role, SessionId, Uid};

use crate::Caller;

/// Refuses a caller whose role the operation is not for.
pub(crate) fn role(spec: &Spec, caller: &Caller) -> Result<(), Error> {
    match (spec.access, caller) {
        (Access::Public, _) => Ok(()),
        (_, Caller::Anonymous) => Err(authentication_required()),
        (access, Caller::Known(member)) if access.roles().contains(&member.role) => Ok(()),
        (access, Caller::Known(member)) => {
            let required: Vec<_> = access.roles().iter().map(|role| role.as_str()).collect();
            Err(Error::new(Code::ROLE_REFUSED, "Insufficient permissions")
                .hint(format!("Call with a token of one of these roles: {}.", required.join(", ")))
                .with("required", required)
                .with("current", member.role.as_str()))
        }
    }
}

/// Refuses to let anybody but those who lead say what runs on the server's machine and what lands unseen: a worker
/// could otherwise run commands that its own tools do not allow, or land its work past a review.
pub(crate) fn leading(member: &Member, asked: bool, what: &str) -> Result<(), Error> {
    if !asked || member.role.leads() {
        return Ok(());
    }
    Err(Error::new(Code::ROLE_REFUSED, format!("Insufficient permissions: {what} is for those who lead"))
        .hint("Ask a lead of the team to set it.")
        .with("current", member.role.as_str()))
}

/// Refuses an input that names another team than the caller's, or another actor than the caller.
///
/// The owner is of every team and may name anyone: whoever holds the local key can make a token for any of them anyway.
pub(crate) fn identity(spec: &Spec, caller: &Caller, input: &Map<String, Value>) -> Result<(), Error> {
    let Caller::Known(member) = caller else { return Ok(()) };
    if member.role == Role::Owner {
        return Ok(());
    }
    team(spec, member, input)?;
    actor(spec, member, input)
}

fn team(spec: &Spec, member: &Member, input: &Map<String, Value>) -> Result<(), Error> {
    match spec.team_field.and_then(|field| input.get(field)).and_then(Value::as_str) {
        Some(team) if team != member.team.as_str() => Err(Error::new(Code::NOT_A_MEMBER, "Not a member of this team")
            .hint(format!("The token is of team `{}`.", member.team))
            .with("team", team)),
        Some(_) | None => Ok(()),
    }
}

fn actor(spec: &Spec, member: &Member, input: &Map<String, Value>) -> Result<(), Error> {
    let Some(field) = spec.actor_field else { return Ok(()) };
    let Some(named) = input.get(field).and_then(Value::as_str) else { return Ok(()) };
    // A handle may be written like somebody's uid, so a text in that form is never taken for a handle.
    let agrees = match named.parse::<Uid>() {
        Ok(uid) => uid == member.uid(),
        Err(_) => named == member.handle.as_str(),
    };
    if agrees {
        return Ok(());
    }
    let message = format!("`{field}` names somebody else than the token, which is of `{}`", member.handle);
    Err(Error::new(Code::ACTOR_MISMATCH, message)
        .hint(format!("Send `{}` as `{field}`, or use the other's own token.", member.uid())))
}

/// The refusal of whoever has no token.
pub(crate) fn authentication_required() -> Error {
    Error::new(Code::AUTHENTICATION_REQUIRED, "Authentication required")
        .hint("Send `Authorization: Bearer TOKEN`; `fleet token` prints one.")
}

/// The refusal of an agent whose session is over.
pub(crate) fn session_over(session: &SessionId) -> Error {
    Error::new(Code::TOKEN_EXPIRED, format!("the token is of session `{session}`, which is over"))
        .hint("Nothing is left to do with it; whoever goes on with the work has a token of its own.")
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
