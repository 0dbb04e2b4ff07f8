//! The table of everything that is removed when it is old: what it is, and which setting says when.

use std::time::Duration;

use config::Settings;

/// Seconds of a day.
const DAY_SECS: u64 = 86_400;

/// A kind of thing that is removed when it is old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Worktrees of ended sessions.
    Worktrees,
    /// Branches and snapshots of landed work.
    Branches,
    /// What agents wrote, but for its end.
    Output,
    /// What happened to missions, and the callbacks that told of it.
    Events,
    /// Files of sessions, and messages to them.
    Files,
    /// Decided approvals.
    Approvals,
    /// Answered questions.
    Questions,
    /// Ended executions of workflows.
    Executions,
    /// Calls that were not let through.
    Violations,
    /// What was spent on each day.
    Spending,
    /// Ended missions.
    Missions,
    /// Ended sessions.
    Sessions,
    /// Reports.
    Reports,
    /// Landings.
    Landings,
    /// Answers to calls with an idempotency key.
    Answers,
    /// Changes in the feed.
    Feed,
}

/// How long something is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// For so long after it ended.
    For(Duration),
    /// For ever.
    Forever,
}

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The kind.
    pub kind: Kind,
    /// Its name, as people see it.
    pub name: &'static str,
    /// What goes, in a few words.
    pub what: &'static str,
    /// The setting that says when.
    pub setting: &'static str,
    keep: fn(&Settings) -> u32,
}

/// Everything that is removed when it is old. In this order: records go after what hangs on them.
pub const KINDS: [Rule; 16] = [
    Rule {
        kind: Kind::Worktrees,
        name: "worktrees",
        what: "worktrees of ended sessions (a snapshot stays); of landed work at once",
        setting: "worktree_keep_days",
        keep: |settings| settings.worktree_keep_days,
    },
    Rule {
        kind: Kind::Branches,
        name: "branches",
        what: "branches and snapshots of landed work",
        setting: "landed_branch_keep_days",
        keep: |settings| settings.landed_branch_keep_days,
    },
    Rule {
        kind: Kind::Output,
        name: "output",
        what: "what agents wrote, but for its end",
        setting: "spool_keep_days",
        keep: |settings| settings.spool_keep_days,
    },
    Rule {
        kind: Kind::Events,
        name: "events",
        what: "events and callbacks of ended missions",
        setting: "history_keep_days",
        keep: history,
    },
    Rule {
        kind: Kind::Files,
        name: "files",
        what: "files of and messages to ended sessions, with the end of their output",
        setting: "history_keep_days",
        keep: history,
    },
    Rule {
        kind: Kind::Approvals,
        name: "approvals",
        what: "decided approvals",
        setting: "history_keep_days",
        keep: history,
    },
    Rule {
        kind: Kind::Questions,
        name: "questions",
        what: "answered and withdrawn questions of agents",
        setting: "history_keep_days",
        keep: history,
    },
    Rule {
        kind: Kind::Executions,
        name: "executions",
        what: "ended executions of workflows",
        setting: "record_keep_days",
        keep: records,
    },
    Rule {
        kind: Kind::Violations,
        name: "violations",
        what: "calls that were not let through",
        setting: "history_keep_days",
        keep: history,
    },
    Rule {
        kind: Kind::Spending,
        name: "spending",
        what: "what was spent on each day; the sums stay",
        setting: "history_keep_days",
        keep: history,
    },
    Rule { kind: Kind::Missions, name: "missions", what: "ended missions", setting: "record_keep_days", keep: records },
    Rule {
        kind: Kind::Sessions,
        name: "sessions",
        what: "ended sessions, with their mission",
        setting: "record_keep_days",
        keep: records,
    },
    Rule {
        kind: Kind::Reports,
        name: "reports",
        what: "reports, with their mission",
        setting: "record_keep_days",
        keep: records,
    },
    Rule {
        kind: Kind::Landings,
        name: "landings",
        what: "landings, with their mission",
        setting: "record_keep_days",
        keep: records,
    },
    Rule {
        kind: Kind::Answers,
        name: "answers",
        what: "answers to calls with an idempotency key",
        setting: "feed_keep_days",
        keep: |settings| settings.feed_keep_days,
    },
    Rule {
        kind: Kind::Feed,
        name: "feed",
        what: "changes in the feed that clients can continue from",
        setting: "feed_keep_days",
        keep: |settings| settings.feed_keep_days,
    },
];

impl Rule {
    /// Returns how long the kind is kept.
    #[must_use]
    pub fn keep(&self, settings: &Settings) -> Keep {
        match (self.keep)(settings) {
            0 => Keep::Forever,
            days => Keep::For(Duration::from_secs(u64::from(days) * DAY_SECS)),
        }
    }
}

fn history(settings: &Settings) -> u32 {
    settings.history_keep_days
}

fn records(settings: &Settings) -> u32 {
    settings.record_keep_days
}
