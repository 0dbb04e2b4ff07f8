//! The local key: a user who can read this file is the owner of the fleet.
//!
//! Its bytes come straight from the operating system and not from `runtime::Rng`, which a test may have seeded: a
//! secret must not be replayable.

use std::fmt;
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::TryRng as _;
use rand::rngs::SysRng;

use crate::disk::{self, Created};
use crate::error::Error;

/// The key of a home directory: 32 random bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct LocalKey([u8; Self::BYTES]);

impl LocalKey {
    /// How many bytes a key has.
    pub const BYTES: usize = 32;

    /// Returns the bytes, to sign with.
    #[must_use]
    pub fn bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    /// Returns the key as clients send it: base64url, without padding.
    #[must_use]
    pub fn text(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    pub(crate) fn read_or_create(path: &Path) -> Result<Self, Error> {
        if let Some(key) = Self::read(path)? {
            return Ok(key);
        }
        let key = Self::random()?;
        match disk::create(path, &format!("{}\n", key.text()))? {
            Created::Yes => Ok(key),
            // Someone was faster; their key is whole, since it got its name only when it was.
            Created::ThereWasOne => Self::read(path)?.ok_or_else(|| {
                let source = io::Error::new(io::ErrorKind::NotFound, "removed while it was read");
                Error::Read { path: path.to_owned(), source }
            }),
        }
    }

    pub(crate) fn read(path: &Path) -> Result<Option<Self>, Error> {
        let failed = |source| Error::Read { path: path.to_owned(), source };
        let mut file = match disk::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        // Asked of the open file and not of the path, so that what is checked is what is read.
        let mode = file.metadata().map_err(failed)?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(Error::KeyExposed { path: path.to_owned(), mode });
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(failed)?;
        let bytes = URL_SAFE_NO_PAD.decode(text.trim_ascii()).ok().and_then(|bytes| bytes.try_into().ok());
        bytes.map(|bytes| Some(Self(bytes))).ok_or_else(|| Error::KeyMalformed { path: path.to_owned() })
    }

    fn random() -> Result<Self, Error> {
        let mut bytes = [0; Self::BYTES];
        SysRng.try_fill_bytes(&mut bytes).map_err(|error| Error::NoEntropy { reason: error.to_string() })?;
        Ok(Self(bytes))
    }
}

/// Draws random words for a server to prove itself by.
///
/// # Errors
/// When the system has no random bytes.
pub fn challenge() -> Result<String, Error> {
    LocalKey::random().map(|drawn| drawn.text())
}

impl fmt::Debug for LocalKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalKey(hidden)")
    }
}
