//! Starts that must not happen: each says what is wrong and what to do, and changes nothing.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use api::claude_fleet::GetHealth;
use testkit::{Launch, Refused, Server};

use crate::FLEET;

/// Everything below a folder, with its bytes, but for the pools of session folders and shims that a running server fills.
#[expect(clippy::disallowed_methods, reason = "the test looks at what the server left on disk")]
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let entries = entries.filter(|path| !["tasks/.folders", "tasks/.stock"].iter().any(|pool| path.ends_with(pool)));
    let (folders, mut files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    // Readers rewrite SQLite's shared memory.
    files.retain(|file| !file.to_str().unwrap().ends_with("-shm"));
    let mut read: Vec<_> = files.into_iter().map(|file| (file.clone(), std::fs::read(file).unwrap())).collect();
    read.extend(folders.iter().flat_map(|folder| contents(folder)));
    read.sort();
    read
}

fn assert_says(refused: &Refused, words: &[&str]) {
    assert!(refused.code.is_some_and(|code| code != 0), "exit code {:?}: {}", refused.code, refused.stderr);
    for word in words {
        assert!(refused.stderr.contains(word), "{word:?} is not said:\n{}", refused.stderr);
    }
    assert!(!refused.stderr.contains("panicked"), "{}", refused.stderr);
}

#[tokio::test]
async fn a_second_server_on_the_same_home_is_refused_by_name_of_the_first_and_changes_nothing() {
    let first = Server::fresh(FLEET).await;
    let before = contents(first.home());
    let refused = Launch::at(FLEET, first.home()).refused().await;
    assert_says(&refused, &["the server runs already", &first.pid().to_string(), "fleet up --status"]);
    assert_eq!(contents(first.home()), before);
    assert_eq!(first.anonymous().call(GetHealth {}).await.unwrap().output.status, "ok");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_servers_that_start_at_once_on_one_home_exactly_one_runs() {
    for _ in 0..3 {
        let launch = Launch::new(FLEET);
        let starts = futures::future::join_all((0..4).map(|_| launch.clone().try_up())).await;
        let (up, refused): (Vec<_>, Vec<_>) = starts.into_iter().partition(Result::is_ok);
        assert_eq!((up.len(), refused.len()), (1, 3));
        for refused in refused.into_iter().filter_map(Result::err) {
            // The first is noticed by its file if that is written, and else by its hold on the database.
            let noticed = refused.stderr.contains("the server runs already");
            assert_says(&refused, &[if noticed { "fleet up --status" } else { "in use by another fleet process" }]);
        }
        let winner = up.into_iter().next().unwrap().unwrap();
        assert_eq!(winner.anonymous().call(GetHealth {}).await.unwrap().output.status, "ok");
    }
}

#[tokio::test]
async fn a_second_server_on_the_same_database_is_refused_wherever_its_home_is() {
    let first = Server::fresh(FLEET).await;
    let before = contents(first.home());
    let second = Launch::new(FLEET).env("DB_PATH", first.launch().database().display());
    let refused = second.refused().await;
    assert_says(&refused, &["in use by another fleet process", &first.pid().to_string()]);
    assert_eq!(contents(first.home()), before);
    assert!(!second.home().join("server.json").exists(), "it says that it is up");
}

#[tokio::test]
async fn a_port_that_is_taken_is_refused_with_what_to_do_and_no_database_is_made() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let launch = Launch::new(FLEET).env("PORT", port);
    let refused = launch.refused().await;
    assert_says(&refused, &[&format!("cannot listen on 127.0.0.1:{port}"), "fleet up --port"]);
    assert!(!launch.database().exists() && !launch.home().join("server.json").exists());
}

#[tokio::test]
async fn a_home_that_cannot_be_written_is_named() {
    for home in ["/dev/null/home", "/proc/self/home"] {
        let refused = Launch::at(FLEET, home).refused().await;
        assert_says(&refused, &[home, "cannot"]);
    }
}

#[tokio::test]
async fn no_home_at_all_is_refused_by_the_names_of_the_variables() {
    let refused = Launch::new(FLEET).without("HOME").without("FLEET_HOME").refused().await;
    assert_says(&refused, &["FLEET_HOME", "HOME"]);
}

#[tokio::test]
async fn a_database_that_cannot_be_made_is_named() {
    let refused = Launch::new(FLEET).env("DB_PATH", "/dev/null/fleet.db").refused().await;
    assert_says(&refused, &["/dev/null/fleet.db"]);
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test makes a file that is no database")]
async fn a_file_that_is_no_database_of_ours_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "These are my notes and not a database, and they are long enough to be read.\n".repeat(50))
        .unwrap();
    let before = contents(folder.path());
    let refused = Launch::new(FLEET).env("DB_PATH", file.display()).refused().await;
    assert_says(&refused, &["not a fleet database"]);
    let after: Vec<_> = contents(folder.path()).into_iter().filter(|(name, _)| *name == file).collect();
    assert_eq!(after, before);
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test writes settings by hand, as a user does")]
async fn settings_that_cannot_be_used_are_refused_by_file_and_line() {
    let launch = Launch::new(FLEET);
    std::fs::create_dir_all(launch.home()).unwrap();
    for (text, words) in [
        ("log_level = \"loud\"\n", "log_level"),
        ("log_level = \n", "runtime.toml"),
        ("max_workers = 0\n", "max_workers"),
    ] {
        std::fs::write(launch.home().join("runtime.toml"), text).unwrap();
        assert_says(&launch.refused().await, &[words]);
    }
    assert!(!launch.database().exists());
}

#[tokio::test]
async fn what_others_could_read_or_write_is_refused() {
    let server = Server::fresh(FLEET).await;
    let mode = |path: PathBuf| path.metadata().unwrap().permissions().mode() & 0o777;
    let (home, token) = (server.home().to_owned(), server.home().join("token"));
    assert_eq!((mode(home), mode(token), mode(server.launch().database())), (0o700, 0o600, 0o600));
    let launch = server.kill().await;
    for (name, exposed, private) in [("token", 0o644, 0o600), ("", 0o777, 0o700)] {
        let set =
            |mode| std::fs::set_permissions(launch.home().join(name), std::fs::Permissions::from_mode(mode)).unwrap();
        set(exposed);
        assert_says(&launch.refused().await, &[launch.home().to_str().unwrap()]);
        set(private);
    }
    launch.up().await;
}
