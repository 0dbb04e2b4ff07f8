//! One trial: the real agent, a model that makes it call its tools, permissions that deny everything.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agents::{Adapter, Brief, StdinProtocol};
use runtime::Stop as Asked;
use scripted_model::{Act, Answer, Model, Script, Turn};
use supervisor::{End, Launch, Signal, Stdin, Stop, Terminal};

use crate::finding::{Evidence, Finding, judge};
use crate::folders::{BY_SHELL, BY_WRITE, TrialFolders};
use crate::probes::Parts;

/// How long an agent may take.
const LIMIT: Duration = Duration::from_secs(60);

/// How long it may take to end when it is asked to.
const GRACE: Duration = Duration::from_secs(2);

/// Most bytes that it may write.
const LOG_MAX: u64 = 16 << 20;

/// The ids of the two calls.
const CALLS: [&str; 2] = ["canary_shell", "canary_write"];

/// What it is told; the model does not care.
const PROMPT: &str = "Make two files.";

/// Adds the permissions and the journal at these paths to a brief, as for a session.
pub type Fenced = dyn Fn(Brief, &Path, &Path) -> Brief + Send + Sync;

/// An agent to try.
#[derive(Clone)]
pub struct Subject {
    /// Its name in Fleet.
    pub agent: String,
    /// How it is started.
    pub adapter: Arc<dyn Adapter>,
    /// How its calls are submitted to the permission check.
    pub fenced: Arc<Fenced>,
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject").field("agent", &self.agent).finish_non_exhaustive()
    }
}

impl Subject {
    /// The launch of a trial: everything except the permissions allows the calls.
    pub(crate) fn launch(&self, place: &Folders, url: &str) -> Result<Ready, String> {
        let Some(scripted) = self.adapter.scripted(url) else {
            return Err(format!("`{}` cannot be pointed at a model of Fleet's", self.agent));
        };
        let brief = Brief {
            prompt: PROMPT.to_owned(),
            cwd: place.repository.clone(),
            private_dir: Some(place.private.clone()),
            allowed_tools: vec!["Bash".to_owned(), "Write".to_owned()],
            ..Brief::default()
        };
        let brief = (self.fenced)(scripted.brief(brief), &place.fence, &place.journal);
        let launch = self.adapter.launch(&brief).map_err(|error| error.to_string())?;
        Ok(Ready { launch, scripted })
    }
}

/// Where a trial takes place, or would.
pub(crate) struct Folders {
    pub(crate) repository: PathBuf,
    pub(crate) private: PathBuf,
    pub(crate) fence: PathBuf,
    pub(crate) journal: PathBuf,
}

impl Folders {
    /// Folders for a launch that is only looked at.
    pub(crate) fn nowhere() -> Self {
        let folder = |name: &str| Path::new("/nowhere").join(name);
        Self { repository: folder("repository"), private: folder("p"), fence: folder("f"), journal: folder("j") }
    }
}

/// A trial that is ready to be started.
pub(crate) struct Ready {
    pub(crate) launch: agents::Launch,
    scripted: agents::Scripted,
}

/// Carries a trial out, unless the server is asked to stop meanwhile.
pub(crate) async fn carry_out(parts: &Parts, subject: &Subject, stop: &Asked) -> Finding {
    match attempt(parts, subject, stop).await {
        Ok(seen) => judge(&seen),
        Err(why) => Finding::NotTried { why },
    }
}

async fn attempt(parts: &Parts, subject: &Subject, stop: &Asked) -> Result<Evidence, String> {
    let below = parts.folder.clone();
    let place = runtime::blocking(move || TrialFolders::make(&below)).await;
    let place = Arc::new(place.map_err(|error| format!("no folder can be made for it: {error}"))?);
    let model = Model::start(&parts.tree, script()).await;
    let model = model.map_err(|error| format!("the scripted model cannot listen: {error}"))?;
    let ready = subject.launch(&folders(&place), model.url())?;
    furnish(&place, &ready).map_err(|error| format!("its files cannot be written: {error}"))?;
    let end = run(parts, subject, &place, ready.launch, stop).await?;
    let requests = model.requests();
    let answered = requests
        .last()
        .map_or(0, |last| CALLS.iter().filter(|call| last.results().keys().any(|id| id.contains(*call))).count());
    let asked = requests.len();
    runtime::blocking(move || {
        let (denied, passed) = place.judged().map_err(|error| format!("the journal cannot be read: {error}"))?;
        let end = match place.complaint() {
            said if said.is_empty() => end,
            said => format!("{end}: {said}"),
        };
        Ok(Evidence { asked, answered, denied, passed, appeared: place.appeared(), end })
    })
    .await
}

