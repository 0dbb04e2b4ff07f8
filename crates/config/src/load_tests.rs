use std::time::Duration;

use proptest::option;
use proptest::{prop_assert_eq, proptest};
use tempfile::TempDir;

use super::*;
use crate::sessions::Parking;
use crate::value::{LogLevel, StorageBackend};

fn home(runtime_toml: &str) -> (TempDir, Home) {
    let directory = tempfile::tempdir().unwrap();
    let home = Home::at(directory.path());
    crate::disk::replace(&home.runtime_toml(), runtime_toml).unwrap();
    (directory, home)
}

fn load_file(runtime_toml: &str) -> Result<Loaded, Error> {
    load_with(runtime_toml, &[])
}

fn load_with(runtime_toml: &str, variables: &[(&str, &str)]) -> Result<Loaded, Error> {
    let (_directory, home) = home(runtime_toml);
    load(&home, &variables.iter().copied().collect(), &Overrides::new())
}

fn refusal(runtime_toml: &str, variables: &[(&str, &str)]) -> String {
    load_with(runtime_toml, variables).unwrap_err().to_string()
}

fn warnings(loaded: &Loaded) -> Vec<String> {
    loaded.warnings.iter().map(ToString::to_string).collect()
}

proptest! {
    #[test]
    fn a_flag_goes_before_a_variable_before_the_file_before_the_default(
        flag in option::of(1_u16..), variable in option::of(1_u16..), file in option::of(1_u16..),
    ) {
        let (_directory, home) = home(&file.map(|port| format!("port = {port}")).unwrap_or_default());
        let environment: Environment = variable.map(|port| ("PORT", port.to_string())).into_iter().collect();
        let mut flags = Overrides::new();
        if let Some(port) = flag {
            flags.insert("port", port.to_string()).unwrap();
        }

        let loaded = load(&home, &environment, &flags).unwrap();
        let in_file = Source::File(Position { line: 1, column: 8 });
        let expected = flag.map(|port| (port, Source::Flag))
            .or(variable.map(|port| (port, Source::Env("PORT"))))
            .or(file.map(|port| (port, in_file)))
            .unwrap_or((3847, Source::Default));
        prop_assert_eq!((loaded.settings.port, loaded.resolved.get("port").unwrap().source), expected);
    }

    #[test]
    fn the_first_name_of_a_variable_that_is_set_wins(values in [option::of(1_u32..50), option::of(1_u32..50), option::of(1_u32..50)]) {
        let names = ["MAX_WORKERS", "DEVFLEET_MAX_AGENTS", "FLEET_MAX_CONCURRENT"];
        let set = names.into_iter().zip(values).filter_map(|(name, value)| Some((name, value?)));
        let environment: Environment = set.clone().map(|(name, value)| (name, value.to_string())).collect();
        let (_directory, home) = home("");
        let loaded = load(&home, &environment, &Overrides::new()).unwrap();
        let first = set.clone().next();
        prop_assert_eq!(loaded.settings.max_workers, first.map_or(5, |(_, value)| value));
        let differing = set.filter(|(_, value)| Some(*value) != first.map(|(_, value)| value)).count();
        prop_assert_eq!(loaded.warnings.len(), differing);
    }
}

#[test]
fn without_a_file_and_an_environment_the_defaults_hold() {
    let directory = tempfile::tempdir().unwrap();
    let home = Home::at(directory.path().join("not there"));
    let loaded = load(&home, &Environment::default(), &Overrides::new()).unwrap();
    let settings = &loaded.settings;
    assert_eq!((settings.port, settings.host.as_str(), settings.max_workers), (3847, "127.0.0.1", 5));
    assert_eq!((settings.storage_backend, settings.log_level), (StorageBackend::Sqlite, LogLevel::Info));
    assert_eq!(settings.db_path, home.database());
    assert_eq!(settings.jwt_expires_in, Duration::from_secs(86_400));
    assert_eq!(
        (settings.worktrees_dir.as_path(), settings.parking),
        (&*home.path().join("worktrees"), Parking::Account)
    );
    assert_eq!((settings.default_agent.as_str(), settings.branch_pattern.as_str()), ("claude", git::Pattern::MISSIONS));
    assert_eq!((settings.jwt_secret.as_ref(), settings.open_registration), (None, false));
    assert!(loaded.resolved.iter().all(|resolved| resolved.source == Source::Default));
    assert_eq!(loaded.warnings, []);
}

