use types::Role;

use super::super::message::{self, Request};
use super::*;

fn member(handle: &str, role: Role) -> Member {
    Member { handle: handle.parse().unwrap(), team: "alpha".parse().unwrap(), role, session: None }
}

fn scout() -> Member {
    member("scout", Role::Worker)
}

fn known(member: Member, chats: &[&str]) -> Talk {
    Talk::Known { member, chats: chats.iter().map(|chat| (*chat).to_owned()).collect() }
}

fn subscribe(chat: &str, uid: Option<&str>, participant: bool) -> Heard {
    Heard::Subscribe { chat: chat.to_owned(), uid: uid.map(str::to_owned), participant }
}

fn task() -> TaskView {
    serde_json::from_value(serde_json::json!({
        "id": "m-x7k2m", "teamName": "alpha", "subject": "Find it", "description": null,
        "ownerHandle": "scout", "ownerUid": scout().uid(), "createdByHandle": "lead",
        "createdByUid": member("lead", Role::TeamLead).uid(), "status": "open", "blockedBy": [],
        "createdAt": "2026-11-15T20:00:00Z", "updatedAt": "2026-11-15T20:00:00Z",
    }))
    .unwrap()
}

fn moved(team: &str) -> News {
    News::Moved {
        task: "m-x7k2m".parse().unwrap(),
        status: TaskStatus::Resolved,
        team: team.parse().unwrap(),
        owner: Some("scout".parse().unwrap()),
    }
}

fn assigned() -> News {
    News::Assigned { chat: "c1".to_owned(), task: Box::new(task()), by: "lead".parse().unwrap() }
}

#[test]
fn whoever_shows_a_token_is_known_by_it() {
    let (talk, reply) = Talk::Stranger.hear(Heard::Auth(Ok(scout())));
    assert_eq!(talk, known(scout(), &[]));
    assert_eq!(reply, Some(Reply::Authenticated { uid: scout().uid() }));
}

#[test]
fn a_token_that_is_not_believed_changes_nothing() {
    for talk in [Talk::Stranger, known(scout(), &["c1"])] {
        let (after, reply) = talk.clone().hear(Heard::Auth(Err("Invalid token".to_owned())));
        assert_eq!((after, reply), (talk, Some(Reply::error("Invalid token"))));
    }
}

#[test]
fn a_stranger_is_told_nothing_and_follows_nothing() {
    let (talk, reply) = Talk::Stranger.hear(subscribe("c1", None, true));
    assert_eq!(talk, Talk::Stranger);
    let Some(Reply::Error { message }) = reply else { panic!("{reply:?}") };
    assert!(message.starts_with("Authentication required."), "{message}");
    assert_eq!(Talk::Stranger.tell(moved("alpha")), None);
    assert_eq!(Talk::Stranger.tell(assigned()), None);
}

#[test]
fn a_member_follows_the_chats_it_takes_part_in_and_no_others() {
    let uid = scout().uid();
    let (talk, reply) = known(scout(), &[]).hear(subscribe("c1", Some(uid.as_str()), true));
    assert_eq!((&talk, reply), (&known(scout(), &["c1"]), Some(Reply::Subscribed { chat_id: "c1".to_owned() })));
    let (talk, reply) = talk.hear(subscribe("c2", None, false));
    assert_eq!((&talk, reply), (&known(scout(), &["c1"]), Some(Reply::error("Not a participant of this chat"))));
    let (talk, reply) = talk.hear(subscribe("c3", Some("somebody else"), true));
    assert_eq!(talk, known(scout(), &["c1"]));
    assert_eq!(reply, Some(Reply::error("`uid` names another agent than the token does")));
}

#[test]
fn a_socket_follows_a_bounded_number_of_chats() {
    let chats: BTreeSet<String> = (0..CHATS_MAX).map(|at| at.to_string()).collect();
    let full = Talk::Known { member: scout(), chats };
    let (after, reply) = full.clone().hear(subscribe("one more", None, true));
    assert_eq!(after, full);
    assert!(matches!(reply, Some(Reply::Error { .. })));
    let (_, reply) = full.hear(subscribe("7", None, true));
    assert_eq!(reply, Some(Reply::Subscribed { chat_id: "7".to_owned() }));
}

#[test]
fn a_chat_that_is_left_is_silent_and_leaving_is_not_answered() {
    let (talk, reply) = known(scout(), &["c1"]).hear(Heard::Unsubscribe("c1".to_owned()));
    assert_eq!((&talk, reply), (&known(scout(), &[]), None));
    assert_eq!(talk.tell(assigned()), None);
}

#[test]
fn an_assignment_is_told_in_its_chat_and_nowhere_else() {
    let told = known(scout(), &["c1"]).tell(assigned());
    assert_eq!(told, Some(Reply::TaskAssigned { task: Box::new(task()), handle: "lead".parse().unwrap() }));
    assert_eq!(known(scout(), &["c2"]).tell(assigned()), None);
}

#[test]
fn a_move_is_told_to_its_team_and_to_the_owner() {
    assert!(known(scout(), &[]).tell(moved("alpha")).is_some());
    assert!(known(scout(), &[]).tell(moved("beta")).is_none());
    assert!(known(member("owner", Role::Owner), &[]).tell(moved("beta")).is_some());
}

