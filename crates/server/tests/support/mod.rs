//! A server on a loopback port of its own with everything in memory, and the clients that tests talk to it with.
//!
//! The clock stops until a test moves it. Nothing here sleeps: whatever is waited for has a bound, and passing it
//! fails the test.

pub(crate) mod client;
pub(crate) mod sse;
pub(crate) mod ws;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use config::Settings;
use fleet_server::App;
use runtime::{Clock, Tree};
use serde_json::{Value, json};
use service::Service;
use sessions::NewSession;
use store::Stamp;
use store::Store;
use testkit::Fleet;
use tokens::{Keys, Member};
use tokio::net::TcpListener;
use types::{Mission, MissionId, Order, Place, Role, Session, SessionStateName, Stay};

use client::{get, post};

/// How long anything may take before the test fails.
const PATIENCE: Duration = Duration::from_secs(20);

const LIFETIME: Duration = Duration::from_secs(3600);

/// A running server.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) clock: Clock,
    pub(crate) tree: Tree,
    pub(crate) store: Store,
    fleet: Fleet,
}

impl Server {
    /// Starts a server with the settings that a fresh installation has.
    pub(crate) async fn start() -> Self {
        Self::with_streams(4096).await
    }

    /// Starts a server with places for so many clients that follow the fleet.
    pub(crate) async fn with_streams(streams_max: usize) -> Self {
        let fleet = testkit::fleet().await;
        let (clock, tree, store) = (fleet.clock.clone(), fleet.tree.clone(), fleet.service.store().clone());
        let app = App::with_streams(Arc::clone(&fleet.service), tree.clone(), streams_max);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tree.spawn(fleet_server::LISTENER, "http", |stop| fleet_server::serve(app, listener, stop));
        Self { address, clock, tree, store, fleet }
    }

    /// Returns the application behind it.
    pub(crate) fn service(&self) -> &Service {
        &self.fleet.service
    }

    /// Changes the settings in force.
    pub(crate) fn set(&self, change: impl FnOnce(&mut Settings)) {
        self.fleet.set(change);
    }

    /// Makes a token for a member of a team.
    pub(crate) fn token(&self, handle: &str, team: &str, role: Role) -> String {
        self.fleet.keys.issue(&member(handle, team, role), self.clock.now(), LIFETIME).unwrap()
    }

    /// Makes a token for the owner.
    pub(crate) fn owner(&self) -> String {
        self.fleet.keys.issue(&Member::owner(), self.clock.now(), LIFETIME).unwrap()
    }

    /// Makes an owner's token whose time is over.
    pub(crate) fn expired(&self) -> String {
        let before = self.clock.now().checked_sub(2 * LIFETIME).unwrap();
        self.fleet.keys.issue(&Member::owner(), before, LIFETIME).unwrap()
    }

    /// Makes an owner's token that another key signed.
    pub(crate) fn forged(&self) -> String {
        let others = Keys::new(b"another local key of 32 bytes...", None);
        others.issue(&Member::owner(), self.clock.now(), LIFETIME).unwrap()
    }

    /// Puts an agent to work on a mission and returns the token that its session has.
    pub(crate) async fn agent(&self, mission: &str) -> (String, Session) {
        let id: MissionId = mission.parse().unwrap();
        let mission = self.store.get::<Mission>(&id).await.unwrap().unwrap();
        let order = Order {
            agent: "external".to_owned(),
            model: None,
            title: None,
            prompt: "Do it.".to_owned(),
            again: None,
            system_prompt: None,
            allowed_tools: None,
            preset: None,
            limits: types::Limits::default(),
            place: Place::InPlace { folder: self.fleet.folder().to_string_lossy().into_owned() },
            stay: Stay::UntilDone,
            retries_max: None,
            waits: None,
            context_mode: false,
            args: Vec::new(),
            rank: types::Rank::default(),
            sandbox: types::SandboxRules::default(),
        };
        let (team, project) = (mission.team.clone(), mission.project.clone());
        let new = NewSession { mission: Some(id), project, ..NewSession::new(team.clone(), order) };
        let stamp = Stamp { at: self.clock.now(), handle: "lead".parse().unwrap(), team };
        let session = self.service().sessions().spawn(new, &stamp).await.unwrap();
        let mut live = self.service().sessions().watch(&session.id).unwrap();
        within(live.wait_for(|live| live.session.state.name() == SessionStateName::Running)).await.unwrap();
        let member = Member::agent(session.id.clone(), session.handle.clone(), session.team.clone());
        (self.fleet.keys.issue(&member, self.clock.now(), LIFETIME).unwrap(), session)
    }

    /// Returns the end of the change feed: the same before and after means that nothing was changed.
    pub(crate) fn position(&self) -> u64 {
        self.store.position().number()
    }

    /// Sends a request and returns the answer.
    pub(crate) async fn send(&self, request: client::Request) -> client::Reply {
        within(client::send(self.address, request)).await
    }

    /// Registers an agent and returns its token.
    pub(crate) async fn register(&self, handle: &str, team: &str, role: Role) -> String {
        let body = json!({ "handle": handle, "teamName": team, "agentType": role.as_str() });
        let reply = self.send(post("/auth", &body).bearer(&self.owner())).await;
        reply.expect(200)["token"].as_str().unwrap().to_owned()
    }

    /// Adds a project of the bearer's team and returns its id.
    pub(crate) async fn project(&self, token: &str) -> String {
        let body = json!({ "name": "shop", "path": self.fleet.new_folder() });
        id(&self.send(post("/api/projects", &body).bearer(token)).await.expect(201))
    }

    /// States a mission of a project and returns its id.
    pub(crate) async fn mission(&self, token: &str, project: &str, title: &str) -> String {
        let body = json!({ "project_id": project, "title": title, "detailed_prompt": "Do it." });
        id(&self.send(post("/api/missions", &body).bearer(token)).await.expect(201))
    }

    /// Reads a path that must answer.
    pub(crate) async fn read(&self, path: &str, token: &str) -> Value {
        self.send(get(path).bearer(token)).await.expect(200)
    }
}

/// Waits for what must happen soon.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("what the test waits for does not happen")
}

/// Names a member of a team.
pub(crate) fn member(handle: &str, team: &str, role: Role) -> Member {
    Member { handle: handle.parse().unwrap(), team: team.parse().unwrap(), role, session: None }
}

/// Returns the `id` of an object.
pub(crate) fn id(object: &Value) -> String {
    object["id"].as_str().unwrap().to_owned()
}
