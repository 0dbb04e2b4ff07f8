//! The way of an agent to listed hosts: its proxy, the variables by which programs find that, and what it refused.

use std::collections::{BTreeMap, BTreeSet};

use egress_proxy::{JOURNAL_FILE, Limits, Order, PORT, Refused};
use sandbox::{HANDED_OVER, Listen};
use types::{Event, HostRule, NetHost, NetworkWish, SandboxWish, Violation, WEB_PORTS};

use super::Actor;
use super::journal::named;
use crate::Result;
use crate::error::Error;

type Variables = BTreeMap<String, String>;

/// Characters of the name of the proxy's socket, which no other process can guess.
const NAME_LENGTH: usize = 32;

/// The most loopback ports that are forwarded.
const FORWARDED_MAX: usize = 16;

/// The tool of a violation that a proxy wrote down.
const TOOL: &str = "network";

/// Names of variables that say where a service is.
const NAMES_A_SERVICE: [&str; 3] = ["_URL", "_ENDPOINT", "_API_BASE"];

impl Actor {
    /// Says what the proxy of an agent that is to reach listed hosts does; none for others.
    pub(super) fn egress(&self, argv: &[String], env: &Variables) -> std::result::Result<Option<Order>, String> {
        let wished = self.wished();
        if wished.network != NetworkWish::Hosts {
            return Ok(None);
        }
        let needs = self.adapter().map_err(|error| error.to_string())?.needs();
        let server = self.shared.parts.server.as_ref().map(|server| server.port);
        let services = services(argv, env);
        let private = self.shared.spools.private(&self.session, self.session.runs);
        Ok(Some(Order {
            hosts: hosts(&wished, &needs.hosts, &services, server),
            forward: forwarded(&services, server),
            journal: private.join(JOURNAL_FILE),
            socket: private.join(self.shared.parts.rng.short_code(NAME_LENGTH)),
            secret: HANDED_OVER.to_owned(),
            limits: Limits::default(),
        }))
    }

    /// Writes down what the proxy refused: each host once while the agent runs, with how often when it has ended.
    pub(super) async fn read_refused(&mut self, is_over: bool) -> Result<()> {
        let path = self.shared.spools.private(&self.session, self.session.runs).join(JOURNAL_FILE);
        let read = self.shared.parts.files.read_refused(&path);
        let refused = read.map_err(|source| Error::File { what: "cannot read what was refused".to_owned(), source })?;
        for refused in refused {
            let place = place(self.session.runs, &refused);
            if is_over || self.refused.insert(place.clone()) {
                self.refuse(&place, &refused).await?;
            }
        }
        Ok(())
    }

    async fn refuse(&self, place: &str, refused: &Refused) -> Result<()> {
        let session = &self.session;
        let target = target(refused);
        let violation = &Violation {
            id: named(&format!("{}/{place}", session.id))?,
            team: session.team.clone(),
            session: session.id.clone(),
            mission: session.mission.as_ref().map(|assignment| assignment.mission.clone()),
            project: session.project.clone(),
            handle: session.handle.clone(),
            call: place.to_owned(),
            tool: TOOL.to_owned(),
            what: format!("{target} ×{}", refused.count),
            rule: None,
            why: format!("network refused: {target} {}", refused.why),
            at: refused.first,
        };
        let stamp = self.shared.stamp(session);
        let written = self.shared.parts.store.transact(&stamp, |tx| async move {
            match tx.get::<Violation>(&violation.id).await? {
                Some(held) if held.record == *violation => {}
                Some(held) => tx.update(&held, violation)?,
                None => {
                    tx.insert(violation)?;
                    let (session, mission) = (violation.session.clone(), violation.mission.clone());
                    tx.append(Event::CallRefused { session, mission, violation: violation.id.clone() });
                }
            }
            Ok::<_, Error>(())
        });
        written.await
    }
}

