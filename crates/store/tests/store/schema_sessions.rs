//! The stored form of sessions, of letters to them, and of accounts that wait.

use std::collections::BTreeMap;

use types::{
    Assignment, Begun, Delivery, Failure, FailureClass, Holder, Letter, Limits, Mission, MissionState, Order, Origin,
    ParkedAccount, Place, Proof, Rank, Session, SessionEnding, SessionState, SpawnMode, Spending, Stay, Timestamp,
    Tokens, Totals, Tree, Trouble, Wait, Waits, Workspace,
};

use crate::schema::{assert_newest, full, text};

fn at() -> Timestamp {
    "2025-06-15T15:06:40Z".parse().unwrap()
}

fn later() -> Timestamp {
    "2025-06-16T09:00:00Z".parse().unwrap()
}

/// A session of which everything was said.
fn whole(state: SessionState) -> Session {
    let tokens = |input| Tokens { input, output: 2, cache_read: 3, cache_write: 4 };
    Session {
        id: "s-x7k2m".parse().unwrap(),
        team: "alpha".parse().unwrap(),
        handle: "scout-1".parse().unwrap(),
        project: Some("p-x7k2m".parse().unwrap()),
        mission: Some(Assignment { mission: "m-x7k2m".parse().unwrap(), generation: 2 }),
        origin: Origin::Fork { of: "s-22222".parse().unwrap() },
        order: Order {
            agent: text("claude"),
            model: Some(text("opus")),
            title: Some(text("Add a cart")),
            prompt: text("Add a cart to the shop."),
            again: Some(text("Go on.")),
            system_prompt: Some(text("Speak of things.")),
            allowed_tools: Some(vec![text("Read"), text("Write")]),
            preset: None,
            limits: Limits { turns_max: Some(40), dollars_max: Some(2.5), ..Limits::default() },
            place: Place::Inherit { folder: text("/srv/shop"), branch: text("devfleet/s-22222") },
            stay: Stay::UntilDismissed,
            retries_max: Some(3),
            waits: Some(Waits { first_ms: 2_000, longest_ms: 60_000 }),
            context_mode: false,
            args: Vec::new(),
            sandbox: types::SandboxRules::default(),
            rank: Rank { swarm: Some(text("bees")), depth: 2, mode: SpawnMode::default() },
        },
        workspace: Some(Workspace {
            path: text("/srv/worktrees/s-x7k2m"),
            worktree: Some(Tree {
                repository: text("/srv/shop"),
                branch: text("devfleet/s-x7k2m"),
                base: text("0123456789012345678901234567890123456789"),
            }),
            env: BTreeMap::from([(text("PORT"), text("4001"))]),
        }),
        conversation: Some(text("6f1c0c1e-0000-4000-a000-000000000000")),
        runs: 3,
        begun: Begun::Resumed,
        failures: 1,
        restarts: 2,
        booked: types::Spent::default(),
        guard: None,
        spending: Spending {
            spent: Totals { cost: 0.25.into(), tokens: tokens(100), unpriced: 0 },
            seen: Some(Totals { cost: 0.5.into(), tokens: tokens(200), unpriced: 0 }),
            unsettled: tokens(7),
            estimated: types::Cost::default(),
            turns: 5,
        },
        exit: Some(143),
        trouble: Some(Trouble { class: FailureClass::Stale, text: text("it was silent") }),
        servers: Vec::new(),
        model: None,
        state,
        created_by: "lead".parse().unwrap(),
        created_at: at(),
        updated_at: "2025-06-15T15:06:41.000000001Z".parse().unwrap(),
    }
}

/// A session of which as little as possible was said.
fn bare(state: SessionState) -> Session {
    let order = Order {
        agent: text("sim"),
        model: None,
        title: None,
        prompt: String::new(),
        again: None,
        system_prompt: None,
        allowed_tools: None,
        preset: None,
        limits: Limits::default(),
        place: Place::InPlace { folder: text("/srv/shop") },
        stay: Stay::UntilDone,
        retries_max: None,
        waits: None,
        context_mode: false,
        args: Vec::new(),
        sandbox: types::SandboxRules::default(),
        rank: Rank::default(),
    };
    Session {
        project: None,
        mission: None,
        origin: Origin::New,
        order,
        workspace: None,
        conversation: None,
        runs: 1,
        begun: Begun::Anew,
        failures: 0,
        restarts: 0,
        booked: types::Spent::default(),
        guard: None,
        spending: Spending::default(),
        exit: None,
        trouble: None,
        servers: Vec::new(),
        model: None,
        ..whole(state)
    }
}

fn ended(ending: SessionEnding) -> Session {
    whole(SessionState::Ended { at: at(), ending })
}

fn waiting(wait: Wait, until: Option<Timestamp>) -> Session {
    whole(SessionState::Waiting { wait, until })
}

