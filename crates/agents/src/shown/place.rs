//! The position of a frame in a session's output: an interrupted stream continues after it without a gap.
//!
//! A position depends on the output alone. Every reader of the same lines gives the same frames the same positions,
//! however often the reading was broken off; so what was said before a place is read again, and only not shown.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use super::devfleet::{Frame, Frames};
use crate::Event;

/// A place: behind a line of one of the session's processes, and behind some frames of the line that follows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Which process, counted from one.
    pub run: u32,
    /// How many bytes of its output lie before.
    pub offset: u64,
    /// How many frames of the line that begins there.
    pub frames: u32,
    /// How many notices of Fleet's own were shown before, in all processes.
    pub notices: u32,
}

impl Place {
    /// Returns the position before all output of a process.
    #[must_use]
    pub const fn start_of(run: u32) -> Self {
        Self { run, offset: 0, frames: 0, notices: 0 }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.run, self.offset)?;
        if self.frames > 0 {
            write!(f, "+{}", self.frames)?;
        }
        if self.notices > 0 { write!(f, "~{}", self.notices) } else { Ok(()) }
    }
}

impl FromStr for Place {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (text, notices) = text.split_once('~').unwrap_or((text, "0"));
        let (text, frames) = text.split_once('+').unwrap_or((text, "0"));
        let (run, offset) = text.split_once('-').unwrap_or((text, "0"));
        Ok(Self { run: run.parse()?, offset: offset.parse()?, frames: frames.parse()?, notices: notices.parse()? })
    }
}

/// Numbers the frames of one process, from its first line on, and leaves out those that were shown.
#[derive(Debug, Clone)]
pub struct Placed {
    frames: Frames,
    after: Place,
    /// Where the next line begins.
    line: Place,
}

impl Placed {
    /// Begins with the first line of a process, for a reader that has seen everything up to `after`.
    #[must_use]
    pub fn new(run: u32, after: Place) -> Self {
        // Notices do not belong to the output, and are counted apart from it.
        let after = Place { notices: 0, ..after };
        Self { frames: Frames::default(), after, line: Place::start_of(run) }
    }

    /// Returns the place before the next line.
    #[must_use]
    pub fn place(&self) -> Place {
        self.line
    }

    /// Returns what is to be shown of a line, which means these events and ends at `next`.
    pub fn line(&mut self, events: &[Event], next: u64) -> Vec<(Place, Frame)> {
        let frames: Vec<Frame> = events.iter().flat_map(|event| self.frames.of(event)).collect();
        let (line, behind) = (self.line, Place { offset: next, ..self.line });
        self.line = behind;
        let within = (1..).map(|frames| Place { frames, ..line }).take(frames.len().saturating_sub(1));
        let placed = within.chain([behind]).zip(frames);
        placed.filter(|(place, _)| *place > self.after).collect()
    }
}

#[cfg(test)]
#[path = "place_tests.rs"]
mod tests;
