//! Follows a session to its end, or reads what it told so far, over as many connections and servers as that takes.
//!
//! Every frame has a place to come back to, so nothing is told twice and nothing is left out.

use std::collections::VecDeque;
use std::time::Duration;

use api::{Code, Kind};
use client::{Client, Stream};
use config::Environment;
use runtime::Clock;
use serde_json::Value;
use types::SessionId;

use super::frame::Frame;
use crate::failure::Failure;
use crate::options::Options;

/// How long to wait for a server that is gone.
const LOST_MAX: Duration = Duration::from_secs(120);
/// How long to wait before the first try and before the later ones.
const PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(500)];

/// Something of a session that was told.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The place behind it, if it has one.
    pub place: Option<String>,
    /// What it means.
    pub frame: Frame,
    /// As it came.
    pub raw: Value,
}

/// What there is to say about a session that is followed.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// It told something.
    Told(Told),
    /// The server does not answer; it is tried again.
    Lost,
    /// The server is there again.
    Back,
}

/// Receives what a session reports.
#[derive(Debug)]
pub struct Follower {
    session: SessionId,
    options: Options,
    environment: Environment,
    clock: Clock,
    stream: Option<Stream>,
    /// Behind which everything is still to be told.
    place: Option<String>,
    ready: VecDeque<Told>,
    until: Until,
    connected: bool,
    over: bool,
    lost: Option<Lost>,
}

/// How far a session is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    Over,
    Now,
}

/// Since when a server is gone, and when it is looked for next; times of the monotonic clock.
#[derive(Debug, Clone, Copy)]
struct Lost {
    since: Duration,
    next: Duration,
    tries: u32,
}

impl Follower {
    /// Follows a session from its beginning, or from behind a place.
    #[must_use]
    pub fn new(
        session: SessionId,
        after: Option<String>,
        options: &Options,
        environment: &Environment,
        clock: &Clock,
    ) -> Self {
        Self {
            session,
            options: options.clone(),
            environment: environment.clone(),
            clock: clock.clone(),
            stream: None,
            place: after,
            ready: VecDeque::new(),
            until: Until::Over,
            connected: false,
            over: false,
            lost: None,
        }
    }

    /// Reads only what the session told so far.
    #[must_use]
    pub fn so_far(self) -> Self {
        Self { until: Until::Now, ..self }
    }

    /// Returns the position after the last frame; a follower that starts there misses nothing.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// Opens the stream, so that a session which cannot be read is refused before anything else is done.
    ///
    /// # Errors
    /// When there is no server, or the session cannot be read.
    pub async fn connect(&mut self) -> Result<(), Failure> {
        if self.stream.is_none() {
            self.stream = Some(self.open().await?);
            self.connected = true;
        }
        Ok(())
    }

    /// Waits for what comes next; none behind the end, or behind what was told so far. Dropping the future loses
    /// nothing.
    ///
    /// # Errors
    /// When the session cannot be read, or the server is gone for minutes.
    pub async fn next(&mut self) -> Result<Option<News>, Failure> {
        loop {
            if let Some(told) = self.ready.pop_front() {
                return Ok(Some(News::Told(told)));
            }
            if self.over {
                return Ok(None);
            }
            let Some(stream) = &mut self.stream else {
                match self.reconnect().await? {
                    Some(news) => return Ok(Some(news)),
                    None => continue,
                }
            };
            match stream.next().await {
                Ok(Some(frame)) => self.take(frame),
                Err(error) if error.code != Code::SERVER_UNREACHABLE => return Err(error.into()),
                Ok(None) | Err(_) => self.cut_off(),
            }
        }
    }

    fn cut_off(&mut self) {
        self.stream = None;
        let now = self.clock.monotonic();
        self.lost = Some(Lost { since: now, next: now + PAUSES[0], tries: 0 });
    }

    /// Tries to open the stream; says so when the server is gone, and when it is back.
    async fn reconnect(&mut self) -> Result<Option<News>, Failure> {
        if let Some(lost) = self.lost {
            self.clock.sleep(lost.next.saturating_sub(self.clock.monotonic())).await;
        }
        let error = match self.open().await {
            Ok(stream) => {
                (self.stream, self.connected) = (Some(stream), true);
                let missed = self.lost.take().is_some_and(|lost| lost.tries > 0);
                return Ok(missed.then_some(News::Back));
            }
            Err(error) => error,
        };
        let now = self.clock.monotonic();
        let lost = self.lost.unwrap_or(Lost { since: now, next: now, tries: 0 });
        if !self.connected || !passes(&error) || now.saturating_sub(lost.since) > LOST_MAX {
            return Err(error);
        }
        self.lost = Some(Lost { next: now + PAUSES[1], tries: lost.tries + 1, ..lost });
        Ok((lost.tries == 0).then_some(News::Lost))
    }

    /// A server that was started anew may listen elsewhere, and an old token may have run out.
    async fn open(&self) -> Result<Stream, Failure> {
        let client: Client = self.options.connect(&self.environment, &self.clock).await?;
        let query = match self.until {
            Until::Over => "",
            Until::Now => "?follow=false",
        };
        Ok(client.stream(&format!("/api/sessions/{}/stream{query}", self.session), self.place.as_deref()).await?)
    }

    fn take(&mut self, frame: client::Frame) {
        let raw: Value = serde_json::from_str(&frame.data).unwrap_or_default();
        let kind = Frame::deserialize(&raw);
        match &kind {
            Frame::SoFar => {
                self.over = true;
                return;
            }
            Frame::Done(_) => self.over = true,
            Frame::Config { .. }
            | Frame::Text { .. }
            | Frame::Notice { .. }
            | Frame::Tool { .. }
            | Frame::ToolResult { .. }
            | Frame::Usage { .. }
            | Frame::Retry { .. }
            | Frame::Other => {}
        }
        self.place = frame.id.clone().or(self.place.take());
        self.ready.push_back(Told { place: frame.id, frame: kind, raw });
    }
}

impl Frame {
    /// What cannot be read is something that this version does not know.
    fn deserialize(raw: &Value) -> Self {
        serde_json::from_value(raw.clone()).unwrap_or(Self::Other)
    }
}

/// Returns whether a failure may pass by itself.
fn passes(failure: &Failure) -> bool {
    failure.exit_code() == Kind::Unavailable.exit_code()
}
