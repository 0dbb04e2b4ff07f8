//! Whether a host may be reached: by its name, and then by the address that the name resolves to.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use serde::{Deserialize, Serialize};
use types::{HostRule, NetHost};

use crate::public::is_public;

/// The hosts that may be reached.
#[derive(Debug, Clone, Default)]
pub struct AllowList {
    rules: Vec<HostRule>,
}

/// Why a host is not reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It is not on the list.
    NotListed,
    /// Its name is, but leads to an address of this machine or its network.
    PrivateAddress,
    /// What was asked for has no single meaning.
    Malformed,
}

/// A host that may be looked up, or an address that may be connected to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Allowed {
    /// The name may be resolved; each address is judged then.
    Name(String),
    /// This very address.
    Address(SocketAddr),
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotListed => "is not on the list of hosts that it may reach",
            Self::PrivateAddress => "resolves to a private address that is not on the list",
            Self::Malformed => "is not a host that can be judged",
        })
    }
}

impl AllowList {
    /// Makes a list.
    #[must_use]
    pub fn new(rules: &[HostRule]) -> Self {
        Self { rules: rules.iter().flat_map(HostRule::expanded).collect() }
    }

    /// Judges a host before it is resolved: what is not listed is not even looked up.
    ///
    /// # Errors
    /// When it is not listed.
    pub fn judge(&self, host: &NetHost, port: u16) -> Result<Allowed, Why> {
        let host = without_localhost(host);
        if !self.names(&host, port) {
            return Err(Why::NotListed);
        }
        Ok(match host {
            NetHost::Name(name) => Allowed::Name(name),
            NetHost::Address(address) => Allowed::Address(SocketAddr::new(address, port)),
        })
    }

    /// Returns the addresses of a listed name that may be connected to, in the order they were given.
    ///
    /// # Errors
    /// When there is none: an address that is not public must be listed itself.
    pub fn reachable(&self, resolved: &[IpAddr], port: u16) -> Result<Vec<SocketAddr>, Why> {
        let may = |address: &IpAddr| is_public(*address) || self.names(&NetHost::Address(*address), port);
        let addresses = resolved.iter().map(IpAddr::to_canonical).filter(may);
        let addresses: Vec<SocketAddr> = addresses.map(|address| SocketAddr::new(address, port)).collect();
        if addresses.is_empty() { Err(Why::PrivateAddress) } else { Ok(addresses) }
    }

    fn names(&self, host: &NetHost, port: u16) -> bool {
        self.rules.iter().any(|rule| rule.names(host, port))
    }
}

/// `localhost` is this machine, whatever a resolver says.
fn without_localhost(host: &NetHost) -> NetHost {
    match host {
        NetHost::Name(name) if name == "localhost" || name.ends_with(".localhost") => {
            NetHost::Address(Ipv4Addr::LOCALHOST.into())
        }
        NetHost::Name(_) | NetHost::Address(_) => host.clone(),
    }
}

#[cfg(test)]
#[path = "allow_tests.rs"]
mod tests;
