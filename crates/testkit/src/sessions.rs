//! Waiting for sessions of a server: for a state by its events, for words by the session's own stream.

use api::devfleet::{GetSession, SessionDetail, SessionStatus};
use serde_json::Value;
use types::SessionId;

use crate::{PATIENCE, Server};

impl Server {
    /// Waits until a session is as a test wants it; checked at every change that the server reports, and never in
    /// between.
    ///
    /// # Panics
    /// When that does not come about.
    pub async fn session_until(&self, id: &SessionId, is: impl Fn(&SessionDetail) -> bool) -> SessionDetail {
        let owner = self.owner();
        let mut last = None;
        let wait = async {
            // Opened before the first look, so that what happens in between is heard.
            let mut events = owner.stream("/api/events", None).await.unwrap();
            loop {
                let found = owner.call(GetSession { session: id.clone() }).await.unwrap().output;
                if is(&found) {
                    return found;
                }
                last = Some(found);
                while !events.next().await.unwrap().expect("the events end").data.contains(id.as_str()) {}
            }
        };
        let found = tokio::time::timeout(PATIENCE, wait).await.ok();
        found.unwrap_or_else(|| panic!("it does not come about: {last:#?}\n{}", self.log().text()))
    }

    /// Waits until a session cannot change any more.
    ///
    /// # Panics
    /// When it does not end.
    pub async fn session_ended(&self, id: &SessionId) -> SessionDetail {
        self.session_until(id, |found| found.session.status != SessionStatus::Running).await
    }

    /// Reads a session's stream from the beginning until a frame holds these words, and returns all frames so far.
    ///
    /// # Panics
    /// When the stream ends without them, or they do not come.
    pub async fn session_says(&self, id: &SessionId, words: &str) -> Vec<Value> {
        let wait = async {
            let mut stream = self.owner().stream(&format!("/api/sessions/{id}/stream"), None).await.unwrap();
            let mut frames = Vec::new();
            while let Some(frame) = stream.next().await.unwrap() {
                frames.push(serde_json::from_str(&frame.data).unwrap());
                if frame.data.contains(words) {
                    return Ok(frames);
                }
            }
            Err(frames)
        };
        match tokio::time::timeout(PATIENCE, wait).await {
            Ok(Ok(frames)) => frames,
            Ok(Err(frames)) => panic!("it ended without `{words}`: {frames:#?}"),
            Err(_) => panic!("`{words}` is not said:\n{}", self.log().text()),
        }
    }

    /// Reads a session's stream to its end.
    pub async fn session_transcript(&self, id: &SessionId) -> Vec<Value> {
        self.session_says(id, "\"type\":\"done\"").await
    }
}
