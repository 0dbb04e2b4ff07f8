//! What can be said about the sandbox of agents: the same five fields wherever it is said.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{NetworkWish, SandboxRules, Wanted};

use super::{CreateMission, CreateProject, DispatchMission, UpdateMission, UpdateProject};

/// How much the sandbox of an agent matters
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SandboxLevel {
    /// As far as the machine can
    Auto,
    /// Not at all
    Off,
    /// In full, or the agent does not start
    Required,
    /// As whoever stands above it says
    Inherit,
}

/// What an agent reaches of the network
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SandboxNetwork {
    /// Everything for those who write, the ports of their services for those who only read
    Auto,
    /// Everything
    Open,
    /// Nothing
    None,
    /// As whoever stands above it says
    Inherit,
}

/// What is said about a sandbox; none leaves what there is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxEdit {
    /// How much it matters.
    pub level: Option<SandboxLevel>,
    /// What is reached of the network.
    pub network: Option<SandboxNetwork>,
    /// What is read though it is hidden.
    pub read: Option<Vec<String>>,
    /// What is written to beside the work.
    pub write: Option<Vec<String>>,
    /// The TCP ports that are reached.
    pub ports: Option<Vec<u16>>,
}

impl SandboxEdit {
    /// Tells whether nothing is said.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the rules as they are then; a list that is empty takes back what was said.
    #[must_use]
    pub fn applied(self, rules: SandboxRules) -> SandboxRules {
        SandboxRules {
            level: self.level.map_or(rules.level, Into::into),
            network: self.network.map_or(rules.network, Into::into),
            read: self.read.unwrap_or(rules.read),
            write: self.write.unwrap_or(rules.write),
            ports: self.ports.unwrap_or(rules.ports),
        }
    }
}

macro_rules! says {
    ($($operation:ty),+) => {$(
        impl $operation {
            /// Returns what is said about the sandbox.
            #[must_use]
            pub fn sandbox(&self) -> SandboxEdit {
                SandboxEdit {
                    level: self.sandbox,
                    network: self.sandbox_network,
                    read: self.sandbox_read.clone(),
                    write: self.sandbox_write.clone(),
                    ports: self.sandbox_tcp_ports.clone(),
                }
            }
        }
    )+};
}

says!(CreateMission, CreateProject, DispatchMission, UpdateMission, UpdateProject);

impl From<SandboxLevel> for Option<Wanted> {
    fn from(level: SandboxLevel) -> Self {
        match level {
            SandboxLevel::Auto => Some(Wanted::Auto),
            SandboxLevel::Off => Some(Wanted::Off),
            SandboxLevel::Required => Some(Wanted::Required),
            SandboxLevel::Inherit => None,
        }
    }
}

impl From<Wanted> for SandboxLevel {
    fn from(level: Wanted) -> Self {
        match level {
            Wanted::Auto => Self::Auto,
            Wanted::Off => Self::Off,
            Wanted::Required => Self::Required,
        }
    }
}

impl From<SandboxNetwork> for Option<NetworkWish> {
    fn from(network: SandboxNetwork) -> Self {
        match network {
            SandboxNetwork::Auto => Some(NetworkWish::Auto),
            SandboxNetwork::Open => Some(NetworkWish::Open),
            SandboxNetwork::None => Some(NetworkWish::None),
            SandboxNetwork::Inherit => None,
        }
    }
}

impl From<NetworkWish> for SandboxNetwork {
    fn from(network: NetworkWish) -> Self {
        match network {
            NetworkWish::Auto => Self::Auto,
            NetworkWish::Open => Self::Open,
            NetworkWish::None => Self::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_stays_and_what_is_said_can_be_taken_back() {
        let said = SandboxEdit {
            level: Some(SandboxLevel::Required),
            network: Some(SandboxNetwork::None),
            write: Some(vec!["~/.cache/x".to_owned()]),
            ports: Some(vec![5432]),
            ..SandboxEdit::default()
        };
        let rules = said.applied(SandboxRules::default());
        assert_eq!((rules.level, rules.network), (Some(Wanted::Required), Some(NetworkWish::None)));
        assert_eq!(SandboxEdit::default().applied(rules.clone()), rules);
        let back = SandboxEdit {
            level: Some(SandboxLevel::Inherit),
            network: Some(SandboxNetwork::Inherit),
            write: Some(Vec::new()),
            ports: Some(Vec::new()),
            ..SandboxEdit::default()
        };
        assert!(!back.is_nothing());
        assert!(back.applied(rules).is_default());
    }
}
