//! The folder of one session: what its agent wrote, who runs, how it ended.

use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::files;
use crate::record::{Exit, Record};

pub(crate) const OUTPUT: &str = "log.jsonl";
pub(crate) const ERRORS: &str = "log.stderr";
/// Where the two logs are until a shim takes them, if they were made in advance.
pub(crate) const OUTPUT_MADE: &str = "log.jsonl.made";
pub(crate) const ERRORS_MADE: &str = "log.stderr.made";
pub(crate) const RECORD: &str = "shim.json";
pub(crate) const EXIT: &str = "exit.json";
pub(crate) const SOCKET: &str = "shim.sock";
/// The number of the last message handed over, readable when the shim is gone without a word.
pub(crate) const DELIVERED: &str = "input.seq";

/// The folder of one session. One agent is started in it once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spool(PathBuf);

/// What an agent writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stream {
    /// Standard output, `log.jsonl`.
    Output,
    /// Standard error, `log.stderr`.
    Errors,
}

impl Spool {
    /// Names a spool; nothing is made yet.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// Returns the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the file into which the agent writes.
    #[must_use]
    pub fn log(&self, stream: Stream) -> PathBuf {
        self.0.join(stream.file_name())
    }

    /// Reads the process that runs here, or ran; none if none was started.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn record(&self) -> io::Result<Option<Record>> {
        self.read(RECORD)
    }

    /// Reads how the agent ended; none while it runs.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn exit(&self) -> io::Result<Option<Exit>> {
        self.read(EXIT)
    }

    /// Makes the folder, for its owner alone, unless it is there.
    pub(crate) fn create(&self) -> io::Result<()> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.0)
    }

    /// Makes in advance what can be: a shim that finds less in its spool makes the rest.
    pub(crate) fn furnish(&self) -> io::Result<()> {
        for name in [OUTPUT_MADE, ERRORS_MADE, DELIVERED] {
            files::create_appended(&self.0.join(name))?;
        }
        files::create_appended(&files::staged(&self.0.join(RECORD))).map(drop)
    }

    pub(crate) fn read<T: DeserializeOwned>(&self, name: &str) -> io::Result<Option<T>> {
        match files::read(&self.0.join(name)) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(io::Error::from),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Stream {
    pub(crate) const fn file_name(self) -> &'static str {
        match self {
            Self::Output => OUTPUT,
            Self::Errors => ERRORS,
        }
    }
}
