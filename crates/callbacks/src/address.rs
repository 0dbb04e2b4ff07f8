//! Which addresses Fleet sends to: decided from the URL and from the address that its name resolves to. No I/O.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;

/// Addresses outside the link-local ranges at which clouds tell a machine its secrets.
const METADATA: [IpAddr; 3] = [
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254)),
];

/// The prefix of an IPv6 address that maps the IPv4 address in its last half.
const NAT64: [u16; 6] = [0x0064, 0xff9b, 0, 0, 0, 0];

/// Why Fleet does not send to an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused(pub String);

/// Parses a URL, and refuses one that cannot receive a callback.
///
/// # Errors
/// Says what is wrong with it.
pub fn target(url: &str) -> Result<Url, Refused> {
    let url = Url::parse(url).map_err(|error| Refused(format!("not a URL: {error}")))?;
    match url.scheme() {
        "http" | "https" if url.has_host() => Ok(url),
        "http" | "https" => Err(Refused("it names no host".to_owned())),
        other => Err(Refused(format!("it is `{other}:`, and neither http nor https"))),
    }
}

/// Refuses addresses that no receiver has: link-local ones, where clouds answer with a machine's
/// secrets, and unspecified, multicast or broadcast ones.
///
/// # Errors
/// Says why.
pub fn permitted(address: IpAddr, link_local: bool) -> Result<(), Refused> {
    let plain = plain(address);
    let refused = |why: &str| Err(Refused(format!("address {address} {why}")));
    if plain.is_unspecified() || plain.is_multicast() || plain == IpAddr::V4(Ipv4Addr::BROADCAST) {
        return refused("is unspecified, multicast or broadcast");
    }
    if !link_local && (is_link_local(plain) || METADATA.contains(&plain)) {
        return refused("is link-local or a cloud's metadata service; `callback_link_local` allows it");
    }
    Ok(())
}

/// The IPv4 address that an IPv6 one maps, if it does.
fn plain(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if address.segments().starts_with(&NAT64) => {
            let [.., high, low] = address.segments();
            let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
            IpAddr::V4(Ipv4Addr::new(a, b, c, d))
        }
        other @ (IpAddr::V4(_) | IpAddr::V6(_)) => other,
    }
}

fn is_link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_permitted(address: &str) -> bool {
        permitted(address.parse().unwrap(), false).is_ok()
    }

    #[test]
    fn only_http_and_https_with_a_host_are_spoken() {
        for good in ["http://127.0.0.1:9/done", "https://example.org", "http://[::1]/x", "HTTP://localhost"] {
            assert!(target(good).is_ok(), "{good}");
        }
        for bad in ["", "done", "/done", "ftp://example.org", "file:///etc/passwd", "http://", "javascript:alert(1)"] {
            assert!(target(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn loopback_and_private_addresses_are_spoken_to() {
        for good in ["127.0.0.1", "::1", "10.0.0.1", "192.168.1.9", "fd12::1", "93.184.216.34", "::ffff:127.0.0.1"] {
            assert!(is_permitted(good), "{good}");
        }
    }

    #[test]
    fn link_local_and_metadata_addresses_are_refused_however_they_are_written_unless_that_is_set() {
        let local = ["169.254.169.254", "169.254.0.1", "::ffff:169.254.169.254", "fe80::1", "64:ff9b::a9fe:a9fe"];
        for bad in local.into_iter().chain(["fd00:ec2::254", "100.100.100.200", "168.63.129.16"]) {
            assert!(!is_permitted(bad), "{bad}");
            assert_eq!(permitted(bad.parse().unwrap(), true), Ok(()), "{bad}");
        }
    }

    #[test]
    fn nobody_and_everybody_are_refused_always() {
        for bad in ["0.0.0.0", "::", "224.0.0.1", "ff02::1", "255.255.255.255", "::ffff:0.0.0.0"] {
            assert!(permitted(bad.parse().unwrap(), true).is_err(), "{bad}");
        }
    }
}
