//! Mistakes that can be made on purpose, some of them once made for real, to see that a simulation notices them.
//!
//! Only a script of [`crate::memory`] can ask for one; real processes answer every question with no.

use crate::manager::Shared;

/// A mistake in the task of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// After a lost answer of the store a session continues from what it believed, not from what is stored.
    BelievesItself,
    /// A session that waited continues on a mission that others were given meanwhile.
    IgnoresGenerations,
}

impl Shared {
    /// Returns whether a mistake is made on purpose.
    pub(crate) fn makes(&self, mistake: Mistake) -> bool {
        self.parts.processes.makes(mistake)
    }
}
