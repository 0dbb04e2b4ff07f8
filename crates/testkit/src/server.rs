//! The real server as a process of its own, on a home of its own, until the test is over.

use std::path::Path;
use std::time::Duration;

use api::claude_fleet::GetHealth;
use client::Client;
use config::Home;
use runtime::Clock;
use rustix::process::{Pid, Signal, kill_process};
use tokens::{Keys, Member};
use tokio::process::Child;

use crate::{Launch, Log, PATIENCE};

/// How long the tokens of a test are good for.
const TOKEN_LIFETIME: Duration = Duration::from_secs(3600);

/// A running server; dropping it kills its process, and that one alone.
#[derive(Debug)]
pub struct Server {
    launch: Launch,
    child: Child,
    log: Log,
    url: String,
}

/// How a server ended.
#[derive(Debug)]
pub struct Ended {
    /// The exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// From the signal to the end.
    pub took: Duration,
    /// Everything it said.
    pub stderr: String,
}

impl Server {
    /// Starts the binary on a fresh home and waits until it answers.
    ///
    /// # Panics
    /// When it does not come up.
    pub async fn fresh(binary: &str) -> Self {
        Launch::new(binary).up().await
    }

    pub(crate) fn new(launch: Launch, child: Child, log: Log) -> Self {
        let home = Home::at(launch.home());
        let file = home.read_server().unwrap().expect("a server that is up has written server.json");
        assert_eq!(Some(file.pid), child.id(), "server.json names another process");
        Self { launch, child, log, url: format!("http://{}:{}", file.host, file.port) }
    }

    pub(crate) async fn assert_answers(&self) {
        let health = tokio::time::timeout(PATIENCE, self.anonymous().call(GetHealth {})).await;
        assert_eq!(health.expect("no answer").unwrap().output.status, "ok");
    }

    /// Returns where it listens, such as `http://127.0.0.1:40123`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns its home directory.
    #[must_use]
    pub fn home(&self) -> &Path {
        self.launch.home()
    }

    /// Returns how it was started.
    #[must_use]
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// Returns what it says.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Returns its process.
    ///
    /// # Panics
    /// When it has ended.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id().expect("the server has ended")
    }

    /// Signs a token for a member with the key in the home directory, as only its owner can.
    ///
    /// # Panics
    /// When the key cannot be read.
    #[must_use]
    pub fn token(&self, member: &Member) -> String {
        let key = Home::at(self.home()).local_key().unwrap();
        Keys::new(key.bytes(), None).issue(member, Clock::system().now(), TOKEN_LIFETIME).unwrap()
    }

    /// Returns a client that calls as the owner.
    ///
    /// # Panics
    /// When the key cannot be read.
    #[must_use]
    pub fn owner(&self) -> Client {
        Client::new(&self.url, Some(&self.token(&Member::owner()))).unwrap()
    }

    /// Returns a client without a token.
    ///
    /// # Panics
    /// Never: the address is one that the server gave itself.
    #[must_use]
    pub fn anonymous(&self) -> Client {
        Client::new(&self.url, None).unwrap()
    }

    /// Ends it as a power cut would: SIGKILL, no goodbye. The home stays.
    ///
    /// # Panics
    /// When the process cannot be killed.
    pub async fn kill(mut self) -> Launch {
        self.child.kill().await.unwrap();
        self.launch.clone()
    }

    /// Kills it and starts it again on the same home.
    pub async fn restart(self) -> Self {
        self.kill().await.up().await
    }

    /// Asks it to end, without waiting.
    ///
    /// # Panics
    /// When it has ended already.
    pub fn ask_to_end(&self) {
        let pid = Pid::from_raw(i32::try_from(self.pid()).unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
    }

    /// Asks it to end and waits for that.
    pub async fn terminate(self) -> (Launch, Ended) {
        let clock = Clock::system();
        self.ask_to_end();
        let (launch, ended) = self.ended().await;
        (launch, Ended { took: clock.monotonic(), ..ended })
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// When it does not end.
    pub async fn ended(mut self) -> (Launch, Ended) {
        let clock = Clock::system();
        let status = tokio::time::timeout(PATIENCE, self.child.wait()).await.expect("it does not end").unwrap();
        let took = clock.monotonic();
        let stderr = self.log.whole().await;
        (self.launch.clone(), Ended { code: status.code(), took, stderr })
    }
}
