//! What is promised of budgets: whoever is under one that is used up takes no turn that it had not begun, and the books
//! say what was spent.
//!
//! What was spent is counted by what agents really did, not by what a server knows of it.

use std::time::Duration;

use types::{Cost, Day, Landing, LandingStateName, Limits, SessionState, Spent, Timestamp};

use super::{Auditor, Books};
use crate::agent::{Key, Process};
use crate::site::Site;

/// How much longer than its mission allows an agent may run: the longest step of time in which nobody looks.
const STEP_SECS: u64 = 65;

impl Auditor {
    /// Says which budget over a process was used up at a time, as high as it is now, so that it could begin no turn then.
    pub(crate) fn closed(&self, site: &Site, key: &Key, at: Timestamp) -> Option<String> {
        let process = site.agents.get(key)?;
        // What others spend in the moment in which it begins is not known yet to those who look after it.
        let known_by = |other: &Key| if other == key { at } else { just_before(at) };
        let books = self.books();
        over(&books, site, &process).into_iter().find_map(|over| {
            let spent = site.agents.spent_by(over.concerns, over.day, known_by);
            let used = used_up(&over.ceiling, spent)?;
            Some(format!("the {}'s {used}{}", over.whose, if over.day.is_some() { " of the day" } else { "" }))
        })
    }

    /// Notices a process that ran on when the time of its mission was over.
    pub(crate) fn late(&self, site: &Site, key: &Key) {
        let Some(process) = site.agents.get(key) else { return };
        let now = site.clock.now();
        let Some(mission) = &process.mission else { return };
        let books = self.books();
        let most = books.missions.get(mission).and_then(|mission| mission.limits.secs_max);
        let spent = site.agents.spent(|other| other.mission.as_ref() == Some(mission), None, now).secs;
        let ran = process.secs(now);
        let begun = site.clock.monotonic().saturating_sub(Duration::from_secs(ran));
        if most.is_some_and(|most| spent.saturating_sub(most).min(ran) > STEP_SECS) && site.was_quiet_since(begun) {
            let most = most.unwrap_or_default();
            self.trace.broken(&format!(
                "process {}/{} ran on when the mission's time was used up: {ran} of {spent} seconds, {most} allowed",
                key.0, key.1
            ));
        }
    }

    /// Says how long nothing can happen, if all there is to do waits for a time.
    pub(crate) fn idle(&self, site: &Site) -> Option<Duration> {
        let (books, now) = (self.books(), site.clock.now());
        let is_busy = |landing: &Landing| match landing.state.name() {
            LandingStateName::Queued | LandingStateName::Waiting | LandingStateName::Cleared => true,
            // Its session works on it, or waits.
            LandingStateName::Returned
            | LandingStateName::Review
            | LandingStateName::Stuck
            | LandingStateName::Landed
            | LandingStateName::Dropped => false,
        };
        if site.agents.running() > 0 || books.landings.values().any(is_busy) {
            return None;
        }
        let live = books.sessions.values().filter(|session| session.state.is_live());
        let waits = live.map(|session| match &session.state {
            SessionState::Waiting { until, .. } => *until,
            SessionState::Starting { .. }
            | SessionState::Running { .. }
            | SessionState::Stopping { .. }
            | SessionState::Ended { .. } => None,
        });
        let first = waits.collect::<Option<Vec<_>>>()?.into_iter().chain([Day::of(now).ends_at()]).min()?;
        Duration::try_from(first.duration_since(now)).ok().filter(|idle| !idle.is_zero())
    }

    /// Holds what is booked against what was spent.
    pub(crate) fn compare_books(&self, site: &Site, booked: impl Fn(Option<&types::ProjectId>) -> Spent) {
        let (books, now) = (self.books(), site.clock.now());
        let whose = books.projects.keys().map(Some).chain([None]);
        for project in whose {
            let spent =
                site.agents.spent(|process| project.is_none() || process.project.as_ref() == project, None, now);
            let booked = booked(project);
            if booked != spent {
                self.trace.broken(&format!("{booked:?} is booked for {project:?}, {spent:?} was spent"));
            }
        }
        for mission in books.missions.values() {
            let spent = site.agents.spent(|process| process.mission.as_ref() == Some(&mission.id), None, now);
            if mission.spent != spent {
                let booked = mission.spent;
                self.trace.broken(&format!("{booked:?} is booked for {}, {spent:?} was spent", mission.id));
            }
        }
    }
}

/// A budget over a process.
struct Over<'a> {
    whose: &'static str,
    ceiling: Limits,
    day: Option<Day>,
    concerns: Box<dyn Fn(&Process) -> bool + 'a>,
}

fn over<'a>(books: &Books, site: &Site, process: &'a Process) -> Vec<Over<'a>> {
    let today = Some(Day::of(site.clock.now()));
    let mut all = Vec::new();
    let fleet = site.agents.purse.get();
    for (ceiling, day) in [(fleet.total, None), (fleet.daily, today)] {
        all.push(Over { whose: "fleet", ceiling, day, concerns: Box::new(|_| true) });
    }
    if let Some(project) = process.project.as_ref().and_then(|project| books.projects.get(project)) {
        for (ceiling, day) in [(project.budget.total, None), (project.budget.daily, today)] {
            let concerns = Box::new(|other: &Process| other.project == process.project);
            all.push(Over { whose: "project", ceiling, day, concerns });
        }
    }
    if let Some(mission) = process.mission.as_ref().and_then(|mission| books.missions.get(mission)) {
        // The last turn that a mission may take is often the one in which its agent says that it is done. Only when
        // another follows is it stopped.
        let turns_max = mission.limits.turns_max.map(|most| most.saturating_add(1));
        let ceiling = Limits { turns_max, ..mission.limits };
        let concerns = Box::new(|other: &Process| other.mission == process.mission);
        all.push(Over { whose: "mission", ceiling, day: None, concerns });
    }
    all
}

fn used_up(ceiling: &Limits, spent: Spent) -> Option<&'static str> {
    let Limits { turns_max, dollars_max, tokens_max, secs_max } = *ceiling;
    if dollars_max.is_some_and(|most| spent.cost >= Cost::from(most)) {
        Some("dollars")
    } else if tokens_max.is_some_and(|most| spent.tokens >= most) {
        Some("tokens")
    } else if turns_max.is_some_and(|most| spent.turns >= u64::from(most)) {
        Some("turns")
    } else if secs_max.is_some_and(|most| spent.secs >= most) {
        Some("time")
    } else {
        None
    }
}

fn just_before(at: Timestamp) -> Timestamp {
    at.checked_sub(Duration::from_nanos(1)).unwrap_or(at)
}
