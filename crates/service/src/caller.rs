//! Who calls.

use tokens::Member;

use crate::Result;

/// The caller of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// A caller without a token.
    Anonymous,
    /// A member of a team.
    Known(Member),
}

impl Caller {
    /// Returns the member who calls.
    ///
    /// # Errors
    /// Refuses a caller without a token; only operations that are open to everyone need to ask.
    pub fn member(&self) -> Result<&Member> {
        match self {
            Self::Known(member) => Ok(member),
            Self::Anonymous => Err(crate::authorize::authentication_required().into()),
        }
    }
}
