//! A call that its client gave an idempotency key.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::TeamName;

/// A call with an idempotency key: it is carried out once, however often it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyedCall {
    /// The digest of its caller, its operation and its key.
    pub id: String,
    /// The team of its caller.
    pub team: TeamName,
    /// The digest of its input: the same key with another input is another call.
    pub input: String,
    /// What it was answered; none until it ended, and none for ever where the server was killed in between.
    pub answer: Option<KeptAnswer>,
    /// When it was carried out.
    pub created_at: Timestamp,
}

/// What a call was answered, as its caller saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptAnswer {
    /// The body, as JSON.
    pub body: String,
    /// What else the caller was told.
    pub warnings: Vec<String>,
}