#[test]
fn renewing_a_token_keeps_the_chats_and_becoming_somebody_else_does_not() {
    let (talk, _) = known(scout(), &["c1"]).hear(Heard::Auth(Ok(scout())));
    assert_eq!(talk, known(scout(), &["c1"]));
    let (talk, _) = talk.hear(Heard::Auth(Ok(member("other", Role::Worker))));
    assert_eq!(talk, known(member("other", Role::Worker), &[]));
}

#[test]
fn whoever_lets_a_token_expire_is_a_stranger_again() {
    let (talk, reply) = known(scout(), &["c1"]).hear(Heard::Expired);
    assert_eq!((talk, reply), (Talk::Stranger, Some(Reply::error("Token expired"))));
}

#[test]
fn a_ping_is_answered_whoever_sends_it() {
    for talk in [Talk::Stranger, known(scout(), &["c1"])] {
        assert_eq!(talk.clone().hear(Heard::Ping), (talk, Some(Reply::Pong)));
    }
}

#[test]
fn every_message_of_the_contract_is_read() {
    let chat_id = "c1".to_owned();
    let cases = [
        (r#"{"type":"auth","token":"t"}"#, Request::Auth { token: "t".to_owned() }),
        (r#"{"type":"subscribe","chatId":"c1"}"#, Request::Subscribe { chat_id: chat_id.clone(), uid: None }),
        (
            r#"{"type":"subscribe","chatId":"c1","uid":"u"}"#,
            Request::Subscribe { chat_id: chat_id.clone(), uid: Some("u".to_owned()) },
        ),
        (r#"{"type":"unsubscribe","chatId":"c1"}"#, Request::Unsubscribe { chat_id }),
        (r#"{"type":"ping","more":1}"#, Request::Ping),
    ];
    for (text, request) in cases {
        assert_eq!(message::read(text), Ok(request), "{text}");
    }
}

#[test]
fn whatever_cannot_be_read_is_answered_with_what_is_wrong() {
    let cases = [
        ("{", "the message is not JSON"),
        ("", "the message is not JSON"),
        ("[]", "the message has no `type`"),
        (r#"{"type":7}"#, "the message has no `type`"),
        (r#"{"type":"hello"}"#, "unknown message type `hello`"),
        (r#"{"type":"auth"}"#, "malformed message of type `auth`"),
        (r#"{"type":"subscribe","chatId":3}"#, "malformed message of type `subscribe`"),
    ];
    for (text, expected) in cases {
        let Err(Reply::Error { message }) = message::read(text) else { panic!("{text} was read") };
        assert!(message.starts_with(expected), "{text}: {message}");
    }
}

#[test]
fn replies_have_the_names_that_clients_know() {
    let text = |reply| serde_json::to_string(&reply).unwrap();
    assert_eq!(text(Reply::Pong), r#"{"type":"pong"}"#);
    assert_eq!(text(Reply::Subscribed { chat_id: "c".to_owned() }), r#"{"type":"subscribed","chatId":"c"}"#);
    assert_eq!(text(Reply::error("no")), r#"{"type":"error","message":"no"}"#);
    assert_eq!(
        text(known(scout(), &[]).tell(moved("alpha")).unwrap()),
        r#"{"type":"task_updated","taskId":"m-x7k2m","status":"resolved","teamName":"alpha","ownerHandle":"scout"}"#
    );
    let told = known(scout(), &["c1"]).tell(assigned()).unwrap();
    assert!(text(told).starts_with(r#"{"type":"task_assigned","task":{"id":"m-x7k2m","#));
}

fn said(team: &str) -> News {
    News::Said(Arc::new(Said {
        session: "s-x7k2m".parse().unwrap(),
        team: team.parse().unwrap(),
        handle: "scout".parse().unwrap(),
        lines: vec!["one".to_owned(), "two".to_owned()],
        left_out: 0,
    }))
}

fn gone(team: &str) -> News {
    News::Gone {
        session: "s-x7k2m".parse().unwrap(),
        team: team.parse().unwrap(),
        handle: "scout".parse().unwrap(),
        how: SessionStateName::Failed,
    }
}

#[test]
fn a_worker_is_told_of_with_its_real_words_and_to_those_alone_who_see_its_team() {
    let written = |talk: &Talk, news| talk.tell(news).map(|reply| serde_json::to_value(reply).unwrap());
    let expected = serde_json::json!({
        "type": "worker_output", "handle": "scout", "output": "one\ntwo", "teamName": "alpha", "sessionId": "s-x7k2m",
    });
    assert_eq!(written(&known(scout(), &[]), said("alpha")), Some(expected));
    let expected = serde_json::json!({
        "type": "worker_dismissed", "handle": "scout", "teamName": "alpha", "sessionId": "s-x7k2m", "reason": "failed",
    });
    assert_eq!(written(&known(scout(), &[]), gone("alpha")), Some(expected));
    for talk in [Talk::Stranger, known(scout(), &["c1"])] {
        assert_eq!((talk.tell(said("beta")), talk.tell(gone("beta"))), (None, None));
    }
    assert!(written(&known(Member::owner(), &[]), said("beta")).is_some());
}
