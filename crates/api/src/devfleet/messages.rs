//! Messages to the agent of a session, under `/api/sessions`.

use api_macros::{input, output};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{Delivery, Letter, LetterId, SessionId};

use crate::SqlTime;

/// Send a message to the agent of a session
///
/// It is stored first, then handed over as soon as the agent's process can take it.
#[input]
pub struct SendSessionMessage {
    /// The session
    pub session: SessionId,
    /// The message
    #[schemars(length(min = 1, max = 100_000))]
    pub text: String,
}

/// List the messages to a session and their delivery
#[input]
pub struct ListSessionMessages {
    /// The session
    pub session: SessionId,
}

/// A message that was stored
#[output]
pub struct SentMessage {
    /// Its id
    pub id: LetterId,
    /// How far it got
    pub delivery: DeliveryStatus,
}

/// A message to an agent
#[output]
pub struct MessageRow {
    /// Its id
    pub id: LetterId,
    /// Counts 1, 2, 3… within its session: the order in which they are handed over
    pub number: u64,
    /// Who wrote it
    pub from: String,
    /// What it says
    pub text: String,
    /// How far it got
    pub delivery: DeliveryStatus,
    /// When it got there
    pub delivered_at: Option<SqlTime>,
    /// Why it will not be read
    pub why: Option<String>,
    /// When it was written
    pub created_at: SqlTime,
}

/// How far a message got
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryStatus {
    /// It waits for a process that can take it
    Queued,
    /// The agent's input has the whole of it
    Delivered,
    /// The agent says that it has it
    Acknowledged,
    /// No agent will ever read it
    Undelivered,
}

impl From<&Delivery> for DeliveryStatus {
    fn from(delivery: &Delivery) -> Self {
        match delivery {
            Delivery::Queued => Self::Queued,
            Delivery::Delivered { .. } => Self::Delivered,
            Delivery::Acknowledged { .. } => Self::Acknowledged,
            Delivery::Undelivered { .. } => Self::Undelivered,
        }
    }
}

impl From<Letter> for MessageRow {
    fn from(letter: Letter) -> Self {
        let delivery = DeliveryStatus::from(&letter.delivery);
        let (delivered_at, why) = match letter.delivery {
            Delivery::Queued => (None, None),
            Delivery::Delivered { at } | Delivery::Acknowledged { at } => (Some(SqlTime(at)), None),
            Delivery::Undelivered { why } => (None, Some(why)),
        };
        Self {
            id: letter.id,
            number: letter.number,
            from: letter.from.to_string(),
            text: letter.text,
            delivery,
            delivered_at,
            why,
            created_at: SqlTime(letter.created_at),
        }
    }
}