#[test]
fn the_file_takes_every_form_of_value() {
    let loaded = load_file(
        "port = 4000\nopen_registration = true\njwt_expires_in = '30m'\n\
         cors_origins = ['http://a.example', 'http://b.example']\nallowed_hosts = 'x.example, y.example'\n",
    )
    .unwrap();
    assert_eq!((loaded.settings.port, loaded.settings.open_registration), (4000, true));
    assert_eq!(loaded.settings.cors_origins, ["http://a.example", "http://b.example"]);
    assert_eq!(loaded.settings.allowed_hosts, ["x.example", "y.example"]);
}

#[test]
fn a_value_that_cannot_be_is_refused_with_its_place() {
    for (file, variable, expected) in [
        (
            "port = 99999",
            None,
            "cannot use `99999` for setting `port` (runtime.toml, line 1, column 8): takes a whole number from 0 to 65535",
        ),
        (
            "",
            Some(("JWT_EXPIRES_IN", "1.5h")),
            "cannot use `1.5h` for setting `jwt_expires_in` (environment variable JWT_EXPIRES_IN): takes a whole number \
             with a unit s, m, h or d, such as 24h; without one it is seconds",
        ),
        (
            "",
            Some(("STORAGE_BACKEND", "postgresql")),
            "cannot use `postgresql` for setting `storage_backend` (environment variable STORAGE_BACKEND): not built \
             yet in this version, which has sqlite and memory",
        ),
        (
            "# mine\n\nmax_concurrent = 0",
            None,
            "cannot use `0` for setting `max_workers` (runtime.toml, line 3, column 18): takes at least 1",
        ),
        (
            "port = { http = 1 }",
            None,
            "cannot use a table or a date for setting `port` (runtime.toml, line 1, column 8): takes text, a number, \
             true or false, or an array of texts",
        ),
    ] {
        assert_eq!(refusal(file, variable.as_slice()), expected);
    }
}

#[test]
fn sessions_are_set_by_the_names_that_the_four_systems_document() {
    let variables = [
        ("FLEET_DEFAULT_EXECUTOR", "codex"),
        ("FLEET_STALE_TIMEOUT", "120"),
        ("FLEET_STALE_MAX_RESTARTS", "1"),
        ("FLEET_DEFAULT_TIMEOUT", "600"),
        ("DEVFLEET_MAX_RETRIES", "5"),
        ("DEVFLEET_RETRY_INITIAL_DELAY", "2.5"),
        ("FLEET_RATE_LIMIT_MAX_DELAY", "90.0"),
        ("DEVFLEET_PROJECTS_DIR", "/projects"),
    ];
    let loaded = load_with("context_pressure_threshold_pct = 80\nparking = 'off'\n", &variables).unwrap();
    let settings = &loaded.settings;
    assert_eq!((settings.default_agent.as_str(), settings.parking), ("codex", Parking::Off));
    assert_eq!((settings.stale_after_secs, settings.stale_restarts_max, settings.session_timeout_secs), (120, 1, 600));
    let retries = (settings.retries_max, settings.retry_first_delay_secs, settings.retry_longest_delay_secs);
    assert_eq!(retries, (5, 3, 90));
    assert_eq!(settings.projects_dir, std::path::Path::new("/projects"));
    assert_eq!(settings.context_pressure_threshold_pct, 80);
    assert_eq!(loaded.warnings, []);
}

#[test]
fn settings_of_sessions_that_cannot_be_are_refused() {
    for (file, expected) in [
        ("coder = 'Claude Code'", "takes the name of an agent: 1 to 32 of a-z, 0-9, `_` and `-`"),
        ("branch_pattern = 'work'", "needs `{session}` or `{short}`, which tell the branches of sessions apart"),
        ("context_pressure_threshold_pct = 101", "takes at most 100"),
        ("stop_grace_secs = 0", "takes 1 to 8"),
        ("stop_grace_secs = 9", "takes 1 to 8"),
        ("parking = true", "takes account, fleet or off"),
        ("retry_first_delay_secs = -1", "takes seconds, from 0 to 4294967295"),
        (
            "stale_after_secs = 20",
            "cannot use settings `degraded_after_secs` and `stale_after_secs` together: a session would be stale after \
             20 s, before it is degraded after 30 s",
        ),
        (
            "retry_first_delay_secs = 61",
            "cannot use settings `retry_first_delay_secs` and `retry_longest_delay_secs` together: the first delay of \
             61 s is longer than the longest of 60 s",
        ),
    ] {
        let refused = refusal(file, &[]);
        assert!(refused.ends_with(expected), "{refused}");
    }
}

