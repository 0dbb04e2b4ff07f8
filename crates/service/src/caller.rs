//! Who calls.

use tokens::Member;

use crate::Result;

/// Whoever makes a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// Somebody without a token.
    Anonymous,
    /// A member of a team.
    Known(Member),
}

impl Caller {
    /// Returns the member who calls.
    ///
    /// # Errors
    /// Refuses whoever has no token; only operations that are open to everyone need to ask.
    pub fn member(&self) -> Result<&Member> {
        match self {
            Self::Known(member) => Ok(member),
            Self::Anonymous => Err(crate::gate::authentication_required().into()),
        }
    }
}
