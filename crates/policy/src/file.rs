//! The two files of a session that its calls are judged by: the permissions, and the journal of decisions.
//!
//! The only part of this crate that touches a disk. Permissions are replaced whole, so that no reader sees a half of
//! them; a line of the journal is one write to the end of the file, so that lines of several writers do not mix.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;
use serde_json::Value;

use crate::permissions::{Judged, SessionPermissions, VERSION};

/// The file name of a session's permissions, in its private folder.
pub const PERMISSIONS_FILE: &str = "fence.json";

/// The file name of permissions that are being written, beside the file that they replace.
pub const PERMISSIONS_DRAFT: &str = "fence.json.new";

/// The file name of a session's journal, in its private folder.
pub const JOURNAL_FILE: &str = "calls.ndjson";

/// Only the owner reads what an agent may do and did.
const PRIVATE: u32 = 0o600;

/// Bytes of a journal that are read at once: more than the longest line of ours, and little enough to be read in passing.
pub const SLICE: u64 = 512 << 10;

/// How a journal is opened: not through a link, and without waiting for the other end of a pipe.
const NO_LINK_NO_WAIT: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK);

/// Permissions that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PermissionsError {
    /// The file cannot be read.
    #[error("the permissions file cannot be read: {0}")]
    Unread(#[from] io::Error),
    /// The file is malformed.
    #[error("the permissions file is malformed: {0}")]
    Malformed(#[from] serde_json::Error),
    /// The file has a version that this program does not know.
    #[error(
        "the permissions file has version {version} and this program knows version {VERSION}; restart the session to \
         have its calls judged by the newer program"
    )]
    Newer {
        /// The version.
        version: u64,
    },
}

impl SessionPermissions {
    /// Reads the permissions.
    ///
    /// # Errors
    /// When the file is missing, malformed or of a later version; the caller must then refuse every call.
    #[expect(clippy::disallowed_methods, reason = "permissions are read where the calls are made, without the server")]
    pub fn load(path: &Path) -> Result<Self, PermissionsError> {
        let said: Value = serde_json::from_slice(&std::fs::read(path)?)?;
        match said.get("version").and_then(Value::as_u64) {
            Some(version) if version > u64::from(VERSION) => Err(PermissionsError::Newer { version }),
            Some(_) | None => Ok(serde_json::from_value(said)?),
        }
    }

    /// Replaces the permissions.
    ///
    /// # Errors
    /// When the file cannot be written.
    #[expect(clippy::disallowed_methods, reason = "readers see the old file or the new one, never a half")]
    pub fn save(&self, path: &Path) -> Result<(), PermissionsError> {
        let draft = path.with_file_name(PERMISSIONS_DRAFT);
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
    /// When it cannot be written; the caller must then refuse the call.
    pub fn append(&self, path: &Path) -> io::Result<()> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        let mut file = OpenOptions::new().append(true).create(true).mode(PRIVATE).open(path)?;
        let written = file.write(&line)?;
        if written == line.len() { Ok(()) } else { Err(io::Error::other("the line was cut short")) }
    }

    /// Reads whole lines of a journal from a place on: a slice, not everything that is there.
    ///
    /// The agent may write to it too, so nothing about it is believed that could delay or fill the reader: it is opened
    /// without waiting, must be a file, and is read up to [`SLICE`] bytes. A journal that is not there is empty.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(path: &Path, from: u64) -> io::Result<Slice> {
        let mut options = OpenOptions::new();
        let opened = options.read(true).custom_flags(NO_LINK_NO_WAIT.bits().cast_signed()).open(path);
        let mut file: File = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Slice::nothing_from(from)),
            Err(error) => return Err(error),
        };
        let about = file.metadata()?;
        if !about.is_file() {
            return Err(io::Error::other("the journal is not a file"));
        }
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.take(SLICE).read_to_end(&mut bytes)?;
        let whole = match bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => last + 1,
            // A line longer than what is read at once can be none of ours.
            None if bytes.len() as u64 == SLICE => bytes.len(),
            None => 0,
        };
        let lines = bytes.get(..whole).unwrap_or_default().split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let (mut judged, mut unread) = (Vec::new(), 0);
        for line in lines {
            match serde_json::from_slice(line) {
                Ok(line) => judged.push(line),
                Err(_) => unread += 1,
            }
        }
        let next = from + whole as u64;
        Ok(Slice { judged, unread, next, more: whole > 0 && about.len() > next })
    }
}

impl Slice {
    /// A slice with nothing in it.
    #[must_use]
    pub const fn nothing_from(place: u64) -> Self {
        Self { judged: Vec::new(), unread: 0, next: place, more: false }
    }
}

/// A part of a journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    /// Its lines.
    pub judged: Vec<Judged>,
    /// How many lines could not be read: a later version wrote them, or the agent.
    pub unread: u64,
    /// The place behind it.
    pub next: u64,
    /// Whether there is more behind it already.
    pub more: bool,
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
