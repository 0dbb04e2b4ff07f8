//! Conversations that continue.

use api::claude_fleet::ForkSession;
use api::devfleet::{ResumeMission, SessionStatus};
use serde_json::json;
use testkit::Cli;
use testkit::model::{Answer, Script, When};

use super::matrix::{Capability, Cell};
use super::scene::{Scene, Wish};
use super::with_each_agent;

with_each_agent!(a_conversation_is_resumed_and_forked);

const WORD: &str = "The word is heron.";

async fn a_conversation_is_resumed_and_forked(cli: Cli) -> Vec<(Capability, Cell)> {
    let said = |words: &str| Answer::new().text(words);
    let script = Script::new().then(said(WORD)).then(said("Heron, as I said."));
    // Over ACP Gemini's conversation is not taken up in the minute in which it was begun.
    let protocol = (cli == Cli::Gemini).then_some("exec");
    let scene = Scene::with(cli, script, Wish { protocol, ..Wish::default() }).await;
    let (mission, session) = scene.look_around("Choose a word.").await;
    let first = scene.completed(&session).await;

    let resumed = scene.work.call::<ResumeMission>(json!({ "mission": mission })).await.unwrap();
    assert_eq!(resumed.session_id, session);
    let over = |found: &api::devfleet::SessionDetail| {
        found.session.retry_count == 1 && found.session.status != SessionStatus::Running
    };
    let again = scene.work.server().session_until(&session, over).await.session;
    assert_eq!((again.status, &again.claude_session_id), (SessionStatus::Completed, &first.claude_session_id));
    let asked = scene.model.requests();
    assert!(asked.len() == 2 && When::said(WORD).holds(&asked[1]), "it began anew: {:#?}", asked.last());

    scene.model.then(said("A copy of a heron."));
    let forked = scene.work.call::<ForkSession>(json!({ "id": session, "prompt": "Which word was it?" })).await;
    let fork = match (cli, forked) {
        (Cli::Gemini, Ok(heir)) => {
            let ended = scene.work.server().session_ended(&heir.id).await.session;
            assert_eq!(ended.status, SessionStatus::Failed, "{ended:#?}");
            assert!(ended.last_error.contains("cannot continue a copy"), "{}", ended.last_error);
            Cell::No("it cannot copy a conversation")
        }
        (Cli::Gemini, Err(error)) => {
            assert!(error.to_string().contains("cannot continue a copy"), "{error}");
            Cell::No("it cannot copy a conversation")
        }
        (Cli::Claude | Cli::Codex, forked) => {
            let heir = scene.completed(&forked.unwrap().id).await;
            assert_ne!(heir.claude_session_id, first.claude_session_id);
            let last = scene.model.requests().pop().unwrap();
            assert!(When::said(WORD).holds(&last) && last.last_words().contains("Which word was it?"), "{last:#?}");
            Cell::Yes
        }
    };
    vec![(Capability::Resume, Cell::Yes), (Capability::Fork, fork)]
}
