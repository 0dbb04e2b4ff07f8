use agents::Stage;

use super::*;

/// The ids of what it is done with, in order.
fn finished(events: &[Event]) -> Vec<String> {
    let id = |event: &Event| {
        if let Event::Acknowledged { id, stage: Stage::Finished } = event { Some(id.clone()) } else { None }
    };
    events.iter().filter_map(id).collect()
}

#[test]
fn messages_are_acknowledged_in_order_by_one_who_listens() {
    let world = World::new();
    let mut agent = world.play(&[r#"{ do = "repeat", times = 20, step = [{ do = "listen" }] }"#]);
    let ids: Vec<String> = (1..=20).map(|number| format!("m{number}")).collect();
    ids.iter().for_each(|id| agent.message(id));
    let events = agent.rest();
    assert_eq!(finished(&events), ids);
    assert_eq!(last_words(&events), ("done".to_owned(), true));
}

#[test]
fn one_who_sleeps_hears_at_once_and_sleeps_on() {
    let world = World::new();
    let mut agent = world.play(&[r#"{ do = "say", text = "good night" }"#, r#"{ do = "sleep", ms = 600000 }"#]);
    agent.until_it_says("good night");
    for id in ["a", "b"] {
        agent.message(id);
        agent.until_it_says(&format!("heard: text of {id}"));
    }
    agent.say(&Say::Interrupt { id: "stop".to_owned() });
    let events = agent.rest();
    assert_eq!(finished(&events).last().map(String::as_str), Some("stop"));
    assert_eq!(last_words(&events), ("interrupted".to_owned(), false));
    assert_eq!(agent.code(), Some(0));
}

#[test]
fn one_who_chatters_hears_in_between() {
    let world = World::new();
    let mut agent = world.play(&[r#"{ do = "flood", lines = 9000000000 }"#]);
    agent.next().unwrap();
    agent.message("a");
    agent.message("b");
    agent.until_it_says("heard: text of a");
    agent.until_it_says("heard: text of b");
    agent.say(&Say::Interrupt { id: "stop".to_owned() });
    assert_eq!(last_words(&agent.rest()), ("interrupted".to_owned(), false));
}

#[test]
fn a_message_that_came_before_it_was_waited_for_will_do() {
    let world = World::repository();
    let write = r#"{ do = "write", path = "a", text = "" }"#;
    let commit = r#"{ do = "commit", message = "a" }"#;
    let mut agent = world.play(&[write, commit, r#"{ do = "listen" }"#]);
    agent.message("early");
    let events = agent.rest();
    assert_eq!(finished(&events), ["early"]);
    assert_eq!(last_words(&events), ("done".to_owned(), true));
}

#[test]
fn a_question_waits_for_its_answer() {
    let world = World::new();
    let mut agent = world.play(&[r#"{ do = "ask", text = "may I?" }"#]);
    agent.next().unwrap();
    let Some(Event::Asking { request, .. }) = agent.next() else { panic!("it asks nothing") };
    agent.say(&Say::Deny { request, why: "not today".to_owned() });
    agent.until_it_says("denied: not today");
    assert_eq!(last_words(&agent.rest()), ("done".to_owned(), true));
}

#[test]
fn one_who_listens_ends_well_when_nobody_can_speak_any_more() {
    let world = World::new();
    let mut agent = world.play(&[r#"{ do = "listen" }"#, r#"{ do = "say", text = "never" }"#]);
    agent.next().unwrap();
    drop(agent.input.take());
    let events = agent.rest();
    assert_eq!((events.len(), last_words(&events).1), (1, true));
    assert_eq!(agent.code(), Some(0));
}
