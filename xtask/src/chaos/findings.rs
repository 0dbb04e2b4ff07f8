//! What an auditor found, by the promise that was broken. All counts have to be zero.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most findings of a kind that are told one by one.
const TOLD_MAX: usize = 12;

/// A promise that can be broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Breach {
    LostLine,
    DoubledLine,
    DoubleStart,
    Orphan,
    StatusLie,
    Message,
    LostAnswer,
    LostWork,
    StrayTree,
    Checkout,
    Interrupted,
    Start,
    Panic,
}

impl Breach {
    const ALL: [Self; 13] = [
        Self::LostLine,
        Self::DoubledLine,
        Self::DoubleStart,
        Self::Orphan,
        Self::StatusLie,
        Self::Message,
        Self::LostAnswer,
        Self::LostWork,
        Self::StrayTree,
        Self::Checkout,
        Self::Interrupted,
        Self::Start,
        Self::Panic,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::LostLine => "lines lost",
            Self::DoubledLine => "lines doubled",
            Self::DoubleStart => "agents started twice",
            Self::Orphan => "processes left 10 s after the end",
            Self::StatusLie => "statuses that were not true",
            Self::Message => "messages not delivered exactly once",
            Self::LostAnswer => "answered calls without effect",
            Self::LostWork => "commits lost",
            Self::StrayTree => "worktrees and branches without an owner",
            Self::Checkout => "changes to the user's checkout",
            Self::Interrupted => "sessions that ended unlike their script",
            Self::Start => "starts refused after a kill",
            Self::Panic => "panics and errors of the server",
        }
    }
}

/// The findings of a run; clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Findings(Arc<Mutex<BTreeMap<Breach, Vec<String>>>>);

impl Findings {
    pub(super) fn add(&self, breach: Breach, what: String) {
        let mut found = self.lock();
        let list = found.entry(breach).or_default();
        // The same thing is seen again in every sample.
        if !list.contains(&what) {
            list.push(what);
        }
    }

    pub(super) fn count(&self) -> usize {
        self.lock().values().map(Vec::len).sum()
    }

    /// Prints the details, then a row for each promise.
    pub(super) fn print(&self) {
        let found = self.lock();
        for (breach, list) in found.iter() {
            println!("\n{}:", breach.name());
            list.iter().take(TOLD_MAX).for_each(|what| println!("  - {what}"));
            if list.len() > TOLD_MAX {
                println!("  - and {} more", list.len() - TOLD_MAX);
            }
        }
        println!("\n| must be zero | found |\n|---|--:|");
        for breach in Breach::ALL {
            println!("| {} | {} |", breach.name(), found.get(&breach).map_or(0, Vec::len));
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Breach, Vec<String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
