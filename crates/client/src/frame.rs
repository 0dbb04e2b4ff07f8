//! Server-sent events, taken out of the bytes that they come in.

/// Most bytes of one frame; a server that sends more sends no events.
const FRAME_MAX: usize = 64 << 20;

/// One frame of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    /// The cursor after it; a client that reconnects sends it and continues from there.
    pub id: Option<String>,
    /// What it says.
    pub data: String,
}

/// Puts frames together, wherever the bytes were cut.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    bytes: Vec<u8>,
    /// How much of them was read.
    read: usize,
    id: Option<String>,
    data: Option<String>,
}

/// The stream is not a stream of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

impl Parser {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.read);
        self.read = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next whole frame that has come; comments and frames without data are none.
    pub(crate) fn next(&mut self) -> Result<Option<Frame>, TooLong> {
        while let Some(line) = self.line() {
            if !line.is_empty() {
                self.field(&line);
                continue;
            }
            let id = self.id.take();
            if let Some(data) = self.data.take() {
                return Ok(Some(Frame { id, data }));
            }
        }
        let held = self.data.as_ref().map_or(0, String::len) + self.bytes.len() - self.read;
        if held > FRAME_MAX { Err(TooLong) } else { Ok(None) }
    }

    fn line(&mut self) -> Option<String> {
        let rest = self.bytes.get(self.read..)?;
        let length = rest.iter().position(|byte| *byte == b'\n')?;
        let line = String::from_utf8_lossy(rest.get(..length)?).into_owned();
        self.read += length + 1;
        Some(line.strip_suffix('\r').map(str::to_owned).unwrap_or(line))
    }

    fn field(&mut self, line: &str) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match (name, &mut self.data) {
            ("id", _) => self.id = Some(value.to_owned()),
            ("data", Some(data)) => {
                data.push('\n');
                data.push_str(value);
            }
            ("data", None) => self.data = Some(value.to_owned()),
            // Comments, kinds, and how long to wait before coming back, which the caller decides.
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "frame_tests.rs"]
mod tests;
