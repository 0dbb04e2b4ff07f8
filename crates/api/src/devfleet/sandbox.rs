//! What can be said about the sandbox of agents: the same five fields wherever it is said.

use api_macros::fields;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{HostRule, NetworkWish, SandboxRules, Wanted};

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
    /// As the level above says
    Inherit,
}

/// What an agent reaches of the network
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SandboxNetwork {
    /// Everything for agents that write, the ports of their services for read-only agents
    Auto,
    /// Everything
    Open,
    /// Listed hosts, through a proxy of Fleet's
    Hosts,
    /// Nothing
    None,
    /// As the level above says
    Inherit,
}

/// What is said about a sandbox; none leaves what there is
#[fields(Default)]
pub struct SandboxEdit {
    /// Sandbox level of agents; the level above decides, when unset
    #[serde(rename = "sandbox")]
    pub level: Option<SandboxLevel>,
    /// Network access of agents; the level above decides, when unset
    #[serde(rename = "sandbox_network")]
    pub network: Option<SandboxNetwork>,
    /// Hidden paths that agents may read, in addition to those of the levels above; `~` is the user's home
    #[serde(rename = "sandbox_read")]
    #[schemars(length(max = 100), inner(length(min = 1, max = 4096)))]
    pub read: Option<Vec<String>>,
    /// Paths that agents may write outside their workspace, such as caches
    #[serde(rename = "sandbox_write")]
    #[schemars(length(max = 100), inner(length(min = 1, max = 4096)))]
    pub write: Option<Vec<String>>,
    /// TCP ports that agents may connect to, in addition to those of their services
    #[serde(rename = "sandbox_tcp_ports")]
    #[schemars(length(max = 100))]
    pub ports: Option<Vec<u16>>,
    /// Hosts that agents may connect to with `sandbox_network` `hosts`, in addition to those of their services
    #[serde(rename = "sandbox_hosts")]
    #[schemars(length(max = 200), inner(length(min = 1, max = 300)))]
    pub hosts: Option<Vec<HostRule>>,
}

impl SandboxEdit {
    /// Returns whether nothing is set.
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
            hosts: self.hosts.unwrap_or(rules.hosts),
        }
    }
}

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
            SandboxNetwork::Hosts => Some(NetworkWish::Hosts),
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
            NetworkWish::Hosts => Self::Hosts,
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
            hosts: Some(vec!["registries".parse().unwrap()]),
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
            hosts: Some(Vec::new()),
            ..SandboxEdit::default()
        };
        assert!(!back.is_nothing());
        assert!(back.applied(rules).is_default());
    }
}
