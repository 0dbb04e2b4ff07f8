use std::collections::BTreeSet;

use super::*;
use crate::environment::CLIENT;
use crate::recognised::{RECOGNISED, RECOGNISED_KEYS};

#[test]
fn no_name_means_two_things() {
    let read = SETTINGS.iter().flat_map(|setting| setting.env).chain(CLIENT.iter().flat_map(|variable| variable.names));
    let variables: Vec<&str> = read.copied().chain(RECOGNISED.iter().map(|known| known.name)).collect();
    let keys: Vec<&str> =
        SETTINGS.iter().flat_map(Setting::names).chain(RECOGNISED_KEYS.iter().map(|known| known.name)).collect();
    for names in [variables, keys] {
        let mut seen = BTreeSet::new();
        let twice: Vec<_> = names.into_iter().filter(|name| !seen.insert(*name)).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }
}

#[test]
fn every_setting_is_one_sentence_that_fits_a_table() {
    let settings = SETTINGS.iter().map(|setting| (setting.key, setting.doc));
    let recognised = RECOGNISED.iter().chain(RECOGNISED_KEYS).map(|known| (known.name, known.doc));
    for (name, doc) in settings.chain(recognised).chain(CLIENT.iter().map(|variable| (variable.names[0], variable.doc)))
    {
        assert!(doc.ends_with('.') && doc.len() <= 110 && !doc.contains('|') && doc == doc.trim(), "{name}: {doc}");
    }
}

#[test]
fn only_what_signs_and_the_addresses_of_webhooks_is_secret() {
    let secrets: Vec<_> = SETTINGS.iter().filter(|setting| setting.secret).map(|setting| setting.key).collect();
    assert_eq!(secrets, ["jwt_secret", "callback_secret", "notify_webhook", "notify_slack"]);
}

#[test]
fn an_alias_finds_its_setting() {
    assert_eq!(Setting::find("max_concurrent").map(|setting| setting.key), Some("max_workers"));
    assert_eq!(Setting::find("MAX_WORKERS"), None);
}

#[test]
fn an_origin_has_no_path() {
    for origin in ["*", "http://localhost:3847", "https://tools.example"] {
        assert!(is_origin(origin), "{origin}");
    }
    for text in ["", "localhost", "https://", "https://tools.example/", "ftp://x", "https://me@tools.example"] {
        assert!(!is_origin(text), "{text}");
    }
}
