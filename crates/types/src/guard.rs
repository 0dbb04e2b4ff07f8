//! What limits an agent: the sandbox, and the check of its tool calls.
//!
//! It is written down as it was when the last process was started; what was wished for is in the settings.

use serde::{Deserialize, Serialize};

use crate::SaidBy;

/// How far an agent may reach on the machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// It reads, and writes to nothing of the project.
    ReadOnly,
    /// It writes to its workspace.
    #[default]
    Workspace,
    /// It reaches whatever its user reaches; a person must have requested that.
    Full,
}

/// How much a sandbox matters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    /// As far as the machine can.
    #[default]
    Auto,
    /// Not at all.
    Off,
    /// In full, or the agent does not start.
    Required,
}

/// What held the last process of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guard {
    /// What the kernel kept from it.
    pub sandbox: Sandboxed,
    /// Whether its calls were judged.
    #[serde(default)]
    pub calls: Held,
    /// Who said how much the sandbox matters, and what is reached of the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<SandboxSaid>,
}

/// Which level set a sandbox value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxSaid {
    /// How much it matters.
    pub level: SaidBy,
    /// What is reached of the network.
    pub network: SaidBy,
}

/// What the kernel keeps from an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Sandboxed {
    /// Nothing, on request.
    Off {
        /// Who, or what for.
        why: String,
    },
    /// Nothing, for the machine cannot.
    Missing {
        /// What it lacks.
        why: String,
    },
    /// Every file that it has no business with.
    Held {
        /// How far it may reach.
        access: Access,
        /// What it reaches of the network.
        network: Network,
        /// What was wished for beside that and the machine cannot do.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lacks: Vec<String>,
    },
}

/// What an agent reaches of the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// All of it.
    #[default]
    Open,
    /// Some ports, as far as it is TCP.
    Ports,
    /// Listed hosts, through a proxy of Fleet's; a network of its own otherwise.
    Hosts,
    /// Nothing but itself.
    None,
}

/// Whether the calls of an agent were judged before they ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Held {
    /// This version of the agent was seen to be held.
    Enforced,
    /// It was not, or cannot be.
    Unenforced {
        /// Why.
        why: String,
    },
    /// Not tried.
    #[default]
    Untried,
}

impl Sandboxed {
    /// Returns whether the kernel alone keeps an agent from writing to what it only reads.
    #[must_use]
    pub const fn holds_readers(&self) -> bool {
        matches!(self, Self::Held { access: Access::ReadOnly, .. })
    }
}

impl std::fmt::Display for Sandboxed {
    /// Says it in a few words, for people.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Off { why } => write!(f, "off: {why}"),
            Self::Missing { why } => write!(f, "missing: {why}"),
            Self::Held { access, network, lacks } => {
                let access = match access {
                    Access::ReadOnly => "reads",
                    Access::Workspace => "writes to its workspace",
                    Access::Full => "reaches everything",
                };
                let network = match network {
                    Network::Open => "",
                    Network::Ports => ", some ports",
                    Network::Hosts => ", listed hosts",
                    Network::None => ", no network",
                };
                write!(f, "held: {access}{network}")?;
                if lacks.is_empty() { Ok(()) } else { write!(f, "; without {}", lacks.join(", ")) }
            }
        }
    }
}

impl std::fmt::Display for Held {
    /// Says it in a few words, for people.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Enforced => f.write_str("enforced"),
            Self::Unenforced { why } => write!(f, "unenforced: {why}"),
            Self::Untried => f.write_str("not tried"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_reads_back_as_it_was_written_and_one_without_calls_is_untried() {
        for sandbox in [
            Sandboxed::Off { why: "the settings say so".to_owned() },
            Sandboxed::Missing { why: "no landlock".to_owned() },
            Sandboxed::Held { access: Access::ReadOnly, network: Network::Ports, lacks: vec!["scopes".to_owned()] },
        ] {
            let guard = Guard {
                sandbox: sandbox.clone(),
                calls: Held::Enforced,
                said: Some(SandboxSaid { level: SaidBy::Mission, network: SaidBy::Settings }),
            };
            let text = serde_json::to_string(&guard).unwrap();
            assert_eq!(serde_json::from_str::<Guard>(&text).unwrap(), guard);
            let bare = serde_json::json!({ "sandbox": sandbox });
            assert_eq!(
                serde_json::from_value::<Guard>(bare).unwrap(),
                Guard { sandbox, calls: Held::Untried, said: None }
            );
        }
    }

    #[test]
    fn only_a_sandbox_without_a_writable_workspace_holds_those_who_only_read() {
        let held = |access| Sandboxed::Held { access, network: Network::Open, lacks: Vec::new() };
        assert!(held(Access::ReadOnly).holds_readers());
        assert!(!held(Access::Workspace).holds_readers() && !held(Access::Full).holds_readers());
        assert!(!Sandboxed::Off { why: String::new() }.holds_readers());
        assert!(!Sandboxed::Missing { why: String::new() }.holds_readers());
    }
}
