//! What the person sees while the agents work: a line for each agent, redrawn in place, or plain lines in a pipe.

use std::time::Duration;

use cli::{Failure, Frame, Terminal};

use super::cast::Role;

/// Columns of an agent's name.
const NAME_WIDTH: usize = 10;
/// Most characters of the activity, if the width is unknown.
const DOES_WIDTH: usize = 80;

/// The lines.
#[derive(Debug)]
pub(super) struct Board {
    rows: Vec<Row>,
    width: Option<usize>,
    drawn: bool,
}

#[derive(Debug)]
struct Row {
    name: &'static str,
    mark: Mark,
    does: String,
    at: Duration,
}

/// How an agent is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Starting,
    Working,
    Waiting,
    Done,
    Failed,
}

impl Mark {
    fn sign(self) -> &'static str {
        match self {
            Self::Starting => "·",
            Self::Working => "▶",
            Self::Waiting => "◌",
            Self::Done => "✔",
            Self::Failed => "✘",
        }
    }
}

impl Board {
    pub(super) fn new(roles: &[Role], width: Option<usize>) -> Self {
        let row = |role: &Role| Row {
            name: role.name,
            mark: Mark::Starting,
            does: "gets a worktree".to_owned(),
            at: Duration::ZERO,
        };
        Self { rows: roles.iter().map(row).collect(), width, drawn: false }
    }

    /// Takes in what an agent told.
    pub(super) fn told(
        &mut self,
        agent: usize,
        frame: &Frame,
        at: Duration,
        terminal: &mut Terminal,
    ) -> Result<(), Failure> {
        let Some((mark, does)) = meaning(frame) else { return Ok(()) };
        let Some(row) = self.rows.get_mut(agent) else { return Ok(()) };
        (row.mark, row.does, row.at) = (mark, does, at);
        if self.width.is_some() {
            return self.draw(terminal);
        }
        let line = format!("{:>5.1} s  {} {:NAME_WIDTH$}  {}\n", at.as_secs_f64(), row.mark.sign(), row.name, row.does);
        terminal.print(&line)
    }

    /// Counts the agents that have told something and are not done.
    pub(super) fn at_work(&self) -> usize {
        self.rows.iter().filter(|row| matches!(row.mark, Mark::Working | Mark::Waiting)).count()
    }

    /// Returns whether an agent has ended.
    pub(super) fn any_over(&self) -> bool {
        self.rows.iter().any(|row| matches!(row.mark, Mark::Done | Mark::Failed))
    }

    /// Says something above the lines.
    pub(super) fn notice(&mut self, text: &str, terminal: &mut Terminal) -> Result<(), Failure> {
        let above = self.up();
        self.drawn = false;
        terminal.print(&format!("{above}{text}\n"))?;
        if self.width.is_some() { self.draw(terminal) } else { Ok(()) }
    }

    /// Draws all lines, in the place where they were drawn before.
    pub(super) fn draw(&mut self, terminal: &mut Terminal) -> Result<(), Failure> {
        let Some(width) = self.width else { return Ok(()) };
        let lines: String = self.rows.iter().map(|row| format!("{}\n", row.line(width))).collect();
        let text = format!("{}{lines}", self.up());
        self.drawn = true;
        terminal.print(&text)
    }

    /// Goes to the first line and clears everything below.
    fn up(&self) -> String {
        if self.drawn { format!("\x1b[{}A\x1b[J", self.rows.len()) } else { String::new() }
    }
}

impl Row {
    fn line(&self, width: usize) -> String {
        let head = format!("{} {:NAME_WIDTH$} {:>5.1} s  ", self.mark.sign(), self.name, self.at.as_secs_f64());
        let room = width.saturating_sub(head.chars().count() + 1);
        format!("{head}{}", cut(&self.does, room))
    }
}

fn meaning(frame: &Frame) -> Option<(Mark, String)> {
    match frame {
        Frame::Text { text } => Some((Mark::Working, one_line(text))),
        Frame::Tool { text } => Some((Mark::Working, one_line(text))),
        Frame::Retry { delay, error, .. } if *delay > 0.0 => {
            Some((Mark::Waiting, format!("{error}: it waits {delay} s and tries again")))
        }
        Frame::Retry { .. } => Some((Mark::Working, "its process died; Fleet resumed it in a new one".to_owned())),
        Frame::Done(done) if done.is_success() => Some((Mark::Done, "completed".to_owned())),
        Frame::Done(done) => {
            let why = done.error.as_deref().map(|error| format!(": {}", one_line(error))).unwrap_or_default();
            Some((Mark::Failed, format!("{}{why}", done.status)))
        }
        Frame::Notice { text } => Some((Mark::Waiting, one_line(text))),
        Frame::Config { .. } | Frame::ToolResult { .. } | Frame::Usage { .. } | Frame::SoFar | Frame::Other => None,
    }
}

fn one_line(text: &str) -> String {
    cut(&text.split_whitespace().collect::<Vec<_>>().join(" "), DOES_WIDTH)
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}
