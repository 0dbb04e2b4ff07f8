//! Plain HTTP over loopback, as much of it as a load and an auditor need.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

/// How long an answer may take; ending an agent that does not listen takes seconds.
const ANSWER_MAX: Duration = Duration::from_secs(30);

/// A request, ready to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Request(pub(crate) String);

/// A kept HTTP connection.
pub(crate) struct Connection {
    reader: BufReader<TcpStream>,
}

/// How long the body of an answer is.
enum Length {
    Bytes(usize),
    Chunks,
}

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) id: Option<String>,
    pub(crate) data: String,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(ANSWER_MAX))?;
        Ok(Self { reader: BufReader::with_capacity(64 * 1024, stream) })
    }

    /// Sends a request and reads the whole answer.
    pub(crate) fn send(&mut self, request: &Request) -> Result<(u16, Vec<u8>)> {
        self.reader.get_mut().write_all(request.0.as_bytes())?;
        let (status, length) = self.head()?;
        let body = match length {
            Length::Bytes(length) => self.exactly(length)?,
            Length::Chunks => self.chunks()?,
        };
        Ok((status, body))
    }

    fn exactly(&mut self, length: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.reader.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn chunks(&mut self) -> Result<Vec<u8>> {
        let (mut body, mut line) = (Vec::new(), String::new());
        loop {
            line.clear();
            self.reader.read_line(&mut line)?;
            let length = usize::from_str_radix(line.trim_end(), 16).context("a chunk begins with its length")?;
            // The end of a line follows each chunk.
            let mut chunk = self.exactly(length + 2)?;
            chunk.truncate(length);
            body.append(&mut chunk);
            if length == 0 {
                return Ok(body);
            }
        }
    }

    /// Begins to read a stream, whose request says HTTP/1.0: then it is not in chunks, and ends with the connection.
    pub(crate) fn follow(address: SocketAddr, request: &Request) -> Result<Self> {
        let mut connection = Self::open(address)?;
        connection.reader.get_mut().write_all(request.0.as_bytes())?;
        let (status, _) = connection.head()?;
        ensure!(status == 200, "the stream answered {status}");
        Ok(connection)
    }

    /// Waits for the next event of a stream; one that was cut short is none.
    pub(crate) fn frame(&mut self) -> Result<Option<Frame>> {
        let (mut id, mut data) = (None, None);
        let mut line = Vec::new();
        loop {
            line.clear();
            self.reader.read_until(b'\n', &mut line)?;
            if line.pop() != Some(b'\n') {
                return Ok(None);
            }
            let text = String::from_utf8_lossy(&line);
            if let Some(value) = text.strip_prefix("id: ") {
                id = Some(value.to_owned());
            } else if let Some(value) = text.strip_prefix("data: ") {
                data = Some(value.to_owned());
            } else if text.is_empty()
                && let Some(data) = data.take()
            {
                return Ok(Some(Frame { id, data }));
            }
        }
    }

    /// Reads the status and the length of what follows.
    fn head(&mut self) -> Result<(u16, Length)> {
        let mut line = String::new();
        self.reader.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|code| code.parse().ok()).context("no status line came")?;
        let mut length = Length::Bytes(0);
        loop {
            line.clear();
            self.reader.read_line(&mut line)?;
            let header = line.trim_end().to_ascii_lowercase();
            if header.is_empty() {
                ensure!(line.ends_with('\n'), "the connection was cut");
                return Ok((status, length));
            }
            if let Some(value) = header.strip_prefix("content-length:") {
                length = Length::Bytes(value.trim().parse()?);
            } else if header == "transfer-encoding: chunked" {
                length = Length::Chunks;
            }
        }
    }
}
