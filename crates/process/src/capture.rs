//! How much of an output is kept; the rest is read and dropped, so that a command never blocks on a full pipe.

use std::process::Stdio;

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// How much of an output is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Everything.
    All,
    /// The first bytes.
    First(usize),
    /// The last bytes.
    Last(usize),
    /// Nothing; the command writes to no pipe.
    Nothing,
    /// For error output: it goes where the output goes, in the order in which both are written.
    Joined,
}

impl Keep {
    pub(crate) fn stdio(self) -> Stdio {
        match self {
            Self::All | Self::First(_) | Self::Last(_) => Stdio::piped(),
            Self::Nothing | Self::Joined => Stdio::null(),
        }
    }

    /// Drops what is not kept.
    fn trim(self, bytes: &mut Vec<u8>) {
        match self {
            Self::All | Self::Joined => {}
            Self::First(most) => bytes.truncate(most),
            // Moved only once it has doubled, so that a long output costs no more than reading it.
            Self::Last(most) if bytes.len() > most.saturating_mul(2) => drop(bytes.drain(..bytes.len() - most)),
            Self::Last(_) => {}
            Self::Nothing => bytes.clear(),
        }
    }

    /// Returns what is kept of an output that has been read.
    pub(crate) fn kept(self, mut bytes: Vec<u8>) -> Vec<u8> {
        if let Self::Last(most) = self {
            bytes.drain(..bytes.len().saturating_sub(most));
        }
        bytes
    }

    /// Reads a pipe to its end; what was read stays in `bytes` if this is dropped before.
    pub(crate) async fn read<R: AsyncRead + Unpin>(self, pipe: Option<R>, bytes: &mut Vec<u8>) {
        let Some(mut pipe) = pipe else { return };
        if self == Self::All {
            // What was read before a failure stays; the exit code says the rest.
            let _ = pipe.read_to_end(bytes).await;
            return;
        }
        let mut buffer = vec![0; 16 * 1024];
        while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
            bytes.extend(buffer.iter().take(count));
            self.trim(bytes);
        }
    }
}
