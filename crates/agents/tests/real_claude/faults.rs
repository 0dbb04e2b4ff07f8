//! It reports faults of its provider.

use fleet_agents::{Event, FailureClass, Meter, Outcome, RateLimited};
use testkit::model::{Answer, Refusal, Script, Turn, Usage};

use crate::agent::{Gone, Place};

/// What it told of tries that failed: which, with what status, and of what.
fn retries(gone: &Gone) -> Vec<(u32, Option<u16>, FailureClass)> {
    let retry = |event: &Event| {
        let Event::RateLimited(RateLimited::Retrying { attempt, status, class, .. }) = event else { return None };
        Some((*attempt, *status, class.clone()))
    };
    gone.events.iter().filter_map(retry).collect()
}

async fn run(script: Script) -> Gone {
    run_in(&Place::new(script).await).await
}

async fn run_in(place: &Place) -> Gone {
    let gone = place.start(&place.brief("Say something."), Meter::new()).await.finish().await;
    place.model.assert_done();
    gone
}

#[tokio::test]
async fn a_rate_limit_is_told_as_a_try_that_failed_and_the_next_one_succeeds() {
    let usage = Usage { input: 7, output: 5, ..Usage::NONE };
    let answer = Answer::new().text("There.").usage(usage);
    let gone = run(Script::new().then(Refusal::RateLimited { retry_after: 1 }).then(answer)).await;

    assert_eq!(retries(&gone), [(1, Some(429), FailureClass::RateLimit)]);
    assert!(matches!(&gone.outcome, Outcome::Succeeded { text, .. } if text == "There."), "{gone:#?}");
    assert_eq!(gone.account.meter.spent().tokens.sum(), 12);
}

#[tokio::test]
async fn an_overloaded_provider_and_a_cut_answer_are_tried_again() {
    let cut = Answer::new().text("This is never heard to its end, for it is cut.").cut_after(4);
    let gone = run(Script::new().then(Refusal::Overloaded).then(cut).then(Answer::new().text("There."))).await;

    let overloaded = FailureClass::Overloaded;
    assert_eq!(retries(&gone), [(1, Some(529), overloaded.clone()), (2, None, overloaded)]);
    assert!(matches!(&gone.outcome, Outcome::Succeeded { text, .. } if text == "There."), "{gone:#?}");
}

#[tokio::test]
async fn a_context_that_is_too_long_is_told_as_such() {
    let gone = run(Script::new().then(Refusal::ContextTooLong { tokens: 215_000, limit: 200_000 })).await;
    let full = |outcome: &Outcome| matches!(outcome, Outcome::Failed { class: FailureClass::ContextFull, .. });
    assert!(full(&gone.outcome), "{gone:#?}");
}

#[tokio::test]
async fn a_subscription_that_is_used_up_fails_with_the_time_when_it_is_not() {
    let resets_at = 4_000_000_000;
    let place = Place::new(Script::new().then(Refusal::QuotaExceeded { resets_at })).await.subscribed();
    let gone = run_in(&place).await;
    let Outcome::Failed { class: FailureClass::Quota { resets_at: Some(told) }, .. } = gone.outcome else {
        panic!("{gone:#?}");
    };
    assert_eq!(told.as_second(), resets_at);
}

#[tokio::test]
async fn an_account_without_money_and_a_bad_key_are_told_apart() {
    let poor = run(Script::new().then(Refusal::NoCredit)).await;
    assert!(matches!(poor.outcome, Outcome::Failed { class: FailureClass::Quota { .. }, .. }), "{poor:#?}");
    let stranger = run(Script::new().then(Turn::from(Refusal::Unauthorized).times(4))).await;
    assert!(matches!(stranger.outcome, Outcome::Failed { class: FailureClass::Auth, .. }), "{stranger:#?}");
}
