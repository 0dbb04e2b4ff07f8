//! Plain records of a team: fields that people name, list and change, and that nothing decides by.
//!
//! A kind of them costs its fields and a [`RecordKind`]; table, events, operations and commands are the same for all
//! (`docs/adding-an-operation.md`).

use std::fmt::{Debug, Display};
use std::str::FromStr;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Handle, IdError, TeamName};

/// The fields of a kind of plain records.
pub trait RecordKind:
    Serialize + DeserializeOwned + JsonSchema + Debug + Clone + PartialEq + Send + Sync + 'static
{
    /// What one is called.
    const NOUN: &'static str;
    /// The name of its table; never that of another kind.
    const TABLE: &'static str;
    /// The first word of its commands.
    const COMMAND: &'static str;
    /// What names one record.
    type Id: RecordId;

    /// Returns its name, which no other of its team has.
    fn name(&self) -> &str;
}

/// An id of which new ones can be drawn.
pub trait RecordId:
    Display
    + FromStr<Err = IdError>
    + Serialize
    + DeserializeOwned
    + JsonSchema
    + Debug
    + Clone
    + PartialEq
    + Send
    + Sync
    + 'static
{
    /// What every id of this kind begins with.
    const PREFIX: &'static str;
}

/// A plain record of a team
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(bound = "")]
#[schemars(rename = "{K}Record")]
pub struct TeamRecord<K: RecordKind> {
    /// Its id
    pub id: K::Id,
    /// What it says
    #[serde(flatten)]
    pub fields: K,
    /// The team it belongs to
    pub team: TeamName,
    /// Who made it
    pub created_by: Handle,
    /// When it was made
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub created_at: Timestamp,
    /// When it was last changed
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub updated_at: Timestamp,
}

/// What happened to a plain record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecordChange {
    /// It was made.
    Created,
    /// It was changed.
    Updated,
    /// It was removed.
    Deleted,
}
