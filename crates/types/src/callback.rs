//! A callback: the report of a mission's end to a URL.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{CallbackId, MissionId, TeamName};

/// A callback and the state of its delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Callback {
    /// Its id, which is sent along: the same at every try.
    pub id: CallbackId,
    /// The team that sees its mission.
    pub team: TeamName,
    /// The mission that ended.
    pub mission: MissionId,
    /// The URL to send it to.
    pub url: String,
    /// What to tell, as it is sent: the same at every try.
    pub body: String,
    /// How often it was tried.
    pub tries: u32,
    /// How far it got.
    pub state: CallbackState,
    /// When the mission ended.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// How far a callback got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum CallbackState {
    /// It is to be tried, perhaps again.
    Due {
        /// When.
        at: Timestamp,
        /// What came of the last try; none before the first.
        why: Option<String>,
    },
    /// It was heard.
    Delivered {
        /// When.
        at: Timestamp,
        /// What was answered.
        status: u16,
    },
    /// It was tried often enough.
    GivenUp {
        /// When.
        at: Timestamp,
        /// What came of the last try.
        why: String,
    },
}

/// How far a reader has read the change feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bookmark {
    /// Who reads.
    pub reader: String,
    /// The last place that was read.
    pub position: u64,
}
