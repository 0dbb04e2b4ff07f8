//! Groups of fields that several inputs have in common.

use api_macros::fields;

/// One page of a list
#[fields(Default)]
pub struct Page {
    /// Most entries to return
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
    /// Continue after this cursor, from the `Fleet-Next` header
    #[schemars(length(min = 1, max = 200))]
    pub after: Option<String>,
}

/// The agent CLI to use, under any of the names that the contracts have for it
#[fields(Default)]
pub struct AgentName {
    /// The agent, such as `claude`; the level above decides, when unset or empty: mission, project, settings
    #[schemars(length(max = 32))]
    pub agent: Option<String>,
    /// Alias of `agent`
    #[schemars(length(max = 32))]
    pub coder: Option<String>,
    /// Alias of `agent`
    #[schemars(length(max = 32))]
    pub executor: Option<String>,
}

impl AgentName {
    /// Names an agent.
    #[must_use]
    pub fn of(agent: Option<String>) -> Self {
        Self { agent, ..Self::default() }
    }
}
