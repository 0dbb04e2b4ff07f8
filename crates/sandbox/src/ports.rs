//! The ports that an agent is told to use: those of the addresses in its environment.

use std::collections::BTreeSet;

/// Returns the ports of all addresses among some values, such as those of a model, a proxy or a database.
#[must_use]
pub fn ports_named<'a>(values: impl IntoIterator<Item = &'a str>) -> BTreeSet<u16> {
    values.into_iter().filter_map(port).collect()
}

fn port(value: &str) -> Option<u16> {
    let (scheme, rest) = value.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
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
            ("no address: 80", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(ports_named([value]).into_iter().collect::<Vec<_>>(), ports, "{value}");
        }
    }
}
