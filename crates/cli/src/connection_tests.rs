//! How the server and the token are found.

use super::*;

fn environment(home: &std::path::Path, more: &[(&str, &str)]) -> Environment {
    let home = home.display().to_string();
    std::iter::once(("FLEET_HOME", home.as_str())).chain(more.iter().copied()).collect()
}

#[test]
fn the_server_is_found_by_option_then_environment_then_home_then_settings() {
    let folder = tempfile::tempdir().unwrap();
    let plain = environment(folder.path(), &[]);
    assert_eq!(Options::default().server_url(&plain).unwrap(), "http://127.0.0.1:3847");
    let port = environment(folder.path(), &[("PORT", "4000")]);
    assert_eq!(Options::default().server_url(&port).unwrap(), "http://127.0.0.1:4000");

    let chosen = environment(folder.path(), &[("PORT", "0")]);
    assert_eq!(Options::default().server_url(&chosen).unwrap_err().exit_code(), 8);

    let started_at = Clock::system().now();
    let server = ServerFile { pid: 1, host: "0.0.0.0".to_owned(), port: 5000, started_at, version: "0".to_owned() };
    Home::at(folder.path()).write_server(&server).unwrap();
    assert_eq!(Options::default().server_url(&port).unwrap(), "http://127.0.0.1:5000");

    let named = environment(folder.path(), &[("CLAUDE_FLEET_URL", "http://b")]);
    assert_eq!(Options::default().server_url(&named).unwrap(), "http://b");
    let option = Options { url: Some("http://a".to_owned()), ..Options::default() };
    assert_eq!(option.server_url(&named).unwrap(), "http://a");
}

#[test]
fn an_address_to_listen_on_becomes_one_to_call() {
    for (host, url) in [
        ("127.0.0.1", "http://127.0.0.1:1"),
        ("0.0.0.0", "http://127.0.0.1:1"),
        ("::", "http://[::1]:1"),
        ("fe80::1", "http://[fe80::1]:1"),
        ("localhost", "http://localhost:1"),
    ] {
        assert_eq!(local_url(host, 1), url);
    }
}

#[test]
fn without_a_token_the_local_key_signs_one_for_the_owner() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path(), &[("CLAUDE_CODE_AGENT_NAME", "scout")]);
    let clock = Clock::system();
    let token = Options::default().bearer_token(&environment, &clock).unwrap();
    let key = Home::at(folder.path()).local_key().unwrap();
    assert_eq!(Keys::new(key.bytes(), None).verify(&token, clock.now()), Ok(Member::owner()));
}

#[test]
fn a_token_that_is_given_needs_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path(), &[("FLEET_TOKEN", "b")]);
    let option = Options { token: Some("a".to_owned()), ..Options::default() };
    assert_eq!(option.bearer_token(&environment, &Clock::system()).unwrap(), "a");
    assert_eq!(Options::default().bearer_token(&environment, &Clock::system()).unwrap(), "b");
    assert!(!Home::at(folder.path()).token().exists());
}

#[test]
fn the_owners_token_is_sent_to_this_machine_alone() {
    let directory = tempfile::tempdir().unwrap();
    let environment = Environment::from_iter([("FLEET_HOME", directory.path().display().to_string())]);
    let token = |url: &str| {
        let options = Options { url: Some(url.to_owned()), ..Options::default() };
        options.bearer_token(&environment, &Clock::system())
    };
    for here in ["http://127.0.0.1:1", "http://localhost", "http://[::1]:3847/", "http://127.8.9.1:80/x"] {
        assert!(token(here).is_ok(), "{here}");
    }
    for elsewhere in
        ["http://fleet.example", "https://10.0.0.7:3847", "http://127.0.0.1@fleet.example/", "http://127.0.0.1.example"]
    {
        assert_eq!(token(elsewhere).unwrap_err().exit_code(), api::Kind::Unauthenticated.exit_code(), "{elsewhere}");
    }
}
