//! Starting a process: the folder, the brief, the launch.

use std::path::PathBuf;
use std::time::Duration;

use agents::{Adapter, Brief, Conversation, Permissions, PrivateFile};
use policy::{JOURNAL_FILE, PERMISSIONS_DRAFT};
use sandbox::GitDirs;
use supervisor::{Launch, Signal, Spool, Stdin, Stop, Terminal};
use types::{Begun, FailureClass, Handle, Limits, ParkReason, SessionEnding, SessionState, Wait, Workspace};
use workspaces::{CallOff, Naming, RecipeRules};

use super::process::Process;
use super::sandbox::{ARTIFACTS, Sandbox, TMP};
use super::servers::Gear;
use super::tools::free;
use super::{Actor, Command, Flow, access};
use crate::Result;
use crate::error::Error;
use crate::manager::Begin;
use crate::processes::Running;
use crate::session_pool::Contents;
use crate::slots::Seat;
use crate::{outbox, spools};

/// What a resumed agent is told.
const GO_ON: &str = "You were interrupted. Look at what is already done, and continue your task.";

/// The terminal of an agent that wants one: wide, so that no program breaks its lines for it.
const TERMINAL: Terminal = Terminal { rows: 50, columns: 250 };

/// What came of making ready to start.
pub(super) enum Ready<T> {
    /// This.
    Yes(T),
    /// Nothing, and this is why.
    No(String),
    /// Something else was asked for meanwhile.
    Else(Flow),
}

/// Returns what the first process of every session finds in its folder, whatever its agent is.
pub(crate) fn contents() -> Contents {
    let private = PathBuf::from(spools::private(1));
    let (access, server_access_files) = access::parts();
    let own = [PERMISSIONS_DRAFT, JOURNAL_FILE].into_iter().map(PathBuf::from).chain(server_access_files);
    Contents {
        folders: vec![ARTIFACTS.into(), private.clone(), private.join(TMP), private.join(access)],
        files: own
            .map(|file| private.join(file))
            .chain([spools::outbox(1), spools::answer_key(1)].map(PathBuf::from))
            .collect(),
    }
}

impl Actor {
    /// Starts the next process, or finds the one that was started before the server was killed.
    pub(super) async fn start(&mut self) -> Result<Flow> {
        let spool = self.shared.spools.run(&self.session, self.session.runs);
        // First of all: one that runs is not to wait for anything.
        if self.begin == Begin::Found
            && let Some(process) = self.begun(&spool).await
        {
            return self.take_over(process).await;
        }
        self.uncounted = None;
        self.shared.ledger.counted(&self.shared.parts.clock).await;
        if let Some(by) = self.dismissed.clone() {
            return self.end(SessionEnding::Cancelled { by }).await;
        }
        let now = self.shared.parts.clock.now();
        if let Some(parked) = self.shared.blocked(&self.session, now).await? {
            let why = ParkReason::Account { class: parked.class.clone(), text: parked.text };
            return self.park(Wait::Parked { class: parked.class }, parked.until, why).await;
        }
        if let Some(flow) = self.out_of_budget().await? {
            return Ok(flow);
        }
        if self.slot.is_none() {
            self.slot = self.shared.slots.take(Seat::of(&self.session), self.shared.room()).ok();
            if self.slot.is_none() {
                return self.pause(Wait::Slot, None).await;
            }
        }
        self.begin = Begin::Found;
        self.note_told().await?;
        match self.launch(&spool).await? {
            Ready::Yes(running) => {
                self.broadcast.is_new = true;
                self.follow(Process::Runs(running)).await
            }
            Ready::Else(flow) => Ok(flow),
            // Another start may have come first, or this one may have been slow to answer: then it runs all the same.
            Ready::No(text) => match self.begun(&spool).await {
                Some(process @ (Process::Runs(_) | Process::Gone(_))) => self.take_over(process).await,
                Some(Process::Never(_)) | None => self.not_started(text).await,
            },
        }
    }

    /// Sets the session aside if a budget over it is used up.
    async fn out_of_budget(&mut self) -> Result<Option<Flow>> {
        let over = self.shared.overdrawn(&self.session, self.shared.parts.clock.now()).await?;
        let Some(over) = over else { return Ok(None) };
        let why = ParkReason::Budget { text: over.to_string() };
        self.park(Wait::Budget, over.resets_at, why).await.map(Some)
    }

