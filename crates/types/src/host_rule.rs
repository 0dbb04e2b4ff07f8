//! Hosts of the network: what a list of hosts names, and what a client asks for, both in one normal form.
//!
//! It compares names and addresses and resolves nothing. A text that has no single meaning is refused: the proxy must
//! never judge one host and connect to another.

use std::collections::BTreeSet;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// The ports of a rule that names none.
pub const WEB_PORTS: [u16; 2] = [80, 443];

/// The port of the proxy inside of a network that reaches listed hosts, outside of the range that the system hands out.
pub const PROXY_PORT: u16 = 61_080;

/// The word for [`REGISTRIES`] in a list.
const REGISTRIES_WORD: &str = "registries";

/// Package registries and the hosts they deliver from, and nothing that takes uploads without an account.
pub const REGISTRIES: [&str; 24] = [
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "nodejs.org",
    "pypi.org",
    "files.pythonhosted.org",
    "crates.io",
    "index.crates.io",
    "static.crates.io",
    "static.rust-lang.org",
    "proxy.golang.org",
    "sum.golang.org",
    "rubygems.org",
    "index.rubygems.org",
    "repo.maven.apache.org",
    "repo1.maven.org",
    "plugins.gradle.org",
    "services.gradle.org",
    "repo.packagist.org",
    "api.nuget.org",
    "hex.pm",
    "repo.hex.pm",
    "deb.debian.org",
    "archive.ubuntu.com",
    "security.ubuntu.com",
];

/// A host as a client names it, in its normal form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NetHost {
    /// A name in lower case, without a trailing dot.
    Name(String),
    /// An address, however it was spelled.
    Address(IpAddr),
}

/// One entry of a list of hosts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum HostRule {
    /// The package registries, `registries`.
    Registries,
    /// Hosts.
    Hosts {
        /// Which.
        pattern: HostPattern,
        /// Their port; none for [`WEB_PORTS`].
        port: Option<u16>,
    },
}

/// Which hosts a rule names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HostPattern {
    /// This name.
    Name(String),
    /// Every name below this one, `*.example.com`.
    Below(String),
    /// The addresses that begin with these bits.
    Network(IpAddr, u8),
}

/// Why a text names no host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// It is not a host.
    #[error(
        "`{0}` is not a host: use a name, `*.NAME`, an address or a network such as `10.0.0.0/8`, with `:PORT` if it is not 80 or 443"
    )]
    Malformed(String),
    /// It is not ASCII.
    #[error("`{0}` is not ASCII: write the name in its `xn--` form")]
    NotAscii(String),
}

impl FromStr for NetHost {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        if !text.is_ascii() {
            return Err(HostError::NotAscii(text.to_owned()));
        }
        let malformed = || HostError::Malformed(text.to_owned());
        if let Some(inner) = text.strip_prefix('[') {
            let inner = inner.strip_suffix(']').ok_or_else(malformed)?;
            return Ok(address(inner.parse::<Ipv6Addr>().map_err(|_| malformed())?));
        }
        if text.contains(':') {
            return Ok(address(text.parse::<Ipv6Addr>().map_err(|_| malformed())?));
        }
        let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
        let last = name.rsplit('.').next().unwrap_or_default();
        if is_number(last) {
            return ipv4(&name).map(address).ok_or_else(malformed);
        }
        if name.len() <= 253 && name.split('.').all(is_label) { Ok(Self::Name(name)) } else { Err(malformed()) }
    }
}

impl fmt::Display for NetHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => address.fmt(f),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

/// An address of the old family inside the new one is one of the old family.
fn address(address: impl Into<IpAddr>) -> NetHost {
    NetHost::Address(address.into().to_canonical())
}

fn is_label(label: &str) -> bool {
    let is_letter = |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit() || b"-_".contains(&letter);
    (1..=63).contains(&label.len()) && label.bytes().all(is_letter)
}

/// Returns whether resolvers read a name that ends so as an address.
fn is_number(label: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|letter| letter.is_ascii_digit());
    let hex = |text: &str| text.bytes().all(|letter| letter.is_ascii_hexdigit());
    (!label.is_empty() && digits(label)) || label.strip_prefix("0x").is_some_and(hex)
}

