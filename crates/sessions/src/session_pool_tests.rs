use runtime::Clock;

use super::*;

fn contents() -> Contents {
    Contents { folders: vec!["private".into(), "private/tmp".into()], files: vec!["private/token".into()] }
}

fn session_pool(tasks: &Path) -> SessionPool {
    let tree = Tree::new(Clock::system());
    let session_pool = SessionPool::open(&tree, tasks, contents());
    session_pool.0.fill().unwrap();
    session_pool
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.collect();
    names.sort();
    names
}

#[tokio::test]
async fn the_sessions_of_a_task_each_get_a_folder_with_everything_in_it() {
    let tasks = tempfile::tempdir().unwrap();
    let session_pool = session_pool(tasks.path());
    for session in ["s-1", "s-2"] {
        let folder = tasks.path().join("m-1").join(session);
        session_pool.put(&folder);
        assert!(folder.join("private/tmp").is_dir() && folder.join("private/token").is_file(), "{session}");
    }
    assert_eq!(names(&tasks.path().join("m-1")), ["s-1", "s-2"]);
}

#[tokio::test]
async fn what_a_session_has_already_is_left_alone() {
    let tasks = tempfile::tempdir().unwrap();
    let session_pool = session_pool(tasks.path());
    let session = tasks.path().join("m-1/s-1");
    folder(&session.join("private")).unwrap();
    session_pool.put(&session);
    assert_eq!(names(&session.join("private")), Vec::<String>::new());
    assert_eq!(session_pool.0.ready().len(), SIZE);
}

#[tokio::test]
async fn what_an_earlier_server_left_half_is_removed_and_the_rest_is_used() {
    let tasks = tempfile::tempdir().unwrap();
    drop(session_pool(tasks.path()));
    let folders = tasks.path().join(".folders");
    remove(&folders.join("0/session/private/tmp")).unwrap();
    rename(&folders.join("1/session"), &folders.join("1/s-9")).unwrap();
    let later = Shared {
        folder: folders.clone(),
        contents: contents(),
        ready: Mutex::default(),
        next: AtomicU64::default(),
        taken: Notify::new(),
    };
    later.find().unwrap();
    assert_eq!(names(&folders), ["2", "3", "4", "5", "6", "7"]);
    later.fill().unwrap();
    assert_eq!((later.ready().len(), names(&folders).len()), (SIZE, SIZE));
}
