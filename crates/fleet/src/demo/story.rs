//! The demo from the first mission to the last word of an agent: dispatch, watch, kill the server, watch on.

use std::time::Duration;

use api::devfleet::{
    CancelSession, CreateMission, CreateProject, DispatchMission, GetSession, LandingView, ListLandings, SessionStatus,
    StartOptions, WaitForMission,
};
use api::{AgentName, Kind};
use cli::{Failure, Follower, Frame, News, Options, Terminal};
use client::Client;
use config::Environment;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream, SelectAll};
use runtime::Clock;
use serde_json::{Value, json};
use types::{MissionId, ProjectId, SessionId};

use super::board::Board;
use super::cast::Role;
use super::outcome::Outcome;
use super::place::{CHECK, DemoFolder};
use super::server::Server;
use super::traces;

/// The demo is aborted after silence of this length.
const PATIENCE: Duration = Duration::from_secs(120);

/// When the server is killed, how long it is gone, and how many agents should be at work then.
struct Blow {
    after: Duration,
    gone: Duration,
    agents: usize,
}

/// What runs.
pub(super) struct Story<'a> {
    place: &'a DemoFolder,
    roles: &'a [Role],
    server: Option<Server>,
    environment: Environment,
    clock: Clock,
    board: Board,
    missions: Vec<MissionId>,
    sessions: Vec<SessionId>,
    heard: Vec<Vec<String>>,
    blow: Option<Blow>,
    begun: Duration,
}

type Told = (usize, Result<News, Failure>);

impl<'a> Story<'a> {
    pub(super) fn new(
        place: &'a DemoFolder,
        roles: &'a [Role],
        server: Server,
        fast: bool,
        clock: Clock,
        width: Option<usize>,
    ) -> Self {
        let millis = Duration::from_millis;
        let (after, gone) = if fast { (millis(600), millis(300)) } else { (millis(4500), millis(1800)) };
        Self {
            place,
            roles,
            server: Some(server),
            environment: place.variables().into_iter().collect(),
            board: Board::new(roles, width),
            missions: Vec::new(),
            sessions: Vec::new(),
            heard: vec![Vec::new(); roles.len()],
            blow: Some(Blow { after, gone, agents: 3 }),
            begun: clock.monotonic(),
            clock,
        }
    }

    /// Plays until every agent has ended.
    pub(super) async fn play(&mut self, terminal: &mut Terminal) -> Result<(), Failure> {
        self.dispatch(terminal).await?;
        let mut told: SelectAll<BoxStream<'static, Told>> =
            self.sessions.iter().enumerate().map(|(agent, session)| self.follow(agent, session)).collect();
        self.board.draw(terminal)?;
        while let Some((agent, news)) = self.clock.timeout(PATIENCE, told.next()).await.map_err(|_| too_long())? {
            if let News::Told(told) = news? {
                if let (Frame::Text { text }, Some(heard)) = (&told.frame, self.heard.get_mut(agent)) {
                    heard.push(text.trim().to_owned());
                }
                self.board.told(agent, &told.frame, self.elapsed(), terminal)?;
            }
            let is_time = self.is_time();
            if let Some(blow) = self.blow.take_if(|_| is_time) {
                self.strike(&blow, terminal).await?;
            }
        }
        match self.blow {
            None => self.land().await,
            Some(_) => Err(Failure::new(Kind::Internal, "the agents ended before the server could be killed")),
        }
    }

    /// Waits until no mission is on its way to `main` any more.
    async fn land(&self) -> Result<(), Failure> {
        let client = self.client().await?;
        let timeout_seconds = u32::try_from(PATIENCE.as_secs()).unwrap_or(u32::MAX);
        for mission in self.missions.iter().cloned() {
            client.call(WaitForMission { mission, timeout_seconds }).await?;
        }
        Ok(())
    }

    /// On a machine so slow that the first is done before the others begin, fewer agents will do.
    fn is_time(&self) -> bool {
        let at_work = self.board.at_work();
        self.blow.as_ref().is_some_and(|blow| {
            self.elapsed() >= blow.after && (at_work >= blow.agents || (self.board.any_over() && at_work > 0))
        })
    }

    async fn dispatch(&mut self, terminal: &mut Terminal) -> Result<(), Failure> {
        let client = self.client().await?;
        let path = self.place.repository().display().to_string();
        let project: CreateProject = input(json!({ "name": "shop", "path": path, "checks": [CHECK] }))?;
        let project = client.call(project).await?.output.id;
        let missions = self.roles.iter().map(|role| begin(&client, &project, role));
        (self.missions, self.sessions) = futures::future::try_join_all(missions).await?.into_iter().unzip();
        self.begun = self.clock.monotonic();
        let server = self.server.as_ref().map(|server| format!("{} (process {})", server.url(), server.pid()));
        terminal.print(&format!(
            "A server listens on {}. {} missions were dispatched, each to an agent in a worktree of its own.\n\n",
            server.unwrap_or_default(),
            self.sessions.len()
        ))
    }