/// Reads an address as `inet_aton` does: one to four numbers, decimal, octal or hexadecimal; the last fills the rest.
fn ipv4(text: &str) -> Option<Ipv4Addr> {
    let parts: Vec<u32> = text.split('.').map(number).collect::<Option<_>>()?;
    let (last, first) = parts.split_last()?;
    if first.len() > 3 || first.iter().any(|part| *part > 255) {
        return None;
    }
    let bits = 32 - 8 * u32::try_from(first.len()).ok()?;
    if u64::from(*last) >= 1 << bits {
        return None;
    }
    let high = first.iter().zip([24, 16, 8]).fold(0, |sum, (part, shift)| sum | (part << shift));
    Some(Ipv4Addr::from(high | last))
}

fn number(text: &str) -> Option<u32> {
    match (text.strip_prefix("0x"), text.strip_prefix('0')) {
        (Some(""), _) => Some(0),
        (Some(hex), _) => u32::from_str_radix(hex, 16).ok(),
        (None, Some(octal)) if !octal.is_empty() => u32::from_str_radix(octal, 8).ok(),
        (None, _) => text.bytes().all(|letter| letter.is_ascii_digit()).then(|| text.parse().ok())?,
    }
}

impl HostRule {
    /// Makes the rule for one host and one port.
    #[must_use]
    pub fn exactly(host: NetHost, port: u16) -> Self {
        let pattern = match host {
            NetHost::Name(name) => HostPattern::Name(name),
            NetHost::Address(address) => HostPattern::Network(address, width(address)),
        };
        Self::Hosts { pattern, port: Some(port) }
    }

    /// Returns the rules it abbreviates: itself, or each of the registries.
    #[must_use]
    pub fn expanded(&self) -> Vec<Self> {
        match self {
            Self::Registries => {
                let name = |name: &&str| HostPattern::Name((*name).to_owned());
                REGISTRIES.iter().map(name).map(|pattern| Self::Hosts { pattern, port: None }).collect()
            }
            Self::Hosts { .. } => vec![self.clone()],
        }
    }

    /// Returns the rules that name the same hosts with these ports alone.
    #[must_use]
    pub fn limited_to(&self, ports: &BTreeSet<u16>) -> Vec<Self> {
        let own = |rule: Self| match rule {
            Self::Registries => Vec::new(),
            Self::Hosts { pattern, port } => {
                let named = port.map_or_else(|| WEB_PORTS.to_vec(), |port| vec![port]);
                let left = named.into_iter().filter(|port| ports.contains(port));
                left.map(|port| Self::Hosts { pattern: pattern.clone(), port: Some(port) }).collect()
            }
        };
        self.expanded().into_iter().flat_map(own).collect()
    }

    /// Returns whether it names this host with this port.
    #[must_use]
    pub fn names(&self, host: &NetHost, port: u16) -> bool {
        match self {
            Self::Registries => self.expanded().iter().any(|rule| rule.names(host, port)),
            Self::Hosts { pattern, port: own } => {
                own.map_or_else(|| WEB_PORTS.contains(&port), |own| own == port) && pattern.names(host)
            }
        }
    }

    /// Returns the port, if it names one port of this machine's loopback address.
    #[must_use]
    pub fn loopback_port(&self) -> Option<u16> {
        match self {
            Self::Hosts { pattern: HostPattern::Name(name), port } if name == "localhost" => *port,
            Self::Hosts { pattern: HostPattern::Network(address, bits), port }
                if address.is_loopback() && *bits == width(*address) =>
            {
                *port
            }
            Self::Registries | Self::Hosts { .. } => None,
        }
    }

    /// Returns whether it names everything that another one names.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Registries, Self::Registries) => true,
            (Self::Registries, Self::Hosts { .. }) => self.expanded().iter().any(|own| own.covers(other)),
            (Self::Hosts { .. }, Self::Registries) => other.expanded().iter().all(|other| self.covers(other)),
            (Self::Hosts { pattern, port }, Self::Hosts { pattern: others, port: theirs }) => {
                let ports = match (port, theirs) {
                    (None, None) => true,
                    (None, Some(theirs)) => WEB_PORTS.contains(theirs),
                    (own @ Some(_), theirs) => own == theirs,
                };
                ports && pattern.covers(others)
            }
        }
    }
}

