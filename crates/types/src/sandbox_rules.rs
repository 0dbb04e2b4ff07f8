//! What is said about the sandbox of agents: in the settings, for a project, for a mission, when one is started.
//!
//! The levels are merged here, as data; crate `sandbox` enforces the result.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{HostRule, Wanted};

/// What agents are to reach of the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkWish {
    /// Everything for agents that write, the ports of their services for agents that only read.
    #[default]
    Auto,
    /// Everything.
    Open,
    /// Listed hosts, by name, through a proxy of Fleet's.
    Hosts,
    /// Nothing.
    None,
}

/// What one level says; what it leaves out, the level above it decides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SandboxRules {
    /// How much it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Wanted>,
    /// What is reached of the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkWish>,
    /// What is read beside what others say, though it is hidden.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
    /// What is written to beside that: caches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<String>,
    /// The TCP ports that are reached, and no others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<u16>,
    /// The hosts that are reached where hosts are listed, and no others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostRule>,
}

impl SandboxRules {
    /// Returns whether nothing is said.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The level that set a sandbox value
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SaidBy {
    /// The settings of the server
    Settings,
    /// The project
    Project,
    /// The file `fleet.toml` of the repository, on the target branch
    File,
    /// The mission
    Mission,
    /// The caller that started the session
    Command,
}

impl std::fmt::Display for SaidBy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Settings => "the settings",
            Self::Project => "the project",
            Self::File => "`fleet.toml`",
            Self::Mission => "the mission",
            Self::Command => "the dispatch",
        })
    }
}

/// Everything that is said about the sandbox of one session, put together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxWish {
    /// How much it matters.
    pub level: Wanted,
    /// Who says so.
    pub level_by: SaidBy,
    /// What is reached of the network.
    pub network: NetworkWish,
    /// Who says so.
    pub network_by: SaidBy,
    /// What is read though it is hidden.
    pub read: BTreeSet<String>,
    /// What is written to beside the work.
    pub write: BTreeSet<String>,
    /// The TCP ports that are reached; none for all.
    pub ports: Option<BTreeSet<u16>>,
    /// The hosts that are reached, for [`NetworkWish::Hosts`].
    pub hosts: BTreeSet<HostRule>,
}

impl SandboxWish {
    /// Begins with what the settings say.
    #[must_use]
    pub fn of_settings(rules: &SandboxRules) -> Self {
        let start = Self {
            level: Wanted::Auto,
            level_by: SaidBy::Settings,
            network: NetworkWish::Auto,
            network_by: SaidBy::Settings,
            read: BTreeSet::new(),
            write: BTreeSet::new(),
            ports: None,
            hosts: BTreeSet::new(),
        };
        start.and(SaidBy::Settings, rules)
    }

    /// Adds a level that may also widen: paths are added to those of the levels above, the rest replaces theirs.
    #[must_use]
    pub fn and(mut self, by: SaidBy, rules: &SandboxRules) -> Self {
        if let Some(level) = rules.level {
            (self.level, self.level_by) = (level, by);
        }
        if let Some(network) = rules.network {
            (self.network, self.network_by) = (network, by);
        }
        self.read.extend(rules.read.iter().cloned());
        self.write.extend(rules.write.iter().cloned());
        if !rules.ports.is_empty() {
            self.ports = Some(rules.ports.iter().copied().collect());
        }
        if !rules.hosts.is_empty() {
            self.hosts = expanded(&rules.hosts);
        }
        self
    }

    /// Adds a level that can only narrow: whatever would widen is ignored.
    #[must_use]
    pub fn narrowed(mut self, by: SaidBy, rules: &SandboxRules) -> Self {
        if !rules.hosts.is_empty() {
            let listed = expanded(&rules.hosts);
            // While every host is reached, each list of some is narrower.
            let is_listed = closeness(self.network) >= closeness(NetworkWish::Hosts);
            self.hosts = if is_listed { named_by_both(&self.hosts, &listed) } else { listed };
        }
        if let Some(level) = rules.level.filter(|level| strictness(*level) > strictness(self.level)) {
            (self.level, self.level_by) = (level, by);
        }
        if let Some(network) = rules.network.filter(|network| closeness(*network) > closeness(self.network)) {
            (self.network, self.network_by) = (network, by);
        }
        if !rules.ports.is_empty() {
            let listed: BTreeSet<u16> = rules.ports.iter().copied().collect();
            self.ports = Some(self.ports.map_or(listed.clone(), |ports| &ports & &listed));
        }
        self
    }

