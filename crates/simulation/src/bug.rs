//! Rules that can be broken on purpose, to see that the auditor notices.
//!
//! Nothing here is on unless a run asks for it by name; what is played without a name has none of them.

/// A rule that is broken on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// A mission is given to whoever asks, held or not.
    HoldsTwice,
    /// A mission whose session is stopped is deleted, and nobody is told.
    LosesMissions,
    /// A session that ends does not let go of its mission.
    KeepsLeases,
    /// Whoever waits for an account is not woken.
    NeverWakes,
    /// What is started is forgotten.
    ForgetsStarts,
    /// An agent's word is proof enough.
    BelievesAgents,
    /// The fleet may spend without end.
    IgnoresFleetBudgets,
    /// Projects may spend without end.
    IgnoresProjectBudgets,
    /// Missions may spend without end.
    IgnoresMissionBudgets,
    /// A day's budget is none.
    IgnoresDailyBudgets,
    /// No budget bounds dollars.
    IgnoresDollars,
    /// No budget bounds tokens.
    IgnoresTokens,
    /// No budget bounds turns.
    IgnoresTurns,
    /// No budget bounds time.
    IgnoresTime,
    /// What a call costs by the prices of the settings is not counted.
    IgnoresPrices,
    /// Whoever waits for a budget is not woken.
    NeverRenews,
    /// What an agent has spent is forgotten when it ends.
    BooksNothing,
    /// What was booked of a session is booked again when its next process ends.
    BooksTwice,
    /// Red checks are no obstacle.
    LandsRed,
    /// What is taken out while it is checked lands all the same.
    LandsDropped,
    /// What is green is called landed without the branch having moved.
    LandsInWordsOnly,
    /// What landed before the server died is thought not to have.
    ForgetsMoves,
    /// What could not be landed at once is not looked at again.
    LeavesLandings,
}

impl Bug {
    /// All of them.
    pub const ALL: [Self; 23] = [
        Self::HoldsTwice,
        Self::LosesMissions,
        Self::KeepsLeases,
        Self::NeverWakes,
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
        Self::NeverRenews,
        Self::BooksNothing,
        Self::BooksTwice,
        Self::LandsRed,
        Self::LandsDropped,
        Self::LandsInWordsOnly,
        Self::ForgetsMoves,
        Self::LeavesLandings,
    ];
}
