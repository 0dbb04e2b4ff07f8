//! Sessions on a store that stops answering: what it applied all the same is found out and gone on from.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use kv::{Commit, Engine, Error, Key, Limits, MemEngine, Outcome, Row, Scan};
use serde_json::json;
use sessions::NewSession;
use store::Stamp;
use testkit::{Fleet, PATIENCE, owner};
use tokio::sync::watch;
use types::{
    FailureClass, Handle, Mission, MissionId, Order, ParkedAccount, Place, Rank, Session, SessionId, SessionState,
    SessionStateName, StateName, Stay, TeamName, Wait,
};

/// How often the store sends a commit, and then the one that closes its place, before it gives up.
const SENDS: u32 = 12;

/// An engine in memory that can be made to stop answering.
#[derive(Debug)]
struct Moody {
    rows: MemEngine,
    mood: Mutex<Mood>,
    /// How many calls were not answered.
    unanswered: watch::Sender<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mood {
    Fair,
    /// Applies commits and loses every answer.
    Mute,
    /// Answers who reads, and applies no commit, as a full disk does.
    Full,
    /// Does nothing.
    Gone,
}

impl Default for Moody {
    fn default() -> Self {
        Self { rows: MemEngine::new(), mood: Mutex::new(Mood::Fair), unanswered: watch::Sender::new(0) }
    }
}

impl Moody {
    fn turn(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
        self.unanswered.send_replace(0);
    }

    /// Waits until so many calls were not answered.
    async fn lost(&self, calls: u32) {
        let mut unanswered = self.unanswered.subscribe();
        tokio::time::timeout(PATIENCE, unanswered.wait_for(|count| *count >= calls)).await.unwrap().unwrap();
    }

    fn read(&self) -> Result<(), Error> {
        match *self.mood.lock().unwrap() {
            Mood::Fair | Mood::Mute | Mood::Full => Ok(()),
            Mood::Gone => Err(self.gone()),
        }
    }

    fn gone(&self) -> Error {
        self.unanswered.send_modify(|count| *count += 1);
        Error::Unavailable("it does not answer".into())
    }
}

#[async_trait]
impl Engine for Moody {
    fn limits(&self) -> Limits {
        self.rows.limits()
    }

