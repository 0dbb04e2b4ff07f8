//! Starting a process: the folder, the brief, the launch.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::PathBuf;
use std::time::Duration;

use agents::external::External;
use agents::{Adapter, Brief, Conversation, Permissions, PrivateFile};
use supervisor::{Launch, Running, Signal, Spool, Stdin, Stop};
use types::{Begun, FailureClass, SessionEnding, SessionState, Wait, Workspace};
use workspaces::Naming;

use super::{Actor, Command, Flow, Process};
use crate::Result;
use crate::hub::Begin;
use crate::outbox;

/// What a resumed agent is told.
const GO_ON: &str = "You were interrupted. Look at what is already done, and go on with your task.";

impl Actor {
    /// Starts the next process, or finds the one that was started before the server was killed.
    pub(super) async fn start(&mut self) -> Result<Flow> {
        let now = self.hub.parts.clock.now();
        if let Some(parked) = self.hub.blocked(&self.session, now).await? {
            return self.park(Wait::Parked { class: parked.class }, parked.until, &parked.text).await;
        }
        if self.slot.is_none() {
            self.slot = self.hub.slots.take(self.hub.settings().max_workers);
            if self.slot.is_none() {
                return self.pause(Wait::Slot, None).await;
            }
        }
        if self.session.order.agent == External::NAME {
            return self.follow_external().await;
        }
        let spool = self.hub.spools.run(&self.session, self.session.runs);
        if self.begin == Begin::Found && spool.record().ok().flatten().is_some() {
            let process = self.find().await;
            self.session.workspace = self.prepare().await.ok().flatten();
            return self.follow(process).await;
        }
        self.begin = Begin::Found;
        match self.launch(&spool).await {
            Ok(Some(running)) => self.follow(Process::Runs(running)).await,
            Ok(None) => Ok(Flow::On),
            Err(text) => {
                let class = FailureClass::NotStarted;
                self.end(SessionEnding::Failed { class, text }).await
            }
        }
    }

    /// Makes the folder and starts the agent in it; nothing if somebody ended the session meanwhile.
    async fn launch(&mut self, spool: &Spool) -> std::result::Result<Option<Running>, String> {
        let Some(workspace) = self.prepare().await? else { return Ok(None) };
        self.session.workspace = Some(workspace.clone());
        let adapter = self.adapter().map_err(|error| error.to_string())?;
        let brief = self.brief(&workspace);
        let launch = adapter.launch(&brief).map_err(|error| error.to_string())?;
        let path = self.hub.spools.outbox(&self.session, self.session.runs);
        outbox::begin(&path, &launch.opening).map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
        write_private(&launch.files)?;
        self.execute(spool, launch).await.map(Some)
    }

    async fn execute(&self, spool: &Spool, launch: agents::Launch) -> std::result::Result<Running, String> {
        let own = &self.hub.parts.environment;
        let passed = launch.pass.iter().filter_map(|name| Some((name.clone(), own.get(name)?.clone())));
        let env = passed.chain(launch.env.clone()).collect::<std::collections::BTreeMap<_, _>>();
        let mut argv = launch.argv.into_iter();
        let program = argv.next().ok_or("the agent has no program")?;
        let order = Launch {
            id: format!("{}/{}", self.session.id, self.session.runs),
            program: PathBuf::from(&program),
            args: argv.collect(),
            env: env.into_iter().collect(),
            cwd: launch.cwd,
            stdin: match launch.stdin {
                agents::StdinProtocol::Closed => Stdin::Closed,
                agents::StdinProtocol::JsonLines => Stdin::Piped,
            },
            stop: self.stop_order(launch.stop),
            terminal: None,
            log_max: Launch::LOG_MAX,
        };
        let started = self.hub.parts.supervisor.start(spool, &order).await;
        started.map_err(|error| format!("agent `{program}` could not be started: {error}"))
    }

    /// Says how an agent is stopped.
    pub(super) fn stop_order(&self, signal: agents::Signal) -> Stop {
        let signal = match signal {
            agents::Signal::Term => Signal::Terminate,
            agents::Signal::Int => Signal::Interrupt,
        };
        Stop::new(signal, Duration::from_secs(self.hub.settings().stop_grace_secs.into()))
    }

