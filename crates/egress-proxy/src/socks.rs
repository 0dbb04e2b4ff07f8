//! One connection of a SOCKS5 client (RFC 1928): no authentication, connecting only.

use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use types::NetHost;

use crate::accept::{Failed, Proxy};
use crate::read::Client;
use crate::tunnel::tunnel;

/// The first byte of every message.
pub(crate) const VERSION: u8 = 5;

const NO_AUTHENTICATION: u8 = 0;
const NO_METHOD: u8 = 0xff;
const CONNECT: u8 = 1;

/// What a request is answered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Answer {
    Done = 0,
    NotAllowed = 2,
    HostUnreachable = 4,
    NoSuchCommand = 7,
    NoSuchAddress = 8,
}

pub(crate) fn serve(proxy: &Proxy, mut client: Client<'_>) -> io::Result<()> {
    let mut stream = client.stream;
    let count = byte(&client.take(2)?, 1);
    let methods = client.take(count.into())?;
    if !methods.contains(&NO_AUTHENTICATION) {
        return stream.write_all(&[VERSION, NO_METHOD]);
    }
    stream.write_all(&[VERSION, NO_AUTHENTICATION])?;
    let request = client.take(4)?;
    if byte(&request, 0) != VERSION {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let host = host(&mut client, byte(&request, 3))?;
    let port = client.take(2)?;
    let port = u16::from_be_bytes([byte(&port, 0), byte(&port, 1)]);
    let answer = |answer: Answer| [VERSION, answer as u8, 0, 1, 0, 0, 0, 0, 0, 0];
    let Some(host) = host else { return stream.write_all(&answer(Answer::NoSuchAddress)) };
    if byte(&request, 1) != CONNECT {
        return stream.write_all(&answer(Answer::NoSuchCommand));
    }
    match proxy.reach(&host, port) {
        Ok(server) => {
            stream.write_all(&answer(Answer::Done))?;
            tunnel(stream, &server, client.ahead, proxy.limits.idle())
        }
        Err(Failed::Refused(_)) => stream.write_all(&answer(Answer::NotAllowed)),
        Err(Failed::Unreachable(_)) => stream.write_all(&answer(Answer::HostUnreachable)),
    }
}

/// Reads a host; none if it is malformed.
fn host(client: &mut Client<'_>, kind: u8) -> io::Result<Option<NetHost>> {
    match kind {
        1 => Ok(<[u8; 4]>::try_from(client.take(4)?).ok().map(|octets| literal(Ipv4Addr::from(octets).into()))),
        4 => Ok(<[u8; 16]>::try_from(client.take(16)?).ok().map(|octets| literal(Ipv6Addr::from(octets).into()))),
        3 => {
            let length = byte(&client.take(1)?, 0);
            let name = client.take(length.into())?;
            Ok(std::str::from_utf8(&name).ok().and_then(|name| name.parse().ok()))
        }
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

fn literal(address: IpAddr) -> NetHost {
    NetHost::Address(address.to_canonical())
}

fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or_default()
}
