//! Budgets: ceilings on what is spent, for a mission, a project or the whole fleet, for ever or until a time.
//!
//! Nothing is counted here; the caller passes what was spent.

use types::{Cost, Limits, MissionId, ProjectId, Spent, Timestamp};

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
    /// The fleet's.
    Fleet,
    /// That of a project's missions.
    Project(ProjectId),
    /// That of a mission.
    Mission(MissionId),
}

/// A budget that is used up, as far as it matters to those under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overdrawn {
    /// Whose.
    pub scope: Scope,
    /// What of it.
    pub used: Used,
    /// When it begins anew; none if that would not help.
    pub resets_at: Option<Timestamp>,
}

/// Who spends: a mission, perhaps, of a project, perhaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spender<'a> {
    /// The mission that is worked on.
    pub mission: Option<&'a MissionId>,
    /// Its project.
    pub project: Option<&'a ProjectId>,
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
        let Spent { cost, tokens, turns, secs, .. } = self.spent_by(now);
        let dollars = self.ceiling.dollars_max.map(|most| Used::Dollars { spent: cost, most: Cost::from(most) });
        let tokens = self.ceiling.tokens_max.map(|most| Used::Tokens { spent: tokens, most });
        let turns = self.turns_max().map(|most| Used::Turns { spent: turns, most });
        let secs = self.ceiling.secs_max.map(|most| Used::Secs { spent: secs, most });
        let measured = [dollars, tokens, turns, secs].into_iter().flatten();
        measured.filter(|used| used.is_reached()).min_by_key(|used| !used.is_closed())
    }

    /// Says when there is something to spend again after something of it was used up; never, without a time.
    fn again_at(&self, used: Used) -> Option<Timestamp> {
        self.resets_at.filter(|_| !used.is_closed())
    }

    /// Returns what was spent of it and still counts at a time.
    fn spent_by(&self, now: Timestamp) -> Spent {
        if self.resets_at.is_none_or(|at| at > now) { self.spent } else { Spent::default() }
    }

    fn turns_max(&self) -> Option<u64> {
        self.ceiling.turns_max.map(u64::from)
    }

    /// Returns whether it limits a spender.
    #[must_use]
    pub fn concerns(&self, who: Spender<'_>) -> bool {
        match &self.scope {
            Scope::Fleet => true,
            Scope::Project(scope) => Some(scope) == who.project,
            Scope::Mission(scope) => Some(scope) == who.mission,
        }
    }

    /// Says that it is used up, if it is.
    #[must_use]
    pub fn overdrawn(&self, now: Timestamp) -> Option<Overdrawn> {
        let used = self.used_up(now)?;
        Some(Overdrawn { scope: self.scope.clone(), used, resets_at: self.again_at(used) })
    }

    /// Returns what is left of it.
    #[must_use]
    pub fn left(&self, now: Timestamp) -> Limits {
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

    /// Returns whether its ceiling is zero.
    fn is_closed(&self) -> bool {
        match *self {
            Self::Dollars { most, .. } => most == Cost::default(),
            Self::Tokens { most, .. } | Self::Turns { most, .. } | Self::Secs { most, .. } => most == 0,
        }
    }
}

impl Overdrawn {
    /// Greater lasts longer; the rest settles who is named among equals, whatever the order they are listed in.
    pub(crate) fn lasts(&self) -> (Timestamp, &Scope, Used) {
        (self.resets_at.unwrap_or(Timestamp::MAX), &self.scope, self.used)
    }
}

/// Returns which budget over a spender is used up; of several, the one that lasts longest.
#[must_use]
pub fn overdrawn(who: Spender<'_>, budgets: &[Budget], now: Timestamp) -> Option<Overdrawn> {
    let over = budgets.iter().filter(|budget| budget.concerns(who)).filter_map(|budget| budget.overdrawn(now));
    over.max_by(|one, other| one.lasts().cmp(&other.lasts()))
}

/// Returns when time alone will have used up a budget of the running agents; none if it will not.
///
/// The time of each counts, so several together use it up sooner.
#[must_use]
pub fn time_up_at(running: &[Spender<'_>], budgets: &[Budget], now: Timestamp) -> Option<Timestamp> {
    let due = budgets.iter().filter_map(|budget| {
        let under = running.iter().filter(|who| budget.concerns(**who)).count() as u64;
        let left = budget.left(now).secs_max.filter(|left| *left > 0)?;
        let secs = left.checked_add(under.checked_sub(1)?)? / under;
        Timestamp::from_second(now.as_second().checked_add_unsigned(secs)?).ok()
    });
    // A second begun is not a second counted.
    due.min().map(|at| at.max(now))
}

/// Returns the ceilings a mission is started under: the least that its own limits and any budget over it leave.
///
/// Budgets are shared. Of missions that run side by side each may use what is left, so their spending is also watched
/// while they run.
#[must_use]
pub fn allowance(limits: Limits, who: Spender<'_>, budgets: &[Budget], now: Timestamp) -> Limits {
    let over = budgets.iter().filter(|budget| budget.concerns(who));
    over.map(|budget| budget.left(now)).fold(limits, |least, left| Limits {
        turns_max: lower(least.turns_max, left.turns_max, u32::min),
        dollars_max: lower(least.dollars_max, left.dollars_max, f64::min),
        tokens_max: lower(least.tokens_max, left.tokens_max, u64::min),
        secs_max: lower(least.secs_max, left.secs_max, u64::min),
    })
}

/// In whole billionths, as costs are counted: a difference of fractions may be a little more than was left.
fn dollars_left(most: f64, spent: Cost) -> f64 {
    let left = Cost::from(most).nanodollars().saturating_sub(spent.nanodollars());
    Cost::from_nanodollars(left).dollars()
}

fn lower<T>(one: Option<T>, other: Option<T>, least: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(least(one, other)),
        (one, other) => one.or(other),
    }
}
