//! Trials of an agent that is a real process: what is found, how often it is looked, what is left.
#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::sim::Sim;
use agents::{Adapter, Brief, Capabilities, Launch, LaunchError, Reader, Say, Scripted, Setup, Signal, StdinProtocol};
use fleet_hook_probe::{Finding, HookProbes, Parts, Subject};
use runtime::{Clock, Tree};
use serde_json::Value;
use supervisor::Supervisor;
use tempfile::TempDir;

const PROBE: &str = env!("CARGO_BIN_EXE_hook-probe-agent");

/// An agent that behaves in one way, and writes down each of its starts.
struct Fake {
    way: &'static str,
    starts: PathBuf,
}

impl Adapter for Fake {
    fn name(&self) -> &str {
        self.way
    }

    fn capabilities(&self) -> Capabilities {
        Sim::new(Setup::default()).capabilities()
    }

    fn launch(&self, brief: &Brief) -> Result<Launch, LaunchError> {
        let starts = self.starts.display().to_string();
        let argv = [PROBE.to_owned(), self.way.to_owned(), starts].into_iter().chain(brief.args.clone()).collect();
        Ok(Launch {
            argv,
            cwd: brief.cwd.clone(),
            env: brief.env.clone(),
            pass: Vec::new(),
            files: Vec::new(),
            stdin: StdinProtocol::Closed,
            pty: false,
            opening: Vec::new(),
            stop: Signal::Term,
        })
    }

    fn reader(&self) -> Box<dyn Reader> {
        Sim::new(Setup::default()).reader()
    }

    fn reader_at(&self, _: &Value) -> Box<dyn Reader> {
        self.reader()
    }

    fn say(&self, _: &Say) -> Option<String> {
        None
    }

    fn scripted(&self, url: &str) -> Option<Scripted> {
        Some(Scripted { args: vec![url.to_owned()], ..Scripted::default() })
    }
}

struct World {
    folder: TempDir,
    canaries: HookProbes,
}

impl World {
    fn new() -> Self {
        Self::at(tempfile::tempdir().unwrap())
    }

    fn at(folder: TempDir) -> Self {
        let clock = Clock::system();
        let canaries = HookProbes::new(Parts {
            tree: Tree::new(clock.clone()),
            supervisor: Supervisor::with_shim(clock.clone(), PROBE),
            clock,
            folder: folder.path().join("canaries"),
            book: folder.path().join("canaries.json"),
            path: String::new(),
        });
        Self { folder, canaries }
    }

    fn starts(&self) -> PathBuf {
        self.folder.path().join("starts")
    }

    fn count(&self) -> usize {
        #[expect(clippy::disallowed_methods, reason = "the test counts what its agents wrote")]
        let starts = std::fs::read_to_string(self.starts()).unwrap_or_default();
        starts.lines().count()
    }

    fn subject(&self, way: &'static str) -> Subject {
        let fenced = |mut brief: Brief, fence: &Path, journal: &Path| {
            brief.args.extend([fence, journal].map(|path| path.display().to_string()));
            brief
        };
        let adapter = Arc::new(Fake { way, starts: self.starts() });
        Subject { agent: way.to_owned(), adapter, fenced: Arc::new(fenced) }
    }

    async fn find_out(&self, way: &'static str) -> Finding {
        self.canaries.find_out(&self.subject(way)).await
    }
}

#[tokio::test]
async fn an_agent_whose_calls_are_denied_is_held_and_nothing_is_left_of_the_trial() {
    let world = World::new();
    assert_eq!(world.find_out("held").await, Finding::Held);
    let left: Vec<_> = world.folder.path().join("canaries").read_dir().unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn an_agent_that_carries_a_call_out_or_shows_the_fence_only_some_is_broken_and_says_which() {
    let world = World::new();
    for (way, part) in [("open", "`by-shell` was written"), ("deaf", "no call was checked"), ("half", "only 1 of 2")] {
        let found = world.find_out(way).await;
        assert!(matches!(&found, Finding::Broken { why } if why.contains(part)), "{way}: {found:?}");
    }
}

#[tokio::test]
async fn an_agent_that_asks_no_model_was_not_tried_and_what_it_complains_of_is_told() {
    let world = World::new();
    let found = world.find_out("silent").await;
    assert!(matches!(&found, Finding::NotTried { why } if why.contains("please log in")), "{found:?}");
    assert_eq!(world.canaries.known(&world.subject("silent")), None);
}

#[tokio::test]
async fn thirty_who_ask_at_once_wait_for_one_trial_and_later_ones_for_none() {
    let world = World::new();
    let subject = world.subject("held");
    let asked = (0..30).map(|_| world.canaries.find_out(&subject));
    let found = futures::future::join_all(asked).await;
    assert!(found.iter().all(|found| *found == Finding::Held), "{found:?}");
    assert_eq!(world.count(), 1);
    let World { folder, .. } = world;
    let next = World::at(folder);
    assert_eq!(next.canaries.known(&next.subject("held")).unwrap().finding, Finding::Held);
    assert_eq!((next.find_out("held").await, next.count()), (Finding::Held, 1));
    assert_eq!((next.canaries.try_again(&next.subject("held")).await, next.count()), (Finding::Held, 2));
}

#[tokio::test]
async fn what_a_killed_server_left_is_gone_when_the_next_one_tries() {
    let world = World::new();
    let left = world.folder.path().join("canaries/trial-old/home");
    std::fs::create_dir_all(&left).unwrap();
    assert_eq!(world.find_out("held").await, Finding::Held);
    assert!(!left.exists());
}

#[tokio::test]
async fn a_program_that_is_not_there_was_not_tried() {
    let world = World::new();
    let fenced = |brief: Brief, _: &Path, _: &Path| brief;
    let claude = agents::claude::Claude::new(Setup { binary: Some("no-such-agent".to_owned()), ..Setup::default() });
    let subject = Subject { agent: "claude".to_owned(), adapter: Arc::new(claude), fenced: Arc::new(fenced) };
    let found = world.canaries.find_out(&subject).await;
    assert_eq!(found, Finding::NotTried { why: "there is no program `no-such-agent`".to_owned() });
}
