use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use types::Timestamp;

use super::*;
use crate::{Call, Dialect, OnAsk, Verdict};

/// What programs before versions wrote, as they wrote it.
const PERMISSIONS_1: &str = include_str!("../tests/fixtures/permissions-1.json");
const JOURNAL_1: &str = include_str!("../tests/fixtures/journal-1.ndjson");

fn judged(command: &str) -> Judged {
    let call = Call::of(Dialect::Claude, "Bash", &json!({"command": command}));
    Judged::new(Timestamp::UNIX_EPOCH, Some("toolu_1".to_owned()), &call, Verdict::Allow)
}

#[expect(clippy::disallowed_methods, reason = "the test writes what another version would")]
fn load(said: &Value) -> Result<SessionPermissions, PermissionsError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(PERMISSIONS_FILE);
    std::fs::write(&path, said.to_string()).unwrap();
    SessionPermissions::load(&path)
}

#[test]
fn a_fence_that_is_saved_is_loaded_and_seen_by_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(PERMISSIONS_FILE);
    let fence = SessionPermissions { tools: Some(vec!["Read".to_owned()]), ..SessionPermissions::open("/repo".into()) };
    fence.save(&path).unwrap();
    fence.save(&path).unwrap();
    assert_eq!(SessionPermissions::load(&path).unwrap(), fence);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(matches!(SessionPermissions::load(&folder.path().join("none")), Err(PermissionsError::Unread(_))));
    assert!(matches!(SessionPermissions::load(folder.path()), Err(PermissionsError::Unread(_))));
}

#[test]
fn permissions_of_the_first_version_are_read_and_still_written_so() {
    let said: Value = serde_json::from_str(PERMISSIONS_1).unwrap();
    let fence = load(&said).unwrap();
    assert_eq!((fence.version, fence.rules.len(), fence.on_ask), (1, 1, OnAsk::Wait));
    assert_eq!(serde_json::to_value(&fence).unwrap(), said);
}

#[test]
fn a_field_that_only_describes_is_passed_over_and_a_version_that_knows_more_is_not_taken_for_less() {
    let mut said: Value = serde_json::from_str(PERMISSIONS_1).unwrap();
    let known = load(&said).unwrap();
    said["written_by"] = json!("fleet 9");
    said["rules"][0]["shown_as"] = json!("Pushes");
    assert_eq!(load(&said).unwrap(), known);
    said["version"] = json!(2);
    let refused = load(&said).unwrap_err();
    assert!(matches!(refused, PermissionsError::Newer { version: 2 }), "{refused}");
    assert!(refused.to_string().contains("version 2") && refused.to_string().contains("version 1"), "{refused}");
}

#[test]
fn what_is_missing_or_said_in_another_way_never_allows_more() {
    let said: Value = serde_json::from_str(PERMISSIONS_1).unwrap();
    for (field, needed) in [("root", true), ("tools", true), ("rules", true), ("answers", false), ("on_ask", false)] {
        let mut less = said.clone();
        less.as_object_mut().unwrap().remove(field);
        assert_eq!(load(&less).is_err(), needed, "{field}");
    }
    let mut other = said;
    other["on_ask"] = json!("hibernate");
    assert_eq!(load(&other).unwrap().on_ask, OnAsk::Refuse);
    other["rules"][0]["decision"] = json!("quarantine");
    assert!(matches!(load(&other), Err(PermissionsError::Malformed(_))));
}

#[test]
fn a_journal_is_read_from_where_it_was_left_and_never_half_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(JOURNAL_FILE);
    assert_eq!(Judged::read(&path, 0).unwrap(), Slice::nothing_from(0));
    judged("a").append(&path).unwrap();
    let first = Judged::read(&path, 0).unwrap();
    assert_eq!((&first.judged[..], first.more), (&[judged("a")][..], false));
    judged("b").append(&path).unwrap();
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"not a line of ours\n{\"at\":").unwrap();
    let second = Judged::read(&path, first.next).unwrap();
    assert_eq!((&second.judged[..], second.unread), (&[judged("b")][..], 1));
    assert_eq!(Judged::read(&path, second.next).unwrap(), Slice::nothing_from(second.next));
    assert!(judged("c").append(folder.path()).is_err());
}