#[tokio::test]
async fn a_session_in_every_state_is_read_and_written_as_its_fixture_has_it() {
    let lead: types::Handle = "lead".parse().unwrap();
    let quota = FailureClass::Quota { resets_at: Some(later()) };
    let failed = SessionEnding::Failed { class: FailureClass::Crash, text: text("it broke off") };
    let back_off = Wait::BackOff { class: FailureClass::Overloaded };
    let asking = waiting(Wait::Approval { approval: "a-x7k2m".parse().unwrap() }, None);
    let order = Order { preset: Some(text("review")), ..asking.order.clone() };
    let asking = Session { begun: Begun::Answered, order, ..asking };
    let fixtures = [
        (include_str!("../fixtures/session.v1.starting.json"), bare(SessionState::Starting { since: at() })),
        (include_str!("../fixtures/session.v1.running.json"), whole(SessionState::Running { since: at() })),
        (include_str!("../fixtures/session.v1.backing_off.json"), waiting(back_off, Some(later()))),
        (include_str!("../fixtures/session.v1.parked.json"), waiting(Wait::Parked { class: quota }, Some(later()))),
        (include_str!("../fixtures/session.v1.queueing.json"), waiting(Wait::Slot, None)),
        (include_str!("../fixtures/session.v1.asking.json"), asking),
        (
            include_str!("../fixtures/session.v1.stopping.json"),
            whole(SessionState::Stopping { since: at(), by: lead.clone() }),
        ),
        (
            include_str!("../fixtures/session.v1.completed.json"),
            ended(SessionEnding::Completed { text: text("It is done.") }),
        ),
        (include_str!("../fixtures/session.v1.failed.json"), ended(failed)),
        (include_str!("../fixtures/session.v1.cancelled.json"), ended(SessionEnding::Cancelled { by: lead })),
    ];
    for (fixture, session) in &fixtures {
        assert_newest(fixture, session).await;
    }
}

/// A mission that is for an agent of one kind.
fn given(state: MissionState) -> Mission {
    Mission { agent: Some(text("claude")), ..full(state) }
}

#[tokio::test]
async fn a_mission_that_a_session_works_on_is_read_and_written_as_its_fixture_has_it() {
    let session: types::SessionId = "s-x7k2m".parse().unwrap();
    let holder = Holder::Session { session: session.clone(), handle: "scout-1".parse().unwrap() };
    let held = MissionState::Held { holder, generation: 2, since: at() };
    let done = MissionState::Done { at: at(), proof: Proof::Session { session: session.clone(), commits: Some(2) } };
    let failure = Failure::Session { session, class: FailureClass::Quota { resets_at: Some(later()) } };
    let failed = MissionState::Failed { at: at(), failure };
    let fixtures = [
        (include_str!("../fixtures/mission.v1.held_by_session.json"), given(held)),
        (include_str!("../fixtures/mission.v1.done_by_session.json"), given(done)),
        (include_str!("../fixtures/mission.v1.failed_in_session.json"), given(failed)),
    ];
    for (fixture, mission) in &fixtures {
        assert_newest(fixture, mission).await;
    }
}

#[tokio::test]
async fn a_letter_is_read_and_written_as_its_fixture_has_it_however_far_it_got() {
    let letter = |delivery| Letter {
        id: "l-x7k2mabc".parse().unwrap(),
        session: "s-x7k2m".parse().unwrap(),
        number: 7,
        from: "lead".parse().unwrap(),
        text: text("Look at the cart."),
        delivery,
        created_at: at(),
    };
    let undelivered = Delivery::Undelivered { why: text("the session is over") };
    let fixtures = [
        (include_str!("../fixtures/letter.v1.queued.json"), letter(Delivery::Queued)),
        (include_str!("../fixtures/letter.v1.delivered.json"), letter(Delivery::Delivered { at: later() })),
        (include_str!("../fixtures/letter.v1.acknowledged.json"), letter(Delivery::Acknowledged { at: later() })),
        (include_str!("../fixtures/letter.v1.undelivered.json"), letter(undelivered)),
    ];
    for (fixture, letter) in &fixtures {
        assert_newest(fixture, letter).await;
    }
}

#[tokio::test]
async fn a_parked_account_is_read_and_written_as_its_fixture_has_it() {
    let parked = |class, until| ParkedAccount {
        account: text("anthropic"),
        class,
        text: text("no quota left"),
        until,
        since: at(),
    };
    let quota = FailureClass::Quota { resets_at: Some(later()) };
    let fixtures = [
        (include_str!("../fixtures/parked_account.v1.quota.json"), parked(quota, Some(later()))),
        (include_str!("../fixtures/parked_account.v1.auth.json"), parked(FailureClass::Auth, None)),
    ];
    for (fixture, account) in &fixtures {
        assert_newest(fixture, account).await;
    }
}
