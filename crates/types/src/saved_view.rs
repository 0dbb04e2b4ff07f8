//! A saved view: a page and its filters under a name, shared by a team.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{RecordKind, ViewId};

/// The page that a view opens
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ViewPage {
    /// What needs a person.
    Inbox,
    /// Missions.
    Missions,
    /// Sessions.
    Sessions,
    /// Landings.
    Landings,
}

/// A page and its filters under a name
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SavedView {
    /// Its name; no other view of the team has it
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// The page it opens
    pub page: ViewPage,
    /// Its filters, as in an address: `status=running&project=shop`
    #[serde(default)]
    #[schemars(length(max = 2000))]
    pub query: String,
}

impl RecordKind for SavedView {
    const NOUN: &'static str = "saved view";
    const TABLE: &'static str = "saved-view";
    const COMMAND: &'static str = "view";
    type Id = ViewId;

    fn name(&self) -> &str {
        &self.name
    }
}