#[test]
fn lines_of_the_first_version_are_read_and_so_are_lines_with_more_in_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(JOURNAL_FILE);
    let mut file = OpenOptions::new().append(true).create(true).open(&path).unwrap();
    file.write_all(JOURNAL_1.as_bytes()).unwrap();
    let count = JOURNAL_1.lines().count();
    for line in JOURNAL_1.lines() {
        let mut more: Value = serde_json::from_str(line).unwrap();
        more["took_ms"] = json!(3);
        more["call"]["agent"] = json!("main");
        file.write_all(format!("{more}\n").as_bytes()).unwrap();
    }
    let read = Judged::read(&path, 0).unwrap();
    assert_eq!((read.judged.len(), read.unread), (2 * count, 0));
    assert_eq!(read.judged[..count], read.judged[count..]);
}

#[test]
fn however_long_a_journal_is_a_look_at_it_reads_a_slice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(JOURNAL_FILE);
    let line = format!("{}\n", serde_json::to_string(&judged("x")).unwrap());
    let times = 3 * SLICE as usize / line.len();
    let mut file = OpenOptions::new().append(true).create(true).open(&path).unwrap();
    file.write_all(line.repeat(times).as_bytes()).unwrap();
    let (mut from, mut seen, mut looks) = (0, 0, 0);
    loop {
        let slice = Judged::read(&path, from).unwrap();
        assert!(slice.next - from <= SLICE);
        (from, seen, looks) = (slice.next, seen + slice.judged.len(), looks + 1);
        if !slice.more {
            break;
        }
    }
    assert_eq!((seen, looks), (times, 3));
    // One endless line is passed over, slice by slice.
    file.write_all(&vec![b'x'; 2 * SLICE as usize]).unwrap();
    let slice = Judged::read(&path, from).unwrap();
    assert_eq!((slice.judged.len(), slice.unread, slice.next), (0, 1, from + SLICE));
}

#[test]
fn a_pipe_a_folder_or_a_link_in_the_place_of_a_journal_is_an_error_and_not_a_wait() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    judged("a").append(&path("real")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, path("pipe"), rustix::fs::Mode::RWXU).unwrap();
    std::os::unix::fs::symlink(path("real"), path("link")).unwrap();
    std::fs::create_dir(path("folder")).unwrap();
    for name in ["pipe", "link", "folder"] {
        assert!(Judged::read(&path(name), 0).is_err(), "{name}");
    }
    assert_eq!(Judged::read(&path("real"), 0).unwrap().judged.len(), 1);
}

#[test]
fn a_call_that_a_person_is_asked_about_is_written_down_whole_and_read_again_as_what_it_is() {
    let asks = |command: &str| {
        let call = Call::of(Dialect::Claude, "Bash", &json!({"command": command}));
        let verdict = Verdict::Ask { by: crate::By::Preset, why: String::new() };
        (call.clone(), Judged::new(Timestamp::UNIX_EPOCH, None, &call, verdict))
    };
    let (call, kept) = asks(&format!("echo {}", "x".repeat(60_000)));
    assert_eq!(kept.read_again(Dialect::Claude), call);
    let (call, cut) = asks(&format!("echo {}", "x".repeat(200_000)));
    assert_ne!(cut.read_again(Dialect::Claude).key(), call.key());
    // Whatever else a line says of a call, what is read again is what the call would be made with.
    let (_, mut forged) = asks("git push --force");
    forged.call.command = Some("git status".to_owned());
    forged.call.tool = "Read".to_owned();
    let again = forged.read_again(Dialect::Claude);
    assert_eq!((again.tool.as_str(), again.command.as_deref()), ("Bash", Some("git push --force")));
}
