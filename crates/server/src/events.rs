//! The change feed as server-sent events: `GET /api/events`.
//!
//! A client that comes back says how far it has read and continues from there, so it sees every change of its team
//! exactly once. Nothing is queued here: a frame is made when the connection takes one, so a slow reader costs a
//! position and no more.

use std::time::Duration;

use api::{Code, Error, FieldProblem, IsoTime};
use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use http::request::Parts;
use runtime::{Kind, Stop};
use schemars::JsonSchema;
use serde::Serialize;
use store::{Entry, Position, Tail};
use tokens::Member;
use types::{Event, Handle, TeamName};

use crate::admit::{admit, token};
use crate::reply::Refusal;
use crate::sse::{self, Frames, HEARTBEAT, LAST_EVENT_ID, RETRY_MS};
use crate::stream_slots::{Client, StreamSlot};
use crate::{App, rest};

pub(crate) const PATH: &str = "/api/events";

/// One change: what one commit changed
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ChangeFrame")]
pub(crate) struct Shown<'a> {
    /// Its position in the feed; the frame's `id` too
    position: u64,
    /// When it was made
    at: IsoTime,
    /// Whose token it was made with
    by: &'a Handle,
    /// The team it concerns
    team: &'a TeamName,
    /// What happened, in order
    events: &'a [Event],
}

/// One client's reading of the feed.
struct Reader {
    app: App,
    member: Member,
    token: Option<String>,
    tail: Tail,
    stop: Stop,
    /// When the next heartbeat is due, on the clock that never goes back.
    due: Duration,
    /// The last change that was not for this client, if none was shown since: told with the next heartbeat, so that a
    /// client that comes back does not read past all of them again.
    passed: Option<Position>,
    _slot: StreamSlot,
}

/// Shows every change that the caller may see, from where it asks and for as long as it stays.
pub(crate) async fn stream(State(app): State<App>, parts: Parts) -> Result<Response, Refusal> {
    let refused = |error| Refusal(PATH, error);
    let caller = admit(&app, &parts).map_err(refused)?;
    let member = caller.member().map_err(|error| refused(error.told()))?.clone();
    let after = begin(&app, &parts).map_err(refused)?;
    whole_team(&member).map_err(refused)?;
    let slot = app.slots.take(Client::of(&caller)).map_err(refused)?;
    let reader = Reader {
        member,
        token: token(&parts).map(str::to_owned),
        tail: app.service.store().tail(after),
        stop: app.tree.stop_of(Kind::Listener),
        due: app.service.clock().monotonic() + HEARTBEAT,
        passed: None,
        _slot: slot,
        app,
    };
    Ok(sse::respond(opening(after), reader))
}

impl Frames for Reader {
    async fn frame(&mut self) -> Option<Bytes> {
        loop {
            let clock = self.app.service.clock();
            let rest = self.due.saturating_sub(clock.monotonic());
            tokio::select! {
                biased;
                () = self.stop.asked() => return None,
                () = clock.sleep(rest) => return self.heartbeat(),
                entry = self.tail.next() => match entry {
                    Ok(entry) if self.member.sees(&entry.change.team) => {
                        self.passed = None;
                        return change(&entry);
                    }
                    Ok(entry) => self.passed = Some(entry.position),
                    Err(error) => {
                        tracing::warn!(%error, "change feed cannot be read, a client's stream ends");
                        return None;
                    }
                },
            }
        }
    }
}

impl Reader {
    /// Ends the stream of a client whose token has expired; sends the others a heartbeat with their position.
    fn heartbeat(&mut self) -> Option<Bytes> {
        self.app.service.authenticate(self.token.as_deref()).ok()?;
        self.due = self.app.service.clock().monotonic() + HEARTBEAT;
        let frame = self.passed.take().map_or_else(|| ": \n\n".to_owned(), |passed| format!("id: {passed}\n\n"));
        Some(frame.into())
    }
}

/// Refuses the agent of a session: the feed shows every project of a team.
fn whole_team(member: &Member) -> Result<(), Error> {
    match &member.session {
        None => Ok(()),
        Some(session) => Err(Error::new(Code::ROLE_REFUSED, "an agent does not follow the changes of a whole team")
            .hint(format!("Follow your own session: `GET /api/sessions/{session}/stream`."))),
    }
}

/// Decides where a client begins: where it says it was, or at the present end.
fn begin(app: &App, parts: &Parts) -> Result<Position, Error> {
    let store = app.service.store();
    let (oldest, end) = (store.oldest(), store.position());
    let asked = rest::query(parts)?.into_iter().find(|(name, _)| name == "after");
    let header = sse::last_event_id(parts);
    match (header, asked) {
        (Some(text), _) => read(LAST_EVENT_ID.as_str(), text, (oldest, end)),
        (None, Some((name, text))) => read(&name, &text, (oldest, end)),
        (None, None) => Ok(end),
    }
}

/// Reads a position that this feed has. A later one belongs to another store, and continuing after it would leave out
/// whatever happens until this feed gets there; behind an earlier one, changes were removed.
fn read(field: &str, text: &str, (oldest, end): (Position, Position)) -> Result<Position, Error> {
    let refused = |message: String| {
        let given = text.chars().take(40).collect::<String>().into();
        Error::fields(vec![FieldProblem { path: vec![field.to_owned()], message, given: Some(given), missing: false }])
    };
    let position =
        text.parse::<Position>().map_err(|_| refused("is not a position, which is a whole number".to_owned()))?;
    if position > end {
        return Err(refused(format!("is behind the end of the feed, which is at {end}"))
            .hint("Read afresh what you show, then follow without a position."));
    }
    if position < oldest {
        return Err(refused(format!("is older than the feed, which begins behind {oldest}")).hint(
            "Read afresh what you show, then follow without a position; `feed_keep_days` keeps changes longer.",
        ));
    }
    Ok(position)
}

/// Sends the client its position at once, so that it can resume even if it is cut off before the first change.
fn opening(after: Position) -> Bytes {
    format!("retry: {RETRY_MS}\nid: {after}\n\n").into()
}

fn change(entry: &Entry) -> Option<Bytes> {
    let position = entry.position.number();
    let change = &entry.change;
    let shown = Shown { position, at: IsoTime(change.at), by: &change.by, team: &change.team, events: &change.events };
    // Plain data always becomes JSON, and JSON text holds no line break that would end the frame.
    let data = serde_json::to_string(&shown).ok()?;
    Some(format!("id: {position}\nevent: change\ndata: {data}\n\n").into())
}
