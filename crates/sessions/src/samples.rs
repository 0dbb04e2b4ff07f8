//! What tests begin with.

use types::{Begun, Handle, Limits, Order, Place, Session, SessionState, Spending, Stay, Timestamp};

/// A session of the scripted agent of which as little as possible was said.
pub(crate) fn session() -> Session {
    let (at, handle): (_, Handle) = (Timestamp::UNIX_EPOCH, "ann".parse().unwrap());
    Session {
        id: "s-x7k2m".parse().unwrap(),
        team: "alpha".parse().unwrap(),
        handle: handle.clone(),
        project: None,
        mission: None,
        origin: types::Origin::New,
        order: Order {
            agent: "sim".to_owned(),
            model: None,
            title: None,
            prompt: String::new(),
            again: None,
            system_prompt: None,
            allowed_tools: None,
            preset: None,
            limits: Limits::default(),
            place: Place::InPlace { folder: "/".to_owned() },
            stay: Stay::UntilDone,
            retries_max: None,
            waits: None,
            context_mode: false,
            args: Vec::new(),
            sandbox: types::SandboxRules::default(),
            rank: types::Rank::default(),
        },
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
        state: SessionState::Running { since: at },
        created_by: handle,
        created_at: at,
        updated_at: at,
    }
}
