//! One connection of an HTTP client: a tunnel, or one request.
//!
//! A connection carries one request: nothing that follows it is read, so every request is judged.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use types::NetHost;

use crate::accept::{Failed, Proxy};
use crate::framing::{self, Body};
use crate::read::Client;
use crate::request::{self, Request};
use crate::tunnel::tunnel;

/// How long, and how much, a refused client may continue sending before it has read why.
const FAREWELL: Duration = Duration::from_millis(200);
const FAREWELL_BYTES: u64 = 64 << 10;

pub(crate) fn serve(proxy: &Proxy, mut client: Client<'_>) -> io::Result<()> {
    let head = match client.take_until(b"\r\n\r\n", proxy.limits.head_bytes) {
        Ok(Some(head)) => head,
        Ok(None) => return refuse(client.stream, "431 Request Header Fields Too Large", "the head is too long"),
        Err(error) if error.kind() == io::ErrorKind::TimedOut => {
            return refuse(client.stream, "408 Request Timeout", "the head did not come in time");
        }
        Err(error) => return Err(error),
    };
    match request::read(&head) {
        Ok(Request::Connect { host, port }) => connect(proxy, client, &host, port),
        Ok(Request::Plain { host, port, head, body, waits }) => {
            let Some(server) = reached(proxy, client.stream, &host, port)? else { return Ok(()) };
            plain(proxy, client, &server, &head, body, waits)
        }
        Err(why) => {
            proxy.note_malformed(&head);
            refuse(client.stream, "400 Bad Request", why)
        }
    }
}

fn connect(proxy: &Proxy, client: Client<'_>, host: &NetHost, port: u16) -> io::Result<()> {
    let Some(server) = reached(proxy, client.stream, host, port)? else { return Ok(()) };
    let mut stream = client.stream;
    stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
    tunnel(stream, &server, client.ahead, proxy.limits.idle())
}

fn plain(
    proxy: &Proxy,
    mut client: Client<'_>,
    mut server: &TcpStream,
    head: &[u8],
    body: Body,
    waits: bool,
) -> io::Result<()> {
    server.write_all(head)?;
    let mut stream = client.stream;
    if waits && client.ahead.is_empty() {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    client.put_off();
    match framing::hand_on(&mut client, body, server) {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            return refuse(stream, "400 Bad Request", "the body is malformed");
        }
        // A server that has heard enough closes early, and says why in its answer.
        Ok(()) | Err(_) => {}
    }
    server.set_read_timeout(Some(proxy.limits.idle()))?;
    stream.set_write_timeout(Some(proxy.limits.idle()))?;
    io::copy(&mut server, &mut stream)?;
    stream.shutdown(Shutdown::Write)
}

/// Connects, or answers the client why not.
fn reached(proxy: &Proxy, client: &TcpStream, host: &NetHost, port: u16) -> io::Result<Option<TcpStream>> {
    match proxy.reach(host, port) {
        Ok(server) => Ok(Some(server)),
        Err(Failed::Refused(why)) => refuse(client, "403 Forbidden", &format!("{host}:{port} {why}")).map(|()| None),
        Err(Failed::Unreachable(error)) => {
            refuse(client, "502 Bad Gateway", &format!("{host}:{port} is unreachable: {error}")).map(|()| None)
        }
    }
}

fn refuse(mut client: &TcpStream, status: &str, why: &str) -> io::Result<()> {
    let text = format!("fleet: {why}\n");
    let length = text.len();
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n");
    client.write_all(format!("{head}Connection: close\r\n\r\n{text}").as_bytes())?;
    client.shutdown(Shutdown::Write)?;
    // Closing while bytes are unread would take back what was just said.
    client.set_read_timeout(Some(FAREWELL))?;
    let _ = io::copy(&mut client.take(FAREWELL_BYTES), &mut io::sink());
    Ok(())
}
