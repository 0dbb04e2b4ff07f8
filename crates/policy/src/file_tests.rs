use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;
use types::Timestamp;

use super::*;
use crate::{Call, Dialect, Verdict};

fn judged(command: &str) -> Judged {
    let call = Call::of(Dialect::Claude, "Bash", &json!({"command": command}));
    Judged::new(Timestamp::UNIX_EPOCH, Some("toolu_1".to_owned()), &call, Verdict::Allow)
}

#[test]
fn a_fence_that_is_saved_is_loaded_and_seen_by_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FENCE_FILE);
    let fence = Fence { tools: Some(vec!["Read".to_owned()]), ..Fence::open("/repo".into()) };
    fence.save(&path).unwrap();
    fence.save(&path).unwrap();
    assert_eq!(Fence::load(&path).unwrap(), fence);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(matches!(Fence::load(&folder.path().join("none")), Err(FenceError::Unread(_))));
    assert!(matches!(Fence::load(folder.path()), Err(FenceError::Unread(_))));
}

#[test]
fn a_fence_of_a_version_that_knows_more_is_not_taken_for_less() {
    let mut fence = serde_json::to_value(Fence::open("/repo".into())).unwrap();
    fence["curfew"] = json!("22:00");
    assert!(serde_json::from_value::<Fence>(fence).is_err());
}

#[test]
fn a_journal_is_read_from_where_it_was_left_and_never_half_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(JOURNAL_FILE);
    assert_eq!(Judged::read(&path, 0).unwrap(), (vec![], 0));
    judged("a").append(&path).unwrap();
    let (first, place) = Judged::read(&path, 0).unwrap();
    assert_eq!(first, [judged("a")]);
    judged("b").append(&path).unwrap();
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"not a line of ours\n{\"at\":").unwrap();
    let (second, behind) = Judged::read(&path, place).unwrap();
    assert_eq!(second, [judged("b")]);
    assert_eq!(Judged::read(&path, behind).unwrap(), (vec![], behind));
    assert!(judged("c").append(folder.path()).is_err());
}
