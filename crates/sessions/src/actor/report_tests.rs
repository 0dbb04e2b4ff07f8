use types::{Assignment, Claim, Commit, Handle, Said, Timestamp, Tree};

use super::*;
use crate::samples::session;

fn mission(kind: &str) -> Mission {
    let at = "2025-06-15T15:06:40Z";
    let mission = serde_json::json!({
        "id": "m-x7k2m", "project": null, "number": 7, "team": "alpha", "title": "Add a cart", "prompt": "Add it.",
        "acceptance": "", "kind": kind, "state": {"name": "draft"}, "priority": 0, "tags": [], "depends_on": [],
        "parent": null, "assignee": null, "created_by": Handle::owner(), "start": "by_hand", "model": null,
        "allowed_tools": null, "limits": {"turns_max": null, "dollars_max": null}, "schedule": null,
        "callback_url": null, "retry": {"times_max": 0, "automatic": false}, "holders": 1, "created_at": at,
        "updated_at": at,
    });
    serde_json::from_value(mission).unwrap()
}

fn ended(ending: SessionEnding) -> Session {
    let tree = Tree { repository: "/r".to_owned(), branch: "b".to_owned(), base: "0".to_owned() };
    let workspace = Workspace { path: "/w".to_owned(), worktree: Some(tree), env: Default::default() };
    let mission = Some(Assignment { mission: "m-x7k2m".parse().unwrap(), generation: 1 });
    let state = SessionState::Ended { at: Timestamp::UNIX_EPOCH, ending };
    Session { workspace: Some(workspace), mission, state, runs: 2, ..session() }
}

fn completed() -> Session {
    ended(SessionEnding::Completed { text: "done".to_owned() })
}

fn work() -> Evidence {
    let commit = Commit { oid: "1f0c".to_owned(), subject: "Add a cart".to_owned() };
    let file =
        types::FileChange { path: "cart".to_owned(), kind: types::ChangeKind::Added, added: Some(1), removed: Some(0) };
    Evidence { commits: vec![commit], files: vec![file], ..Evidence::default() }
}

fn told(claim: Claim) -> Told {
    let said = Said { claim, what_done: "All.".to_owned(), ..Said::default() };
    Told { source: Source::Submitted, said }
}

fn closing(session: &Session, kind: &str, told: Option<Told>, evidence: Evidence, unseen: Option<&str>) -> Closing {
    let mission = Some(mission(kind));
    let found = Found {
        session,
        mission: mission.as_ref(),
        told: told.as_ref(),
        evidence: &evidence,
        unseen: unseen.map(str::to_owned),
    };
    let verdict = found.judge();
    let id = "r-x7k2m".parse().unwrap();
    Closing { id, mission, submission: None, told, evidence, verdict, looked: unseen.is_none() }
}

fn class(session: &Session) -> Option<FailureClass> {
    let SessionState::Ended { ending: SessionEnding::Failed { class, .. }, .. } = &session.state else { return None };
    Some(class.clone())
}

#[test]
fn a_session_that_says_done_and_shows_nothing_has_failed_and_says_why() {
    let closing = closing(&completed(), "implement", Some(told(Claim::Done)), Evidence::default(), None);
    let ended = closing.ended(&completed());
    assert_eq!(class(&ended), Some(FailureClass::NotDone));
    assert_eq!(ended.trouble.unwrap().text, "a commit is due and there is none");
    assert_eq!(closing.missing(), Some(&[Reason::NoCommit { kept: false }][..]));
}

#[test]
fn work_is_enough_without_words_and_words_where_no_work_is_due() {
    let done = closing(&completed(), "implement", None, work(), None);
    assert_eq!((done.missing(), done.ended(&completed())), (None, completed()));
    let looked = closing(&completed(), "review", Some(told(Claim::Done)), Evidence::default(), None);
    assert_eq!((looked.missing(), looked.commits()), (None, Some(0)));
    let silent = closing(&completed(), "review", None, Evidence::default(), None);
    assert_eq!(silent.missing(), Some(&[Reason::NoReport][..]));
}

#[test]
fn what_cannot_be_looked_at_is_not_done_and_nothing_is_said_about_its_commits() {
    let closing = closing(&completed(), "implement", Some(told(Claim::Done)), Evidence::default(), Some("it is gone"));
    assert_eq!(closing.missing(), Some(&[Reason::Unseen { why: "it is gone".to_owned() }][..]));
    assert_eq!(closing.commits(), None);
}

#[test]
fn a_session_that_was_ended_reports_its_work_and_stays_as_it_ended() {
    let cancelled = ended(SessionEnding::Cancelled { by: "ann".parse().unwrap() });
    let worked = closing(&cancelled, "implement", None, work(), None);
    assert_eq!(worked.ended(&cancelled), cancelled);
    assert!(worked.tells_something(&cancelled));
    let report = worked.report(&cancelled, true);
    let why = Reason::NotFinished { why: "ann ended it".to_owned() };
    assert_eq!(report.verdict, Some(Verdict::NotDone(vec![why])));
    let nothing = closing(&cancelled, "implement", None, Evidence::default(), None);
    assert!(!nothing.tells_something(&cancelled), "there is nothing to tell of");
}

#[test]
fn what_an_earlier_process_submitted_is_not_taken_for_the_word_of_the_last() {
    let said = told(Claim::Done).said;
    let words = Words::default();
    let submission = |run| Submission { session: session().id, run, said: said.clone(), at: Timestamp::UNIX_EPOCH };
    let (last, before) = (submission(2), submission(1));
    let of_last = left(&completed(), Some(&last), None, &words);
    assert_eq!((of_last.submitted, of_last.submitted_before), (Some(&said), None));
    let of_before = left(&completed(), Some(&before), None, &words);
    assert_eq!((of_before.submitted, of_before.submitted_before), (None, Some(&said)));
}

#[test]
fn a_session_without_a_say_in_its_mission_speaks_for_itself_alone() {
    let closing = closing(&completed(), "implement", None, work(), None);
    assert_eq!(closing.report(&completed(), false).mission, None);
    assert_eq!(closing.report(&completed(), true).mission, closing.mission().map(|mission| mission.id.clone()));
}