    async fn get(&self, key: &Key) -> Result<Option<Row>, Error> {
        self.read()?;
        self.rows.get(key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Row>, Error> {
        self.read()?;
        self.rows.scan(scan).await
    }

    async fn commit(&self, commit: Commit) -> Result<Outcome, Error> {
        let mood = *self.mood.lock().unwrap();
        match mood {
            Mood::Fair => self.rows.commit(commit).await,
            Mood::Mute => {
                self.rows.commit(commit).await?;
                self.unanswered.send_modify(|count| *count += 1);
                Err(Error::Unknown("nobody is told".into()))
            }
            Mood::Full | Mood::Gone => Err(self.gone()),
        }
    }
}

/// A fleet on a moody engine, and a mission.
struct Scene {
    engine: Arc<Moody>,
    fleet: Fleet,
    mission: MissionId,
}

impl Scene {
    async fn new() -> Self {
        let engine = Arc::new(Moody::default());
        let fleet = Fleet::over(engine.clone(), 1).await;
        let project = fleet.project(&owner(), "shop").await;
        let mission = fleet.mission(&owner(), &project, json!({})).await.parse().unwrap();
        Self { engine, fleet, mission }
    }

    fn stamp(&self) -> Stamp {
        Stamp { at: self.fleet.clock.now(), handle: Handle::owner(), team: TeamName::default_team() }
    }

    async fn park(&self, account: &str) {
        let (class, text) = (FailureClass::Auth, "the key is not good".to_owned());
        let since = self.fleet.clock.now();
        let parked = ParkedAccount { account: account.to_owned(), class, text, until: None, since };
        self.fleet.insert(&parked).await;
    }

    async fn spawn(&self, agent: &str, mission: Option<&MissionId>) -> Result<Session, sessions::Error> {
        let order = order(agent, &self.fleet.folder().to_string_lossy());
        let new = NewSession { mission: mission.cloned(), ..NewSession::new(TeamName::default_team(), order) };
        self.fleet.service.sessions().spawn(new, &self.stamp()).await
    }

    /// A session that holds the mission and waits for its account.
    async fn parked(&self) -> SessionId {
        self.park("sim").await;
        let id = self.spawn("sim", Some(&self.mission)).await.unwrap().id;
        self.until(&id, |session| is_waiting(session, &Wait::Parked { class: FailureClass::Auth })).await;
        assert_eq!(self.mission().await.state.name(), StateName::Parked);
        id
    }

    async fn mission(&self) -> Mission {
        self.fleet.service.store().get::<Mission>(&self.mission).await.unwrap().unwrap()
    }

    async fn session(&self, id: &SessionId) -> Session {
        self.fleet.service.store().get::<Session>(id).await.unwrap().unwrap()
    }

    /// Lets time pass, a second at a time, until a session is as a test wants it.
    async fn until(&self, id: &SessionId, is: impl Fn(&Session) -> bool) -> Session {
        let wait = async {
            loop {
                if let Ok(Some(session)) = self.fleet.service.store().get::<Session>(id).await
                    && is(&session)
                {
                    return session;
                }
                self.fleet.clock.advance(Duration::from_secs(1));
                // tidy: sleep because the store waits by the system's clock, which this paces the fleet's own by
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        match tokio::time::timeout(PATIENCE, wait).await {
            Ok(session) => session,
            Err(_) => panic!("it does not come about: {:#?}", self.session(id).await),
        }
    }
}

fn order(agent: &str, folder: &str) -> Order {
    Order {
        agent: agent.to_owned(),
        model: None,
        title: None,
        prompt: "Do it.".to_owned(),
        again: None,
        system_prompt: None,
        allowed_tools: None,
        preset: None,
        limits: types::Limits::default(),
        place: Place::InPlace { folder: folder.to_owned() },
        stay: Stay::UntilDone,
        retries_max: None,
        waits: None,
        context_mode: false,
        args: Vec::new(),
        sandbox: types::SandboxRules::default(),
        rank: Rank::default(),
    }
}

fn is_waiting(session: &Session, want: &Wait) -> bool {
    matches!(&session.state, SessionState::Waiting { wait, .. } if wait == want)
}

fn is_over(session: &Session) -> bool {
    !session.state.is_live()
}

#[tokio::test]
async fn a_session_that_parked_its_mission_without_hearing_so_goes_on_with_it_later() {
    let scene = Scene::new().await;
    scene.park("sim").await;
    let id = scene.spawn("sim", Some(&scene.mission)).await.unwrap().id;
    scene.engine.turn(Mood::Mute);
    // The session waits and so does its mission, in one commit whose answer is lost.
    scene.engine.lost(SENDS).await;
    scene.engine.turn(Mood::Fair);
    scene.until(&id, |session| is_waiting(session, &Wait::Parked { class: FailureClass::Auth })).await;
    scene.fleet.clock.advance(Duration::from_secs(60));
    let sessions = scene.fleet.service.sessions();
    sessions.unpark("sim", &scene.stamp()).await.unwrap();
    // There is no such program in this fleet, so it ends as soon as it may start; and with it the mission.
    let ended = scene.until(&id, is_over).await;
    assert_eq!(ended.trouble.map(|trouble| trouble.class), Some(FailureClass::NotStarted));
    assert_eq!(scene.mission().await.state.name(), StateName::Failed);
}

#[tokio::test]
async fn a_session_that_cannot_go_on_with_its_slot_does_not_keep_it_from_itself() {
    let scene = Scene::new().await;
    scene.fleet.set(|settings| settings.max_workers = 1);
    let waits = scene.parked().await;
    let other = scene.spawn("external", None).await.unwrap().id;
    scene.until(&other, |session| session.state.name() == SessionStateName::Running).await;
    let sessions = scene.fleet.service.sessions().clone();
    sessions.unpark("sim", &scene.stamp()).await.unwrap();
    scene.until(&waits, |session| is_waiting(session, &Wait::Slot)).await;

    // The other one's slot comes free before its end is written; neither can write in that moment.
    scene.engine.turn(Mood::Full);
    let who = Handle::owner();
    let stop = sessions.stop(&other, &who);
    let come_back = async {
        scene.engine.lost(2).await;
        scene.engine.turn(Mood::Fair);
        scene.until(&waits, is_over).await
    };
    let (_, ended) = tokio::join!(stop, come_back);
    // There is no such program in this fleet, so it ends as soon as it may start.
    assert_eq!(ended.trouble.map(|trouble| trouble.class), Some(FailureClass::NotStarted));
}

#[tokio::test]
async fn a_session_whose_begin_was_not_confirmed_is_attended_as_soon_as_it_is_known() {
    let scene = Scene::new().await;
    scene.engine.turn(Mood::Mute);
    let told = scene.spawn("external", None).await;
    let unknown = matches!(&told, Err(sessions::Error::Store(store::Error::Engine(Error::Unknown(_)))));
    assert!(unknown, "nobody can know that it was begun: {told:?}");
    scene.engine.turn(Mood::Fair);
    let query = store::Query::earliest(store::by::session::live(), 10);
    let stored = scene.fleet.service.store().list::<Session>(query).await.unwrap().records;
    assert_eq!(stored.len(), 1, "{stored:#?}");
    let running = scene.until(&stored[0].id, |session| session.state.name() == SessionStateName::Running).await;
    assert!(scene.fleet.service.sessions().live(&running.id).is_some());
    assert_eq!(scene.fleet.service.sessions().running(), 1);
}

#[tokio::test]
async fn a_slot_that_was_taken_for_a_session_that_never_was_comes_free() {
    let scene = Scene::new().await;
    scene.engine.turn(Mood::Gone);
    assert!(scene.spawn("external", None).await.is_err());
    scene.engine.turn(Mood::Fair);
    assert_eq!(scene.fleet.service.sessions().running(), 0);
}

#[tokio::test]
async fn a_session_lets_go_of_a_mission_that_a_person_opened_or_put_aside_while_it_waited() {
    for (status, expected) in [("open", StateName::Ready), ("blocked", StateName::Parked)] {
        let scene = Scene::new().await;
        let id = scene.parked().await;
        let input = json!({ "taskId": scene.mission, "status": status });
        scene.fleet.json(&owner(), "task_update", input).await.unwrap();
        // At once, not when its account is good again.
        let ended = scene.until(&id, is_over).await;
        let class = ended.trouble.map(|trouble| trouble.class);
        assert_eq!(class, Some(FailureClass::Interrupted), "{status}");
        let mission = scene.mission().await;
        assert_eq!(mission.state.name(), expected, "{status}");
        scene.fleet.service.sessions().unpark("sim", &scene.stamp()).await.unwrap();
        assert_eq!(scene.mission().await, mission, "{status}");
    }
}

#[tokio::test]
async fn a_name_that_fleet_draws_never_conflicts_and_one_that_the_caller_chose_does() {
    // The same chance twice: the second fleet draws the ids that the first one drew.
    let engine = Arc::new(MemEngine::new());
    let one = Fleet::over(engine.clone(), 7).await;
    let stamp = Stamp { at: one.clock.now(), handle: Handle::owner(), team: TeamName::default_team() };
    let new = || NewSession::new(TeamName::default_team(), order("external", &one.folder().to_string_lossy()));
    let first = one.service.sessions().spawn(new(), &stamp).await.unwrap();
    let two = Fleet::over(engine, 7).await;
    let second = two.service.sessions().spawn(new(), &stamp).await.unwrap();
    assert!(first.id != second.id && first.handle != second.handle);
    let named = NewSession { handle: Some(first.handle.clone()), ..new() };
    let refused = two.service.sessions().spawn(named, &stamp).await.unwrap_err();
    assert!(matches!(refused, sessions::Error::Refused(sessions::Refusal::HandleTaken { .. })), "{refused}");
}
