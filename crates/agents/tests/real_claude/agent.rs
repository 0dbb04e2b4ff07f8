//! A run of the real agent in a repository of its own, under a home of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use fleet_agents::claude::Claude;
use fleet_agents::{Account, Adapter, Brief, Event, Exit, Meter, Outcome, Reader, Say, Setup, judge};
use tempfile::TempDir;
use testkit::PATIENCE;
use testkit::model::{ModelServer, Script};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// A repository, a home and a model; an agent comes and goes.
pub(crate) struct Place {
    folder: TempDir,
    pub(crate) model: ModelServer,
    /// What the agent has instead of the usual environment: another value, or none.
    instead: BTreeMap<&'static str, Option<&'static str>>,
}

impl Place {
    /// Makes a repository with one commit and a model that follows a script.
    pub(crate) async fn new(script: Script) -> Self {
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
            model: ModelServer::start(script).await,
            instead: BTreeMap::new(),
        };
        std::fs::create_dir_all(place.home()).unwrap();
        std::fs::create_dir_all(place.repository()).unwrap();
        place.git(&["init", "--quiet", "--initial-branch", "main"]).await;
        place.git(&["config", "user.name", "Ann"]).await;
        place.git(&["config", "user.email", "ann@example.invalid"]).await;
        place.git(&["commit", "--quiet", "--allow-empty", "--message", "Begin"]).await;
        place
    }

    /// Lets the agent pay with a subscription instead of a key: only then it believes what a provider says of one.
    pub(crate) fn subscribed(mut self) -> Self {
        self.instead = [("ANTHROPIC_API_KEY", None), ("CLAUDE_CODE_OAUTH_TOKEN", Some("none"))].into();
        self
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn repository(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    /// Runs git in the repository and returns what it says.
    pub(crate) async fn git(&self, arguments: &[&str]) -> String {
        let mut git = self.command(Path::new("git"));
        let done = git.args(arguments).output().await.unwrap();
        assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    }

    /// A program in the repository, in the agent's environment and no other.
    fn command(&self, program: &Path) -> Command {
        #[expect(clippy::disallowed_methods, reason = "the test stands where the supervisor would")]
        let mut command = Command::new(program);
        let usual = testkit::claude::environment(&self.home(), self.model.url());
        command.env_clear().envs(usual).current_dir(self.repository()).kill_on_drop(true);
        for (name, value) in &self.instead {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }

    /// Returns an order to work in the repository; calls that are not allowed yet are asked about.
    pub(crate) fn brief(&self, prompt: &str) -> Brief {
        Brief { prompt: prompt.to_owned(), cwd: self.repository(), ..Brief::default() }
    }

    /// Starts the agent as its adapter says.
    pub(crate) async fn start(&self, brief: &Brief, meter: Meter) -> Agent {
        self.start_changed(brief, meter, |argument| argument.to_owned()).await
    }

    /// Starts the agent as its adapter says, but for its arguments.
    pub(crate) async fn start_changed(&self, brief: &Brief, meter: Meter, change: impl Fn(&str) -> String) -> Agent {
        let binary = testkit::claude::binary();
        let claude = Claude::new(Setup { binary: Some(binary.display().to_string()), ..Setup::default() });
        let launch = claude.launch(brief).unwrap();
        let mut command = self.command(&binary);
        command
            .args(launch.argv[1..].iter().map(|argument| change(argument)))
            .envs(&launch.env)
            .current_dir(&launch.cwd);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let mut agent = Agent {
            stdin: child.stdin.take(),
            lines: BufReader::new(child.stdout.take().unwrap()).lines(),
            child,
            reader: claude.reader(),
            claude,
            account: Account::new(meter),
            events: Vec::new(),
        };
        for line in &launch.opening {
            agent.write(line).await;
        }
        agent
    }
}

/// A running agent; it dies with the handle.
pub(crate) struct Agent {
    claude: Claude,
    child: Child,
    /// None once nothing more is to be said.
    stdin: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    reader: Box<dyn Reader>,
    account: Account,
    events: Vec<Event>,
}

/// An agent that has gone.
#[derive(Debug)]
pub(crate) struct Gone {
    pub(crate) outcome: Outcome,
    pub(crate) account: Account,
    pub(crate) events: Vec<Event>,
}

impl Agent {
    async fn write(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("nothing more is to be said");
        stdin.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    pub(crate) async fn say(&mut self, say: &Say) {
        let line = self.claude.say(say).expect("it cannot be told that");
        self.write(&line).await;
    }

    /// Reads on until something happens, and returns that; none when the agent closes its output before.
    async fn read_until(&mut self, is_it: impl Fn(&Event) -> bool) -> Option<Event> {
        while let Some(line) = self.lines.next_line().await.unwrap() {
            let events = self.reader.feed(line.as_bytes());
            events.iter().for_each(|event| self.account.read(event));
            self.events.extend(events.iter().cloned());
            if let Some(event) = events.into_iter().find(&is_it) {
                return Some(event);
            }
        }
        None
    }

    /// Waits until something happens, and returns it.
    pub(crate) async fn until(&mut self, what: &str, is_it: impl Fn(&Event) -> bool) -> Event {
        let found = tokio::time::timeout(PATIENCE, self.read_until(is_it)).await;
        found.ok().flatten().unwrap_or_else(|| panic!("{what} does not come; there was: {:#?}", self.events))
    }

    /// Waits for the end of the turn, closes the agent's input, which makes it exit, and waits until it has gone.
    pub(crate) async fn finish(mut self) -> Gone {
        self.until("the end of the turn", |event| matches!(event, Event::Result(_))).await;
        drop(self.stdin.take());
        let ended = async {
            self.read_until(|_| false).await;
            self.child.wait().await.unwrap()
        };
        let status = tokio::time::timeout(PATIENCE, ended).await.expect("the agent does not go");
        let exit = status.code().map_or(Exit::Unseen, |code| Exit::Code { code });
        Gone { outcome: judge(&self.account, exit, None), account: self.account, events: self.events }
    }
}
