//! What supervisor and shim say to each other: a line of JSON each way over the socket of a spool.
//!
//! A connection begins with a [`Hello`] that shows the secret of the launch, and then asks one thing at a time. There is
//! no farewell: the end of the stream is the end of the shim.
//!
//! Server and shim may be of different versions: a shim lives as long as its agent. So both pass over fields that they do
//! not know, new fields have a default, and [`VERSION`] grows only when that is not enough. A stop works between any two
//! versions: whatever else a request to stop says, it stops; and SIGTERM to the shim does so without any words.

use std::fmt;
use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::identity::Identity;
use crate::launch::{Signal, Stop};
use crate::record::Record;
use crate::secret::Secret;

/// The longest line that is read from anyone.
pub(crate) const LINE_MAX: usize = 24 << 20;

/// The version of what is said here, and of the files of a spool. A shim of version 0 asks for no secret.
pub(crate) const VERSION: u32 = 1;

/// The longest first line: a client that has not shown the secret is not listened to for long.
pub(crate) const HELLO_MAX: usize = 4 << 10;

/// The first line of a connection. A shim says nothing to it if it is in order, and closes the connection if it is not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hello {
    /// The [`VERSION`] of the client.
    #[serde(default)]
    pub(crate) version: u32,
    /// The secret of the launch.
    pub(crate) secret: Secret,
}

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

/// The first message of a shim, to the server that started it.
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

/// What happened to the messages to an agent.
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
    /// A reason that only another version knows.
    #[serde(other)]
    Unknown,
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
            Self::Unknown => f.write_str("the shim refused, for a reason that only its own version knows"),
        }
    }
}

/// Writes something as one line.
pub(crate) fn encode<T: Serialize>(said: &T) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(said)?;
    line.push(b'\n');
    Ok(line)
}

/// Writes what a client says to a shim that asks for this secret: who it is, and what it wants.
pub(crate) fn encode_request(secret: Option<&Secret>, request: &Request) -> io::Result<Vec<u8>> {
    let hello = secret.map(|secret| encode(&Hello { version: VERSION, secret: secret.clone() })).transpose()?;
    Ok([hello.unwrap_or_default(), encode(request)?].concat())
}

/// Reads a request. One to stop is one, whatever else it says; `usual` is how, if that cannot be read.
pub(crate) fn decode_request(line: &[u8], usual: Stop) -> Result<Request, Refusal> {
    #[derive(Deserialize)]
    struct Named {
        op: String,
    }
    decode(line).or_else(|error| match decode::<Named>(line) {
        Ok(Named { op }) if op == "stop" => Ok(Request::Stop(usual)),
        Ok(_) | Err(_) => Err(Refusal::NotUnderstood { why: format!("{error} (its version is {VERSION})") }),
    })
}

/// Reads one line.
pub(crate) fn decode<T: DeserializeOwned>(line: &[u8]) -> io::Result<T> {
    Ok(serde_json::from_slice(line)?)
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
