use proptest::prelude::*;

use super::*;

fn list(rules: &[&str]) -> AllowList {
    AllowList::new(&rules.iter().map(|rule| rule.parse().unwrap()).collect::<Vec<_>>())
}

fn judge(list: &AllowList, host: &str, port: u16) -> Result<Allowed, Why> {
    list.judge(&host.parse().unwrap(), port)
}

#[test]
fn a_listed_name_is_resolved_and_another_is_not_even_looked_up() {
    let list = list(&["example.com", "*.example.org:8443"]);
    assert_eq!(judge(&list, "EXAMPLE.com.", 443), Ok(Allowed::Name("example.com".to_owned())));
    assert_eq!(judge(&list, "secret.example.com", 443), Err(Why::NotListed));
    assert_eq!(judge(&list, "example.com", 22), Err(Why::NotListed));
    assert_eq!(judge(&list, "a.example.org", 8443), Ok(Allowed::Name("a.example.org".to_owned())));
    assert_eq!(judge(&list, "93.184.215.14", 443), Err(Why::NotListed), "an address must be listed as one");
}

#[test]
fn a_loopback_port_that_is_listed_is_reached_by_each_of_its_names_and_no_other_port_is() {
    let list = list(&["127.0.0.1:4000"]);
    let there = Ok(Allowed::Address("127.0.0.1:4000".parse().unwrap()));
    for spelling in ["127.0.0.1", "localhost", "LOCALHOST.", "127.1", "0x7f000001", "::ffff:127.0.0.1"] {
        assert_eq!(judge(&list, spelling, 4000), there, "{spelling}");
        assert_eq!(judge(&list, spelling, 4001), Err(Why::NotListed), "{spelling}");
    }
    assert_eq!(judge(&list, "0.0.0.0", 4000), Err(Why::NotListed));
    assert_eq!(judge(&list, "::1", 4000), Err(Why::NotListed));
}

#[test]
fn a_name_that_leads_to_a_private_address_is_refused_unless_that_is_listed() {
    let resolved: Vec<IpAddr> = ["127.0.0.1", "169.254.169.254", "fd00:ec2::254", "::ffff:10.0.0.1"]
        .map(|address| address.parse().unwrap())
        .to_vec();
    assert_eq!(list(&["example.com"]).reachable(&resolved, 443), Err(Why::PrivateAddress));
    let listed = list(&["example.com", "10.0.0.0/8"]);
    assert_eq!(listed.reachable(&resolved, 443), Ok(vec!["10.0.0.1:443".parse().unwrap()]));
    assert_eq!(listed.reachable(&resolved, 22), Err(Why::PrivateAddress));
    let mixed = [resolved, vec!["1.1.1.1".parse().unwrap()]].concat();
    assert_eq!(list(&[]).reachable(&mixed, 443), Ok(vec!["1.1.1.1:443".parse().unwrap()]), "only what is public");
    assert_eq!(list(&[]).reachable(&[], 443), Err(Why::PrivateAddress));
}

proptest! {
    #[test]
    fn nothing_private_is_connected_to_that_is_not_listed_as_an_address(
        addresses in prop::collection::vec(any::<IpAddr>(), 0..8), port: u16,
    ) {
        let list = list(&["example.com", "*.example.com", "registries", "10.1.0.0/16"]);
        for address in list.reachable(&addresses, port).unwrap_or_default() {
            let listed = "10.1.0.0/16".parse::<HostRule>().unwrap().names(&NetHost::Address(address.ip()), port);
            prop_assert!(is_public(address.ip()) || listed);
            prop_assert!(addresses.iter().any(|given| given.to_canonical() == address.ip()));
        }
    }

    #[test]
    fn an_empty_list_lets_nothing_through(host in "[a-z0-9.:-]{0,20}", port: u16) {
        if let Ok(host) = host.parse() {
            prop_assert_eq!(list(&[]).judge(&host, port), Err(Why::NotListed));
        }
    }
}
