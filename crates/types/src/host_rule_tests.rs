use proptest::prelude::*;

use super::*;

fn host(text: &str) -> NetHost {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn rule(text: &str) -> HostRule {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn every_spelling_of_a_host_is_the_same_host() {
    let loopback = NetHost::Address(IpAddr::from([127, 0, 0, 1]));
    for spelling in [
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7F.0.0.1",
        "0177.0.0.01",
        "017700000001",
        "127.0.0.1.",
        "::ffff:127.0.0.1",
        "[::ffff:7f00:1]",
    ] {
        assert_eq!(host(spelling), loopback, "{spelling}");
    }
    assert_eq!(host("EXAMPLE.com."), NetHost::Name("example.com".to_owned()));
    assert_eq!(host("[::1]"), host("::1"));
    assert_eq!(host("0x"), NetHost::Address(IpAddr::from([0, 0, 0, 0])));
    assert_eq!(host("xn--bcher-kva.example"), NetHost::Name("xn--bcher-kva.example".to_owned()));
}

#[test]
fn a_text_without_one_meaning_is_no_host() {
    for text in [
        "",
        ".",
        "a..b",
        ".a",
        "a b",
        "a/b",
        "user@example.com",
        "example.com:80",
        "a\0b",
        "a\r\nb",
        "a%2eb",
        "[::1",
        "::1]",
        "[127.0.0.1]",
        "fe80::1%eth0",
        "[fe80::1%25eth0]",
        "1.2.3.4.5",
        "256.1.1.1",
        "1.2.3.256",
        "4294967296",
        "08.1.1.1",
        "0x1g.1",
        "example.0x1g.1",
        "*.example.com",
        "bücher.example",
        "example。com",
        "ｅxample.com",
    ] {
        assert!(text.parse::<NetHost>().is_err(), "{text:?}");
    }
    assert!(
        "a.".repeat(127).parse::<NetHost>().is_ok() && format!("{}a", "a.".repeat(127)).parse::<NetHost>().is_err()
    );
    assert!("bücher.example".parse::<HostRule>().unwrap_err().to_string().contains("xn--"));
}

#[test]
fn a_rule_names_its_host_and_web_ports_or_its_own_port() {
    assert!(
        rule("example.com").names(&host("Example.COM."), 443) && rule("example.com").names(&host("example.com"), 80)
    );
    assert!(!rule("example.com").names(&host("example.com"), 22));
    assert!(!rule("example.com").names(&host("a.example.com"), 443));
    assert!(!rule("example.com").names(&host("example.com.evil.io"), 443));
    let port = rule("example.com:22");
    assert!(port.names(&host("example.com"), 22) && !port.names(&host("example.com"), 443));
    let below = rule("*.example.com");
    assert!(below.names(&host("a.b.example.com"), 443));
    for other in ["example.com", "badexample.com", "example.com.evil.io"] {
        assert!(!below.names(&host(other), 443), "{other}");
    }
    assert!(rule("registries").names(&host("pypi.org"), 443) && !rule("registries").names(&host("github.com"), 443));
    assert!(rule("10.0.0.0/8:5432").names(&host("10.1.2.3"), 5432) && !rule("10.0.0.0/8").names(&host("11.1.2.3"), 80));
    assert!(rule("[fd00::]/8").names(&host("fd12::1"), 443) && !rule("fd00::/8").names(&host("fe80::1"), 443));
    assert!(rule("0.0.0.0/0").names(&host("1.2.3.4"), 80) && !rule("0.0.0.0/0").names(&host("example.com"), 80));
    assert!(rule("[::1]:4000").names(&host("::1"), 4000));
}

#[test]
fn what_is_no_rule_is_refused() {
    for text in [
        "*",
        "*.",
        "*.*.com",
        "a.*.com",
        "https://example.com",
        "example.com/",
        "example.com:0",
        "example.com:70000",
        "example.com:",
        "example.com:+1",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "example.com/8",
        "*.127.0.0.1",
        "a@b",
        "::1/129",
    ] {
        assert!(text.parse::<HostRule>().is_err(), "{text}");
    }
}

fn rules() -> impl Strategy<Value = HostRule> {
    let name = "[a-c]{1,2}(\\.[a-c]{1,2}){0,2}";
    let pattern = prop_oneof![
        name.prop_map(HostPattern::Name),
        name.prop_map(HostPattern::Below),
        (any::<u32>(), 0..=32_u8).prop_map(|(bits, width)| HostPattern::Network(Ipv4Addr::from(bits).into(), width)),
        (any::<u128>(), 0..=128_u8).prop_filter_map("mapped", |(bits, width)| {
            let address = IpAddr::from(Ipv6Addr::from(bits));
            (address.to_canonical() == address).then_some(HostPattern::Network(address, width))
        }),
    ];
    let port = prop_oneof![Just(None), Just(Some(80)), Just(Some(443)), (1_u16..).prop_map(Some)];
    let hosts = (pattern, port).prop_map(|(pattern, port)| HostRule::Hosts { pattern, port });
    prop_oneof![1 => Just(HostRule::Registries), 9 => hosts]
}

fn hosts() -> impl Strategy<Value = NetHost> {
    prop_oneof![
        "[a-c]{1,2}(\\.[a-c]{1,2}){0,3}".prop_map(NetHost::Name),
        any::<IpAddr>().prop_map(|address| NetHost::Address(address.to_canonical())),
    ]
}

proptest! {
    #[test]
    fn a_rule_reads_back_as_it_is_shown(rule in rules()) {
        prop_assert_eq!(rule.to_string().parse::<HostRule>(), Ok(rule));
    }

    #[test]
    fn a_host_reads_back_as_it_is_shown(host in hosts()) {
        prop_assert_eq!(host.to_string().parse::<NetHost>(), Ok(host));
    }

    #[test]
    fn what_a_covered_rule_names_the_other_names(one in rules(), two in rules(), host in hosts(), port in 79_u16..81) {
        prop_assert!(one.covers(&one));
        prop_assert!(!(one.covers(&two) && two.names(&host, port)) || one.names(&host, port));
    }

    #[test]
    fn no_text_is_read_as_two_hosts(text in "\\PC{0,40}|[0-9a-fx.:\\[\\]%@/]{0,20}") {
        if let Ok(host) = text.parse::<NetHost>() {
            prop_assert_eq!(host.to_string().parse::<NetHost>(), Ok(host.clone()));
            prop_assert_eq!(text.to_ascii_uppercase().parse::<NetHost>(), Ok(host));
        }
    }

    #[test]
    fn every_way_to_write_an_address_is_that_address(bits: u32) {
        let address = NetHost::Address(Ipv4Addr::from(bits).into());
        let [a, b, c, d] = bits.to_be_bytes();
        for text in [
            format!("{bits}"), format!("0x{bits:x}"), format!("0{bits:o}"), format!("{a}.{}", bits & 0xff_ffff),
            format!("0x{a:x}.0{b:o}.{c}.{d}"), format!("{a}.{b}.{}", bits & 0xffff), format!("::ffff:{a}.{b}.{c}.{d}"),
        ] {
            prop_assert_eq!(text.parse::<NetHost>(), Ok(address.clone()), "{}", text);
        }
    }
}
