//! The books: what was spent in all and on each day, by each project and by the whole fleet.
//!
//! They are counters: a commit that books something adds to them, whole or not at all and once, and reading them costs
//! the same however much was booked. No two writers contend for a row.

use types::{Cost, Day, ProjectId, Spent};

use crate::{Store, Transaction};

/// What is counted; each has a counter of its own.
const MEASURES: [&str; 5] = ["cost", "tokens", "unpriced", "turns", "secs"];

/// The most that one session is believed to have spent of anything.
const MOST: i64 = 1 << 53;

impl Transaction {
    /// Books what was spent on a day: what is in the books of it already, and all that is to be.
    pub fn book(&self, project: Option<&ProjectId>, day: Day, booked: Spent, now: Spent) {
        let (before, after) = (amounts(booked), amounts(now));
        for (measure, (before, after)) in MEASURES.iter().zip(before.into_iter().zip(after)) {
            let more = after - before;
            if more == 0 {
                continue;
            }
            for whose in [None, project].into_iter().take(1 + usize::from(project.is_some())) {
                self.add(label(whose, None, measure), more);
                self.add(label(whose, Some(day), measure), more);
            }
        }
    }
}

impl Store {
    /// Returns what was spent by a project or, without one, by the fleet; on a day or, without one, ever.
    #[must_use]
    pub fn spent(&self, project: Option<&ProjectId>, day: Option<Day>) -> Spent {
        let [cost, tokens, unpriced, turns, secs] = MEASURES.map(|measure| self.count(&label(project, day, measure)));
        Spent { cost: Cost::from_nanodollars(cost), tokens, unpriced, turns, secs }
    }
}

fn amounts(spent: Spent) -> [i64; 5] {
    let Spent { cost, tokens, unpriced, turns, secs } = spent;
    // What an agent claims beyond that is not an amount, and must not spoil the sums.
    [cost.nanodollars(), tokens, unpriced, turns, secs].map(|amount| i64::try_from(amount).unwrap_or(MOST).min(MOST))
}

fn label(project: Option<&ProjectId>, day: Option<Day>, measure: &str) -> String {
    let whose = project.map_or("fleet", ProjectId::as_str);
    match day {
        Some(day) => format!("spent/{whose}/{}/{measure}", day.number()),
        None => format!("spent/{whose}/{measure}"),
    }
}
