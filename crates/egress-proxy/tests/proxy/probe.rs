//! The proxy as a process, and an agent that tries to reach others.

mod inside;

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::net::{TcpStream, UdpSocket};
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    match args.split_first() {
        Some((word, rest)) if word == fleet_egress_proxy::WORD => fleet_egress_proxy::main(rest).into(),
        Some((word, rest)) if word == "inside" => inside::main(rest).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS),
        Some((word, rest)) if word == "try" => tries(rest),
        Some(_) | None => ExitCode::from(2),
    }
}

/// Tries what is named, each in the form `KIND=ADDRESS`, and prints what came of it.
fn tries(args: &[OsString]) -> ExitCode {
    for text in args.iter().map(|text| text.to_string_lossy()) {
        let done = match text.split_once('=') {
            Some(("tcp", address)) => tcp(address, ""),
            Some(("udp", address)) => udp(address),
            Some(("via", place)) => place.split_once('/').and_then(|(proxy, target)| tcp(proxy, target)),
            Some(_) | None => None,
        };
        let done = done.unwrap_or_else(|| "nothing".to_owned());
        if writeln!(std::io::stdout(), "{done}").is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Connects, asks for a tunnel if a target is named, and then for a page; returns the last line of the answer.
fn tcp(address: &str, target: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
    if !target.is_empty() {
        stream.write_all(format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n").as_bytes()).ok()?;
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).ok()?;
        let code = String::from_utf8_lossy(&answer).split(' ').nth(1).map(str::to_owned);
        if code.as_deref() != Some("200") {
            return code;
        }
    }
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").ok()?;
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer.lines().last().map(str::to_owned)
}

/// Asks by UDP, as for a name.
fn udp(address: &str) -> Option<String> {
    let socket = UdpSocket::bind("127.0.0.1:0").ok()?;
    socket.set_read_timeout(Some(Duration::from_millis(500))).ok()?;
    socket.send_to(b"name?", address).ok()?;
    let mut answer = [0; 16];
    let (length, _) = socket.recv_from(&mut answer).ok()?;
    Some(String::from_utf8_lossy(answer.get(..length)?).into_owned())
}
