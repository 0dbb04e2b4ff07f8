//! What supervisor and shim say to each other: a line of JSON each way over the socket of a spool.
//!
//! A connection asks one thing at a time. There is no farewell: the end of the stream is the end of the shim.

use std::fmt;
use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::identity::Identity;
use crate::launch::{Signal, Stop};
use crate::record::Record;

/// The longest line that is read from anyone.
pub(crate) const LINE_MAX: usize = 24 << 20;

/// What a supervisor asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub(crate) enum Request {
    Ping,
    Status,
    Signal {
        signal: Signal,
    },
    Stop(Stop),
    Input {
        seq: u64,
        bytes: Bytes,
    },
    CloseInput,
    /// "I watch the logs": until the end of this connection, which says that they are to be looked at.
    Follow,
}

/// What a shim answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "kebab-case")]
pub(crate) enum Reply {
    Pong { launch: String, shim: Identity },
    Status(Status),
    Done,
    Refused { why: Refusal },
}

/// The first word of a shim, to whoever started it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "start", rename_all = "kebab-case")]
pub(crate) enum Started {
    Ready(Record),
    Failed { why: String },
}

/// How an agent is, as its shim sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The agent.
    pub agent: Identity,
    /// Whether it is being stopped.
    pub phase: Phase,
    /// What it was sent.
    pub input: InputStatus,
}

/// Where an agent is on its way from start to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// It runs.
    Running,
    /// It was asked to stop, or has ended and its children are being ended.
    Stopping,
}

/// What became of the messages to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputStatus {
    /// Whether the agent can still be sent something.
    pub open: bool,
    /// The number of the last message that the shim took.
    pub accepted: u64,
    /// The number of the last message that the agent was handed whole.
    pub delivered: u64,
}

/// Why a shim did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Refusal {
    /// The agent reads no input, or no more.
    InputClosed,
    /// Messages are numbered without gaps, so that none can be lost unseen.
    OutOfOrder {
        /// The number that comes next.
        expected: u64,
    },
    /// The agent does not read, and too much waits for it already.
    InputFull,
    /// The request is not one that this shim knows.
    NotUnderstood {
        /// What was wrong with it.
        why: String,
    },
}

/// Bytes that travel as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map(Self).map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InputClosed => f.write_str("the agent reads no more input"),
            Self::OutOfOrder { expected } => write!(f, "message {expected} comes next"),
            Self::InputFull => f.write_str("the agent does not read, and too much waits for it already"),
            Self::NotUnderstood { why } => write!(f, "the shim did not understand the request: {why}"),
        }
    }
}

/// Writes something as one line.
pub(crate) fn encode<T: Serialize>(said: &T) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(said)?;
    line.push(b'\n');
    Ok(line)
}

/// Reads one line.
pub(crate) fn decode<T: DeserializeOwned>(line: &[u8]) -> io::Result<T> {
    Ok(serde_json::from_slice(line)?)
}
