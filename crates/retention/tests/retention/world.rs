//! A fleet's records in memory or on disk, and what is outside of them, in virtual time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use config::{Environment, Home, Overrides, Settings};
use fleet_retention::{Mode, Outside, Parts, References, Refused, Retention, Swept};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use kv::{Engine, MemEngine};
use kv_sqlite::SqliteEngine;
use runtime::Clock;
use store::{Error, Query, Stamp, Store, by};
use tokio::sync::watch;
use types::{
    Assignment, Definition, Event, Execution, ExecutionState, Handle, Landing, LandingId, LandingState, Mission,
    MissionId, MissionState, Origin, Proof, Question, QuestionId, QuestionState, Session, SessionEnding, SessionId,
    SessionState, TeamName, Timestamp,
};

pub(crate) const DAY: u64 = 86_400;

/// The world outside of the store, in memory.
#[derive(Debug, Default)]
pub(crate) struct Played {
    pub(crate) live: Mutex<BTreeSet<SessionId>>,
    pub(crate) files: Mutex<BTreeSet<SessionId>>,
    pub(crate) worktrees: Mutex<BTreeSet<String>>,
    pub(crate) branches: Mutex<BTreeSet<String>>,
    /// Where files are really made; none for files by name alone.
    folder: Option<PathBuf>,
}

impl Played {
    /// Makes as many files as a session of a scripted agent leaves.
    fn make_files(&self, session: &SessionId) {
        self.files.lock().unwrap().insert(session.clone());
        if let Some(folder) = &self.folder {
            let folder = folder.join(session.as_str());
            std::fs::create_dir_all(&folder).unwrap();
            (0..16).for_each(|number| std::fs::write(folder.join(number.to_string()), "x".repeat(1_000)).unwrap());
        }
    }

    pub(crate) fn count_files(&self) -> usize {
        let below = |folder: &PathBuf| std::fs::read_dir(folder).unwrap().count() * 17;
        self.folder.as_ref().map_or(0, below)
    }
}

impl Outside for Played {
    fn is_live(&self, session: &SessionId) -> bool {
        self.live.lock().unwrap().contains(session)
    }

    fn with_worktree(&self, after: Option<String>, limit: usize) -> BoxFuture<'_, Result<Vec<String>, Refused>> {
        let all = self.worktrees.lock().unwrap().clone();
        let behind = all.into_iter().filter(move |one| after.as_ref().is_none_or(|after| one > after));
        std::future::ready(Ok(behind.take(limit).collect())).boxed()
    }

    fn has_worktree(&self, session: &Session) -> bool {
        self.worktrees.lock().unwrap().contains(session.id.as_str())
    }

    fn remove_worktree<'a>(&'a self, session: &'a Session) -> BoxFuture<'a, Result<(), Refused>> {
        self.worktrees.lock().unwrap().remove(session.id.as_str());
        std::future::ready(Ok(())).boxed()
    }

    fn references<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<References, Refused>> {
        let branches = self.branches.lock().unwrap().clone();
        std::future::ready(Ok(References { branches, snapshots: BTreeSet::new() })).boxed()
    }

    fn remove_branch<'a>(&'a self, landing: &'a Landing) -> BoxFuture<'a, Result<bool, Refused>> {
        std::future::ready(Ok(self.branches.lock().unwrap().remove(&landing.branch))).boxed()
    }

    fn pack<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<(), Refused>> {
        std::future::ready(Ok(())).boxed()
    }

    fn has_files(&self, session: &Session) -> bool {
        self.files.lock().unwrap().contains(&session.id)
    }

    fn remove_files<'a>(&'a self, session: &'a Session) -> BoxFuture<'a, Result<(), Refused>> {
        self.files.lock().unwrap().remove(&session.id);
        if let Some(folder) = &self.folder {
            // They may have gone before their session.
            let _ = std::fs::remove_dir_all(folder.join(session.id.as_str()));
        }
        std::future::ready(Ok(())).boxed()
    }

    fn trim_output(&self) -> BoxFuture<'_, ()> {
        std::future::ready(()).boxed()
    }
}

pub(crate) struct World {
    pub(crate) engine: MemEngine,
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) outside: Arc<Played>,
    settings: watch::Sender<Arc<Settings>>,
    retention: Retention,
    folder: PathBuf,
}

