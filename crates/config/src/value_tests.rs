use proptest::{prop_assert, prop_assert_eq, proptest};

use super::*;

#[test]
fn durations_are_whole_numbers_with_a_unit_or_of_seconds() {
    let hours = |hours: u64| Duration::from_secs(hours * 3600);
    for (text, expected) in [
        ("24h", hours(24)),
        ("30m", Duration::from_secs(1800)),
        ("7d", hours(7 * 24)),
        ("45s", Duration::from_secs(45)),
        ("3600", hours(1)),
        ("3650d", hours(3650 * 24)),
    ] {
        assert_eq!(Duration::parse(text), Ok(expected), "{text}");
    }
}

#[test]
fn other_durations_are_refused() {
    let huge = "99999999999999999999d";
    for text in
        ["", "h", "1.5h", "-1h", "+1h", " 24h", "24 h", "24H", "1h30m", "0", "0d", "3651d", "10y", "5µ", "5é", huge]
    {
        assert!(Duration::parse(text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_parser_panic(text: String) {
        let _ = Duration::parse(&text);
        let _ = Host::parse(&text);
        let _ = u16::parse(&text);
        prop_assert!(Vec::<String>::parse(&text).is_ok());
    }

    #[test]
    fn units_agree(days in 1_u64..3650) {
        let spellings = [format!("{days}d"), format!("{}h", days * 24), format!("{}m", days * 1440), (days * 86_400).to_string()];
        for text in spellings {
            prop_assert_eq!(Duration::parse(&text), Ok(Duration::from_secs(days * 86_400)));
        }
    }
}

#[test]
fn a_host_is_an_address_or_a_name_and_nothing_else() {
    for (text, loopback) in [
        ("127.0.0.1", true),
        ("127.9.9.9", true),
        ("::1", true),
        ("[::1]", true),
        ("localhost", true),
        ("0.0.0.0", false),
        ("::", false),
        ("192.168.1.4", false),
        ("fleet.example", false),
        ("localhost.example", false),
    ] {
        let host = Host::parse(text).unwrap();
        assert_eq!(host.is_loopback(), loopback, "{text}");
    }
    for text in ["", "http://localhost", "localhost:3847", "a b", "host/path"] {
        assert!(Host::parse(text).is_err(), "{text}");
    }
}

#[test]
fn booleans_have_the_usual_spellings() {
    for (text, expected) in [("true", true), ("1", true), ("Yes", true), ("off", false), ("FALSE", false), ("0", false)]
    {
        assert_eq!(bool::parse(text), Ok(expected), "{text}");
    }
    assert!(bool::parse("maybe").is_err());
}

#[test]
fn a_list_ignores_blanks_and_empty_parts() {
    assert_eq!(Vec::<String>::parse(" a, ,b ,"), Ok(vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(Vec::<String>::parse(""), Ok(Vec::new()));
}

#[test]
fn a_secret_is_never_shown() {
    let secret = <Option<Secret>>::parse("hunter2").unwrap().unwrap();
    assert_eq!(format!("{secret:?}"), "(hidden)");
    assert_eq!(secret.expose(), "hunter2");
    assert_eq!(<Option<Secret>>::parse(""), Ok(None));
}

#[test]
fn storage_backends_that_are_documented_but_not_built_are_refused_as_such() {
    for name in ["dynamodb", "s3", "firestore", "postgresql"] {
        assert!(StorageBackend::parse(name).unwrap_err().contains("not built yet in this version"), "{name}");
    }
    assert_eq!(StorageBackend::parse("mysql"), Err("takes sqlite or memory".to_owned()));
}
