//! The two files of a session that its calls are judged by: the fence, and the journal of what was decided.
//!
//! The only part of this crate that touches a disk. A fence is replaced whole, so that no reader sees a half of it; a
//! line of the journal is one write to the end of the file, so that lines of several writers do not mix.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use crate::fence::{Fence, Judged};

/// The file name of a session's fence, in its private folder.
pub const FENCE_FILE: &str = "fence.json";

/// The file name of a fence that is being written, beside the one that it replaces.
pub const FENCE_DRAFT: &str = "fence.json.new";

/// The file name of a session's journal, in its private folder.
pub const JOURNAL_FILE: &str = "calls.ndjson";

/// Only the owner reads what an agent may do and did.
const PRIVATE: u32 = 0o600;

/// Bytes of a journal that are read at once.
const CHUNK_MAX: u64 = 1 << 20;

/// A fence that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FenceError {
    /// The file cannot be read.
    #[error("the fence cannot be read: {0}")]
    Unread(#[from] io::Error),
    /// It is no fence.
    #[error("the fence is no fence: {0}")]
    Malformed(#[from] serde_json::Error),
}

impl Fence {
    /// Reads a fence.
    ///
    /// # Errors
    /// When the file is not there or is not a fence; whoever asks must then refuse every call.
    #[expect(clippy::disallowed_methods, reason = "a fence is read where the calls are made, with no server in reach")]
    pub fn load(path: &Path) -> Result<Self, FenceError> {
        Ok(serde_json::from_slice(&std::fs::read(path)?)?)
    }

    /// Writes a fence in place of the one that is there.
    ///
    /// # Errors
    /// When the file cannot be written.
    #[expect(clippy::disallowed_methods, reason = "readers see the old fence or the new one, never a half")]
    pub fn save(&self, path: &Path) -> Result<(), FenceError> {
        let draft = path.with_file_name(FENCE_DRAFT);
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(PRIVATE).open(&draft)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        std::fs::rename(&draft, path)?;
        Ok(())
    }
}

impl Judged {
    /// Appends a line to a journal, in one write.
    ///
    /// # Errors
    /// When it cannot be written; whoever asks must then refuse the call.
    pub fn append(&self, path: &Path) -> io::Result<()> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        let mut file = OpenOptions::new().append(true).create(true).mode(PRIVATE).open(path)?;
        let written = file.write(&line)?;
        if written == line.len() { Ok(()) } else { Err(io::Error::other("the line was cut short")) }
    }

    /// Reads whole lines of a journal from a place on, and returns the place behind them.
    ///
    /// A journal that is not there is empty. A line that cannot be read is passed over. Not everything need be read at
    /// once: ask again until the place stays the same.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(path: &Path, from: u64) -> io::Result<(Vec<Self>, u64)> {
        #[expect(clippy::disallowed_methods, reason = "the journal is the file that only this module knows")]
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), from)),
            Err(error) => return Err(error),
        };
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.take(CHUNK_MAX).read_to_end(&mut bytes)?;
        let whole = match bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => last + 1,
            // A line longer than what is read at once can be none of ours.
            None if bytes.len() as u64 == CHUNK_MAX => bytes.len(),
            None => 0,
        };
        let lines = bytes.get(..whole).unwrap_or_default().split(|byte| *byte == b'\n');
        let judged = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
        Ok((judged, from + whole as u64))
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