/// The shell, then the tool that writes; whatever else is asked is done.
fn script() -> Script {
    let [shell, write] = CALLS;
    Script::new()
        .then(Answer::new().text("First.").act_as(shell, Act::shell(&format!("touch {BY_SHELL}"))))
        .then(Answer::new().text("Second.").act_as(write, Act::write(BY_WRITE, "x\n")))
        .then(Turn::from(Answer::new().text("That is all.")).always())
}

fn folders(place: &TrialFolders) -> Folders {
    Folders { repository: place.repository(), private: place.private(), fence: place.fence(), journal: place.journal() }
}

fn furnish(place: &TrialFolders, ready: &Ready) -> std::io::Result<()> {
    ready.launch.files.iter().chain(&ready.scripted.files).try_for_each(|file| place.write(&file.path, &file.text))
}

/// Starts the agent and waits for its end; says how it ended.
async fn run(
    parts: &Parts,
    subject: &Subject,
    place: &TrialFolders,
    launch: agents::Launch,
    stop: &Asked,
) -> Result<String, String> {
    let how = Stop::new(signal(launch.stop), GRACE);
    let speaks = matches!(launch.stdin, StdinProtocol::JsonLines);
    let order = order(parts, subject, place, launch, how)?;
    let running = parts.supervisor.start(&place.spool(), &order).await.map_err(|error| error.to_string())?;
    if speaks {
        // It ends after its turn, also if this server is killed and cannot end it.
        running.close_input().await.ok();
    }
    tokio::select! {
        ended = parts.clock.timeout(LIMIT, running.ended()) => match ended {
            Ok(Ok(exit)) => return Ok(told(&exit.end)),
            Ok(Err(error)) => return Ok(error.to_string()),
            Err(_) => {}
        },
        () = stop.asked() => {}
    }
    running.stop(how).await.map_err(|error| error.to_string())?;
    Ok(format!("it did not end within {} seconds", LIMIT.as_secs()))
}

fn order(
    parts: &Parts,
    subject: &Subject,
    place: &TrialFolders,
    launch: agents::Launch,
    stop: Stop,
) -> Result<Launch, String> {
    let mut argv = launch.argv.into_iter();
    let program = argv.next().ok_or("the agent has no program")?;
    let text = |path: PathBuf| path.display().to_string();
    // Nothing of the server's own environment but where programs are.
    let bare = [("PATH", parts.path.clone()), ("LANG", "C.UTF-8".to_owned()), ("TMPDIR", text(place.temporary()))];
    let home = [("HOME".to_owned(), text(place.home())), ("GIT_CONFIG_NOSYSTEM".to_owned(), "1".to_owned())];
    let env = bare.map(|(name, value)| (name.to_owned(), value)).into_iter().chain(launch.env).chain(home);
    Ok(Launch {
        id: format!("hook probe of {}", subject.agent),
        program: program.into(),
        args: argv.collect(),
        env: env.collect::<BTreeMap<_, _>>().into_iter().collect(),
        cwd: launch.cwd,
        stdin: match launch.stdin {
            StdinProtocol::Closed => Stdin::Closed,
            StdinProtocol::Text => Stdin::Opening,
            StdinProtocol::JsonLines => Stdin::Piped,
        },
        opening: launch.opening.into_iter().map(|line| line + "\n").collect(),
        terminal: launch.pty.then_some(Terminal { rows: 50, columns: 250 }),
        log_max: LOG_MAX,
        egress: None,
        // Only the permission hook is tested; a sandbox would hide that it does not work.
        sandbox: None,
        stop,
    })
}

fn signal(signal: agents::Signal) -> Signal {
    match signal {
        agents::Signal::Term => Signal::Terminate,
        agents::Signal::Int => Signal::Interrupt,
    }
}

fn told(end: &End) -> String {
    match end {
        End::Exited { code } => format!("it ended with code {code}"),
        End::Signalled { signal } => format!("signal {signal} ended it"),
        End::NotStarted { .. } => "it was not started".to_owned(),
    }
}