    /// Makes the folder, or finds it made; nothing if somebody ended the session meanwhile.
    async fn prepare(&mut self) -> std::result::Result<Option<Workspace>, String> {
        if let Some(made) = &self.session.workspace {
            return Ok(Some(made.clone()));
        }
        let (hub, session) = (self.hub.clone(), self.session.clone());
        let naming = Naming {
            session: session.id.to_string(),
            handle: Some(session.handle.to_string()),
            title: session.order.title.clone(),
            agent: Some(session.order.agent.clone()),
            pattern: None,
        };
        let prepare = hub.parts.workspaces.prepare(&naming, &session.order.place);
        tokio::pin!(prepare);
        loop {
            tokio::select! {
                made = &mut prepare => return made.map(Some).map_err(|error| error.to_string()),
                command = self.commands.recv() => match command {
                    Some(Command::Stop { by }) => {
                        self.end(SessionEnding::Cancelled { by }).await.map_err(|error| error.to_string())?;
                        return Ok(None);
                    }
                    Some(Command::Letters) => {}
                    None => return Err("the server stops".to_owned()),
                },
            }
        }
    }

    pub(super) fn adapter(&self) -> Result<std::sync::Arc<dyn Adapter>> {
        Ok(self.hub.roster().find(&self.session.order.agent)?)
    }

    fn brief(&self, workspace: &Workspace) -> Brief {
        let order = &self.session.order;
        let env = [
            ("FLEET_SESSION_ID", self.session.id.to_string()),
            ("DEVFLEET_SESSION_ID", self.session.id.to_string()),
            ("FLEET_TASK_DIR", self.hub.spools.session(&self.session).to_string_lossy().into_owned()),
        ];
        let mission = self.session.mission.iter().flat_map(|assignment| {
            ["FLEET_TASK_ID", "DEVFLEET_MISSION_ID"].map(|name| (name, assignment.mission.to_string()))
        });
        let env = env.into_iter().chain(mission).map(|(name, value)| (name.to_owned(), value));
        Brief {
            prompt: self.prompt(),
            prompt_id: Some(crate::letters::uuid(&format!("{}/{}", self.session.id, self.session.runs))),
            cwd: PathBuf::from(&workspace.path),
            private_dir: Some(self.hub.spools.private(&self.session, self.session.runs)),
            model: order.model.clone(),
            conversation: self.conversation(),
            limits: order.limits,
            system_prompt: order.system_prompt.clone(),
            allowed_tools: order.allowed_tools.clone().unwrap_or_default(),
            permissions: Permissions::Ask,
            env: workspace.env.clone().into_iter().chain(env).collect(),
            ..Brief::default()
        }
    }

    fn prompt(&self) -> String {
        match self.session.begun {
            Begun::Anew | Begun::Forked => self.session.order.prompt.clone(),
            Begun::Resumed => self.session.order.again.clone().unwrap_or_else(|| GO_ON.to_owned()),
        }
    }

    fn conversation(&self) -> Conversation {
        match (self.session.begun, self.session.conversation.clone()) {
            (Begun::Resumed, Some(session)) => Conversation::Resume { session },
            (Begun::Forked, Some(session)) => Conversation::Fork { session },
            (Begun::Anew, _) | (Begun::Resumed | Begun::Forked, None) => Conversation::New { session: None },
        }
    }

    /// Says in the record that a process runs.
    pub(super) async fn running(&mut self, running: Option<&Running>) -> Result<()> {
        let pid = running.map(|running| running.record().agent.pid);
        self.live.send_modify(|live| live.pid = pid);
        if matches!(self.session.state, SessionState::Starting { .. }) {
            let since = self.hub.parts.clock.now();
            self.change(|session| session.state = SessionState::Running { since }).await?;
        }
        Ok(())
    }
}

/// Writes what only the agent's owner may read.
fn write_private(files: &[PrivateFile]) -> std::result::Result<(), String> {
    for file in files {
        if let Some(folder) = file.path.parent() {
            let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
            made.map_err(|error| format!("cannot make `{}`: {error}", folder.display()))?;
        }
        let mut options = OpenOptions::new();
        let opened = options.write(true).create(true).truncate(true).mode(0o600).open(&file.path);
        opened
            .and_then(|mut opened| opened.write_all(file.text.as_bytes()))
            .map_err(|error| format!("cannot write `{}`: {error}", file.path.display()))?;
    }
    Ok(())
}
