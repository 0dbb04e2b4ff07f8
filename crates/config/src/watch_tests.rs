use std::fs::OpenOptions;
use std::io::Write as _;

use tempfile::TempDir;

use super::*;
use crate::disk;
use crate::value::LogLevel;

/// A running watcher over a home of its own; the changes it reports are awaited, never slept for.
struct Watched {
    _directory: TempDir,
    home: Home,
    settings: watch::Receiver<Arc<Settings>>,
    changes: mpsc::UnboundedReceiver<Change>,
}

impl Watched {
    /// Runs `scenario` beside the watcher.
    async fn with<F: Future<Output = ()>>(runtime_toml: &str, scenario: impl FnOnce(Self) -> F) {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::at(directory.path());
        disk::replace(&home.runtime_toml(), runtime_toml).unwrap();
        let environment = Environment::default();
        let loaded = load(&home, &environment, &Overrides::new()).unwrap();
        let (watcher, settings) = watch(&home, environment, Overrides::new(), &loaded).unwrap();
        let (report, changes) = mpsc::unbounded_channel();
        let running = watcher.run(move |change| report.send(change).unwrap());
        let watched = Self { _directory: directory, home, settings, changes };
        tokio::select! {
            () = running => panic!("the watcher ended"),
            () = scenario(watched) => {}
        }
    }

    async fn change(&mut self) -> Change {
        self.changes.recv().await.unwrap()
    }

    async fn applied(&mut self) -> (Vec<String>, Vec<&'static str>) {
        match self.change().await {
            Change::Applied { live, restart, .. } => (live.into_iter().map(Cow::into_owned).collect(), restart),
            Change::Refused(error) => panic!("{error}"),
        }
    }

    fn level(&self) -> LogLevel {
        self.settings.borrow().log_level
    }

    /// Writes into the file that is there, as `echo >` does.
    fn overwrite(&self, text: &str) {
        let mut file = OpenOptions::new().write(true).truncate(true).open(self.home.runtime_toml()).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }
}

#[tokio::test]
async fn an_edit_in_place_is_taken_up() {
    Watched::with("", |mut watched| async move {
        watched.overwrite("log_level = 'debug'\n");
        assert_eq!(watched.applied().await, (vec!["log_level".to_owned()], vec![]));
        assert_eq!(watched.level(), LogLevel::Debug);
    })
    .await;
}

#[tokio::test]
async fn a_file_renamed_into_place_is_taken_up_again_and_again() {
    Watched::with("log_level = 'warn'\n", |mut watched| async move {
        for (level, expected) in [("debug", LogLevel::Debug), ("trace", LogLevel::Trace), ("error", LogLevel::Error)] {
            disk::replace(&watched.home.runtime_toml(), &format!("log_level = '{level}'\n")).unwrap();
            watched.applied().await;
            assert_eq!(watched.level(), expected);
        }
    })
    .await;
}

#[tokio::test]
async fn a_removed_file_gives_the_defaults_back() {
    Watched::with("log_level = 'warn'\n", |mut watched| async move {
        disk::remove(&watched.home.runtime_toml()).unwrap();
        watched.applied().await;
        assert_eq!(watched.level(), LogLevel::Info);
    })
    .await;
}

#[tokio::test]
async fn a_malformed_edit_keeps_the_old_settings_and_the_next_good_one_is_taken_up() {
    Watched::with("log_level = 'warn'\n", |mut watched| async move {
        disk::replace(&watched.home.runtime_toml(), "log_level = = 'debug'\n").unwrap();
        assert!(matches!(watched.change().await, Change::Refused(Error::Syntax { .. })));
        assert_eq!(watched.level(), LogLevel::Warn);

        disk::replace(&watched.home.runtime_toml(), "log_level = 'loud'\n").unwrap();
        assert!(matches!(watched.change().await, Change::Refused(Error::Value { key: "log_level", .. })));
        assert_eq!(watched.level(), LogLevel::Warn);

        disk::replace(&watched.home.runtime_toml(), "log_level = 'debug'\n").unwrap();
        watched.applied().await;
        assert_eq!(watched.level(), LogLevel::Debug);
    })
    .await;
}

#[tokio::test]
async fn what_needs_a_restart_is_named_and_keeps_its_value() {
    Watched::with("", |mut watched| async move {
        disk::replace(&watched.home.runtime_toml(), "port = 4000\nmax_workers = 9\n").unwrap();
        assert_eq!(watched.applied().await, (vec!["max_workers".to_owned()], vec!["port"]));
        let settings = watched.settings.borrow();
        assert_eq!((settings.port, settings.max_workers), (3847, 9));
    })
    .await;
}

