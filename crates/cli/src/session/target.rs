//! Finds a session by its id, by its mission's id, or by the name of its agent.

use api::devfleet::{GetSession, ListSessions, SessionRow, SessionStatus};
use api::{Code, Error, Page};
use client::Client;

use crate::call::resolve;
use crate::context::Context;
use crate::failure::Failure;
use crate::prefix::is_beginning;

/// Which sessions will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Any; of several, the newest.
    Any,
    /// One that is not over.
    Live,
}

/// Finds the session that a person means.
///
/// # Errors
/// When none matches, or several do.
pub(crate) async fn find(text: &str, wanted: Wanted, context: &mut Context<'_>) -> Result<SessionRow, Failure> {
    let client = context.connect().await?;
    let may_be_known = is_beginning(text) || text.contains('#') || text.bytes().all(|byte| byte.is_ascii_digit());
    let named = if may_be_known { resolve(&client, text, context).await? } else { None };
    let found = match named {
        Some(named) if named.kind == "session" => {
            let session = named.id.parse().map_err(|_| not_found(text))?;
            client.call(GetSession { session }).await?.output.session
        }
        Some(named) if named.kind == "mission" => newest_of_mission(&client, &named.id).await?,
        Some(named) => {
            let message = format!("`{text}` is a {}, not a session, a mission or the name of an agent", named.kind);
            return Err(Error::new(Code::SESSION_NOT_FOUND, message).hint(HINT).into());
        }
        None => of_handle(&client, text, wanted).await?,
    };
    if wanted == Wanted::Live && found.status != SessionStatus::Running {
        let message = format!("session {} is over: it is {}", found.id, found.status.as_str());
        return Err(Error::new(Code::SESSION_NOT_RUNNING, message)
            .hint(format!("`fleet logs {}` shows what it said and did.", found.id))
            .into());
    }
    Ok(found)
}

const HINT: &str = "`fleet session list` shows the sessions, with the names of their agents.";

async fn newest_of_mission(client: &Client, mission: &str) -> Result<SessionRow, Failure> {
    let mission_id = Some(mission.parse().map_err(|_| not_found(mission))?);
    let list = ListSessions { mission_id, page: Page { limit: Some(1), after: None }, ..ListSessions::default() };
    client.call(list).await?.output.items.pop().ok_or_else(|| {
        Error::new(Code::SESSION_NOT_FOUND, format!("mission {mission} has no session yet"))
            .hint(format!("Start one: `fleet dispatch {mission}`."))
            .into()
    })
}

/// Finds the live agent of a name; if there is none and any will do, the last that had the name.
async fn of_handle(client: &Client, handle: &str, wanted: Wanted) -> Result<SessionRow, Failure> {
    let live = ListSessions { status: Some(SessionStatus::Running), ..ListSessions::default() };
    let mut found = with_handle(client, live, handle, true).await?;
    if found.is_empty() && wanted == Wanted::Any {
        found = with_handle(client, ListSessions::default(), handle, false).await?;
        found.truncate(1);
    }
    match found.len() {
        0 => Err(not_found(handle)),
        1 => Ok(found.swap_remove(0)),
        _ => {
            let ids: Vec<_> = found.iter().map(|row| row.id.as_str()).collect();
            let message = format!("agents of several teams are called `{handle}`: {}", ids.join(", "));
            Err(Error::new(Code::ID_AMBIGUOUS, message).hint("Give the id of the session.").into())
        }
    }
}

/// Looks through a list, page by page; to its end if `all` are wanted.
async fn with_handle(
    client: &Client,
    mut list: ListSessions,
    handle: &str,
    all: bool,
) -> Result<Vec<SessionRow>, Failure> {
    let mut found = Vec::new();
    loop {
        let page = client.call(list.clone()).await?;
        found.extend(page.output.items.into_iter().filter(|row| row.handle == handle));
        if page.next.is_none() || (!all && !found.is_empty()) {
            return Ok(found);
        }
        list.page.after = page.next;
    }
}

fn not_found(text: &str) -> Failure {
    Error::new(Code::SESSION_NOT_FOUND, format!("no session, mission or agent is called `{text}`")).hint(HINT).into()
}
