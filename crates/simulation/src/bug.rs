//! Bugs that are planted on purpose, to see that the auditor notices.
//!
//! The server is the shipped code, so most are planted at its seams: in what the store keeps, in what the settings say,
//! in what processes and workspaces report, in what the target branch does. Two are in the actor of sessions itself
//! ([`sessions::Mistake`]). Nothing here is on unless a run asks for it by name.

use sessions::Mistake;

/// A bug that is planted on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// The store keeps a mission held that was released.
    KeepsLeases,
    /// The store deletes a mission that was to be changed.
    LosesMissions,
    /// Some missions that are held are read as if they were ready.
    HoldsTwice,
    /// Some missions that were to be started are forgotten.
    ForgetsStarts,
    /// Workspaces show a commit whether there is one or not.
    BelievesAgents,
    /// The settings show no budget of the fleet.
    IgnoresFleetBudgets,
    /// Projects are read without their budgets.
    IgnoresProjectBudgets,
    /// Missions are read without their limits.
    IgnoresMissionBudgets,
    /// No daily budget is shown.
    IgnoresDailyBudgets,
    /// No ceiling in dollars is shown.
    IgnoresDollars,
    /// No ceiling in tokens is shown.
    IgnoresTokens,
    /// No ceiling in turns is shown.
    IgnoresTurns,
    /// No ceiling in time is shown.
    IgnoresTime,
    /// The settings say that nothing costs anything.
    IgnoresPrices,
    /// Sessions are read as if nothing of them was booked.
    ForgetsBookings,
    /// Red checks are no obstacle.
    LandsRed,
    /// What is taken out while it is checked lands all the same.
    LandsDropped,
    /// What is green is called landed without the branch having moved.
    LandsInWordsOnly,
    /// What landed before the server died is thought not to have.
    ForgetsMoves,
    /// The lander does not come back from some batches.
    LeavesLandings,
    /// After a lost answer a session continues from what it believed.
    BelievesItself,
    /// A session that waited continues on a mission that others were given.
    IgnoresGenerations,
}

impl Bug {
    /// All of them.
    pub const ALL: [Self; 22] = [
        Self::KeepsLeases,
        Self::LosesMissions,
        Self::HoldsTwice,
        Self::ForgetsStarts,
        Self::BelievesAgents,
        Self::IgnoresFleetBudgets,
        Self::IgnoresProjectBudgets,
        Self::IgnoresMissionBudgets,
        Self::IgnoresDailyBudgets,
        Self::IgnoresDollars,
        Self::IgnoresTokens,
        Self::IgnoresTurns,
        Self::IgnoresTime,
        Self::IgnoresPrices,
        Self::ForgetsBookings,
        Self::LandsRed,
        Self::LandsDropped,
        Self::LandsInWordsOnly,
        Self::ForgetsMoves,
        Self::LeavesLandings,
        Self::BelievesItself,
        Self::IgnoresGenerations,
    ];

    /// Returns whether it is a mistake of sessions.
    pub(crate) fn is(self, mistake: Mistake) -> bool {
        self == match mistake {
            Mistake::BelievesItself => Self::BelievesItself,
            Mistake::IgnoresGenerations => Self::IgnoresGenerations,
        }
    }
}
