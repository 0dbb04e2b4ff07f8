//! A client that follows one session from its first line to its last, across restarts of the server.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::door::Door;
use crate::http::Connection;

/// What a client has seen of a session.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    /// The agent's own words, in order.
    pub(super) texts: Vec<String>,
    /// The places behind the lines, in order.
    pub(super) places: Vec<String>,
    /// What the last frame said of the session; none if it never came.
    pub(super) done: Option<String>,
    /// How often it had to connect.
    pub(super) connections: u64,
}

/// Follows a session until its end, or for `most`.
pub(super) fn follow(door: &Door, session: &str, most: Duration) -> Seen {
    let mut seen = Seen::default();
    let deadline = Instant::now() + most;
    while seen.done.is_none() && Instant::now() < deadline {
        let Some((access, _)) = door.wait() else { break };
        let request = access.stream(session, seen.places.last().map(String::as_str));
        let Ok(mut connection) = Connection::follow(access.address, &request) else {
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        seen.connections += 1;
        // The end of a stream or of a server: continue behind the last place.
        while let Ok(Some(frame)) = connection.frame() {
            seen.take(frame.id, &frame.data);
        }
    }
    seen
}

impl Seen {
    fn take(&mut self, id: Option<String>, data: &str) {
        let frame: Value = serde_json::from_str(data).unwrap_or_default();
        // A line that is one frame ends where the next begins; frames within a line are counted.
        let is_line = id.as_ref().is_some_and(|id| !id.contains('+'));
        self.places.extend(id);
        match (frame["type"].as_str(), frame["text"].as_str()) {
            // What an agent says last is told once more, as one of the frames of its result.
            (Some("text"), Some(text)) if is_line => self.texts.push(text.trim_matches('\n').to_owned()),
            (Some("done"), _) => self.done = frame["status"].as_str().map(str::to_owned),
            _ => {}
        }
    }

    /// Returns how often a line came that had come before: places only ever go up.
    pub(super) fn steps_back(&self) -> usize {
        let places: Vec<_> = self.places.iter().map(|place| order(place)).collect();
        places.windows(2).filter(|pair| matches!(pair, [before, after] if after <= before)).count()
    }
}

/// The process, the bytes of its output, the frames of a line, and what Fleet itself said (`1-200+2~3`).
fn order(place: &str) -> [u64; 4] {
    let (place, notices) = place.split_once('~').unwrap_or((place, "0"));
    let (line, frames) = place.split_once('+').unwrap_or((place, "0"));
    let (run, offset) = line.split_once('-').unwrap_or((line, "0"));
    [run, offset, frames, notices].map(|number| number.parse().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_does_not_go_up_is_a_line_that_came_twice() {
        let seen =
            |places: &[&str]| Seen { places: places.iter().map(|p| (*p).to_owned()).collect(), ..Seen::default() };
        assert_eq!(seen(&["1-9", "1-10", "1-10+1", "1-10+2", "1-200", "2-5"]).steps_back(), 0);
        assert_eq!(seen(&["1-10~1", "1-10~2", "1-200~2", "1-200+1~2", "2-5~3"]).steps_back(), 0);
        assert_eq!(seen(&["1-10~1", "1-10~1"]).steps_back(), 1);
        assert_eq!(seen(&["1-9", "1-10", "1-10", "1-9"]).steps_back(), 2);
        assert_eq!(seen(&["1-9+2", "1-9+1", "1-9"]).steps_back(), 2);
    }
}
