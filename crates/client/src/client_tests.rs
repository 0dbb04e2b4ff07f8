//! The client without a server; with one, it is tested through the command line.

use std::net::TcpListener;

use api::claude_fleet::GetHealth;

use super::*;

#[test]
fn an_address_that_is_no_url_of_the_web_is_refused() {
    for (address, reason) in [
        ("localhost:3847", "it is neither http nor https"),
        ("ftp://h", "it is neither http nor https"),
        ("3847", "relative URL without a base"),
    ] {
        let error = Client::new(address, None).unwrap_err();
        assert_eq!(error.message, format!("cannot use `{address}` as the server's URL: {reason}"));
        assert_eq!(error.hints, ["Give it as `http://127.0.0.1:3847`."]);
    }
}

#[test]
fn a_token_that_cannot_travel_is_refused_and_a_line_end_is_cut() {
    assert_eq!(Client::new("http://h", Some("a\nb")).unwrap_err().code, Code::TOKEN_INVALID);
    assert!(Client::new("http://h", Some("abc\n")).is_ok());
}

#[test]
fn a_client_shows_no_token_to_whoever_prints_it() {
    let client = Client::new("http://h", Some("secret-token")).unwrap();
    assert!(!format!("{client:?}").contains("secret-token"));
}

#[test]
fn https_is_possible_too() {
    assert!(Client::new("https://fleet.example", None).is_ok());
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_with_what_to_do() {
    // Bound and dropped, so that the port is free and nothing answers on it.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("http://127.0.0.1:{port}");
    let error = Client::new(&address, None).unwrap().call(GetHealth {}).await.unwrap_err();
    assert_eq!(error.code, Code::SERVER_UNREACHABLE);
    assert!(error.message.starts_with(&format!("cannot reach the server at {address}: ")), "{error}");
    assert_eq!(error.hints, ["Start it: `fleet up --background`."]);
}
