//! The language of the scripted agent: a list of steps, in TOML.
//!
//! ```toml
//! [[step]]
//! do = "say"
//! text = "I will write it."
//!
//! [[step]]
//! do = "write"
//! path = "hello.txt"
//! text = "hi\n"
//!
//! [[step]]
//! do = "commit"
//! message = "add hello"
//!
//! [[resume]]
//! do = "finish"
//! text = "It was all done before."
//! ```

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Order, work};
use crate::FailureClass;

/// What a scripted agent does, in order. Where no step ends it, it ends well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// The steps.
    #[serde(rename = "step")]
    pub steps: Vec<Step>,
    /// What it does instead when it goes on with an earlier conversation, whose steps it cannot know the end of.
    #[serde(rename = "resume")]
    pub resumed: Vec<Step>,
}

impl Default for Script {
    fn default() -> Self {
        let resumed =
            vec![Step::Say { text: "resumed".to_owned() }, Step::Finish { text: "resumed and finished".to_owned() }];
        Self { steps: Vec::new(), resumed }
    }
}

/// One thing that a scripted agent does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Says something.
    Say {
        /// What.
        text: String,
    },
    /// Thinks something.
    Think {
        /// What.
        text: String,
    },
    /// Prints a line that is not an event.
    Print {
        /// The line.
        line: String,
    },
    /// Writes a file.
    Write {
        /// Where, below the working folder.
        path: String,
        /// What.
        text: String,
    },
    /// Says that it wrote a file, and does not.
    Pretend {
        /// Where it would have been.
        path: String,
    },
    /// Commits everything.
    Commit {
        /// The message.
        message: String,
    },
    /// Calls a tool that does nothing and answers at once.
    Call {
        /// The tool.
        tool: String,
        /// What it is called with.
        #[serde(default)]
        input: Value,
        /// What it answers.
        #[serde(default)]
        answer: String,
    },
    /// Says that a model was called.
    Spend {
        /// Tokens read.
        #[serde(default)]
        input: u64,
        /// Tokens written.
        #[serde(default)]
        output: u64,
        /// What it cost.
        #[serde(default)]
        dollars: f64,
    },
    /// Does nothing for a time.
    Sleep {
        /// How long.
        ms: u64,
    },
    /// Chatters; each line is a [`super::FloodLine`].
    Flood {
        /// Lines to say.
        lines: u64,
        /// Time between them.
        #[serde(default)]
        every_ms: u64,
    },
    /// Does the same again and again.
    Repeat {
        /// How often.
        times: u64,
        /// What.
        #[serde(rename = "step")]
        steps: Vec<Self>,
    },
    /// Answers every message in a turn of its own, until standard input closes.
    Serve,
    /// Ends a turn, and goes on.
    Turn {
        /// Its last words in it.
        text: String,
    },
    /// Waits for one message; an earlier one that was not waited for counts.
    Listen,
    /// Asks something and waits for the answer.
    Ask {
        /// What.
        text: String,
    },
    /// Says that the provider slows it down, and waits.
    Retry {
        /// Which try failed.
        attempt: u32,
        /// For how long it waits.
        delay_ms: u64,
        /// What the provider says.
        class: FailureClass,
    },
    /// Returns whether its standard output is a terminal, and which.
    Terminal,
    /// Tries what a sandbox may refuse, and reports how it went; leaves nothing behind.
    Try {
        /// What.
        deed: Deed,
        /// A path, or the address of a port of this machine.
        on: String,
    },
    /// Takes no notice of SIGTERM from here on.
    IgnoreTerm,
    /// Leaves an orphan process behind.
    ForkOff {
        /// How long it lives.
        secs: u64,
    },
    /// Ends well.
    Finish {
        /// Its last words.
        text: String,
    },
    /// Ends badly, and says so.
    Fail {
        /// Of what.
        class: FailureClass,
        /// Its last words.
        #[serde(default)]
        text: String,
    },
    /// Is gone in the middle of its turn, by a signal.
    Crash,
    /// Is gone in the middle of its turn, as if all were well.
    Vanish {
        /// What it returns.
        #[serde(default)]
        code: i32,
    },
    /// Never ends by itself.
    Hang,
}

/// Something that a sandbox may refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deed {
    /// Opening a file to read.
    Read,
    /// Making a file, which is removed again.
    Write,
    /// Connecting to a port of this machine.
    Connect,
    /// Asking a proxy on a port of this machine for a tunnel: `PROXY/HOST:PORT`.
    Tunnel,
}

/// Why a script cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// It is not written in the language.
    #[error("the script is malformed: {why}")]
    Malformed {
        /// What is wrong, and where.
        why: String,
    },
    /// It would write outside its folder.
    #[error("path `{path}` leads out of the working folder")]
    Outside {
        /// The path.
        path: String,
    },
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let malformed = |error: toml::de::Error| ScriptError::Malformed { why: error.to_string() };
        let script: Self = toml::from_str(text).map_err(malformed)?;
        inside(&script.steps)?;
        inside(&script.resumed)?;
        Ok(script)
    }

    /// Returns the script in the prompt of an order, or a small piece of work for one without.
    ///
    /// # Errors
    /// Says what is wrong with the script in it.
    pub fn of_order(order: &Order) -> Result<Self, ScriptError> {
        written_in(&order.prompt).map_or_else(|| Ok(work::plain(order)), |script| Self::parse(&script))
    }

    /// Returns whether a prompt has a script.
    pub(super) fn is_in(prompt: &str) -> bool {
        written_in(prompt).is_some()
    }
}

/// Returns the text of the script in a prompt.
fn written_in(prompt: &str) -> Option<String> {
    let mut lines = prompt.lines();
    let is_there = lines.by_ref().any(|line| line.trim() == "```sim");
    is_there.then(|| lines.take_while(|line| line.trim() != "```").collect::<Vec<_>>().join("\n"))
}

fn inside(steps: &[Step]) -> Result<(), ScriptError> {
    steps.iter().try_for_each(|step| match step {
        Step::Write { path, .. } if leads_out(path) => Err(ScriptError::Outside { path: path.clone() }),
        Step::Repeat { steps, .. } => inside(steps),
        Step::Write { .. }
        | Step::Say { .. }
        | Step::Think { .. }
        | Step::Print { .. }
        | Step::Pretend { .. }
        | Step::Commit { .. }
        | Step::Call { .. }
        | Step::Spend { .. }
        | Step::Sleep { .. }
        | Step::Flood { .. }
        | Step::Serve
        | Step::Turn { .. }
        | Step::Listen
        | Step::Ask { .. }
        | Step::Retry { .. }
        | Step::Terminal
        | Step::Try { .. }
        | Step::IgnoreTerm
        | Step::ForkOff { .. }
        | Step::Finish { .. }
        | Step::Fail { .. }
        | Step::Crash
        | Step::Vanish { .. }
        | Step::Hang => Ok(()),
    })
}

/// Only plain names, one below the other; `.git` is git's.
fn leads_out(path: &str) -> bool {
    path.split(['/', '\\']).any(|part| matches!(part, "" | "." | "..") || part.eq_ignore_ascii_case(".git"))
}