#[test]
fn a_malformed_file_is_refused_with_file_line_and_column() {
    let (_directory, home) = home("port = 1\nhost = \"unclosed\n");
    let error = load(&home, &Environment::default(), &Overrides::new()).unwrap_err();
    let Error::Syntax { path, position, .. } = &error else { panic!("{error}") };
    assert_eq!(path, &home.runtime_toml());
    assert_eq!(position.line, 2, "{error}");
    assert!(error.to_string().contains("runtime.toml` at line 2, column"), "{error}");
}

#[test]
fn unknown_keys_are_warnings_that_suggest_the_closest() {
    let loaded = load_file("prot = 1\nmax-workers = 2\ncolour = 'red'\n").unwrap();
    let expected = [
        "`colour` in runtime.toml is not a setting",
        "`max-workers` in runtime.toml is not a setting; did you mean `max_workers`?",
        "`prot` in runtime.toml is not a setting; did you mean `port`?",
    ];
    assert_eq!(warnings(&loaded), expected);
}

#[test]
fn tables_of_others_are_no_concern_of_ours() {
    let loaded = load_file("[others.mine]\ncommand = 'mine'\n[[hooks]]\nport = 'x'\n").unwrap();
    assert_eq!(loaded.warnings, []);
}

#[test]
fn what_is_documented_and_not_used_is_said_to_be() {
    let variables =
        [("DEVFLEET_ENGINE", "sdk"), ("S3_BUCKET", "b"), ("ANTHROPIC_API_KEY", "k"), ("FLEET_HEARTBEAT_INTERVAL", "")];
    let loaded = load_with("telegram_default_cwd = '/srv'\n", &variables).unwrap();
    let expected = [
        "DEVFLEET_ENGINE is set but this version does not use it",
        "S3_BUCKET is set but this version does not use it",
        "`telegram_default_cwd` is in runtime.toml but this version does not use it",
    ];
    assert_eq!(warnings(&loaded), expected);
}

#[test]
fn two_names_in_the_file_are_told_of() {
    let loaded = load_file("max_workers = 2\nmax_concurrent = 9\n").unwrap();
    assert_eq!(loaded.settings.max_workers, 2);
    assert_eq!(warnings(&loaded), ["`max_concurrent` is ignored because `max_workers` is set"]);
}

#[test]
fn open_registration_is_refused_on_a_host_that_others_reach() {
    let expected = "cannot use settings `open_registration` and `host` together: anyone who reaches host `0.0.0.0` \
                    could register";
    assert_eq!(refusal("open_registration = true", &[("HOST", "0.0.0.0")]), expected);
    assert!(load_with("open_registration = true", &[("HOST", "::1")]).unwrap().settings.open_registration);
}

#[test]
fn a_secret_is_shown_as_being_there_and_a_short_one_is_told_of() {
    let loaded = load_with("", &[("JWT_SECRET", "hunter2")]).unwrap();
    assert_eq!(loaded.resolved.get("jwt_secret").unwrap().shown(), "(hidden)");
    assert_eq!(warnings(&loaded), ["setting `jwt_secret` is shorter than 32 bytes and can be guessed"]);
    assert!(!format!("{loaded:?}").contains("hunter2"));

    let loaded = load_file("[agents.claude]\nenv.API_KEY = 'hunter2'\n").unwrap();
    assert_eq!(loaded.settings.agents["claude"].env["API_KEY"], "hunter2");
    assert!(!format!("{loaded:?}").contains("hunter2"));
}

#[test]
fn a_flag_for_no_setting_is_refused() {
    let error = Overrides::new().insert("prt", "1").unwrap_err();
    assert_eq!(error.to_string(), "cannot find setting `prt`; did you mean `port`?");
}
