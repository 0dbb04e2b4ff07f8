//! The stored form of questions, in every state, and of notifications; and where they are found.

use fleet_store::{Query, by};
use kv::MemEngine;
use types::{Channel, Event, Hearing, Notification, Question, QuestionState, QuestionStateName, Timestamp};

use crate::schema::{assert_newest, text};
use crate::support::{open, stamp};

fn later() -> Timestamp {
    "2025-06-16T09:00:00Z".parse().unwrap()
}

fn question(state: QuestionState) -> Question {
    Question {
        id: "q-x7k2m".parse().unwrap(),
        team: "alpha".parse().unwrap(),
        project: Some("p-x7k2m".parse().unwrap()),
        session: "s-x7k2m".parse().unwrap(),
        mission: Some("m-x7k2m".parse().unwrap()),
        handle: "scout-1".parse().unwrap(),
        key: text("0123abcd"),
        text: text("Which port?"),
        choices: vec![text("80"), text("8080")],
        free_text: false,
        state,
        heard: None,
        asked_at: "2025-06-15T15:06:40Z".parse().unwrap(),
        updated_at: later(),
    }
}

fn answered() -> QuestionState {
    QuestionState::Answered { by: "lead".parse().unwrap(), answer: text("8080"), at: later() }
}

fn withdrawn() -> QuestionState {
    QuestionState::Withdrawn { at: later(), why: text("the session is over") }
}

#[tokio::test]
async fn a_question_in_every_state_is_read_and_written_as_its_fixture_has_it() {
    let bare = Question { project: None, mission: None, choices: Vec::new(), free_text: true, ..question(withdrawn()) };
    let fixtures = [
        (include_str!("../fixtures/question.v1.waiting.json"), question(QuestionState::Waiting)),
        (
            include_str!("../fixtures/question.v1.answered.json"),
            Question { heard: Some(Hearing::Prompt), ..question(answered()) },
        ),
        (include_str!("../fixtures/question.v1.withdrawn.json"), bare),
    ];
    for (fixture, question) in &fixtures {
        assert_newest(fixture, question).await;
    }
}

#[tokio::test]
async fn a_notification_is_read_and_written_as_its_fixture_has_it() {
    let about = Event::QuestionMoved {
        question: "q-x7k2m".parse().unwrap(),
        session: "s-x7k2m".parse().unwrap(),
        mission: None,
        from: None,
        to: QuestionStateName::Waiting,
    };
    let notification = Notification {
        id: "n-x7k2m".parse().unwrap(),
        team: "alpha".parse().unwrap(),
        channel: Channel::Slack,
        about,
        text: text("scout-1 asks: Which port?"),
        tries: 1,
        at: later(),
        created_at: "2025-06-15T15:06:40Z".parse().unwrap(),
    };
    assert_newest(include_str!("../fixtures/notification.v1.json"), &notification).await;
}

#[tokio::test]
async fn a_session_has_one_question_of_the_same_words_and_another_once_that_was_withdrawn() {
    let store = open(MemEngine::new(), 1).await;
    let first = &question(QuestionState::Waiting);
    store.transact(stamp(), |tx| async move { tx.insert(first) }).await.unwrap();
    let second = &Question { id: "q-22222".parse().unwrap(), ..question(QuestionState::Waiting) };
    let insert = || store.transact(stamp(), |tx| async move { tx.insert(second) });
    assert!(insert().await.is_err(), "two questions of the same words");
    let moved = store.transact(stamp(), |tx| async move {
        let held = tx.get::<Question>(&first.id).await?.unwrap();
        tx.update(&held, &question(withdrawn()))
    });
    moved.await.unwrap();
    insert().await.unwrap();
    let waiting = Query::earliest(by::question::state(QuestionStateName::Waiting), 10);
    let of_words = Query::earliest(by::question::words(&first.session, &first.key), 10);
    for query in [waiting, of_words] {
        assert_eq!(store.list::<Question>(query).await.unwrap().records, std::slice::from_ref(second));
    }
    let unheard = Query::earliest(by::question::unheard(&first.session), 10);
    assert_eq!(store.list::<Question>(unheard).await.unwrap().records.len(), 2);
}
