//! Mistakes that can be made on purpose, some of them once made for real, to see that a simulation notices them.
//!
//! Only a script of [`crate::memory`] can ask for one, and only in a build with the feature `mistakes`, which the
//! simulation switches on. In every other build each question is answered with no.

use crate::manager::Shared;

/// A mistake in the task of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// An agent in its last turn runs on past its own time (seed 460).
    ForgetsOwnTime,
    /// After a lost answer of the store a session continues from what it believed, not from what is stored.
    BelievesItself,
    /// A session that waited continues on a mission that others were given meanwhile.
    IgnoresGenerations,
}

impl Shared {
    /// Returns whether a mistake is made on purpose.
    #[cfg(feature = "mistakes")]
    pub(crate) fn makes(&self, mistake: Mistake) -> bool {
        self.parts.processes.makes(mistake)
    }

    /// Returns whether a mistake is made on purpose.
    #[cfg(not(feature = "mistakes"))]
    #[expect(clippy::unused_self, reason = "a build with the feature asks its processes")]
    pub(crate) const fn makes(&self, _: Mistake) -> bool {
        false
    }
}