    /// Everything that an agent reports, over any number of servers.
    fn follow(&self, agent: usize, session: &SessionId) -> BoxStream<'static, Told> {
        let follower = Follower::new(session.clone(), None, &Options::default(), &self.environment, &self.clock);
        let told = stream::unfold(Some(follower), move |follower| async move {
            let mut follower = follower?;
            match follower.next().await {
                Ok(Some(news)) => Some(((agent, Ok(news)), Some(follower))),
                Ok(None) => None,
                Err(failure) => Some(((agent, Err(failure)), None)),
            }
        });
        told.boxed()
    }

    /// Kills the server, lets the agents work without it for a while, and starts it again.
    async fn strike(&mut self, blow: &Blow, terminal: &mut Terminal) -> Result<(), Failure> {
        let Some(server) = self.server.take() else { return Ok(()) };
        let before = traces::agents(self.place.root());
        let pid = server.pid();
        server.kill()?;
        let said = format!(
            "The server (process {pid}) was just killed with SIGKILL. {} agents are at work and continue.",
            if before.is_empty() { self.board.at_work() } else { before.len() }
        );
        self.notice(&said, terminal)?;
        self.clock.sleep(blow.gone).await;
        let during = traces::agents(self.place.root());
        let server = Server::start(self.place, &self.clock).await?;
        let same = before.intersection(&during).count();
        let found = match before.len() - same {
            // The system does not say what runs.
            _ if before.is_empty() => String::new(),
            0 => format!(": {same} are the same processes as before"),
            ended => format!(": {same} are the same processes as before, {ended} ended on their own meanwhile"),
        };
        let said = format!("It is back (process {}), and found its agents{found}.", server.pid());
        self.server = Some(server);
        self.notice(&said, terminal)
    }

    fn notice(&mut self, text: &str, terminal: &mut Terminal) -> Result<(), Failure> {
        let said = format!("{:>5.1} s  {text}", self.elapsed().as_secs_f64());
        self.board.notice(&said, terminal)
    }

    /// Reads what came of every mission.
    pub(super) async fn outcomes(&mut self) -> Result<Vec<Outcome<'a>>, Failure> {
        let client = self.client().await?;
        let mut outcomes = Vec::new();
        for (((role, mission), session), heard) in
            self.roles.iter().zip(&self.missions).zip(&self.sessions).zip(&self.heard)
        {
            let session = client.call(GetSession { session: session.clone() }).await?.output.session;
            let landing = landing(&client, mission).await?;
            outcomes.push(Outcome::read(role, session, heard.clone(), landing, self.place)?);
        }
        Ok(outcomes)
    }

    /// Ends what still runs: agents first, while there is a server to ask, then the server.
    pub(super) async fn clean_up(&mut self) -> Result<(), Failure> {
        let Some(server) = self.server.take() else {
            // Killed and not started again: the agents are short-lived, but a server should end them.
            let server = Server::start(self.place, &self.clock).await?;
            return self.end(server).await;
        };
        self.end(server).await
    }

    async fn end(&self, server: Server) -> Result<(), Failure> {
        let client = self.client().await?;
        for session in &self.sessions {
            let row = client.call(GetSession { session: session.clone() }).await?.output.session;
            if row.status == SessionStatus::Running {
                client.call(CancelSession { session: session.clone() }).await?;
            }
        }
        server.stop(&self.clock).await
    }

    async fn client(&self) -> Result<Client, Failure> {
        Options::default().connect(&self.environment, &self.clock).await
    }

    fn elapsed(&self) -> Duration {
        self.clock.monotonic().saturating_sub(self.begun)
    }
}

/// States a mission and gives it to an agent.
async fn begin(client: &Client, project: &ProjectId, role: &Role) -> Result<(MissionId, SessionId), Failure> {
    let mission: CreateMission = input(json!({
        "project_id": project, "title": role.title, "detailed_prompt": role.prompt,
        "auto_retry": true, "max_retries": 2,
    }))?;
    let mission = client.call(mission).await?.output.id;
    let agent = Some("sim".to_owned());
    let dispatched = client
        .call(DispatchMission {
            mission: mission.clone(),
            options: StartOptions { agent: AgentName::of(agent), ..StartOptions::default() },
        })
        .await?
        .output;
    let session = dispatched.session_id;
    let session = session.ok_or_else(|| Failure::new(Kind::Exhausted, "all places for agents are taken"))?;
    Ok((mission, session))
}

/// Reads what happened to the branch of a mission.
async fn landing(client: &Client, mission: &MissionId) -> Result<Option<LandingView>, Failure> {
    let list = ListLandings { mission_id: Some(mission.clone()), ..ListLandings::default() };
    Ok(client.call(list).await?.output.items.into_iter().next())
}

/// Fields that are left out have the defaults of the contract.
fn input<T: serde::de::DeserializeOwned>(fields: Value) -> Result<T, Failure> {
    serde_json::from_value(fields).map_err(|error| Failure::new(Kind::Internal, error.to_string()))
}

fn too_long() -> Failure {
    Failure::new(Kind::Internal, format!("an agent was silent for {} seconds", PATIENCE.as_secs()))
}
