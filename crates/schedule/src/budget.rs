//! Budgets: ceilings on what is spent, for a mission, a project or the whole fleet, for ever or until a time.
//!
//! Nothing is counted here; whoever counts tells what was spent.

use types::{Cost, Limits, MissionId, ProjectId, Timestamp};

/// A ceiling and what was spent under it.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget {
    /// Whose spending it bounds.
    pub scope: Scope,
    /// The most that may be spent; a ceiling of zero lets nothing start.
    pub ceiling: Limits,
    /// What was spent.
    pub spent: Spent,
    /// When it begins anew: the end of the day for a daily budget; never, without a time.
    pub resets_at: Option<Timestamp>,
}

/// Whose spending a budget bounds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// That of everybody.
    Fleet,
    /// That of a project's missions.
    Project(ProjectId),
    /// That of a mission.
    Mission(MissionId),
}

/// What was spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Money.
    pub cost: Cost,
    /// Tokens of all kinds.
    pub tokens: u64,
    /// Turns of agents.
    pub turns: u64,
    /// Seconds in which agents ran.
    pub secs: u64,
}

/// What of a budget is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Used {
    /// Its money.
    Dollars {
        /// What was spent.
        spent: Cost,
        /// The ceiling.
        most: Cost,
    },
    /// Its tokens.
    Tokens {
        /// What was spent.
        spent: u64,
        /// The ceiling.
        most: u64,
    },
    /// Its turns.
    Turns {
        /// What was spent.
        spent: u64,
        /// The ceiling.
        most: u64,
    },
    /// Its time.
    Secs {
        /// What was spent.
        spent: u64,
        /// The ceiling.
        most: u64,
    },
}

impl Budget {
    /// Says what is used up, if anything is: what no reset gives back first, then dollars, tokens, turns and time.
    #[must_use]
    pub fn used_up(&self, now: Timestamp) -> Option<Used> {
        let Spent { cost, tokens, turns, secs } = self.spent_by(now);
        let dollars = self.ceiling.dollars_max.map(|most| Used::Dollars { spent: cost, most: Cost::from(most) });
        let tokens = self.ceiling.tokens_max.map(|most| Used::Tokens { spent: tokens, most });
        let turns = self.turns_max().map(|most| Used::Turns { spent: turns, most });
        let secs = self.ceiling.secs_max.map(|most| Used::Secs { spent: secs, most });
        let measured = [dollars, tokens, turns, secs].into_iter().flatten();
        measured.filter(|used| used.is_reached()).min_by_key(|used| !used.is_closed())
    }

    /// Says when there is something to spend again after something of it was used up; never, without a time.
    pub(crate) fn again_at(&self, used: Used) -> Option<Timestamp> {
        self.resets_at.filter(|_| !used.is_closed())
    }

    /// Returns what was spent of it and still counts at a time.
    fn spent_by(&self, now: Timestamp) -> Spent {
        if self.resets_at.is_none_or(|at| at > now) { self.spent } else { Spent::default() }
    }

    fn turns_max(&self) -> Option<u64> {
        self.ceiling.turns_max.map(u64::from)
    }

    fn concerns(&self, mission: &MissionId, project: Option<&ProjectId>) -> bool {
        match &self.scope {
            Scope::Fleet => true,
            Scope::Project(scope) => Some(scope) == project,
            Scope::Mission(scope) => scope == mission,
        }
    }

    /// Returns what is left of it.
    fn left(&self, now: Timestamp) -> Limits {
        let spent = self.spent_by(now);
        let turns = self.turns_max().map(|most| most.saturating_sub(spent.turns));
        Limits {
            turns_max: turns.map(|left| u32::try_from(left).unwrap_or(u32::MAX)),
            dollars_max: self.ceiling.dollars_max.map(|most| dollars_left(most, spent.cost)),
            tokens_max: self.ceiling.tokens_max.map(|most| most.saturating_sub(spent.tokens)),
            secs_max: self.ceiling.secs_max.map(|most| most.saturating_sub(spent.secs)),
        }
    }
}

impl Used {
    fn is_reached(&self) -> bool {
        match self {
            Self::Dollars { spent, most } => spent >= most,
            Self::Tokens { spent, most } | Self::Turns { spent, most } | Self::Secs { spent, most } => spent >= most,
        }
    }

    /// Tells whether there was nothing to spend in the first place.
    fn is_closed(&self) -> bool {
        match *self {
            Self::Dollars { most, .. } => most == Cost::default(),
            Self::Tokens { most, .. } | Self::Turns { most, .. } | Self::Secs { most, .. } => most == 0,
        }
    }
}

/// Returns the ceilings a mission is started under: the least that its own limits and any budget over it leave.
///
/// Budgets are shared. Of missions that run side by side each may use what is left, so their spending is also watched
/// while they run.
#[must_use]
pub fn allowance(
    limits: Limits,
    mission: &MissionId,
    project: Option<&ProjectId>,
    budgets: &[Budget],
    now: Timestamp,
) -> Limits {
    let over = budgets.iter().filter(|budget| budget.concerns(mission, project));
    over.map(|budget| budget.left(now)).fold(limits, |least, left| Limits {
        turns_max: lower(least.turns_max, left.turns_max, u32::min),
        dollars_max: lower(least.dollars_max, left.dollars_max, f64::min),
        tokens_max: lower(least.tokens_max, left.tokens_max, u64::min),
        secs_max: lower(least.secs_max, left.secs_max, u64::min),
    })
}

/// In whole billionths, as costs are counted.
fn dollars_left(most: f64, spent: Cost) -> f64 {
    (Cost::from(most).dollars() - spent.dollars()).max(0.0)
}

fn lower<T>(one: Option<T>, other: Option<T>, least: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(least(one, other)),
        (one, other) => one.or(other),
    }
}
