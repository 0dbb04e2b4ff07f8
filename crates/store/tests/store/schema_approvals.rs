//! The stored form of approvals, in every state, and where they are found.

use fleet_store::{Query, by};
use kv::MemEngine;
use types::{Approval, ApprovalState, ApprovalStateName, Timestamp, WantedCall};

use crate::schema::{assert_newest, text};
use crate::support::{open, stamp};

fn later() -> Timestamp {
    "2025-06-16T09:00:00Z".parse().unwrap()
}

fn approval(state: ApprovalState) -> Approval {
    Approval {
        id: "a-x7k2m".parse().unwrap(),
        team: "alpha".parse().unwrap(),
        session: "s-x7k2m".parse().unwrap(),
        mission: Some("m-x7k2m".parse().unwrap()),
        handle: "scout-1".parse().unwrap(),
        run: 2,
        held: false,
        key: text("0123abcd"),
        wanted: WantedCall {
            tool: text("Bash"),
            summary: text("git push origin main"),
            command: Some(text("git push origin main")),
            paths: vec![text("/srv/shop")],
            hosts: vec![text("example.org")],
            input: None,
            hidden: None,
        },
        rule: Some("g-x7k2m".parse().unwrap()),
        why: text("pushes are looked at"),
        state,
        created_at: "2025-06-15T15:06:40Z".parse().unwrap(),
        updated_at: later(),
    }
}

fn lapsed() -> ApprovalState {
    ApprovalState::Lapsed { at: later(), why: text("the session is over") }
}

#[tokio::test]
async fn an_approval_in_every_state_is_read_and_written_as_its_fixture_has_it() {
    let by: types::Handle = "lead".parse().unwrap();
    let why = text("not before the release");
    let bare = WantedCall { tool: text("WebFetch"), summary: text("WebFetch"), ..WantedCall::default() };
    let fixtures = [
        (include_str!("../fixtures/approval.v1.waiting.json"), approval(ApprovalState::Waiting)),
        (
            include_str!("../fixtures/approval.v1.allowed.json"),
            approval(ApprovalState::Allowed { by: by.clone(), at: later() }),
        ),
        (include_str!("../fixtures/approval.v1.denied.json"), approval(ApprovalState::Denied { by, at: later(), why })),
        (
            include_str!("../fixtures/approval.v1.lapsed.json"),
            Approval { mission: None, rule: None, held: true, wanted: bare, ..approval(lapsed()) },
        ),
    ];
    for (fixture, approval) in &fixtures {
        assert_newest(fixture, approval).await;
    }
}

#[tokio::test]
async fn a_call_has_one_approval_at_a_time_and_another_once_that_has_lapsed() {
    let store = open(MemEngine::new(), 1).await;
    let first = &approval(ApprovalState::Waiting);
    store.transact(stamp(), |tx| async move { tx.insert(first) }).await.unwrap();
    let second = &Approval { id: "a-22222".parse().unwrap(), ..approval(ApprovalState::Waiting) };
    let insert = || store.transact(stamp(), |tx| async move { tx.insert(second) });
    assert!(insert().await.is_err(), "two questions about one call");
    let waits = || Query::earliest(by::approval::state(ApprovalStateName::Waiting), 10);
    assert_eq!(store.list::<Approval>(waits()).await.unwrap().records, std::slice::from_ref(first));

    let moved = store.transact(stamp(), |tx| async move {
        let held = tx.get::<Approval>(&first.id).await?.unwrap();
        tx.update(&held, &approval(lapsed()))
    });
    moved.await.unwrap();
    insert().await.unwrap();
    let of_call = Query::earliest(by::approval::call(&first.session, &first.key), 10);
    for query in [waits(), of_call] {
        assert_eq!(store.list::<Approval>(query).await.unwrap().records, std::slice::from_ref(second));
    }
    let all = Query::earliest(by::approval::session(&first.session), 10);
    assert_eq!(store.list::<Approval>(all).await.unwrap().records.len(), 2);
}