#[tokio::test]
async fn a_changed_agent_is_taken_up_by_name_and_a_wrong_one_changes_nothing() {
    let model =
        |watched: &Watched| watched.settings.borrow().agents.get("claude").and_then(|setup| setup.model.clone());
    Watched::with("[agents.claude]\nmodel = 'a'\n[agents.sim]\n", |mut watched| async move {
        disk::replace(&watched.home.runtime_toml(), "[agents.claude]\nmodel = 'b'\n[agents.sim]\n").unwrap();
        assert_eq!(watched.applied().await, (vec!["agents.claude".to_owned()], vec![]));
        assert_eq!(model(&watched).as_deref(), Some("b"));

        disk::replace(&watched.home.runtime_toml(), "max_workers = 9\n[agents.claude]\nmodle = 'c'\n").unwrap();
        assert!(matches!(watched.change().await, Change::Refused(Error::Agent { .. })));
        assert_eq!(model(&watched).as_deref(), Some("b"));
        assert_eq!(watched.settings.borrow().max_workers, 5);

        disk::replace(&watched.home.runtime_toml(), "").unwrap();
        let gone = ["agents.claude", "agents.sim"].map(str::to_owned).to_vec();
        assert_eq!(watched.applied().await, (gone, vec![]));
        assert_eq!(model(&watched), None);
    })
    .await;
}

#[tokio::test]
async fn a_mistyped_key_is_told_of_though_it_changes_nothing() {
    Watched::with("", |mut watched| async move {
        disk::replace(&watched.home.runtime_toml(), "log_levle = 'debug'\n").unwrap();
        let Change::Applied { warnings, .. } = watched.change().await else { panic!("refused") };
        let expected = Warning::UnknownKey { key: "log_levle".to_owned(), suggestion: Some("log_level") };
        assert_eq!(warnings, [expected]);
    })
    .await;
}

#[tokio::test]
async fn registration_is_not_opened_by_a_host_that_only_a_restart_would_bring() {
    Watched::with("host = '0.0.0.0'\n", |mut watched| async move {
        disk::replace(&watched.home.runtime_toml(), "host = '127.0.0.1'\nopen_registration = true\n").unwrap();
        assert!(matches!(watched.change().await, Change::Refused(Error::Conflict { .. })));
        assert!(!watched.settings.borrow().open_registration);
    })
    .await;
}

#[tokio::test]
async fn an_edit_before_the_watcher_runs_is_not_missed() {
    let directory = tempfile::tempdir().unwrap();
    let home = Home::at(directory.path());
    let loaded = load(&home, &Environment::default(), &Overrides::new()).unwrap();
    disk::replace(&home.runtime_toml(), "max_workers = 2\n").unwrap();
    let (watcher, mut settings) = watch(&home, Environment::default(), Overrides::new(), &loaded).unwrap();
    tokio::select! {
        () = watcher.run(|_| ()) => panic!("the watcher ended"),
        changed = settings.changed() => changed.unwrap(),
    }
    assert_eq!(settings.borrow().max_workers, 2);
}

#[test]
fn only_what_may_have_changed_the_settings_is_heeded() {
    let event = |kind, name: &str| Ok(notify::Event::new(kind).add_path(Path::new("/home").join(name)));
    let closed = |mode| EventKind::Access(AccessKind::Close(mode));
    assert!(concerns_settings(&event(closed(AccessMode::Write), "runtime.toml")));
    assert!(concerns_settings(&event(EventKind::Create(notify::event::CreateKind::File), "runtime.toml")));
    assert!(!concerns_settings(&event(closed(AccessMode::Read), "runtime.toml")));
    assert!(!concerns_settings(&event(EventKind::Access(AccessKind::Open(AccessMode::Any)), "runtime.toml")));
    assert!(!concerns_settings(&event(EventKind::Modify(notify::event::ModifyKind::Any), "fleet.db-wal")));
    assert!(concerns_settings(&Err(notify::Error::generic("events were lost"))));
}

#[tokio::test]
async fn an_agent_that_a_file_describes_is_there_as_soon_as_the_file_is_and_goes_with_it() {
    Watched::with("", |mut watched| async move {
        let file = watched.home.agents().join("scribe.toml");
        disk::replace(&file, "argv = ['scribe']").unwrap();
        assert_eq!(watched.applied().await.0, ["agents.scribe"]);
        assert!(watched.settings.borrow().custom.contains_key("scribe"));
        disk::replace(&file, "argv = []").unwrap();
        assert!(matches!(watched.change().await, Change::Refused(Error::Agent { .. })));
        assert!(watched.settings.borrow().custom.contains_key("scribe"), "what is in force stays");
        disk::remove(&file).unwrap();
        assert_eq!(watched.applied().await.0, ["agents.scribe"]);
        assert!(watched.settings.borrow().custom.is_empty());
    })
    .await;
}