    /// Returns what has to be said to come from the other to this one, paths aside.
    #[must_use]
    pub fn since(&self, other: &Self) -> SandboxRules {
        let no_hosts = self.network == NetworkWish::Hosts && self.hosts.is_empty() && !other.hosts.is_empty();
        SandboxRules {
            level: (self.level != other.level).then_some(self.level),
            // A list cannot say that there is none.
            network: if no_hosts || self.ports.as_ref().is_some_and(BTreeSet::is_empty) {
                Some(NetworkWish::None)
            } else {
                (self.network != other.network).then_some(self.network)
            },
            ports: self.ports.iter().filter(|_| self.ports != other.ports).flatten().copied().collect(),
            hosts: if self.hosts == other.hosts { Vec::new() } else { self.hosts.iter().cloned().collect() },
            ..SandboxRules::default()
        }
    }

    /// Returns whether an agent under this reaches no more than under the other.
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        let ports = match (&self.ports, &other.ports) {
            (_, None) => true,
            (Some(own), Some(others)) => own.is_subset(others),
            (None, Some(_)) => false,
        };
        let hosts = other.network != NetworkWish::Hosts || covered(&self.hosts, &other.hosts);
        strictness(self.level) >= strictness(other.level)
            && closeness(self.network) >= closeness(other.network)
            && self.read.is_subset(&other.read)
            && self.write.is_subset(&other.write)
            && (ports && hosts || self.network == NetworkWish::None)
    }
}

const fn strictness(level: Wanted) -> u8 {
    match level {
        Wanted::Off => 0,
        Wanted::Auto => 1,
        Wanted::Required => 2,
    }
}

const fn closeness(network: NetworkWish) -> u8 {
    match network {
        NetworkWish::Open => 0,
        NetworkWish::Auto => 1,
        NetworkWish::Hosts => 2,
        NetworkWish::None => 3,
    }
}

fn expanded(rules: &[HostRule]) -> BTreeSet<HostRule> {
    rules.iter().flat_map(HostRule::expanded).collect()
}

/// Returns whether everything that some rules name is named by others, too.
fn covered(own: &BTreeSet<HostRule>, others: &BTreeSet<HostRule>) -> bool {
    own.iter().all(|rule| others.iter().any(|other| other.covers(rule)))
}

