//! What waits for a person.

use api_macros::{input, output};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::MissionId;

use crate::{IsoTime, Listing, Page};

/// List what waits for a person, what blocks most first
///
/// Approvals, questions of agents, steps of workflows, landings that a person decides on, parked missions, agents that are not logged in, accounts that are
/// parked and budgets that are used up; each with the command to type next.
#[input(Default)]
pub struct ListInbox {
    #[group]
    pub page: Page,
}

/// What a person is needed for
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InboxKind {
    /// A tool call waits for an answer
    Approval,
    /// An agent asks something
    Question,
    /// A step of a workflow waits for a decision
    Step,
    /// A finished branch waits for a decision, or for the checkout
    Landing,
    /// A mission is parked until a person reopens it
    Mission,
    /// An agent is not logged in
    Login,
    /// An account is parked for another reason
    Account,
    /// A budget is used up
    Budget,
}

/// Something that waits for a person
#[output]
pub struct InboxItem {
    /// What a person is needed for
    pub kind: InboxKind,
    /// What it is about: the id of an approval, a question, a step, a landing, a mission or a project, the name of an account, or `fleet`
    pub subject: String,
    /// How many missions wait behind it
    pub blocks: u64,
    /// Since when; unset where that is not known
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<IsoTime>,
    /// What it is, in one sentence
    pub what: String,
    /// The command to type next
    pub next: String,
    /// The mission that waits for it, if it is one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mission_id: Option<MissionId>,
}

/// What waits for a person
#[output]
pub struct Inbox {
    /// What blocks most first, then the oldest
    pub items: Vec<InboxItem>,
    /// How many are listed
    pub count: usize,
    /// Where to continue, if there are more
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl From<Listing<InboxItem>> for Inbox {
    fn from(list: Listing<InboxItem>) -> Self {
        Self { count: list.items.len(), items: list.items, next: list.next }
    }
}
