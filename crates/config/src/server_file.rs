//! `server.json`: how clients find the running server, and how a second server notices the first.

use std::io::ErrorKind;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::disk;
use crate::error::Error;

/// What a server writes about itself when it listens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerFile {
    /// Its process.
    pub pid: u32,
    /// The address it listens on.
    pub host: String,
    /// The port it listens on, never 0.
    pub port: u16,
    /// When it began to listen.
    pub started_at: Timestamp,
    /// The version of Fleet that it runs.
    pub version: String,
}

impl ServerFile {
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, Error> {
        let text = match disk::read_to_string(path) {
            Ok(text) => text,
            Err(Error::Read { source, .. }) if source.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let malformed = |source| Error::ServerFileMalformed { path: path.to_owned(), source };
        serde_json::from_str(&text).map(Some).map_err(malformed)
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|source| Error::ServerFileMalformed { path: path.to_owned(), source })?;
        disk::replace(path, &format!("{text}\n"))
    }
}
