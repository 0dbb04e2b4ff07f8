//! How the server and the token are found.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};

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

/// A server of a few lines that answers one challenge as `answer` says, and keeps what it was sent after that.
fn server(answer: impl FnOnce(&str, SocketAddr) -> String + Send + 'static) -> (String, Arc<Mutex<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let heard = Arc::new(Mutex::new(String::new()));
    let hears = Arc::clone(&heard);
    let serve = move || {
        let mut answer = Some(answer);
        while let Ok((mut stream, _)) = listener.accept() {
            let mut line = String::new();
            let mut reader = BufReader::new(&stream);
            let mut whole = String::new();
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                whole.push_str(&std::mem::take(&mut line));
            }
            hears.lock().unwrap().push_str(&whole);
            let challenge =
                whole.split("challenge=").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
            let body = answer.take().map_or_else(|| "[]".to_owned(), |answer| answer(challenge, address));
            let head = format!("HTTP/1.1 200 X\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
            stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        }
    };
    runtime::thread("stub", serve).unwrap();
    (format!("http://{address}"), heard)
}

fn at(url: &str) -> Options {
    Options { url: Some(url.to_owned()), ..Options::default() }
}

async fn lists(options: &Options, environment: &Environment) -> Result<(), Failure> {
    let client = options.connect(environment, &Clock::system()).await?;
    client.call(api::devfleet::ListModels {}).await.map(drop).map_err(Failure::from)
}

#[tokio::test]
async fn the_server_that_has_the_key_of_this_home_gets_a_token_of_the_owner() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path(), &[("CLAUDE_CODE_AGENT_NAME", "scout")]);
    let key = Home::at(folder.path()).local_key().unwrap();
    let keys = Keys::new(key.bytes(), None);
    let (url, heard) =
        server(move |challenge, address| format!(r#"{{"proof":"{}"}}"#, keys.prove(challenge, address).unwrap()));
    lists(&at(&url), &environment).await.unwrap();
    let heard = heard.lock().unwrap().to_lowercase();
    assert_eq!(heard.matches("authorization: bearer").count(), 1, "{heard}");
    assert!(heard.find("authorization").unwrap() > heard.find("challenge=").unwrap());
}

#[tokio::test]
async fn a_server_that_does_not_prove_itself_is_sent_nothing_secret() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path(), &[]);
    let key = Home::at(folder.path()).local_key().unwrap();
    let bytes = *key.bytes();
    let silent = server(|_, _| "[]".to_owned());
    let guesses = server(|_, _| r#"{"proof":"AAAA"}"#.to_owned());
    let other_key = server(|challenge, address| {
        let other = Keys::new(b"another local key of 32 bytes...", None);
        format!(r#"{{"proof":"{}"}}"#, other.prove(challenge, address).unwrap())
    });
    // It passes the challenge on to the true server, which answers for its own address.
    let passes_on = server(move |challenge, _| {
        let true_one = Keys::new(&bytes, None).prove(challenge, "127.0.0.1:3847".parse().unwrap()).unwrap();
        format!(r#"{{"proof":"{true_one}"}}"#)
    });
    for (url, heard) in [silent, guesses, other_key, passes_on] {
        let failure = lists(&at(&url), &environment).await.unwrap_err();
        assert_eq!(failure.exit_code(), api::Kind::Unauthenticated.exit_code(), "{url}");
        assert!(!heard.lock().unwrap().to_lowercase().contains("authorization"), "{url}");
        // The control: a token that is given goes wherever it is sent.
        let given = Options { token: Some("given".to_owned()), ..at(&url) };
        lists(&given, &environment).await.unwrap();
        assert!(heard.lock().unwrap().to_lowercase().contains("authorization: bearer given"), "{url}");
    }
}

#[tokio::test]
async fn a_client_makes_neither_a_home_nor_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("none");
    let environment = environment(&home, &[]);
    let (url, _) = server(|_, _| "[]".to_owned());
    assert!(lists(&at(&url), &environment).await.is_err());
    assert!(owner_token(&environment, &Clock::system(), CALL_LIFETIME).is_err());
    let given = Options { token: Some("given".to_owned()), ..at(&url) };
    lists(&given, &environment).await.unwrap();
    assert!(!home.exists());
}

#[test]
fn only_an_address_that_is_plain_can_be_proven() {
    let addresses = |url: &str| Client::new(url, None).unwrap().address().len();
    for (url, count) in [
        ("http://127.0.0.1:1", 1),
        ("http://[::1]:3847/", 1),
        ("http://10.0.0.7:3847", 1),
        ("http://localhost:1", 2),
        ("http://fleet.example", 0),
        ("https://10.0.0.7:3847", 0),
        ("http://127.0.0.1@fleet.example/", 0),
        ("http://127.0.0.1.example", 0),
        ("http://127.0.0.1:1/prefix", 0),
    ] {
        assert_eq!(addresses(url), count, "{url}");
    }
}