fn code(number: usize) -> String {
    let digit = |place: u32| types::ID_ALPHABET.as_bytes()[number / 31_usize.pow(place) % 31];
    [4, 3, 2, 1, 0].map(digit).map(char::from).iter().collect()
}

pub(crate) fn mission_id(number: usize) -> MissionId {
    MissionId::from_code(&code(number)).unwrap()
}

pub(crate) fn session_id(number: usize) -> SessionId {
    SessionId::from_code(&code(number)).unwrap()
}

impl World {
    pub(crate) async fn new() -> Self {
        let engine = MemEngine::new();
        Self::over(engine.clone(), Arc::new(engine), Played::default(), Path::new("/nowhere")).await
    }

    /// A world with a database and files below a folder.
    pub(crate) async fn on_disk(folder: &Path) -> Self {
        let engine = Arc::new(SqliteEngine::open(folder.join("fleet.db")).unwrap());
        let tasks = folder.join("tasks");
        std::fs::create_dir(&tasks).unwrap();
        let outside = Played { folder: Some(tasks), ..Played::default() };
        Self::over(MemEngine::new(), engine, outside, folder).await
    }

    async fn over(engine: MemEngine, used: Arc<dyn Engine>, outside: Played, folder: &Path) -> Self {
        let options = store::Options { writer: "test".to_owned(), seed: 1 };
        let store = Store::open(used, options).await.unwrap();
        let clock = Clock::manual(Timestamp::from_second(1_800_000_000).unwrap());
        let home = Home::at(Path::new("/nowhere"));
        let loaded = config::load(&home, &Environment::default(), &Overrides::new()).unwrap();
        let (settings, receiver) = watch::channel(Arc::new(loaded.settings));
        let outside = Arc::new(outside);
        let retention = Retention::new(Parts {
            store: store.clone(),
            clock: clock.clone(),
            settings: receiver,
            outside: Arc::clone(&outside) as Arc<dyn Outside>,
        });
        Self { engine, store, clock, outside, settings, retention, folder: folder.to_owned() }
    }

    pub(crate) fn set(&self, change: impl Fn(&mut Settings)) {
        self.settings.send_modify(|settings| change(Arc::make_mut(settings)));
    }

    /// The bytes of the database that are in use.
    ///
    /// The files' own lengths tell when SQLite last folded its log, which depends on how commits were grouped.
    pub(crate) fn database_bytes(&self) -> u64 {
        let database = rusqlite::Connection::open(self.folder.join("fleet.db")).unwrap();
        let read = |pragma: &str| {
            database.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0)).unwrap().unsigned_abs()
        };
        (read("page_count") - read("freelist_count")) * read("page_size")
    }

    fn stamp(&self) -> Stamp {
        Stamp { at: self.clock.now(), handle: Handle::owner(), team: TeamName::default_team() }
    }

    /// Stores a question that the agent of a session asked.
    pub(crate) async fn ask(&self, number: usize, session: &Session) {
        let asked = &Question {
            id: QuestionId::derived(&number.to_string()),
            team: session.team.clone(),
            project: None,
            session: session.id.clone(),
            mission: None,
            handle: session.handle.clone(),
            key: number.to_string(),
            text: "Which port?".to_owned(),
            choices: Vec::new(),
            free_text: true,
            state: QuestionState::Waiting,
            heard: None,
            asked_at: self.clock.now(),
            updated_at: self.clock.now(),
        };
        self.store.transact(&self.stamp(), |tx| async move { tx.insert(asked) }).await.unwrap();
    }

    /// Stores an execution in a state.
    pub(crate) async fn execute(&self, id: &str, state: ExecutionState) {
        let now = self.clock.now();
        let execution = &Execution {
            id: id.parse().unwrap(),
            team: TeamName::default_team(),
            project: None,
            workflow: None,
            name: "chain".to_owned(),
            definition: Definition::default(),
            inputs: serde_json::Map::new(),
            base: None,
            state,
            steps: BTreeMap::new(),
            stopping: Vec::new(),
            log: Vec::new(),
            swarm: None,
            created_by: Handle::owner(),
            created_at: now,
            updated_at: now,
        };
        self.store.transact(&self.stamp(), |tx| async move { tx.insert(execution) }).await.unwrap();
    }

    /// Stores a mission, with one session that has ended as the mission has.
    pub(crate) async fn add(&self, mission: &Mission, session: &Session, landing: Landing) {
        let (landing, stamp) = (&landing, self.stamp());
        let write = self.store.transact(&stamp, |tx| async move {
            tx.insert(mission)?;
            tx.insert(session)?;
            tx.insert(landing)?;
            tx.append(Event::MissionCreated { mission: mission.id.clone() });
            Ok::<_, Error>(())
        });
        write.await.unwrap();
        self.outside.make_files(&session.id);
        self.outside.worktrees.lock().unwrap().insert(session.id.to_string());
        self.outside.branches.lock().unwrap().insert(landing.branch.clone());
    }

    pub(crate) async fn sweep(&self, mode: Mode) -> BTreeMap<&'static str, u64> {
        // The pauses of a sweep are in the test's time too.
        let sweep = self.retention.sweep(mode);
        let tick = async {
            loop {
                tokio::task::yield_now().await;
                if self.clock.sleepers() > 0 {
                    self.clock.advance(Duration::from_millis(5));
                }
            }
        };
        let swept: Vec<Swept> = tokio::select! { swept = sweep => swept, () = tick => unreachable!() };
        assert!(swept.iter().all(|one| one.failed.is_none()), "{swept:?}");
        swept.into_iter().map(|one| (one.name, one.count)).collect()
    }

    pub(crate) fn pass(&self, days: u64) {
        self.clock.advance(Duration::from_secs(days * DAY));
    }

    pub(crate) async fn missions(&self) -> BTreeSet<MissionId> {
        let all = self.store.list::<Mission>(Query::earliest(by::mission::all(), 100_000)).await.unwrap();
        all.records.into_iter().map(|mission| mission.id).collect()
    }

    pub(crate) async fn sessions(&self) -> BTreeSet<SessionId> {
        let all = self.store.list::<Session>(Query::earliest(by::session::all(), 100_000)).await.unwrap();
        all.records.into_iter().map(|session| session.id).collect()
    }
}