impl HostPattern {
    fn names(&self, host: &NetHost) -> bool {
        match (self, host) {
            (Self::Name(own), NetHost::Name(name)) => own == name,
            (Self::Below(own), NetHost::Name(name)) => is_below(name, own),
            (Self::Network(network, bits), NetHost::Address(address)) => contains(*network, *bits, *address),
            (Self::Name(_) | Self::Below(_), NetHost::Address(_)) | (Self::Network(..), NetHost::Name(_)) => false,
        }
    }

    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Below(own), Self::Name(name)) => is_below(name, own),
            (Self::Below(own), Self::Below(name)) => own == name || is_below(name, own),
            (Self::Network(own, bits), Self::Network(network, more)) => bits <= more && contains(*own, *bits, *network),
            (own, other) => own == other,
        }
    }
}

fn is_below(name: &str, parent: &str) -> bool {
    name.strip_suffix(parent).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
}

fn contains(network: IpAddr, bits: u8, address: IpAddr) -> bool {
    let same = |a: u128, b: u128, width: u8| {
        let rest = u32::from(width.saturating_sub(bits));
        a.checked_shr(rest).unwrap_or_default() == b.checked_shr(rest).unwrap_or_default()
    };
    match (network, address.to_canonical()) {
        (IpAddr::V4(a), IpAddr::V4(b)) => same(a.to_bits().into(), b.to_bits().into(), 32),
        (IpAddr::V6(a), IpAddr::V6(b)) => same(a.to_bits(), b.to_bits(), 128),
        (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
    }
}

const fn width(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

impl FromStr for HostRule {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        let text = text.trim();
        if text == REGISTRIES_WORD {
            return Ok(Self::Registries);
        }
        let malformed = || HostError::Malformed(text.to_owned());
        let (host, port) = with_port(text).ok_or_else(malformed)?;
        let pattern = match (host.strip_prefix("*."), host.split_once('/')) {
            (Some(parent), _) => match parent.parse()? {
                NetHost::Name(name) => HostPattern::Below(name),
                NetHost::Address(_) => return Err(malformed()),
            },
            (None, Some((network, bits))) => {
                let NetHost::Address(network) = network.parse()? else { return Err(malformed()) };
                let bits: u8 = bits.parse().map_err(|_| malformed())?;
                if bits > width(network) {
                    return Err(malformed());
                }
                HostPattern::Network(network, bits)
            }
            (None, None) => match host.parse()? {
                NetHost::Name(name) => HostPattern::Name(name),
                NetHost::Address(address) => HostPattern::Network(address, width(address)),
            },
        };
        Ok(Self::Hosts { pattern, port })
    }
}

/// Parts a port from what it follows; an address of the new family needs brackets for that.
fn with_port(text: &str) -> Option<(&str, Option<u16>)> {
    let is_bare_address = !text.starts_with('[') && text.matches(':').count() > 1;
    match text.rsplit_once(':') {
        Some((host, port)) if !is_bare_address && !port.ends_with(']') && !port.contains("]/") => {
            let port = Some(port).filter(|port| port.bytes().all(|letter| letter.is_ascii_digit()))?;
            Some((host, Some(port.parse().ok().filter(|port| *port > 0)?)))
        }
        Some(_) | None => Some((text, None)),
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Registries => f.write_str(REGISTRIES_WORD),
            Self::Hosts { pattern, port } => {
                match pattern {
                    HostPattern::Name(name) => f.write_str(name)?,
                    HostPattern::Below(name) => write!(f, "*.{name}")?,
                    HostPattern::Network(address, bits) if *bits == width(*address) => {
                        write!(f, "{}", NetHost::Address(*address))?;
                    }
                    HostPattern::Network(address, bits) => write!(f, "{}/{bits}", NetHost::Address(*address))?,
                }
                port.iter().try_for_each(|port| write!(f, ":{port}"))
            }
        }
    }
}

impl TryFrom<String> for HostRule {
    type Error = HostError;

    fn try_from(text: String) -> Result<Self, HostError> {
        text.parse()
    }
}

impl From<HostRule> for String {
    fn from(rule: HostRule) -> Self {
        rule.to_string()
    }
}

impl JsonSchema for HostRule {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "HostRule".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
#[path = "host_rule_tests.rs"]
mod tests;
