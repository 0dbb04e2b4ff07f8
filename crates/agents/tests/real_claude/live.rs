//! It listens while it works.

use fleet_agents::{Ask, Ending, Event, FailureClass, Meter, Outcome, Say, Stage};
use serde_json::json;
use testkit::model::{Answer, Hold, Script, When};

use crate::agent::Place;

#[tokio::test]
async fn a_message_in_the_middle_of_a_turn_is_acknowledged_and_reaches_the_model() {
    let hold = Hold::new();
    let script = Script::new()
        .then(Answer::new().text("I look.").call("Bash", json!({"command": "pwd"})).held(&hold))
        .then(Answer::new().text("Blue it is."));
    let place = Place::new(script).await;
    let mut agent = place.start(&place.brief("Choose a colour."), Meter::new()).await;
    hold.reached().await;

    let id = "0d4bd10e-3a1b-4b8c-8d1c-1f3a52a3b1f7".to_owned();
    agent.say(&Say::Message { id: id.clone(), text: "Let it be blue.".to_owned() }).await;
    let told = |stage: Stage| {
        let told = Event::Acknowledged { id: id.clone(), stage };
        move |event: &Event| *event == told
    };
    agent.until("that it has the message", told(Stage::Queued)).await;
    hold.release();
    agent.until("that it has read the message", told(Stage::Begun)).await;
    let gone = agent.finish().await;

    assert!(gone.events.iter().any(told(Stage::Finished)), "{gone:#?}");
    assert!(matches!(&gone.outcome, Outcome::Succeeded { text, .. } if text == "Blue it is."), "{gone:#?}");
    let asked = place.model.request_when(&When::said("Let it be blue.")).await;
    assert_eq!(asked.number, place.model.request(1).await.number);
}

#[tokio::test]
async fn a_call_that_nobody_has_allowed_waits_for_a_yes() {
    let script = Script::new()
        .then(Answer::new().call_as("toolu_touch", "Bash", json!({"command": "touch made.txt"})))
        .then(Answer::new().text("It is made."));
    let place = Place::new(script).await;
    let mut agent = place.start(&place.brief("Make a file."), Meter::new()).await;
    let asking = agent.until("the question", |event| matches!(event, Event::Asking { .. })).await;
    let Event::Asking { request, ask: Ask::Permission { tool, input, call } } = asking else { panic!("{asking:?}") };
    assert_eq!((tool.as_str(), call.as_deref()), ("Bash", Some("toolu_touch")));
    assert!(!place.repository().join("made.txt").exists());

    agent.say(&Say::Allow { request, input }).await;
    let gone = agent.finish().await;

    assert!(matches!(gone.outcome, Outcome::Succeeded { .. }), "{gone:#?}");
    assert!(place.repository().join("made.txt").exists());
}

#[tokio::test]
async fn an_interrupted_turn_is_over_and_the_next_one_goes_on() {
    let hold = Hold::new();
    let script = Script::new().then(Answer::new().text("One, two").held(&hold)).then(Answer::new().text("Five."));
    let place = Place::new(script).await;
    let mut agent = place.start(&place.brief("Count."), Meter::new()).await;
    hold.reached().await;
    agent.say(&Say::Interrupt { id: "halt".to_owned() }).await;
    let over = agent.until("the end of the turn", |event| matches!(event, Event::Result(_))).await;
    let interrupted = Ending::Failed { class: FailureClass::Interrupted };
    assert!(matches!(&over, Event::Result(result) if result.ending == interrupted), "{over:#?}");

    let id = "5c1b7d0e-94a5-4f0e-8f5c-7d6f0f0a9a11".to_owned();
    agent.say(&Say::Message { id, text: "Begin at five.".to_owned() }).await;
    let gone = agent.finish().await;
    assert!(matches!(&gone.outcome, Outcome::Succeeded { text, .. } if text == "Five."), "{gone:#?}");
    assert!(place.model.request(1).await.last_words().contains("Begin at five."));
}
