//! How a test starts the binary: on which home, with which environment, and what came of it.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use config::{Environment, Home};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::{Log, PATIENCE, Server, folder_in};

/// What a server says once `server.json` is written, which is once it listens.
const UP: &str = "fleet is up";

/// A start of the server that has not happened yet.
#[derive(Debug, Clone)]
pub struct Launch {
    binary: PathBuf,
    home: PathBuf,
    /// Set to a value, or taken away.
    variables: Vec<(String, Option<String>)>,
    /// Kept for as long as anything uses the home that was made for it.
    _folder: Option<Arc<TempDir>>,
}

/// A start that came to nothing.
#[derive(Debug)]
pub struct Refused {
    /// The exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// Everything it said.
    pub stderr: String,
}

impl Launch {
    /// Prepares a start on a fresh home.
    ///
    /// # Panics
    /// When the system has no room for a temporary folder.
    #[must_use]
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        let folder = Arc::new(folder_in(&std::env::temp_dir()));
        let home = folder.path().join("fleet");
        Self { _folder: Some(folder), ..Self::at(binary, home) }
    }

    /// Prepares a start on this home, which need not exist.
    #[must_use]
    pub fn at(binary: impl Into<PathBuf>, home: impl Into<PathBuf>) -> Self {
        Self { binary: binary.into(), home: home.into(), variables: Vec::new(), _folder: None }
    }

    /// Sets an environment variable; `PATH`, `HOME`, `FLEET_HOME` and `PORT=0` are set, and nothing else.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl ToString) -> Self {
        self.variables.push((name.to_owned(), Some(value.to_string())));
        self
    }

    /// Takes an environment variable away.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.variables.push((name.to_owned(), None));
        self
    }

    /// Returns the home directory.
    #[must_use]
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Returns the file of the records.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        Home::at(&self.home).database()
    }

    /// Starts the server and waits until it answers.
    ///
    /// # Panics
    /// When it ends or does not come up.
    pub async fn up(self) -> Server {
        let server = self.try_up().await.unwrap_or_else(|refused| panic!("it does not start:\n{}", refused.stderr));
        server.assert_answers().await;
        server
    }

    /// Starts the server, which must end by itself, and returns how.
    ///
    /// # Panics
    /// When it comes up instead.
    pub async fn refused(&self) -> Refused {
        match self.clone().try_up().await {
            Ok(server) => panic!("it runs:\n{}", server.log().text()),
            Err(refused) => refused,
        }
    }

    /// Starts the server and waits until it says that it is up, or has ended.
    ///
    /// # Errors
    /// Returns how it ended.
    ///
    /// # Panics
    /// When it does neither.
    pub async fn try_up(self) -> Result<Server, Refused> {
        let (mut child, log) = self.spawn();
        if log.says(UP).await {
            return Ok(Server::new(self, child, log));
        }
        let status = tokio::time::timeout(PATIENCE, child.wait()).await.expect("it neither runs nor ends").unwrap();
        Err(Refused { code: status.code(), stderr: log.whole().await })
    }

    /// Starts the server and kills it after a while, wherever it is then.
    ///
    /// # Panics
    /// When it cannot be started or killed.
    pub async fn killed_after(&self, time: Duration) {
        let (mut child, _) = self.spawn();
        // tidy: sleep because the moment is to be any, before the server says a word
        tokio::time::sleep(time).await;
        child.kill().await.unwrap();
    }

    /// Starts the process; it dies with the handle.
    fn spawn(&self) -> (Child, Log) {
        #[expect(clippy::disallowed_methods, reason = "the test acts as a shell")]
        let mut command = Command::new(&self.binary);
        let path = Environment::of_process().get("PATH").unwrap_or_default().to_owned();
        command.arg("up").env_clear().env("PATH", path).env("PORT", "0");
        command.env("HOME", self.home.parent().unwrap()).env("FLEET_HOME", &self.home);
        for (name, value) in &self.variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let stderr = child.stderr.take().unwrap().into_owned_fd().unwrap();
        (child, Log::follow(std::fs::File::from(stderr)))
    }
}