pub(crate) fn done(at: Timestamp) -> MissionState {
    MissionState::Done { at, proof: Proof::Stated { by: Handle::owner() } }
}

pub(crate) fn mission(number: usize, at: Timestamp, state: MissionState) -> Mission {
    let fixture = include_str!("../../../store/tests/fixtures/mission.v1.draft.json");
    let document: serde_json::Value = serde_json::from_str(fixture).unwrap();
    let made: Mission = serde_json::from_value(document["d"].clone()).unwrap();
    Mission {
        id: mission_id(number),
        project: None,
        number: None,
        depends_on: Vec::new(),
        parent: None,
        state,
        created_at: at,
        updated_at: at,
        ..made
    }
}

pub(crate) fn session(number: usize, of: &Mission, at: Timestamp, live: bool) -> Session {
    let fixture = include_str!("../../../store/tests/fixtures/session.v1.completed.json");
    let document: serde_json::Value = serde_json::from_str(fixture).unwrap();
    let made: Session = serde_json::from_value(document["d"].clone()).unwrap();
    let ending = SessionEnding::Completed { text: String::new() };
    Session {
        id: session_id(number),
        handle: format!("agent{number}").parse().unwrap(),
        mission: Some(Assignment { mission: of.id.clone(), generation: 1 }),
        origin: Origin::New,
        project: None,
        state: if live { SessionState::Running { since: at } } else { SessionState::Ended { at, ending } },
        created_at: at,
        updated_at: at,
        ..made
    }
}

pub(crate) fn landing_of(mission: &Mission, session: &Session, at: Timestamp, landed: bool) -> Landing {
    let fixture = include_str!("../../../store/tests/fixtures/landing.v1.queued.json");
    let document: serde_json::Value = serde_json::from_str(fixture).unwrap();
    let made: Landing = serde_json::from_value(document["d"].clone()).unwrap();
    let state = if landed {
        LandingState::Landed { at, commit: "c".repeat(40), checks: Vec::new() }
    } else {
        LandingState::Dropped { at, by: Handle::owner(), why: String::new() }
    };
    Landing {
        id: LandingId::derived(session.id.as_str()),
        mission: mission.id.clone(),
        session: session.id.clone(),
        branch: format!("devfleet/{}", session.id),
        publication: None,
        project: None,
        state,
        created_at: at,
        updated_at: at,
        ..made
    }
}
