//! What must not go through, each beside the control that does.

use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use fleet_egress_proxy::{Limits, Why};

use crate::world::{Web, World, status};

#[test]
fn a_host_that_is_not_listed_is_refused_without_being_looked_up() {
    let web = Web::start();
    let place = web.address.to_string();
    let world = World::new(&[&place], &[("evil.example", "127.0.0.1")]);
    assert_eq!(world.connect(&place).0, 200, "the control");
    for _ in 0..3 {
        assert_eq!(world.connect("secret-in-a-label.evil.example:443").0, 403);
    }
    assert_eq!(world.socks("evil.example", 443).0, 2);
    let answer = world.say("GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 403 ") && answer.contains("evil.example:80 is not on the list"), "{answer}");
    assert_eq!(world.looked_up(), Vec::<String>::new());
    let expected = [("evil.example", 80, 1), ("evil.example", 443, 1), ("secret-in-a-label.evil.example", 443, 3)];
    assert_eq!(world.refused_hosts(), expected.map(|(host, port, count)| (host.to_owned(), port, count)));
}

#[test]
fn a_listed_name_that_leads_to_this_machine_is_refused_and_the_address_itself_can_be_listed() {
    let web = Web::start();
    let (name, place) = (format!("public.example:{}", web.address.port()), web.address.to_string());
    let names = [("public.example", "127.0.0.1")];
    let world = World::new(&[&name], &names);
    assert_eq!(world.connect(&name).0, 403);
    assert_eq!(world.socks("public.example", web.address.port()).0, 2);
    assert_eq!(world.refused().iter().map(|refused| refused.why).collect::<Vec<_>>(), [Why::PrivateAddress]);
    let world = World::new(&[&name, &place], &names);
    assert_eq!(world.connect(&name).0, 200, "the control");
    let metadata = World::new(&["meta.example"], &[("meta.example", "169.254.169.254")]);
    assert_eq!(metadata.connect("meta.example:80").0, 403);
}

#[test]
fn no_spelling_of_an_address_that_is_not_listed_goes_through() {
    let web = Web::start();
    let port = web.address.port();
    let world = World::new(&["example.com"], &[]);
    let control = World::new(&[&web.address.to_string()], &[]);
    for host in ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "017700000001", "[::ffff:127.0.0.1]", "localhost"] {
        assert_eq!(world.connect(&format!("{host}:{port}")).0, 403, "{host}");
        assert_eq!(control.connect(&format!("{host}:{port}")).0, 200, "{host}");
    }
    assert_eq!(world.connect(&format!("[::1]:{port}")).0, 403);
    assert_eq!(world.connect(&format!("0.0.0.0:{port}")).0, 403);
}

#[test]
fn neither_host_nor_user_nor_a_second_request_leads_elsewhere() {
    let web = Web::start();
    let place = web.address.to_string();
    let world = World::new(&[&place], &[]);
    let control = world.say(format!("GET http://{place}/ HTTP/1.1\r\nHost: {place}\r\n\r\n"));
    assert_eq!(status(&control), 200);
    web.got();
    for text in [
        format!("GET http://{place}/ HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
        format!("GET http://{place}@evil.example/ HTTP/1.1\r\nHost: {place}\r\n\r\n"),
        format!("GET http://evil.example@{place}/ HTTP/1.1\r\nHost: {place}\r\n\r\n"),
        format!(
            "POST http://{place}/ HTTP/1.1\r\nHost: {place}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
    ] {
        assert_eq!(status(&world.say(&text)), 400, "{text}");
    }
    assert!(web.got_nothing_more());
    // Bytes after a request on its connection are never read.
    let second = "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    let answer = world.say(format!("GET http://{place}/first HTTP/1.1\r\nHost: {place}\r\n\r\n{second}"));
    assert_eq!(answer.matches("HTTP/1.1 200").count(), 1, "{answer}");
    let got = web.got();
    assert!(got.starts_with("GET /first ") && !got.contains("evil"), "{got}");
    let chunked = format!("POST http://{place}/ HTTP/1.1\r\nHost: {place}\r\nTransfer-Encoding: chunked\r\n\r\n");
    world.say(format!("{chunked}0\r\nX: y\r\n\r\n{second}"));
    assert!(!web.got().contains("evil"));
}

#[test]
fn socks_commands_other_than_connecting_are_refused() {
    let world = World::new(&["127.0.0.1:1"], &[]);
    for command in [2, 3] {
        let mut client = world.client();
        client.write_all(&[5, 1, 0, 5, command, 0, 1, 127, 0, 0, 1, 0, 1]).unwrap();
        let mut answer = [0; 12];
        client.read_exact(&mut answer).unwrap();
        assert_eq!(answer[3], 7, "command {command}");
    }
    let mut client = world.client();
    client.write_all(&[5, 1, 2]).unwrap();
    let mut answer = [0; 2];
    client.read_exact(&mut answer).unwrap();
    assert_eq!(answer, [5, 0xff], "a password is not taken");
    assert_eq!(world.socks("a\0b", 443).0, 8);
    assert_eq!(world.socks("user@evil.example", 443).0, 8);
}

#[test]
fn a_head_without_end_is_refused_by_its_size_and_by_its_time() {
    let web = Web::start();
    let place = web.address.to_string();
    let limits = Limits { head_ms: 300, head_bytes: 4096, ..Limits::default() };
    let world = World::held_to(&[&place], &[], limits);
    let long = format!("GET http://{place}/{} HTTP/1.1\r\n\r\n", "a".repeat(5000));
    assert_eq!(status(&world.say(long)), 431);
    // One byte at a time puts nothing off.
    let begun = Instant::now();
    let mut client = world.client();
    let mut sent = 0;
    while client.write_all(b"G").is_ok() && sent < 200 {
        sent += 1;
        // tidy: sleep because the attack is to send slowly
        std::thread::sleep(Duration::from_millis(20));
        if begun.elapsed() > Duration::from_secs(2) {
            break;
        }
    }
    let mut answer = Vec::new();
    let _ = client.read_to_end(&mut answer);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(world.connect(&place).0, 200, "the control");
}

#[test]
fn a_flood_of_connections_takes_a_bounded_number_of_places_and_gives_them_back() {
    let web = Web::start();
    let place = web.address.to_string();
    let limits = Limits { head_ms: 1500, connections: 8, ..Limits::default() };
    let world = World::held_to(&[&place], &[], limits);
    let silent: Vec<_> = (0..8).map(|_| world.client()).collect();
    let mut one_more = world.client();
    let closed = one_more.read(&mut [0; 1]);
    assert!(matches!(closed, Ok(0) | Err(_)), "one too many is closed at once: {closed:?}");
    // Silent connections are closed when their time is over.
    for mut client in silent {
        let _ = client.read(&mut [0; 64]);
    }
    let begun = Instant::now();
    while world.say(format!("GET http://{place}/ HTTP/1.1\r\nHost: {place}\r\n\r\n")).is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
}
