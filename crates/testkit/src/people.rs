//! Callers by role and team.

use service::Caller;
use tokens::Member;
use types::Role;

/// The person who holds the local key.
#[must_use]
pub fn owner() -> Caller {
    Caller::Known(Member::owner())
}

/// A caller without a token.
#[must_use]
pub fn anonymous() -> Caller {
    Caller::Anonymous
}

/// A member of a team as its token would say, whether or not it is registered.
///
/// # Panics
/// When the handle or the team is not a valid name.
#[must_use]
pub fn known(team: &str, handle: &str, role: Role) -> Caller {
    Caller::Known(Member { handle: handle.parse().unwrap(), team: team.parse().unwrap(), role, session: None })
}
