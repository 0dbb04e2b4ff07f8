//! Letting those who listen hear what an agent says.

use agents::Event;
use agents::shown::devfleet::Frames;
use supervisor::{Line, Spool, Stream};

use super::Actor;
use crate::output::shown;

/// What of a process's output is told to those who listen.
#[derive(Debug, Default)]
pub(super) struct Voice {
    frames: Frames,
    /// Whether this server has just started the process, so that nobody can have heard it yet.
    pub(super) is_new: bool,
    /// Output up to here was there before this server followed it, and is no news.
    old: u64,
}

impl Voice {
    /// Begins with the output of a process.
    pub(super) fn begin(&mut self, spool: &Spool) {
        let there = || std::fs::metadata(spool.log(Stream::Output)).map_or(0, |log| log.len());
        let old = if self.is_new { 0 } else { there() };
        *self = Self { frames: Frames::default(), is_new: false, old };
    }
}

impl Actor {
    /// Passes on what a line means, which ends at this place of the output.
    pub(super) fn speak(&mut self, events: &[Event], end: u64) {
        if end <= self.voice.old || !self.hub.chatter.is_heard() {
            return;
        }
        let lines = events.iter().flat_map(|event| self.voice.frames.of(event)).flat_map(shown).collect();
        self.hub.chatter.say(&self.session, lines);
    }

    /// Passes on a line as it is: of an agent that others run, they know best what it means.
    pub(super) fn repeat(&self, line: &Line) {
        if line.next > self.voice.old && self.hub.chatter.is_heard() {
            self.hub.chatter.say(&self.session, vec![String::from_utf8_lossy(&line.bytes).into_owned()]);
        }
    }
}
