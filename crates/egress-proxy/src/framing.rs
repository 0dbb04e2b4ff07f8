//! The body of a request: exactly what its head announced goes to the server, and not one byte of what follows.

use std::io::{self, Write as _};
use std::net::TcpStream;

use crate::read::Client;

/// How long a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    /// There is none.
    None,
    /// So many bytes.
    Length(u64),
    /// Chunks, each with its length, up to an empty one.
    Chunked,
}

/// The longest line before a chunk, and the longest trailer.
const LINE_MAX: usize = 256;

/// Hands a body on.
pub(crate) fn hand_on(client: &mut Client<'_>, body: Body, mut server: &TcpStream) -> io::Result<()> {
    match body {
        Body::None => Ok(()),
        Body::Length(length) => bytes(client, length, server),
        Body::Chunked => loop {
            let malformed = || io::Error::from(io::ErrorKind::InvalidData);
            let line = client.take_until(b"\r\n", LINE_MAX)?.ok_or_else(malformed)?;
            let length = chunk(&line).ok_or_else(malformed)?;
            server.write_all(format!("{length:x}\r\n").as_bytes())?;
            bytes(client, length, server)?;
            // What follows the last chunk is empty: headers that come so late are not for us to judge.
            if client.take(2)? != b"\r\n" {
                return Err(malformed());
            }
            server.write_all(b"\r\n")?;
            if length == 0 {
                return Ok(());
            }
        },
    }
}

/// Reads the line before a chunk; the part after a semicolon is dropped.
fn chunk(line: &[u8]) -> Option<u64> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix("\r\n")?;
    let length = line.split(';').next()?;
    let is_hex = (1..=15).contains(&length.len()) && length.bytes().all(|letter| letter.is_ascii_hexdigit());
    let is_plain = !line.contains(['\r', '\n']);
    u64::from_str_radix(length, 16).ok().filter(|_| is_hex && is_plain)
}

fn bytes(client: &mut Client<'_>, mut left: u64, mut server: &TcpStream) -> io::Result<()> {
    while left > 0 {
        if client.ahead.is_empty() {
            client.fill()?;
        }
        let count = client.ahead.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        server.write_all(&client.take(count)?)?;
        left -= u64::try_from(count).unwrap_or(left);
        client.put_off();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_a_chunk_has_one_spelling() {
        assert_eq!(chunk(b"1a\r\n"), Some(26));
        assert_eq!(chunk(b"1A;name=value\r\n"), Some(26));
        for line in [
            &b"\r\n"[..],
            b"-1\r\n",
            b"+1\r\n",
            b"0x1\r\n",
            b" 1\r\n",
            b"1 \r\n",
            b"1",
            b"1\n\r\n",
            b"ffffffffffffffff\r\n",
        ] {
            assert_eq!(chunk(line), None, "{line:?}");
        }
    }
}
