//! The ports that an agent is told to use: those of the addresses in its environment and in its arguments.

use std::collections::BTreeSet;

/// The port of name lookups. They are datagrams, which no layer limits to a port: where it is listed, UDP is open.
pub const LOOKUPS: u16 = 53;

/// Returns the ports of all addresses among some values, such as those of a model, a proxy or a database.
#[must_use]
pub fn ports_named<'a>(values: impl IntoIterator<Item = &'a str>) -> BTreeSet<u16> {
    values.into_iter().flat_map(ports).collect()
}

/// An address may stand in the midst of a value, as it does where an argument is a table of settings.
fn ports(value: &str) -> impl Iterator<Item = u16> + '_ {
    value.match_indices("://").filter_map(|(at, _)| {
        let (before, after) = value.split_at(at);
        let scheme = before.rsplit(|letter: char| !letter.is_ascii_alphanumeric()).next()?;
        port(scheme, after.strip_prefix("://")?)
    })
}

fn port(scheme: &str, rest: &str) -> Option<u16> {
    let authority = rest.split(['/', '?', '#', '"', '\'', ',', ' ']).next()?;
    // What stands before an `@` is a name and a password.
    let place = authority.rsplit('@').next()?;
    let after_host = match place.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?.1,
        None => place.find(':').map_or("", |at| place.split_at(at).1),
    };
    match (after_host.strip_prefix(':'), scheme) {
        (Some(port), _) => port.parse().ok(),
        (None, "http" | "ws") => Some(80),
        (None, "https" | "wss") => Some(443),
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_of_an_address_is_what_it_says_or_what_its_kind_has() {
        for (value, ports) in [
            ("http://127.0.0.1:4000", vec![4000]),
            ("http://localhost:4000/v1?x=:9", vec![4000]),
            ("https://api.example", vec![443]),
            ("https://api.example/a:1/b", vec![443]),
            ("http://user:pass@proxy.example:3128", vec![3128]),
            ("http://user:pass@proxy.example/", vec![80]),
            ("http://[::1]:8080/", vec![8080]),
            ("https://[2001:db8::1]", vec![443]),
            ("postgres://db", vec![]),
            ("http://host:many", vec![]),
            ("mock={name=\"m\",base_url=\"http://127.0.0.1:4000\",wire=\"x\"}", vec![4000]),
            ("http://a:1,http://b:2", vec![1, 2]),
            ("no address: 80", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(ports_named([value]).into_iter().collect::<Vec<_>>(), ports, "{value}");
        }
    }
}