    async fn take_over(&mut self, process: Process) -> Result<Flow> {
        self.point_here();
        // Made long ago; commands wait until the process is attended.
        if self.session.workspace.is_none()
            && let Ok(recipe) = self.recipe().await?
        {
            let (naming, place) = (self.naming(recipe), self.session.order.place.clone());
            if let Ok(made) = self.shared.parts.workspaces.prepare(&naming, &place, &CallOff::default()).await {
                self.settled_in(made);
            }
        }
        self.follow(process).await
    }

    pub(super) async fn not_started(&mut self, text: String) -> Result<Flow> {
        self.end(SessionEnding::Failed { class: FailureClass::NotStarted, text }).await
    }

    /// Makes the folder and starts the agent in it.
    async fn launch(&mut self, spool: &Spool) -> Result<Ready<Running>> {
        let workspace = match self.prepare().await? {
            Ready::Yes(workspace) => workspace,
            Ready::No(text) => return Ok(Ready::No(text)),
            Ready::Else(flow) => return Ok(Ready::Else(flow)),
        };
        self.settled_in(workspace.clone());
        self.shared.parts.files.take_folder(&self.shared.spools.session(&self.session));
        match self.write_permissions().await {
            Err(Error::File { what, source }) => return Ok(Ready::No(format!("{what}: {source}"))),
            fenced => fenced?,
        }
        let git = match self.git_dirs(&workspace).await {
            Ok(git) => git,
            Err(error) => return Ok(Ready::No(error.to_string())),
        };
        match self.wish(git.as_ref()).await? {
            Ready::Yes(()) => {}
            Ready::No(text) => return Ok(Ready::No(text)),
            Ready::Else(flow) => return Ok(Ready::Else(flow)),
        }
        match self.admitted().await? {
            Ready::Yes(()) => {}
            Ready::No(text) => return Ok(Ready::No(text)),
            Ready::Else(flow) => return Ok(Ready::Else(flow)),
        }
        let ceilings = self.ceilings(self.shared.parts.clock.now()).await?;
        let gear = self.gear(&workspace).await?;
        self.session.servers.clone_from(&gear.passed_over);
        // Time has passed since it was looked at first: a folder was made, and the store may have been gone for a while.
        if let Some(flow) = self.out_of_budget().await? {
            return Ok(Ready::Else(flow));
        }
        let started = match self.furnish(&workspace, git.as_ref(), ceilings, gear) {
            Ok(launch) => self.execute(spool, &workspace, git, launch).await,
            Err(text) => Err(text),
        };
        Ok(started.map_or_else(Ready::No, Ready::Yes))
    }

    /// Writes down everything that the agent is to find.
    fn furnish(
        &self,
        workspace: &Workspace,
        git: Option<&GitDirs>,
        ceilings: Limits,
        gear: Gear,
    ) -> std::result::Result<agents::Launch, String> {
        if self.session.runs > 1 {
            let before = self.session.runs - 1;
            self.shared.parts.workspaces.put_result_aside(workspace, before).map_err(|error| error.to_string())?;
        }
        let adapter = self.adapter().map_err(|error| error.to_string())?;
        let mut brief = self.brief(workspace, ceilings);
        brief.writable = git.filter(|git| !git.is_checkout()).map(|git| git.own.clone()).into_iter().collect();
        if let Some(tools) = self.own_tools().map_err(|error| error.to_string())? {
            brief.mcp.push(tools);
            brief.allowed_tools.extend(free());
        }
        brief.mcp.extend(gear.servers);
        brief.allowed_tools.extend(gear.tools);
        brief.gate = self.gate(adapter.name());
        brief.answer_key = self.make_answer_key()?;
        let launch = adapter.launch(&brief).map_err(|error| error.to_string())?;
        let path = self.shared.spools.outbox(&self.session, self.session.runs);
        outbox::begin(self.shared.parts.files.as_ref(), &path, &launch.opening)
            .map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
        self.write_private(&launch.files)?;
        self.write_private(&self.server_access_files()?)?;
        Ok(launch)
    }

