//! What goes through.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener};

use crate::world::{PATIENCE, Web, World, status};

#[test]
fn a_tunnel_carries_bytes_both_ways_and_each_side_closes_for_itself() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = server.local_addr().unwrap();
    let world = World::new(&[&place.to_string()], &[]);
    for way in ["http", "socks"] {
        let mut client = if way == "http" {
            let (status, client) = world.connect(&place.to_string());
            assert_eq!(status, 200);
            client
        } else {
            let (code, client) = world.socks("127.0.0.1", place.port());
            assert_eq!(code, 0);
            client
        };
        let (mut far, _) = server.accept().unwrap();
        far.set_read_timeout(Some(PATIENCE)).unwrap();
        let big = vec![7; 1 << 20];
        let sent = big.clone();
        let mut writer = client.try_clone().unwrap();
        let writes = runtime::thread("client", move || {
            writer.write_all(&sent).unwrap();
            writer.shutdown(Shutdown::Write).unwrap();
        });
        let mut got = Vec::new();
        far.read_to_end(&mut got).unwrap();
        writes.unwrap().join().unwrap();
        assert!(got == big, "{} bytes came", got.len());
        far.write_all(b"and back").unwrap();
        drop(far);
        let mut back = String::new();
        client.read_to_string(&mut back).unwrap();
        assert_eq!(back, "and back", "{way}");
    }
    assert_eq!(world.refused_hosts(), []);
}

#[test]
fn a_plain_request_goes_to_its_host_with_its_body_and_the_answer_comes_back() {
    let web = Web::start();
    let place = web.address;
    let listed = format!("web.example:{}", place.port());
    let address = format!("127.0.0.1:{}", place.port());
    let world = World::new(&[&listed, &address], &[("web.example", "127.0.0.1")]);
    let host = format!("WEB.example:{}", place.port());
    let answer = world.say(format!("POST http://{host}/a?b HTTP/1.1\r\nHost: {host}\r\nContent-Length: 4\r\n\r\nbody"));
    assert_eq!(status(&answer), 200);
    assert!(answer.ends_with("here"));
    let got = web.got();
    assert!(
        got.starts_with(&format!("POST /a?b HTTP/1.1\r\nHost: {listed}\r\n")) && got.ends_with("\r\n\r\nbody"),
        "{got}"
    );
    let chunks = "Transfer-Encoding: chunked\r\n\r\n4;x=y\r\nbody\r\n0\r\n\r\n";
    let answer = world.say(format!("PUT http://{host} HTTP/1.1\r\nHost: {host}\r\nExpect: 100-continue\r\n{chunks}"));
    assert_eq!(status(&answer), 200, "{answer}");
    assert!(web.got().ends_with("\r\n\r\n4\r\nbody\r\n0\r\n\r\n"));
    assert_eq!(world.looked_up(), ["web.example", "web.example"]);
}

#[test]
fn a_client_that_waits_to_be_told_to_go_on_is_told() {
    let web = Web::start();
    let world = World::new(&[&web.address.to_string()], &[]);
    let mut client = world.client();
    let head = format!(
        "POST http://{0}/ HTTP/1.1\r\nHost: {0}\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n",
        web.address
    );
    client.write_all(head.as_bytes()).unwrap();
    let mut told = [0; 25];
    client.read_exact(&mut told).unwrap();
    assert_eq!(&told, b"HTTP/1.1 100 Continue\r\n\r\n");
    client.write_all(b"ok").unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert_eq!(status(&answer), 200);
    assert!(web.got().ends_with("ok"));
}

#[test]
fn a_host_that_does_not_answer_is_unreachable_and_not_refused() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let world = World::new(&[&closed, "gone.example"], &[]);
    assert_eq!(world.connect(&closed).0, 502);
    assert_eq!(world.connect("gone.example:443").0, 502);
    assert_eq!(world.socks("gone.example", 443).0, 4);
    assert_eq!(world.refused_hosts(), []);
}
