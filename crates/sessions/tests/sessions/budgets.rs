//! Budgets: an agent is stopped at the end of the turn that used one up, and what was spent is booked once.

use agents::{Ending, Event};
use fleet_sessions::{Error, Refusal};
use types::{FailureClass, Limits, SessionEnding, SessionState, Wait};

use crate::world::{Says as _, World, new};

#[tokio::test(start_paused = true)]
async fn an_agent_is_stopped_when_the_fleet_has_no_turn_left_and_goes_on_when_it_has() {
    let mut world = World::with(|settings| settings.budget_turns = Some(2)).await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    agent.turn();
    world.settle().await;
    assert!(!agent.is_stopped());
    agent.turn();
    agent.stopped().await;
    agent.terminate();
    let waiting = world.until_waiting(&session.id).await;
    assert!(matches!(waiting.state, SessionState::Waiting { wait: Wait::Budget, until: None }), "{waiting:?}");
    let refused = world.sessions.spawn(new(|_| {}), &world.stamp()).await.unwrap_err();
    assert!(matches!(refused, Error::Refused(Refusal::Overdrawn(_))), "{refused:?}");
    world.settle().await;
    assert!(world.no_other_process());
    world.set(|settings| settings.budget_turns = Some(9));
    assert_eq!(world.agent().await.id(), format!("{}/2", session.id));
}

#[tokio::test(start_paused = true)]
async fn a_daily_budget_lets_its_sessions_go_on_the_next_day() {
    let mut world = World::with(|settings| settings.daily_budget_turns = Some(1)).await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    agent.turn();
    agent.stopped().await;
    agent.terminate();
    let waiting = world.until_waiting(&session.id).await;
    let SessionState::Waiting { wait: Wait::Budget, until: Some(until) } = waiting.state else { panic!("{waiting:?}") };
    let rest = until.duration_since(world.clock.now()).as_secs();
    world.pass(u64::try_from(rest).unwrap() - 1).await;
    assert!(world.no_other_process());
    world.pass(2).await;
    assert_eq!(world.agent().await.id(), format!("{}/2", session.id));
}

#[tokio::test(start_paused = true)]
async fn what_one_agent_spends_is_the_last_turn_of_the_other() {
    let mut world = World::with(|settings| settings.budget_tokens = Some(200)).await;
    let (first, second) = (world.begin().await, world.begin().await);
    let (one, other) = (world.agent().await, world.agent().await);
    one.greet();
    other.greet();
    one.turn();
    one.turn();
    one.stopped().await;
    one.terminate();
    world.pass(10).await;
    assert!(!other.is_stopped(), "it may end its turn");
    other.turn();
    other.stopped().await;
    other.terminate();
    world.until_waiting(&first.id).await;
    world.until_waiting(&second.id).await;
    assert_eq!(world.sessions.spent(None, None).tokens, 300);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_uses_up_its_own_turns_fails_and_is_not_started_again() {
    let mut world = World::new().await;
    let limits = Limits { turns_max: Some(2), ..Limits::default() };
    let session = world.begin_with(|new| new.order.limits = limits).await;
    let agent = world.agent().await;
    agent.greet();
    agent.turn();
    agent.turn();
    agent.turn();
    agent.stopped().await;
    agent.terminate();
    let over = world.until_over(&session.id).await;
    let SessionState::Ended { ending: SessionEnding::Failed { class, .. }, .. } = over.state else {
        panic!("{over:?}")
    };
    assert_eq!(class, FailureClass::MaxTurns);
    assert!(world.no_other_process());
}

#[tokio::test(start_paused = true)]
async fn what_processes_spent_is_booked_once_over_all_of_them() {
    let mut world = World::new().await;
    let session = world.begin().await;
    let agent = world.agent().await;
    agent.greet();
    agent.turn();
    world.pass(30).await;
    assert_eq!(world.store.spent(None, None).turns, 0, "it is booked when its process ends");
    assert_eq!(world.sessions.spent(None, None).turns, 1, "and counts before");
    agent.exit_with(1);
    let second = world.agent().await;
    second.greet();
    second.turn();
    second.turn();
    second.result(Ending::Completed);
    second.input_closed().await;
    world.pass(5).await;
    second.exit_with(0);
    let over = world.until_over(&session.id).await;
    let booked = world.store.spent(None, None);
    assert_eq!((booked.turns, booked.tokens, booked.secs), (3, 300, 35));
    assert_eq!(over.booked, booked);
    assert_eq!(booked.cost, types::Cost::from(0.03));
}

/// Lets one agent use up the budget of the fleet while another is in its turn.
async fn in_its_last_turn(
    world: &mut World,
    limits: Limits,
) -> (types::SessionId, fleet_sessions::memory::MemoryAgent) {
    let spender = world.begin().await;
    let one = world.agent().await;
    let session = world.begin_with(|new| new.order.limits = limits).await;
    let other = world.agent().await;
    one.greet();
    other.greet();
    other.tell(&Event::Text { text: "Let me see.".to_owned(), within: None });
    world.settle().await;
    one.turn();
    one.turn();
    one.stopped().await;
    one.terminate();
    world.until_waiting(&spender.id).await;
    world.settle().await;
    (session.id, other)
}

#[tokio::test(start_paused = true)]
async fn a_last_turn_is_cut_off_when_it_takes_too_long() {
    let mut world = World::with(|settings| (settings.budget_turns, settings.stale_after_secs) = (Some(2), 1_000)).await;
    let (session, agent) = in_its_last_turn(&mut world, Limits::default()).await;
    world.pass(299).await;
    assert!(!agent.is_stopped());
    world.pass(2).await;
    assert!(agent.is_stopped());
    agent.terminate();
    let waiting = world.until_waiting(&session).await;
    assert!(matches!(waiting.state, SessionState::Waiting { wait: Wait::Budget, .. }), "{waiting:?}");
}

#[tokio::test(start_paused = true)]
async fn a_last_turn_is_not_cut_off_when_its_budget_was_raised_meanwhile() {
    let mut world = World::with(|settings| (settings.budget_turns, settings.stale_after_secs) = (Some(2), 1_000)).await;
    let (_, agent) = in_its_last_turn(&mut world, Limits::default()).await;
    world.set(|settings| settings.budget_turns = Some(100));
    world.pass(400).await;
    assert!(!agent.is_stopped());
}

#[tokio::test(start_paused = true)]
async fn an_agent_keeps_to_its_own_time_in_its_last_turn() {
    let mut world = World::with(|settings| (settings.budget_turns, settings.stale_after_secs) = (Some(2), 1_000)).await;
    let limits = Limits { secs_max: Some(100), ..Limits::default() };
    let (_, agent) = in_its_last_turn(&mut world, limits).await;
    world.pass(99).await;
    assert!(!agent.is_stopped());
    world.pass(2).await;
    assert!(agent.is_stopped());
}