    /// The folder is this session's from now on; it is written down with the next change.
    fn settled_in(&mut self, workspace: Workspace) {
        self.session.workspace = Some(workspace);
        self.live.send_modify(|live| live.session.workspace = self.session.workspace.clone());
    }

    async fn execute(
        &self,
        spool: &Spool,
        workspace: &Workspace,
        git: Option<GitDirs>,
        launch: agents::Launch,
    ) -> std::result::Result<Running, String> {
        let own = &self.shared.parts.environment;
        let passed = launch.pass.iter().filter_map(|name| Some((name.clone(), own.get(name)?.clone())));
        // Whoever is on a terminal is told to colour nothing; lines are read by a program.
        let plain = launch.pty.then(|| ("TERM".to_owned(), "dumb".to_owned()));
        let env = plain.into_iter().chain(passed).chain(launch.env.clone());
        let Sandbox { plan, env, egress } = self.sandboxed(workspace, git, &launch.argv, env.collect()).await?;
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
                agents::StdinProtocol::Text => Stdin::Opening,
                agents::StdinProtocol::JsonLines => Stdin::Piped,
            },
            opening: launch.opening.into_iter().map(|line| line + "\n").collect(),
            stop: self.stop_order(launch.stop),
            terminal: launch.pty.then_some(TERMINAL),
            log_max: Launch::LOG_MAX,
            sandbox: Some(plan),
            egress,
        };
        let started = self.shared.parts.processes.start(spool, &order).await;
        self.shared.parts.files.refill_folders();
        started.map_err(|error| {
            if let supervisor::Error::NotStarted(why) = error {
                return format!("{why}; `fleet doctor` tells which programs are missing");
            }
            format!("agent `{program}` could not be started: {error}")
        })
    }

    /// Says how an agent is stopped.
    pub(super) fn stop_order(&self, signal: agents::Signal) -> Stop {
        let signal = match signal {
            agents::Signal::Term => Signal::Terminate,
            agents::Signal::Int => Signal::Interrupt,
        };
        Stop::new(signal, Duration::from_secs(self.shared.settings().stop_grace_secs.into()))
    }

    fn naming(&self, recipe: RecipeRules) -> Naming {
        Naming {
            session: self.session.id.to_string(),
            handle: Some(self.session.handle.to_string()),
            title: self.session.order.title.clone(),
            agent: Some(self.session.order.agent.clone()),
            pattern: None,
            recipe,
        }
    }

    /// Returns how the recipe of the repository is followed for this session.
    async fn recipe(&self) -> Result<std::result::Result<RecipeRules, String>> {
        self.shared.recipe_of(self.session.project.as_ref(), &self.session.order.place).await
    }

    /// Makes the folder, or finds it made, unless somebody ends the session meanwhile.
    async fn prepare(&mut self) -> Result<Ready<Workspace>> {
        let made = self.session.workspace.as_ref();
        if let Some(made) = made.filter(|made| self.shared.parts.workspaces.is_there(made)) {
            return Ok(Ready::Yes(made.clone()));
        }
        let recipe = match self.recipe().await? {
            Ok(recipe) => recipe,
            Err(text) => return Ok(Ready::No(text)),
        };
        let (shared, naming, place) = (self.shared.clone(), self.naming(recipe), self.session.order.place.clone());
        let off = CallOff::default();
        let prepare = shared.parts.workspaces.prepare(&naming, &place, &off);
        tokio::pin!(prepare);
        loop {
            tokio::select! {
                biased;
                () = self.server.asked() => return Ok(Ready::Else(Flow::Leave)),
                made = &mut prepare => {
                    return Ok(match (made, self.dismissed.clone()) {
                        (made, Some(by)) => Ready::Else(self.called_off(made.ok(), by).await?),
                        (Ok(made), None) => Ready::Yes(made),
                        (Err(error), None) => Ready::No(error.to_string()),
                    });
                }
                command = self.commands.recv() => match command {
                    Some(Command::Stop { by }) => {
                        self.dismissed = Some(by);
                        // Waited for all the same: what is whole by now must not be nobody's.
                        off.call();
                    }
                    Some(Command::Letters | Command::Answered | Command::Overdrawn | Command::CeilingsChanged | Command::PermissionsChanged) => {}
                    None => return Ok(Ready::Else(Flow::Leave)),
                },
            }
        }
    }

    /// Ends a session that was told to go while its folder was made; nothing is left of one that was not whole.
    async fn called_off(&mut self, made: Option<Workspace>, by: Handle) -> Result<Flow> {
        if let Some(made) = made {
            self.settled_in(made);
        }
        self.end(SessionEnding::Cancelled { by }).await
    }

    pub(super) fn adapter(&self) -> Result<std::sync::Arc<dyn Adapter>> {
        Ok(self.shared.agent_registry().of_session(&self.session.order.agent))
    }

    fn brief(&self, workspace: &Workspace, limits: Limits) -> Brief {
        let order = &self.session.order;
        let env = [
            ("FLEET_SESSION_ID", self.session.id.to_string()),
            ("DEVFLEET_SESSION_ID", self.session.id.to_string()),
            ("FLEET_TASK_DIR", self.shared.spools.session(&self.session).to_string_lossy().into_owned()),
        ];
        let mission = self.session.mission.iter().flat_map(|assignment| {
            ["FLEET_TASK_ID", "DEVFLEET_MISSION_ID"].map(|name| (name, assignment.mission.to_string()))
        });
        let env = env.into_iter().chain(mission).map(|(name, value)| (name.to_owned(), value));
        Brief {
            prompt: self.prompt(),
            first_prompt: (self.session.begun == Begun::Resumed).then(|| order.prompt.clone()),
            prompt_id: Some(crate::messages::uuid(&format!("{}/{}", self.session.id, self.session.runs))),
            cwd: PathBuf::from(&workspace.path),
            program: self.shared.parts.program.clone(),
            private_dir: Some(self.shared.spools.private(&self.session, self.session.runs)),
            model: order.model.clone(),
            conversation: self.conversation(),
            rested_secs: self.rested_secs(),
            limits,
            system_prompt: order.system_prompt.clone(),
            allowed_tools: order.allowed_tools.clone().unwrap_or_default(),
            permissions: Permissions::Ask,
            access: self.access(),
            walled: self.is_sandboxed(),
            args: order.args.clone(),
            env: workspace.env.clone().into_iter().chain(env).chain(self.server_access()).collect(),
            ..Brief::default()
        }
    }

    fn prompt(&self) -> String {
        match self.session.begun {
            Begun::Anew | Begun::Forked => self.session.order.prompt.clone(),
            Begun::Resumed => self.session.order.again.clone().unwrap_or_else(|| GO_ON.to_owned()),
            // It goes on with the call that it left; words of ours would call that off.
            Begun::Answered => String::new(),
        }
    }

    /// Tells how long ago the process before was last heard.
    fn rested_secs(&self) -> Option<u64> {
        let before = self.shared.spools.run(&self.session, self.session.runs.checked_sub(1)?);
        let heard = self.shared.parts.processes.written(&before)?.at;
        u64::try_from(self.shared.parts.clock.now().duration_since(heard).as_secs()).ok()
    }

    fn conversation(&self) -> Conversation {
        match (self.session.begun, self.session.conversation.clone()) {
            (Begun::Resumed | Begun::Answered, Some(session)) => Conversation::Resume { session },
            (Begun::Forked, Some(session)) => Conversation::Fork { session },
            (Begun::Anew, _) | (Begun::Resumed | Begun::Answered | Begun::Forked, None) => {
                Conversation::New { session: None }
            }
        }
    }

    /// Says in the record that a process runs.
    pub(super) async fn running(&mut self, running: Option<&Running>) -> Result<()> {
        let pid = running.map(|running| running.record().agent.pid);
        self.live.send_modify(|live| live.pid = pid);
        if matches!(self.session.state, SessionState::Starting { .. }) {
            let since = self.shared.parts.clock.now();
            let guard = self.guard(running);
            self.change(|session| {
                session.state = SessionState::Running { since };
                session.guard.clone_from(&guard);
            })
            .await?;
        }
        Ok(())
    }

    /// Writes what only the agent's owner may read.
    fn write_private(&self, files: &[PrivateFile]) -> std::result::Result<(), String> {
        for file in files {
            let written = self.shared.parts.files.write(&file.path, &file.text);
            written.map_err(|error| format!("cannot write `{}`: {error}", file.path.display()))?;
        }
        Ok(())
    }
}
