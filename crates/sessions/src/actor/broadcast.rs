//! Broadcasts an agent's output to listeners.

use agents::Event;
use agents::shown::devfleet::Frames;
use supervisor::Line;

use super::Actor;
use crate::output::shown;

/// Which part of a process's output is broadcast.
#[derive(Debug, Default)]
pub(super) struct Broadcast {
    frames: Frames,
    /// Whether this server has just started the process, so that no listener can have seen its output yet.
    pub(super) is_new: bool,
    /// Output up to here was there before this server followed it, and is not new.
    old: u64,
}

impl Broadcast {
    /// Begins with the output of a process, of which so many bytes are there.
    pub(super) fn begin(&mut self, there: u64) {
        let old = if self.is_new { 0 } else { there };
        *self = Self { frames: Frames::default(), is_new: false, old };
    }
}

impl Actor {
    /// Passes on what a line means, which ends at this place of the output.
    pub(super) fn speak(&mut self, events: &[Event], end: u64) {
        if end <= self.broadcast.old || !self.shared.live_output.is_heard() {
            return;
        }
        let lines = events.iter().flat_map(|event| self.broadcast.frames.of(event)).flat_map(shown).collect();
        self.shared.live_output.say(&self.session, lines);
    }

    /// Passes on a line as it is: of an agent that others run, they know best what it means.
    pub(super) fn repeat(&self, line: &Line) {
        if line.next > self.broadcast.old && self.shared.live_output.is_heard() {
            self.shared.live_output.say(&self.session, vec![String::from_utf8_lossy(&line.bytes).into_owned()]);
        }
    }
}
