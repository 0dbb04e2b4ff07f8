use proptest::prelude::*;

use super::*;

fn plain(text: &str) -> Result<(String, u16, String, Body), Malformed> {
    match read(text.as_bytes())? {
        Request::Plain { host, port, head, body, .. } => {
            Ok((host.to_string(), port, String::from_utf8(head).unwrap(), body))
        }
        Request::Connect { .. } => Err("a tunnel"),
    }
}

fn tunnel(text: &str) -> Result<(String, u16), Malformed> {
    match read(text.as_bytes())? {
        Request::Connect { host, port } => Ok((host.to_string(), port)),
        Request::Plain { .. } => Err("no tunnel"),
    }
}

#[test]
fn a_request_is_sent_on_with_the_host_that_was_judged_and_without_what_concerns_the_connection() {
    let text = "GET http://Example.com:8080?q=1 HTTP/1.1\r\nHost: example.COM.:8080\r\nAccept: */*\r\n\
                Connection: keep-alive, X-Own\r\nX-Own: 1\r\nProxy-Authorization: Basic x\r\nUpgrade: h2c\r\n\
                Content-Length: 3\r\n\r\n";
    let (host, port, head, body) = plain(text).unwrap();
    assert_eq!((host.as_str(), port, body), ("example.com", 8080, Body::Length(3)));
    let expected = "GET /?q=1 HTTP/1.1\r\nHost: example.com:8080\r\naccept: */*\r\ncontent-length: 3\r\n\
                    connection: close\r\n\r\n";
    assert_eq!(head, expected);
}

#[test]
fn a_tunnel_names_a_host_and_a_port() {
    assert_eq!(tunnel("CONNECT Example.com:443 HTTP/1.1\r\n\r\n"), Ok(("example.com".to_owned(), 443)));
    assert_eq!(tunnel("CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]\r\n\r\n"), Ok(("[::1]".to_owned(), 443)));
    assert_eq!(tunnel("CONNECT 0x7f.1:80 HTTP/1.0\r\nHost: 127.0.0.1:80\r\n\r\n"), Ok(("127.0.0.1".to_owned(), 80)));
}

#[test]
fn what_can_be_read_in_two_ways_is_refused() {
    for text in [
        "CONNECT good.example HTTP/1.1\r\n\r\n",
        "CONNECT good.example:0 HTTP/1.1\r\n\r\n",
        "CONNECT good.example:443@evil.example:443 HTTP/1.1\r\n\r\n",
        "CONNECT good.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n",
        "CONNECT good.example:443 HTTP/1.1\r\nHost: good.example:22\r\n\r\n",
        "CONNECT http://good.example:443/ HTTP/1.1\r\n\r\n",
        "GET http://good.example@evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "GET http://evil.example\\@good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
        "GET http://evil.example#@good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
        "GET http://good.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\nHost: evil.example\r\n\r\n",
        "GET http://good.example/ HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: good.example\r\n\r\n",
        "GET https://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
        "GET ftp://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
        "GET http:// HTTP/1.1\r\nHost: \r\n\r\n",
        "GET  http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
        "GET http://good.example/ x HTTP/1.1\r\nHost: good.example\r\n\r\n",
        "GET http://good.example/ HTTP/2\r\nHost: good.example\r\n\r\n",
        "GET http://good.example/\tHTTP/1.1\r\nHost: good.example\r\n\r\n",
        "GET http://good.example/ HTTP/1.1\r\nHost : good.example\r\n\r\n",
        "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n folded\r\n\r\n",
        "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\nX: a\nY: b\r\n\r\n",
        "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\nX: a\rY: b\r\n\r\n",
        "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\nX: a\0\r\n\r\n",
        "POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\nContent-Length: 1, 1\r\n\r\n",
        "POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\nContent-Length: +1\r\n\r\n",
        "POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\nContent-Length: \r\n\r\n",
        "POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        "POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\nTransfer-Encoding: identity\r\n\r\n",
        "POST http://good.example/ HTTP/1.0\r\nHost: good.example\r\nTransfer-Encoding: chunked\r\n\r\n",
    ] {
        assert!(read(text.as_bytes()).is_err(), "{text:?}");
    }
}

proptest! {
    #[test]
    fn whatever_comes_what_is_sent_on_is_one_head_for_the_host_that_was_judged(
        method in "(GET|POST|CONNECT|\\PC{0,4})",
        target in "(http://)?[a-c.@:/#\\\\\\[\\]0-9\r\n ]{0,20}",
        headers in prop::collection::vec(
            ("(host|content-length|transfer-encoding|connection|x)[ :]{0,2}", "[a-c:0-9, \r\n\0]{0,8}|chunked"), 0..4),
    ) {
        let mut text = format!("{method} {target} HTTP/1.1\r\n");
        for (name, value) in headers {
            text.push_str(&format!("{name}:{value}\r\n"));
        }
        text.push_str("\r\n");
        if let Ok(Request::Plain { host, port, head, body, .. }) = read(text.as_bytes()) {
            let head = String::from_utf8(head).unwrap();
            prop_assert_eq!(head.matches("\r\n\r\n").count(), 1);
            prop_assert!(head.ends_with("\r\n\r\n"));
            prop_assert_eq!(head.matches('\n').count(), head.matches("\r\n").count());
            prop_assert_eq!(head.matches('\r').count(), head.matches("\r\n").count());
            let named: Vec<&str> = head.lines().filter_map(|line| line.strip_prefix("Host: ")).collect();
            prop_assert_eq!(named.len(), 1);
            prop_assert_eq!(authority(named[0], Some(80)), Ok((host, port)));
            prop_assert_eq!(head.matches("\r\nhost:").count(), 0);
            prop_assert_eq!(head.contains("\r\ntransfer-encoding:"), body == Body::Chunked);
            prop_assert_eq!(head.contains("\r\ncontent-length:"), matches!(body, Body::Length(_)));
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&[&bytes[..], b"\r\n\r\n"].concat());
    }
}
