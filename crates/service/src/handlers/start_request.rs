//! The start of a mission as DevFleet's operations ask for it, as a [`StartRequest`].

use std::time::Duration;

use api::devfleet::StartOptions;
use api::{Code, Error};
use mission_runner::{StartPlace, StartRequest};
use types::{Limits, Mission, SandboxRules};

use super::agent_choice::meant;
use crate::Result;

/// Reads what is asked of a start of a mission.
pub(super) fn start_request(mission: Mission, op: StartOptions) -> Result<StartRequest> {
    let place = match (op.in_place, op.base, op.inherit) {
        (true, None, None) => StartPlace::InPlace,
        (false, base, None) => StartPlace::Worktree { base },
        (false, None, Some(session)) => StartPlace::Inherit(session),
        (_, _, _) => {
            return Err(Error::new(Code::FIELDS_INVALID, "in_place, base and inherit: name one of them").into());
        }
    };
    Ok(StartRequest {
        agent: meant(&op.agent)?,
        model: op.model,
        limits: Limits { turns_max: op.max_turns, dollars_max: op.max_budget_usd, ..Limits::default() },
        allowed_tools: op.allowed_tools,
        tool_preset: op.tool_preset,
        system_prompt: op.append_system_prompt,
        fork: op.fork_session,
        context_mode: op.context_mode,
        sandbox: op.sandbox.applied(SandboxRules::default()),
        retries_max: op.max_retries,
        first_retry_after: op.retry_initial_delay.map(wait),
        longest_retry_after: op.retry_max_delay.map(wait),
        place,
        ..StartRequest::new(mission)
    })
}

/// The schema bounds the seconds to a day, so they fit.
fn wait(secs: f64) -> Duration {
    Duration::try_from_secs_f64(secs).unwrap_or_default()
}
