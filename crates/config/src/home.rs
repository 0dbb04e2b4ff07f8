//! The home directory: where settings, key, records and logs are.

use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::disk;
use crate::environment::{self, Environment};
use crate::error::Error;
use crate::key::LocalKey;
use crate::server_file::ServerFile;
use crate::value::Secret;

/// The directory that `FLEET_HOME` names, `~/.fleet` by default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home(PathBuf);

impl Home {
    /// Finds the directory, without touching it.
    ///
    /// # Errors
    /// [`Error::NoHome`] when no variable says where it is.
    pub fn resolve(environment: &Environment) -> Result<Self, Error> {
        let named = environment.first(environment::HOME).map(PathBuf::from);
        let default = || environment.get("HOME").map(|home| Path::new(home).join(".fleet"));
        let path = named.or_else(default).ok_or(Error::NoHome)?;
        // A server in the background works in another directory than the client that started it.
        Ok(Self(std::path::absolute(&path).unwrap_or(path)))
    }

    /// Uses this directory.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Makes the directory, for its owner alone, unless it is there.
    ///
    /// # Errors
    /// When it cannot be made, or everyone may write to the one that is there.
    pub fn create(&self) -> Result<(), Error> {
        let failed = |source| Error::Write { path: self.0.clone(), source };
        DirBuilder::new().recursive(true).mode(0o700).create(self.data()).map_err(failed)?;
        let mode = self.0.metadata().map_err(failed)?.permissions().mode() & 0o777;
        // A user who may write here could replace our key.
        if mode & 0o002 != 0 {
            return Err(Error::HomeExposed { path: self.0.clone(), mode });
        }
        Ok(())
    }

    /// Returns the directory itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the file of the local key.
    #[must_use]
    pub fn token(&self) -> PathBuf {
        self.0.join("token")
    }

    /// Returns the file of the settings.
    #[must_use]
    pub fn runtime_toml(&self) -> PathBuf {
        self.0.join("runtime.toml")
    }

    /// Returns the folder of the files that describe agents.
    #[must_use]
    pub fn agents(&self) -> PathBuf {
        self.0.join("agents")
    }

    /// Returns the file of the records, unless `db_path` says otherwise.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.data().join("fleet.db")
    }

    /// The folder of the database: not the home itself, which is watched for edits of the settings and would be woken
    /// by every write.
    fn data(&self) -> PathBuf {
        self.0.join("data")
    }

    /// Returns the file that a running server describes itself in.
    #[must_use]
    pub fn server_json(&self) -> PathBuf {
        self.0.join("server.json")
    }

    /// Returns the log of a server in the background.
    #[must_use]
    pub fn server_log(&self) -> PathBuf {
        self.0.join("logs").join("server.log")
    }

    /// Returns the local key, and makes it first if there is none; two who make it at once get the same.
    ///
    /// # Errors
    /// When others may read the key file, when it does not hold a key, or when it cannot be read or made.
    pub fn local_key(&self) -> Result<LocalKey, Error> {
        self.create()?;
        LocalKey::read_or_create(&self.token())
    }

    /// Returns the local key if there is one, and makes nothing: who only calls a server owns none by that.
    ///
    /// # Errors
    /// When others may read the key file, when it does not hold a key, or when it cannot be read.
    pub fn existing_key(&self) -> Result<Option<LocalKey>, Error> {
        LocalKey::read(&self.token())
    }

    /// Returns the secret that callbacks are signed with unless the settings name one, and makes it first if there is
    /// none.
    ///
    /// # Errors
    /// When others may read its file, when that does not hold a secret, or when it cannot be read or made.
    pub fn callback_secret(&self) -> Result<Secret, Error> {
        self.create()?;
        Ok(Secret::new(LocalKey::read_or_create(&self.0.join("callback-secret"))?.text()))
    }

    /// Returns what the last server wrote about itself; it may be gone without having removed it.
    ///
    /// # Errors
    /// When the file cannot be read or is not what a server writes. A missing file is none.
    pub fn read_server(&self) -> Result<Option<ServerFile>, Error> {
        ServerFile::read(&self.server_json())
    }

    /// Lets clients find this server.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_server(&self, server: &ServerFile) -> Result<(), Error> {
        server.write(&self.server_json())
    }

    /// Removes the description of the server with this process id, and leaves that of any other.
    ///
    /// # Errors
    /// When the file cannot be read or removed.
    pub fn remove_server(&self, pid: u32) -> Result<(), Error> {
        match self.read_server()? {
            Some(server) if server.pid == pid => disk::remove(&self.server_json()),
            Some(_) | None => Ok(()),
        }
    }
}

#[cfg(test)]
#[path = "home_tests.rs"]
mod tests;
