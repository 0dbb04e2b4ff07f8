//! What Fleet says of a session, in its transcript: where it happened, once, and again for no reader.

use agents::shown::devfleet::Frame;
use agents::shown::place::Place;
use agents::{Ending, Event};
use fleet_sessions::{Answer, Asked, Item, Until};
use types::{FailureClass, SessionId, SessionState};

use crate::approvals::{asking, waiting};
use crate::world::{Says as _, World};

/// Reads a transcript to its end, or to what is there now; each line with the place behind it.
async fn read(world: &World, id: &SessionId, after: Option<Place>, until: Until) -> Vec<(Place, String)> {
    let session = world.sessions.get(id).await.unwrap();
    let mut transcript = world.sessions.transcript(session, after, until);
    let mut shown = Vec::new();
    while let Some(item) = transcript.next().await.unwrap() {
        match item {
            Item::Told { place, frame: Frame::Notice { text } } => shown.push((place, format!("! {text}"))),
            Item::Told { place, frame: Frame::Text { text } } => shown.push((place, text.trim().to_owned())),
            Item::Run { number: 2.., place } => shown.push((place, "again".to_owned())),
            Item::Run { .. } | Item::Trimmed { .. } | Item::Told { .. } | Item::Over(_) | Item::SoFar => {}
        }
    }
    shown
}

fn lines(shown: &[(Place, String)]) -> Vec<&str> {
    shown.iter().map(|(_, line)| line.as_str()).collect()
}

fn say(agent: &impl crate::world::Says, text: &str) {
    agent.tell(&Event::Text { text: text.to_owned(), within: None });
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_is_shown_where_it_was_made_with_the_command_that_answers_it_and_then_the_answer() {
    let mut world = World::new().await;
    let (session, agent) = asking(&mut world).await;
    let approval = waiting(&world, &session).await;
    let now = read(&world, &session, None, Until::Now).await;
    let asked = format!("fleet approval allow {}", approval.id);
    assert!(lines(&now).last().unwrap().contains(&asked), "{now:?}");
    world.sessions.answer(&approval.id, &Answer::Allow, &world.stamp()).await.unwrap();
    world.settle().await;
    // The next server says nothing of it again.
    world.restart().await;
    world.settle().await;
    say(&agent, "deployed");
    world.settle().await;
    let now = read(&world, &session, None, Until::Now).await;
    let [asked, answered, after] = &lines(&now)[..] else { panic!("{now:?}") };
    assert!(asked.starts_with(&format!("! waiting for you: approval {}: Bash: make deploy", approval.id)), "{asked}");
    assert_eq!(*answered, format!("! approval {} was allowed by owner", approval.id));
    assert_eq!(*after, "deployed");
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_follows_is_told_of_a_call_that_waits_though_the_agent_says_nothing() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    world.until_running(&session.id).await;
    let follower = async {
        let mut transcript = world.sessions.transcript(session.clone(), None, Until::Over);
        loop {
            if let Some(Item::Told { frame: Frame::Notice { text }, .. }) = transcript.next().await.unwrap() {
                return text;
            }
        }
    };
    let asks = async {
        crate::approvals::ask_first(&world, &agent).await;
        futures::future::pending::<()>().await
    };
    let text = tokio::select! { text = follower => text, () = asks => unreachable!() };
    assert!(text.starts_with("waiting for you: approval a-"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_process_that_dies_leaves_the_end_of_its_errors_and_every_reader_reads_each_line_once() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    say(&agent, "one");
    world.until_running(&session.id).await;
    agent.complain("thread 'main' panicked");
    agent.exit_with(101);
    let agent = world.agent().await;
    agent.greet();
    say(&agent, "two");
    agent.result(Ending::Completed);
    agent.input_closed().await;
    agent.exit_with(0);
    world.until_over(&session.id).await;
    let whole = read(&world, &session.id, None, Until::Over).await;
    let [one, died, again, two] = &lines(&whole)[..4] else { panic!("{whole:?}") };
    assert_eq!((*one, *again, *two), ("one", "again", "two"));
    assert!(died.starts_with("! its process failed (crash): the process returned 101"), "{died}");
    assert!(died.ends_with("its standard error ends:\nthread 'main' panicked"), "{died}");
    // Whatever place a reader was cut off at, it reads on with the very next line.
    for (at, (place, _)) in whole.iter().enumerate() {
        let rest = read(&world, &session.id, Some(place.to_string().parse().unwrap()), Until::Over).await;
        assert_eq!(lines(&rest), &lines(&whole)[at + 1..], "after {place}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_person_tells_an_agent_that_was_done_stands_before_what_it_does_then() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    say(&agent, "one");
    agent.result(Ending::Completed);
    agent.input_closed().await;
    agent.exit_with(0);
    world.until_over(&session.id).await;
    let asked = Asked { prompt: Some("Use tabs.".to_owned()), ..Asked::default() };
    world.sessions.resume(&session.id, asked, &world.stamp()).await.unwrap();
    let agent = world.agent().await;
    agent.greet();
    say(&agent, "two");
    world.settle().await;
    let now = read(&world, &session.id, None, Until::Now).await;
    let lines = lines(&now);
    let told = lines.iter().position(|line| line.ends_with("is told:\nUse tabs.")).unwrap();
    assert!(lines[told + 1] == "two" && lines[0] == "one" && !lines.contains(&"again"), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn a_login_that_failed_says_what_to_type_in_the_log_and_in_the_record() {
    let mut world = World::new().await;
    let session = world.begin_with(|new| new.order.agent = "claude".to_owned()).await;
    let agent = world.agent().await;
    agent.say(r#"{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","api_error_status":401,"result":"Invalid API key · Please run /login","session_id":"c","num_turns":1,"duration_ms":1}"#);
    agent.exit_with(1);
    let waits = world.until_waiting(&session.id).await;
    let trouble = waits.trouble.unwrap();
    assert_eq!(trouble.class, FailureClass::Auth, "{trouble:?}");
    assert!(trouble.text.contains("log in: `claude auth login`, then `fleet account unpark claude`"), "{trouble:?}");
    assert!(matches!(waits.state, SessionState::Waiting { .. }));
    let now = read(&world, &session.id, None, Until::Now).await;
    assert!(lines(&now).last().unwrap().contains("`claude auth login`"), "{now:?}");
}
