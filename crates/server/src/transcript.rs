//! What a session's agent says and does, as server-sent events: `GET /api/sessions/{session}/stream`.
//!
//! Frames are DevFleet's: unnamed, one JSON object each, `done` the last. Each carries the place behind it as `id`, so
//! a client that was cut off continues where it was, without a gap; a late client gets everything first. With
//! `?follow=false` the stream ends with what was there when it was asked for; `so_far` is the last frame then, if the
//! session continues.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use agents::shown::devfleet::{self, Frame};
use agents::shown::place::Place;
use api::{Error, FieldProblem};
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::Response;
use http::request::Parts;
use redact::{Passage, Redactor};
use runtime::{Kind, Stop};
use sessions::{Item, Transcript, Until};
use types::{Role, Session, SessionId};

use crate::admit::{admit, token};
use crate::reply::Refusal;
use crate::sse::{self, Frames, HEARTBEAT, RETRY_MS};
use crate::stream_slots::{Client, StreamSlot};
use crate::{App, rest};

pub(crate) const PATH: &str = "/api/sessions/{session}/stream";

/// One client's reading of a transcript.
struct Reader {
    app: App,
    token: Option<String>,
    transcript: Transcript,
    /// Removes secrets for callers other than the owner, and the last text.
    veil: Option<(Arc<Redactor>, Passage)>,
    ready: VecDeque<Bytes>,
    stop: Stop,
    due: Duration,
    _slot: StreamSlot,
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
    let (after, until) = asked(&parts).map_err(refused)?;
    let slot = app.slots.take(Client::of(&caller)).map_err(refused)?;
    let opening = opening(&session, after);
    let reader = Reader {
        token: token(&parts).map(str::to_owned),
        transcript: app.service.sessions().transcript(session, after, until),
        veil: (member.role != Role::Owner).then(|| (app.service.sessions().redactor(), Passage::default())),
        ready: VecDeque::new(),
        stop: app.tree.stop_of(Kind::Listener),
        due: app.service.clock().monotonic() + HEARTBEAT,
        _slot: slot,
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
        let so_far = matches!(item, Item::SoFar);
        match item {
            Item::Run { number: 1, .. } => {}
            Item::Run { number, place } => self.ready.extend(data(Some(place), &again(number))),
            Item::Trimmed { trimmed, place, .. } => {
                let text = format!(
                    "\n(What was written here before was removed on {}, to save room: there were {} bytes.)\n",
                    trimmed.at.strftime("%Y-%m-%d"),
                    trimmed.bytes_before
                );
                self.ready.extend(data(Some(place), &Frame::Text { text }));
            }
            Item::Told { place, frame } => self.tell(Some(place), frame),
            Item::Over(session) => self.tell(None, devfleet::over(&session)),
            Item::SoFar => self.rest().into_iter().for_each(|frame| self.ready.push_back(frame)),
        }
        if so_far {
            self.ready.extend(data(None, &Frame::SoFar));
        }
    }

    /// Shows a frame; a secret may stand in two that follow each other, so text is held back until that is known.
    fn tell(&mut self, place: Option<Place>, frame: Frame) {
        let Some((redactor, passage)) = &mut self.veil else {
            self.ready.extend(data(place, &frame));
            return;
        };
        if let Frame::Text { text } = &frame {
            let text = passage.push(redactor, text);
            // A client that is cut off while something is held back begins before it.
            let place = place.filter(|_| !passage.holds());
            if !text.is_empty() {
                self.ready.extend(data(place, &Frame::Text { text }));
            }
            return;
        }
        let redactor = Arc::clone(redactor);
        let rest = self.rest();
        self.ready.extend(rest);
        self.ready.extend(data(place, &frame).map(|frame| redactor.bytes(frame.to_vec()).into()));
    }

    /// Returns the text that was held back, if there is some.
    fn rest(&mut self) -> Option<Bytes> {
        let (redactor, passage) = self.veil.as_mut()?;
        let text = passage.end(redactor);
        if text.is_empty() { None } else { data(None, &Frame::Text { text }) }
    }

    /// Ends the stream of a client whose token has expired.
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

/// Reads behind which place a client begins, and how far it wants to read.
fn asked(parts: &Parts) -> Result<(Option<Place>, Until), Error> {
    let query = rest::query(parts)?;
    let value = |name: &str| query.iter().find(|(known, _)| known == name).map(|(_, text)| text.clone());
    let until = match value("follow").as_deref() {
        None | Some("true") => Until::Over,
        Some("false") => Until::Now,
        Some(other) => return Err(misread("follow", other, "is neither `true` nor `false`")),
    };
    let after = sse::last_event_id(parts).map(str::to_owned).or_else(|| value("after"));
    let wrong = |text: &str| misread("after", text, "is not a place in a transcript, which looks like `1-2048`");
    let after = after.map(|text| text.parse().map_err(|_| wrong(&text))).transpose()?;
    Ok((after, until))
}

fn misread(field: &str, given: &str, message: &str) -> Error {
    let given = Some(given.chars().take(40).collect::<String>().into());
    let (path, message) = (vec![field.to_owned()], message.to_owned());
    Error::fields(vec![FieldProblem { path, message, given, missing: false }])
}

/// Sends how to resume and, to a new client, how the session was started.
fn opening(session: &Session, after: Option<Place>) -> Bytes {
    let retry = format!("retry: {RETRY_MS}\n\n");
    let config = Frame::Config {
        model: session.order.model.clone(),
        max_turns: session.order.limits.turns_max,
        max_budget_usd: session.order.limits.dollars_max,
        mission_type: session.order.preset.clone().unwrap_or_default(),
    };
    match (after, data(Some(Place::default()), &config)) {
        (None, Some(config)) => [Bytes::from(retry), config].concat().into(),
        (Some(_), _) | (None, None) => retry.into(),
    }
}

fn data(place: Option<Place>, frame: &Frame) -> Option<Bytes> {
    // Plain data always becomes JSON, and JSON text holds no line break that would end the frame.
    let data = serde_json::to_string(frame).ok()?;
    let id = place.map(|place| format!("id: {place}\n")).unwrap_or_default();
    Some(format!("{id}data: {data}\n\n").into())
}

fn not_found() -> Error {
    Error::new(api::Code::SESSION_NOT_FOUND, "Session not found").hint("`fleet session list` shows them.")
}
