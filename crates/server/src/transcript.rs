//! What a session's agent says and does, as server-sent events: `GET /api/sessions/{session}/stream`.
//!
//! Frames are DevFleet's: unnamed, one JSON object each, `done` the last. Each line of the agent's output carries the
//! place behind it as `id`, so a client that was cut off goes on where it was; whoever comes late gets everything first.

use std::collections::VecDeque;
use std::time::Duration;

use agents::shown::devfleet::{self, Frame};
use api::{Error, FieldProblem};
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::Response;
use http::request::Parts;
use runtime::{Kind, Stop};
use sessions::{Cursor, Item, Transcript};
use tokio::sync::OwnedSemaphorePermit;
use types::{Session, SessionId};

use crate::admit::{admit, token};
use crate::reply::Refusal;
use crate::sse::{self, Frames, HEARTBEAT, RETRY_MS};
use crate::{App, rest};

const PATH: &str = "/api/sessions/{session}/stream";

/// One client's reading of a transcript.
struct Reader {
    app: App,
    token: Option<String>,
    transcript: Transcript,
    frames: devfleet::Frames,
    ready: VecDeque<Bytes>,
    stop: Stop,
    due: Duration,
    _place: OwnedSemaphorePermit,
}

/// Shows everything that the session's agent said and did, and then what it says and does next.
pub(crate) async fn stream(
    State(app): State<App>,
    Path(session): Path<String>,
    parts: Parts,
) -> Result<Response, Refusal> {
    let refused = |error| Refusal(PATH, error);
    let caller = admit(&app, &parts).map_err(refused)?;
    let member = caller.member().map_err(|error| refused(error.told()))?.clone();
    let id = session.parse::<SessionId>().map_err(|_| refused(not_found()))?;
    let session = app.service.session(&member, &id).await.map_err(|error| refused(error.told()))?;
    let after = begin(&parts).map_err(refused)?;
    let place = app.stream_place().map_err(refused)?;
    let opening = opening(&session, after);
    let reader = Reader {
        token: token(&parts).map(str::to_owned),
        transcript: app.service.sessions().transcript(session, after),
        frames: devfleet::Frames::default(),
        ready: VecDeque::new(),
        stop: app.tree.stop_of(Kind::Listener),
        due: app.service.clock().monotonic() + HEARTBEAT,
        _place: place,
        app,
    };
    Ok(sse::respond(opening, reader))
}

impl Frames for Reader {
    async fn frame(&mut self) -> Option<Bytes> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Some(frame);
            }
            let clock = self.app.service.clock();
            let rest = self.due.saturating_sub(clock.monotonic());
            tokio::select! {
                biased;
                () = self.stop.asked() => return None,
                () = clock.sleep(rest) => return self.heartbeat(),
                item = self.transcript.next() => match item {
                    Ok(Some(item)) => self.show(item),
                    Ok(None) => return None,
                    Err(error) => {
                        tracing::warn!(%error, "a transcript cannot be read, a client's stream ends");
                        return None;
                    }
                },
            }
        }
    }
}

impl Reader {
    fn show(&mut self, item: Item) {
        match item {
            Item::Run { number: 1 } => {}
            Item::Run { number } => self.ready.extend(data(None, &again(number))),
            Item::Told { cursor, events } => {
                let mut frames: VecDeque<Frame> = events.iter().flat_map(|event| self.frames.of(event)).collect();
                let last = frames.pop_back();
                self.ready.extend(frames.iter().filter_map(|frame| data(None, frame)));
                self.ready.extend(last.and_then(|frame| data(Some(cursor), &frame)));
            }
            Item::Over(session) => self.ready.extend(data(None, &devfleet::over(&session))),
        }
    }

    /// Ends the stream of whoever's token is over.
    fn heartbeat(&mut self) -> Option<Bytes> {
        self.app.service.authenticate(self.token.as_deref()).ok()?;
        self.due = self.app.service.clock().monotonic() + HEARTBEAT;
        Some(Bytes::from_static(b": \n\n"))
    }
}

/// Another process was started for the session.
fn again(number: u32) -> Frame {
    let (attempt, max_retries, delay) = (number - 1, number - 1, 0.0);
    Frame::Retry { attempt, max_retries, delay, error: "the process before ended".to_owned(), resume: true }
}

fn begin(parts: &Parts) -> Result<Option<Cursor>, Error> {
    let query = rest::query(parts)?.into_iter().find(|(name, _)| name == "after").map(|(_, text)| text);
    let Some(text) = sse::last_event_id(parts).map(str::to_owned).or(query) else { return Ok(None) };
    text.parse().map(Some).map_err(|_| {
        let given = Some(text.chars().take(40).collect::<String>().into());
        let message = "is not a place in a transcript, which looks like `1-2048`".to_owned();
        Error::fields(vec![FieldProblem { path: vec!["after".to_owned()], message, given, missing: false }])
    })
}

/// Tells how to come back and, to whoever begins, what the session was started with.
fn opening(session: &Session, after: Option<Cursor>) -> Bytes {
    let retry = format!("retry: {RETRY_MS}\n\n");
    let config = Frame::Config {
        model: session.order.model.clone(),
        max_turns: session.order.limits.turns_max,
        max_budget_usd: session.order.limits.dollars_max,
        mission_type: session.order.title.clone().unwrap_or_default(),
    };
    match (after, data(None, &config)) {
        (None, Some(config)) => [Bytes::from(retry), config].concat().into(),
        (Some(_), _) | (None, None) => retry.into(),
    }
}

fn data(cursor: Option<Cursor>, frame: &Frame) -> Option<Bytes> {
    // Plain data always becomes JSON, and JSON text holds no line break that would end the frame.
    let data = serde_json::to_string(frame).ok()?;
    let id = cursor.map(|cursor| format!("id: {cursor}\n")).unwrap_or_default();
    Some(format!("{id}data: {data}\n\n").into())
}

fn not_found() -> Error {
    Error::new(api::Code::SESSION_NOT_FOUND, "Session not found").hint("`fleet sessions list` shows them.")
}