/// Returns the ports of the agent's network that are handed to its proxy before the agent runs.
pub(super) fn listen(order: &Order) -> Listen {
    let ports = std::iter::once(PORT).chain(order.forward.iter().copied());
    Listen { ports: ports.collect(), give_to: order.socket.clone() }
}

fn target(refused: &Refused) -> String {
    if refused.port == 0 { refused.host.clone() } else { format!("{}:{}", refused.host, refused.port) }
}

fn place(run: u32, refused: &Refused) -> String {
    format!("{run}/egress/{}/{:?}", target(refused), refused.why)
}

/// A service that an agent is told to use.
type Service = (NetHost, u16);

/// Returns the services that variables name, and settings that Fleet passes as `-c`. Other arguments are not looked at:
/// a prompt is one of them, and its author may be an agent.
fn services(argv: &[String], env: &Variables) -> BTreeSet<Service> {
    let named = |name: &str| NAMES_A_SERVICE.iter().any(|end| name.ends_with(end));
    let variables = env.iter().filter(|(name, _)| named(name)).map(|(_, value)| value);
    let settings = argv.windows(2).filter(|pair| pair.first().is_some_and(|flag| flag == "-c"));
    let settings = settings.filter_map(|pair| pair.get(1)).filter(|value| !value.contains(['\n', ' ']));
    variables.chain(settings).flat_map(|value| addresses(value)).collect()
}

/// Returns the addresses in a value; one may be in the midst of it, as in an argument that is a table.
fn addresses(value: &str) -> Vec<Service> {
    let address = |(at, _): (usize, &str)| {
        let (before, after) = value.split_at(at);
        let scheme = before.rsplit(|letter: char| !letter.is_ascii_alphanumeric()).next()?;
        let usual = match scheme {
            "http" | "ws" => WEB_PORTS.first(),
            "https" | "wss" => WEB_PORTS.last(),
            _ => None,
        }?;
        let rest = after.strip_prefix("://")?;
        let place = rest.split(['/', '?', '#', '"', '\'', ',', ' ']).next()?.rsplit('@').next()?;
        let end = place.rfind(']').map_or(0, |at| at + 1);
        let (host, port) = match place.get(end..)?.rfind(':') {
            Some(at) => (place.get(..end + at)?, place.get(end + at + 1..)?.parse().ok()?),
            None => (place, *usual),
        };
        Some((host.parse().ok()?, port))
    };
    value.match_indices("://").filter_map(address).collect()
}

/// Returns whether a service is on this machine.
fn is_local(host: &NetHost) -> bool {
    match host {
        NetHost::Name(name) => name == "localhost",
        NetHost::Address(address) => address.is_loopback(),
    }
}

/// Returns the loopback ports that are the machine's own also inside of the agent's network.
fn forwarded(services: &BTreeSet<Service>, server: Option<u16>) -> Vec<u16> {
    let local = services.iter().filter(|(host, _)| is_local(host)).map(|(_, port)| *port);
    let ports: BTreeSet<u16> = server.into_iter().chain(local).filter(|port| *port != PORT).collect();
    ports.into_iter().take(FORWARDED_MAX).collect()
}

/// Returns the hosts that an agent reaches: those of the list, as far as its ports are, and those it needs to work.
fn hosts(wished: &SandboxWish, needs: &[String], services: &BTreeSet<Service>, server: Option<u16>) -> Vec<HostRule> {
    let within = |rule: &HostRule| match &wished.ports {
        None => vec![rule.clone()],
        Some(ports) => rule.limited_to(ports),
    };
    let listed = wished.hosts.iter().flat_map(within);
    let needed = needs.iter().filter_map(|host| host.parse().ok());
    let local = |port| HostRule::exactly(NetHost::Address(std::net::Ipv4Addr::LOCALHOST.into()), port);
    let named = services.iter().map(|(host, port)| match is_local(host) {
        true => local(*port),
        false => HostRule::exactly(host.clone(), *port),
    });
    listed.chain(needed).chain(named).chain(server.map(local)).collect()
}

#[cfg(test)]
#[path = "egress_tests.rs"]
mod tests;