/// Returns the rules of either list that the other one covers.
fn named_by_both(one: &BTreeSet<HostRule>, two: &BTreeSet<HostRule>) -> BTreeSet<HostRule> {
    let within = |rule: &&HostRule, others: &BTreeSet<HostRule>| others.iter().any(|other| other.covers(rule));
    let ones = one.iter().filter(|rule| within(rule, two));
    ones.chain(two.iter().filter(|rule| within(rule, one))).cloned().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rules() -> impl Strategy<Value = SandboxRules> {
        let level = prop::sample::select(vec![None, Some(Wanted::Off), Some(Wanted::Auto), Some(Wanted::Required)]);
        use NetworkWish::{Auto, Hosts, Open};
        let network = [None, Some(Auto), Some(Open), Some(Hosts), Some(NetworkWish::None)];
        let paths = || prop::collection::vec("[ab]", 0..3);
        let ports = prop::collection::vec(1_u16..4, 0..3);
        let hosts =
            ["registries", "pypi.org", "*.a.io", "b.a.io", "b.a.io:8443", "10.0.0.0/8", "10.1.0.0/16", "10.1.0.1"];
        let host = prop::sample::select(hosts.to_vec()).prop_map(|host| host.parse().unwrap());
        let hosts = prop::collection::vec(host, 0..4);
        (level, prop::sample::select(network.to_vec()), paths(), paths(), ports, hosts).prop_map(
            |(level, network, read, write, ports, hosts)| SandboxRules { level, network, read, write, ports, hosts },
        )
    }

    #[test]
    fn the_last_who_says_something_is_the_one_who_says_it() {
        let level = |level| SandboxRules { level: Some(level), ..SandboxRules::default() };
        let wish = SandboxWish::of_settings(&level(Wanted::Off)).and(SaidBy::Project, &level(Wanted::Required));
        let wish = wish.and(SaidBy::Mission, &SandboxRules::default());
        assert_eq!((wish.level, wish.level_by), (Wanted::Required, SaidBy::Project));
        assert_eq!((wish.network, wish.network_by), (NetworkWish::Auto, SaidBy::Settings));
    }

    #[test]
    fn a_list_of_ports_takes_the_place_of_another_and_paths_are_added() {
        let ports = |ports: &[u16]| SandboxRules { ports: ports.to_vec(), ..SandboxRules::default() };
        let open = SandboxWish::of_settings(&SandboxRules::default());
        assert_eq!(open.ports, None);
        let listed = open.clone().and(SaidBy::Project, &ports(&[5432]));
        assert!(listed.is_within(&open) && !open.is_within(&listed));
        let more = listed.clone().and(SaidBy::Mission, &ports(&[6379]));
        assert_eq!(more.ports, Some([6379].into()));
        assert!(!more.is_within(&listed));
        assert_eq!(more.narrowed(SaidBy::File, &ports(&[6379, 1])).ports, Some([6379].into()));
        let write = |path: &str| SandboxRules { write: vec![path.to_owned()], ..SandboxRules::default() };
        let both = SandboxWish::of_settings(&write("a")).and(SaidBy::Mission, &write("b"));
        assert_eq!(both.write, ["a".to_owned(), "b".to_owned()].into());
    }

    #[test]
    fn a_list_of_hosts_takes_the_place_of_another_and_who_narrows_keeps_what_both_name() {
        let hosts = |network, hosts: &[&str]| SandboxRules {
            network,
            hosts: hosts.iter().map(|host| host.parse().unwrap()).collect(),
            ..SandboxRules::default()
        };
        let listed = Some(NetworkWish::Hosts);
        let named = |wish: &SandboxWish| wish.hosts.iter().map(ToString::to_string).collect::<Vec<_>>();
        let base = SandboxWish::of_settings(&hosts(None, &["registries"]));
        assert!(base.hosts.len() > 10, "registries stand for each of them");
        let project = base.clone().and(SaidBy::Project, &hosts(listed, &["*.example.com", "example.com"]));
        assert_eq!(named(&project), ["example.com", "*.example.com"]);
        let file = hosts(listed, &["api.example.com", "evil.example"]);
        let narrowed = project.clone().narrowed(SaidBy::File, &file);
        assert_eq!(named(&narrowed), ["api.example.com"]);
        assert!(narrowed.is_within(&project) && !project.is_within(&narrowed));
        assert_eq!(named(&base.narrowed(SaidBy::File, &file)), ["api.example.com", "evil.example"], "all was open");
    }

    proptest! {
        #[test]
        fn who_only_narrows_widens_nothing(settings in rules(), project in rules(), file in rules()) {
            let before = SandboxWish::of_settings(&settings).and(SaidBy::Project, &project);
            let after = before.clone().narrowed(SaidBy::File, &file);
            prop_assert!(after.is_within(&before));
            // What it asks for and is not wider, it gets.
            prop_assert!(file.level.is_none_or(|level| strictness(after.level) >= strictness(level)));
            prop_assert!(file.network.is_none_or(|network| closeness(after.network) >= closeness(network)));
        }

        #[test]
        fn what_was_narrowed_can_be_said_in_rules(settings in rules(), own in rules()) {
            let base = SandboxWish::of_settings(&settings);
            let narrowed = base.clone().narrowed(SaidBy::Mission, &own);
            let said = base.clone().and(SaidBy::Mission, &narrowed.since(&base));
            prop_assert!(said.is_within(&narrowed), "{:?} {:?}", said, narrowed);
        }

        #[test]
        fn within_is_an_order(one in rules(), two in rules(), three in rules()) {
            let [one, two, three] = [one, two, three].map(|rules| SandboxWish::of_settings(&rules));
            prop_assert!(one.is_within(&one));
            prop_assert!(!(one.is_within(&two) && two.is_within(&three)) || one.is_within(&three));
        }

        #[test]
        fn what_somebody_says_holds(settings in rules(), mission in rules()) {
            let wish = SandboxWish::of_settings(&settings).and(SaidBy::Mission, &mission);
            prop_assert!(mission.level.is_none_or(|level| (wish.level, wish.level_by) == (level, SaidBy::Mission)));
            prop_assert!(mission.read.iter().chain(&settings.read).all(|path| wish.read.contains(path)));
        }

        #[test]
        fn rules_read_back_as_they_were_written(rules in rules()) {
            let text = serde_json::to_string(&rules).unwrap();
            prop_assert_eq!(serde_json::from_str::<SandboxRules>(&text).unwrap(), rules);
        }
    }
}
