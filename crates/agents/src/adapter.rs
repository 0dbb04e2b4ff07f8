//! What Fleet must know of an agent command line to run it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::{Limits, Timestamp};

use crate::{Brief, Discovery, Ending, Event, Exit, Launch, LaunchError, McpTransport, Price, Scripted, Signal};

/// One agent command line.
pub trait Adapter: Send + Sync {
    /// Returns the name under which people ask for it.
    fn name(&self) -> &str;

    /// Returns what it can do.
    fn capabilities(&self) -> Capabilities;

    /// Returns whether it can use an MCP server that is reached so; asked only of one that takes servers at all.
    fn takes_server(&self, transport: &McpTransport) -> bool {
        match transport {
            McpTransport::Stdio { .. } | McpTransport::Sse { .. } | McpTransport::Http { .. } => true,
        }
    }

    /// Says how to start it.
    ///
    /// # Errors
    /// Names what was asked that it cannot do, or that Fleet does not allow.
    fn launch(&self, brief: &Brief) -> Result<Launch, LaunchError>;

    /// Returns whether it can go in the middle of a call that its hook defers, and make that call again when it is
    /// resumed: then it needs no process while a person decides.
    fn can_leave(&self) -> bool {
        false
    }

    /// Returns a reader for its output from the first line on.
    fn reader(&self) -> Box<dyn Reader>;

    /// Returns a reader that goes on where another one stopped; see [`Reader::state`].
    ///
    /// A state that it does not understand, such as one of another version, counts as none.
    fn reader_at(&self, state: &Value) -> Box<dyn Reader>;

    /// Returns how to find out whether it is there and logged in; none for an agent that Fleet does not start.
    fn discovery(&self) -> Option<Discovery> {
        None
    }

    /// Returns the signal on which it ends cleanly.
    fn stop(&self) -> Signal {
        Signal::Term
    }

    /// Returns whether it may say nothing for as long as a tool call takes, though it works.
    fn is_silent(&self) -> bool {
        false
    }

    /// Returns the price of its model from the settings; none if they have none. What the agent reports itself counts
    /// before that.
    fn price(&self, _model: Option<&str>) -> Option<Price> {
        None
    }

    /// Returns whether it keeps to a ceiling in dollars, if one is asked: one that reports no cost needs prices.
    fn keeps_budget(&self, _asked: Limits, _model: Option<&str>) -> bool {
        true
    }

    /// Says what an end means at which no turn was told to be over, by how the process went and the end of what it
    /// wrote to its standard error; none where those tell no more of this agent than of any other.
    fn last_word(&self, _exit: Exit, _errors: &str) -> Option<Ending> {
        None
    }

    /// Says when an account may be used again, from the words with which the agent was refused; none if they do not
    /// say.
    fn resets_at(&self, _text: &str, _now: Timestamp) -> Option<Timestamp> {
        None
    }

    /// Returns what its program needs of the machine beside its work; by default nothing.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Returns the line that sends something to a running agent, without its line break; none if it takes no input.
    fn say(&self, say: &Say) -> Option<String>;

    /// Returns the line that answers a question, with the proof that it is the server's; an agent that is spoken with
    /// directly takes no proof.
    fn answer(&self, say: &Say, _proof: Option<String>) -> Option<String> {
        self.say(say)
    }

    /// Says how to point it at a model that follows a script, at this base URL; none if it has no model, or none that
    /// can be chosen.
    fn scripted(&self, _url: &str) -> Option<Scripted> {
        None
    }
}

/// What the program of an agent needs of the machine beside its work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Needs {
    /// What it writes to below the home of its user, such as `.claude`: its log-in, its memory of conversations.
    pub home: Vec<String>,
    /// Variables that name further places it writes to, where they are set.
    pub variables: Vec<String>,
    /// The hosts it must reach where hosts are listed: those of its model and its log-in.
    pub hosts: Vec<String>,
}

impl Needs {
    /// Makes the needs of a program that keeps its files in these places.
    #[must_use]
    pub fn of(home: &[&str], variables: &[&str]) -> Self {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self { home: owned(home), variables: owned(variables), hosts: Vec::new() }
    }

    /// Adds the hosts that it must reach.
    #[must_use]
    pub fn and_hosts(self, hosts: &[&str]) -> Self {
        Self { hosts: hosts.iter().map(|host| (*host).to_owned()).collect(), ..self }
    }
}

/// Reads the output of one agent, line by line.
pub trait Reader: Send {
    /// Returns what a line means, in order. Only a line without text means nothing.
    fn feed(&mut self, line: &[u8]) -> Vec<Event>;

    /// Returns what it remembers of the lines so far, so that another reader can go on after a crash.
    fn state(&self) -> Value;
}

/// Something to tell a running agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case")]
pub enum Say {
    /// What a person or another agent wants it to read.
    Message {
        /// A UUID; the agent's acknowledgements repeat it.
        id: String,
        /// The words.
        text: String,
    },
    /// Stop what you do and stay there.
    Interrupt {
        /// What its acknowledgement repeats.
        id: String,
    },
    /// Yes to [`Event::Asking`].
    Allow {
        /// What was asked.
        request: String,
        /// What the call shall run with: the asked input, or a better one.
        input: Value,
    },
    /// Defer the decision: [`crate::Ask::Gate`] is asked again as [`crate::Ask::Permission`].
    Escalate {
        /// What was asked.
        request: String,
    },
    /// No to [`Event::Asking`].
    Deny {
        /// What was asked.
        request: String,
        /// Why, for the agent to read.
        why: String,
    },
}

/// What an agent command line can do, as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capabilities {
    /// Can it go on with an earlier conversation?
    pub resume: bool,
    /// Can it go on with a copy of one?
    pub fork: bool,
    /// Can it be told something while it runs?
    pub live_input: bool,
    /// Does it hold itself to a number of dollars?
    pub budget_flag: bool,
    /// Does it hold itself to a number of turns?
    pub turns_flag: bool,
    /// How it is given MCP servers.
    pub mcp: McpForm,
    /// How Fleet decides on its tool calls.
    pub permission_hook: PermissionHook,
    /// How many tokens fit into its context.
    pub context_limit: ContextLimit,
    /// Where the id of its conversation comes from.
    pub session_id: SessionIdSource,
    /// How far its running totals reach.
    pub counting: Counting,
}

/// How an agent is given MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum McpForm {
    /// It takes none.
    None,
    /// By an argument, as a file or in the argument itself.
    Argument,
}

/// How Fleet decides on an agent's tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PermissionHook {
    /// Not at all.
    None,
    /// It asks in its stream and waits for the answer on standard input.
    Stream,
    /// It runs a program before each call and obeys its answer.
    Program,
}

/// How many tokens fit into an agent's context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "known")]
pub enum ContextLimit {
    /// It says so with its results; until then this many are assumed.
    Told {
        /// The assumption.
        assumed: u64,
    },
    /// Always this many.
    Fixed {
        /// How many.
        tokens: u64,
    },
}

/// Where the id of an agent's conversation comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionIdSource {
    /// Fleet may choose it.
    Chosen,
    /// The agent reports it when it starts.
    Told,
}

/// How far an agent's running totals reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counting {
    /// They go on when a conversation is resumed or forked.
    AcrossResumes,
    /// Each process begins at nothing.
    PerProcess,
}
