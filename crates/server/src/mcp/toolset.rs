//! Which tools a client is shown.

use std::str::FromStr;

use api::Audience;

/// The tools that a client is shown; it may call the others too, by their names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Toolset {
    /// Those of an agent at work in a team.
    Agent,
    /// Tools for orchestrators, which plan work and follow it.
    Orchestrator,
    /// Tools that run single workers and workflows on any repository.
    Workers,
    /// Those of agents and of orchestrators: more at once, and models choose badly.
    #[default]
    Standard,
    /// All of them.
    All,
}

/// A word that names no set of tools.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("toolset: `{0}` is none of agent, orchestrator, workers, standard, all")]
pub struct UnknownToolset(String);

impl Toolset {
    /// Returns whether tools of this audience are shown.
    pub(super) fn shows(self, audience: Audience) -> bool {
        match self {
            Self::Agent => audience == Audience::Agent,
            Self::Orchestrator => audience == Audience::Orchestrator,
            Self::Workers => audience == Audience::Workers,
            Self::Standard => matches!(audience, Audience::Agent | Audience::Orchestrator),
            Self::All => true,
        }
    }
}

impl FromStr for Toolset {
    type Err = UnknownToolset;

    fn from_str(word: &str) -> Result<Self, UnknownToolset> {
        match word {
            "agent" => Ok(Self::Agent),
            "orchestrator" => Ok(Self::Orchestrator),
            "workers" => Ok(Self::Workers),
            "standard" => Ok(Self::Standard),
            "all" => Ok(Self::All),
            // The word may be as long as a URL, and comes back in a message.
            other => Err(UnknownToolset(other.chars().take(40).collect())),
        }
    }
}
