//! Missions, steps and people for tests: fixed ones by name, and any at all for properties.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use types::{
    Failure, Handle, Holder, LandingId, Limits, Mission, MissionId, MissionState, ParkReason, Proof, Retry, Role,
    Schedule, SessionId, Start, TeamName, Timestamp, ToolChoice,
};

use crate::{Actor, Edit, Move, Statement, create};

/// The n-th second of the tests' time.
pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_750_000_000 + second).unwrap()
}

pub(crate) fn handle(name: &str) -> Handle {
    name.parse().unwrap()
}

/// The n-th mission's id.
pub(crate) fn id(number: usize) -> MissionId {
    let letter = |shift: usize| types::ID_ALPHABET.chars().nth((number >> shift) & 15).unwrap();
    MissionId::from_code(&format!("zz{}{}{}", letter(8), letter(4), letter(0))).unwrap()
}

pub(crate) fn actor(name: &str, role: Role) -> Actor {
    Actor { handle: handle(name), role, is_agent: false }
}

/// The least that can be said about a mission.
pub(crate) fn statement() -> Statement {
    Statement::new(TeamName::default_team(), "Add a cart".to_owned(), "Add a cart to the shop.".to_owned())
}

/// A mission that is being written.
pub(crate) fn draft() -> Mission {
    create(id(1), statement(), Handle::owner(), at(0))
}

pub(crate) fn held_by(holder: &str, generation: u64) -> MissionState {
    MissionState::Held { holder: Holder::Agent { handle: handle(holder) }, generation, since: at(0) }
}

/// On its way to the target branch, with the work of session `s-aaaaa`.
pub(crate) fn landing(code: &str) -> MissionState {
    let (landing, session) = (LandingId::from_code(code).unwrap(), SessionId::from_code("aaaaa").unwrap());
    MissionState::Landing { landing, session, since: at(0) }
}

/// One of every state; the held one is held by `ann`.
pub(crate) fn states() -> [MissionState; 8] {
    [
        MissionState::Draft,
        MissionState::Ready { since: at(0) },
        held_by("ann", 1),
        landing("ccccc"),
        MissionState::Parked { why: ParkReason::Blocked { by: handle("ann") }, until: None },
        MissionState::Done { at: at(0), proof: Proof::Stated { by: handle("ann") } },
        MissionState::Failed { at: at(0), failure: Failure::Stated { by: handle("ann") } },
        MissionState::Cancelled { at: at(0), by: handle("ann") },
    ]
}

/// One of every step.
pub(crate) fn moves() -> [Move; 7] {
    [Move::Redraft, Move::Open, Move::Claim, Move::Park, Move::Finish, Move::Fail, Move::Cancel]
}

pub(crate) fn any_handle() -> impl Strategy<Value = Handle> {
    prop::sample::select(vec!["ann", "bob", "cid"]).prop_map(handle)
}

pub(crate) fn any_actor() -> impl Strategy<Value = Actor> {
    (any_handle(), prop::sample::select(Role::ALL.to_vec())).prop_map(|(handle, role)| Actor {
        handle,
        role,
        is_agent: false,
    })
}

pub(crate) fn any_move() -> impl Strategy<Value = Move> {
    prop::sample::select(moves().to_vec())
}

/// A mission in any state, given to anybody or nobody, with any past.
pub(crate) fn any_mission() -> impl Strategy<Value = Mission> {
    let schedule = ("[0-9*]{1,2}", any::<bool>(), option::of(0..100i64)).prop_map(|(cron, enabled, fired)| Schedule {
        enabled,
        fired_at: fired.map(at),
        ..Schedule::new(cron, at(0))
    });
    let state = (prop::sample::select(states().to_vec()), any_handle());
    (any_statement(), state, 1..100u64, option::of(schedule), 0..100i64).prop_map(
        |(said, (state, holder), holders, schedule, changed)| {
            let state = match state {
                MissionState::Held { .. } => held_by(holder.as_str(), holders),
                other @ (MissionState::Draft
                | MissionState::Ready { .. }
                | MissionState::Landing { .. }
                | MissionState::Parked { .. }
                | MissionState::Done { .. }
                | MissionState::Failed { .. }
                | MissionState::Cancelled { .. }) => other,
            };
            Mission { state, holders, schedule, updated_at: at(changed), ..create(id(1), said, Handle::owner(), at(0)) }
        },
    )
}

/// A text that is often empty, and often the same twice.
fn text() -> impl Strategy<Value = String> {
    "[ab]{0,2}"
}

pub(crate) fn any_statement() -> impl Strategy<Value = Statement> {
    let texts = (text(), text(), text(), text());
    let lists = (vec(text(), 0..5), vec((0..6usize).prop_map(id), 0..5));
    let people = (option::of(any_handle()), any_start(), option::of((0..6usize).prop_map(id)));
    let options = (option::of(text()), option::of(text()), option::of(text()), option::of(text()));
    let numbers = (any::<i32>(), option::of(any::<u32>()), option::of(0.0..100.0f64), any_retry());
    (texts, lists, people, options, numbers).prop_map(|(texts, lists, people, options, numbers)| Statement {
        title: texts.0,
        prompt: texts.1,
        acceptance: texts.2,
        kind: texts.3.into(),
        tags: lists.0,
        depends_on: lists.1,
        assignee: people.0,
        start: people.1,
        parent: people.2,
        agent: options.0.clone(),
        model: options.0,
        allowed_tools: options.1.map(ToolChoice::Preset),
        cron: options.2,
        callback_url: options.3,
        priority: numbers.0,
        limits: Limits {
            turns_max: numbers.1,
            dollars_max: numbers.2,
            tokens_max: numbers.1.map(u64::from),
            secs_max: numbers.1.map(u64::from),
        },
        retry: numbers.3,
        ..statement()
    })
}

pub(crate) fn any_edit() -> impl Strategy<Value = Edit> {
    let said = (any_statement(), any::<bool>());
    // Each bit says whether one field is spoken of.
    (said, any::<u32>()).prop_map(|((said, enabled), spoken)| {
        let of = |bit: u32| spoken & (1 << bit) != 0;
        Edit {
            title: of(0).then_some(said.title),
            prompt: of(1).then_some(said.prompt),
            acceptance: of(2).then_some(said.acceptance),
            kind: of(3).then_some(said.kind),
            priority: of(4).then_some(said.priority),
            tags: of(5).then_some(said.tags),
            depends_on: of(6).then_some(said.depends_on),
            parent: said.parent,
            start: of(7).then_some(said.start),
            land: said.land,
            agent: said.agent,
            model: said.model,
            allowed_tools: of(12).then_some(said.allowed_tools),
            turns_max: said.limits.turns_max,
            dollars_max: said.limits.dollars_max,
            tokens_max: said.limits.tokens_max,
            secs_max: said.limits.secs_max,
            cron: said.cron,
            schedule_enabled: of(8).then_some(enabled),
            callback_url: said.callback_url,
            sandbox: of(11).then_some(said.sandbox),
            retries_max: of(9).then_some(said.retry.times_max),
            retry_automatic: of(10).then_some(said.retry.automatic),
        }
    })
}

fn any_start() -> impl Strategy<Value = Start> {
    prop::sample::select(vec![Start::ByHand, Start::WhenReady])
}

fn any_retry() -> impl Strategy<Value = Retry> {
    (0..9u32, any::<bool>()).prop_map(|(times_max, automatic)| Retry { times_max, automatic })
}
