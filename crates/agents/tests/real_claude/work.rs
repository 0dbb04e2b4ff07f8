//! It works: writes, commits, continues, and reports its usage.

use fleet_agents::{Conversation, Meter, Outcome, Tokens};
use serde_json::json;
use testkit::model::{Answer, Script, Turn, Usage};

use crate::agent::Place;

fn usage(seed: u64) -> Usage {
    Usage { input: 1000 + seed, output: 100 + seed, cache_read: 20_000 + seed, cache_write: 3000 + seed }
}

fn sum(usages: &[Usage]) -> Tokens {
    let sum = |of: fn(&Usage) -> u64| usages.iter().map(of).sum();
    Tokens {
        input: sum(|usage| usage.input),
        output: sum(|usage| usage.output),
        cache_read: sum(|usage| usage.cache_read),
        cache_write: sum(|usage| usage.cache_write),
    }
}

#[tokio::test]
async fn it_writes_a_file_and_commits_it_and_takes_the_tokens_of_the_script() {
    let write = Turn::made(|request| {
        let file = format!("{}/poem.txt", request.folder().unwrap());
        let input = json!({"file_path": file, "content": "roses\n"});
        Answer::new().thinking("A poem.").text("I write.").call("Write", input).usage(usage(1))
    });
    let commit = json!({"command": "git add poem.txt && git commit --quiet --message 'Add a poem'"});
    let script = Script::new()
        .then(write)
        .then(Answer::new().call_as("toolu_commit", "Bash", commit).usage(usage(20)))
        .then(Answer::new().text("A poem is there.").usage(usage(300)));
    let place = Place::new(script).await;
    let mut brief = place.brief("Write a poem and commit it.");
    brief.allowed_tools = vec!["Write".to_owned(), "Bash(git *)".to_owned()];

    let gone = place.start(&brief, Meter::new()).await.finish().await;

    assert!(matches!(&gone.outcome, Outcome::Succeeded { text, .. } if text == "A poem is there."), "{gone:#?}");
    assert_eq!(place.git(&["log", "-1", "--format=%s by %an"]).await, "Add a poem by Ann");
    assert_eq!(place.git(&["show", "HEAD:poem.txt"]).await, "roses");
    assert_eq!(place.git(&["status", "--porcelain"]).await, "");
    assert_eq!(gone.account.meter.spent().tokens, sum(&[usage(1), usage(20), usage(300)]));
    assert_eq!(gone.account.meter.turns(), 3);
    place.model.assert_done();
}

#[tokio::test]
async fn a_resumed_conversation_goes_on_and_counts_on() {
    let script = Script::new()
        .then(Answer::new().text("The word is heron.").usage(usage(5)))
        .then(Answer::new().text("Heron, as I said.").usage(usage(70)));
    let place = Place::new(script).await;
    let session = "d980bb8c-a731-44d0-9e81-f7d7615da45d".to_owned();
    let mut brief = place.brief("Choose a word.");
    brief.conversation = Conversation::New { session: Some(session.clone()) };
    let first = place.start(&brief, Meter::new()).await.finish().await;
    assert_eq!(first.account.session.as_ref(), Some(&session));
    assert_eq!(first.account.meter.spent().tokens, sum(&[usage(5)]));

    let mut brief = place.brief("Which word was it?");
    brief.conversation = Conversation::Resume { session: session.clone() };
    let second = place.start(&brief, first.account.meter).await.finish().await;

    assert!(matches!(&second.outcome, Outcome::Succeeded { text, .. } if text == "Heron, as I said."), "{second:#?}");
    assert_eq!(second.account.session, Some(session));
    assert_eq!(second.account.meter.spent().tokens, sum(&[usage(5), usage(70)]));
    let asked = place.model.request(1).await;
    let said = ["Choose a word.", "The word is heron.", "Which word was it?"];
    let heard: Vec<_> = asked.texts().into_iter().filter(|text| said.contains(text)).collect();
    assert_eq!(heard, said);
}
