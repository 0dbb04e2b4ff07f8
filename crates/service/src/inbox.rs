//! What waits for a person, collected from records and ranked: pure, so it is the same for every caller and test.
//!
//! One obstacle is one item: a mission that is parked for a landing shows as that landing, and one whose account or
//! budget is in the list counts as blocked by it. The handler reads the records.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use api::IsoTime;
use api::fleet::{InboxItem, InboxKind};
use schedule::Used;
use types::{
    Approval, DependencyTrouble, Execution, FailureClass, Landing, LandingState, Mission, MissionId, MissionState,
    ParkReason, ParkedAccount, ProjectId, Question, RunKey, StepRef, StepRun, StepState, StepWork, Timestamp,
};

/// Most characters of a text of others that are shown in a sentence.
const TEXT_MAX: usize = 200;

/// Records that say that something waits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Records {
    /// Approvals without an answer.
    pub(crate) approvals: Vec<Approval>,
    /// Questions without an answer.
    pub(crate) questions: Vec<Question>,
    /// Executions of which steps may wait for a person.
    pub(crate) executions: Vec<Execution>,
    /// Landings in review, stuck or waiting.
    pub(crate) landings: Vec<Landing>,
    /// Parked missions, each with what of its own budget is used up.
    pub(crate) parked: Vec<(Mission, Option<Used>)>,
    /// Accounts that wait for a person.
    pub(crate) accounts: Vec<Account>,
    /// Budgets that are used up.
    pub(crate) budgets: Vec<UsedUp>,
    /// Missions that would start if nothing were in their way.
    pub(crate) ready: Vec<Ready>,
}

/// An account that waits for a person.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    /// The account.
    pub(crate) parked: ParkedAccount,
    /// How to log in to it, in the words of its agent.
    pub(crate) login: Option<String>,
    /// The missions whose sessions wait for it.
    pub(crate) missions: Vec<MissionId>,
}

/// A budget that is used up.
#[derive(Debug, Clone)]
pub(crate) struct UsedUp {
    /// The project; none for the fleet.
    pub(crate) project: Option<(ProjectId, String)>,
    /// Whether it is for a day.
    pub(crate) daily: bool,
    /// What of it is used up.
    pub(crate) used: Used,
    /// When it begins anew.
    pub(crate) resets_at: Option<Timestamp>,
    /// The missions whose sessions wait for it.
    pub(crate) missions: Vec<MissionId>,
}

/// A mission that would start if nothing were in its way.
#[derive(Debug, Clone)]
pub(crate) struct Ready {
    /// Which.
    pub(crate) mission: MissionId,
    /// What it waits for.
    pub(crate) depends_on: Vec<MissionId>,
    /// Its project.
    pub(crate) project: Option<ProjectId>,
    /// The account that its agent would use.
    pub(crate) account: String,
}

/// Collects what waits for a person: what blocks most missions first, then the oldest.
pub(crate) fn ranked(records: &Records) -> Vec<InboxItem> {
    let behind = Behind::new(&records.ready);
    let mut items: Vec<InboxItem> = records.approvals.iter().map(|approval| of_approval(approval, &behind)).collect();
    items.extend(records.executions.iter().flat_map(of_execution));
    items.extend(records.questions.iter().map(|question| of_question(question, &behind)));
    items.extend(records.landings.iter().filter_map(|landing| of_landing(landing, &behind)));
    let shown: BTreeSet<&MissionId> = records.landings.iter().map(|landing| &landing.mission).collect();
    let shown: BTreeSet<&MissionId> =
        records.accounts.iter().flat_map(|account| &account.missions).chain(shown).collect();
    let left = |(mission, _): &&(Mission, _)| !shown.contains(&mission.id);
    let parked = records.parked.iter().filter(left);
    items.extend(parked.filter_map(|(mission, used)| of_mission(mission, *used, &records.budgets, &behind)));
    items.extend(records.accounts.iter().map(|account| of_account(account, &records.ready, &behind)));
    items.extend(records.budgets.iter().map(|budget| of_budget(budget, &records.ready, &behind)));
    items.sort_by_cached_key(|item| (Reverse(item.blocks), item.since.as_ref().map(|at| at.0), item.subject.clone()));
    items
}

/// Counts who waits behind a mission.
struct Behind<'a>(BTreeMap<&'a MissionId, Vec<&'a MissionId>>);

impl<'a> Behind<'a> {
    fn new(ready: &'a [Ready]) -> Self {
        let mut waits: BTreeMap<&MissionId, Vec<&MissionId>> = BTreeMap::new();
        for one in ready {
            for on in &one.depends_on {
                waits.entry(on).or_default().push(&one.mission);
            }
        }
        Self(waits)
    }

    /// Counts these missions and all that wait for them, each once.
    fn count(&self, blocked: impl IntoIterator<Item = &'a MissionId>) -> u64 {
        let mut seen: BTreeSet<&MissionId> = BTreeSet::new();
        let mut next: Vec<&MissionId> = blocked.into_iter().collect();
        while let Some(mission) = next.pop() {
            if seen.insert(mission) {
                next.extend(self.0.get(mission).into_iter().flatten().copied());
            }
        }
        seen.len() as u64
    }
}

fn of_approval<'a>(approval: &'a Approval, behind: &Behind<'a>) -> InboxItem {
    let (id, wanted) = (&approval.id, &approval.wanted);
    let about = approval.mission.as_ref().map(|mission| format!(" (mission {mission})")).unwrap_or_default();
    let (what, next) = match &wanted.hidden {
        None => ("waits for approval".to_owned(), format!("fleet approval allow {id}")),
        Some(hidden) => {
            (format!("asks for what cannot be allowed ({})", text(hidden)), format!("fleet approval deny {id}"))
        }
    };
    InboxItem {
        kind: InboxKind::Approval,
        subject: id.to_string(),
        blocks: behind.count(&approval.mission),
        since: Some(IsoTime(approval.created_at)),
        what: format!("{} {what}: {}{about}.", approval.handle, text(&wanted.summary)),
        next,
        mission_id: approval.mission.clone(),
    }
}

/// The steps of an execution that wait for a person; no mission waits behind one, but its later steps do.
fn of_execution(execution: &Execution) -> Vec<InboxItem> {
    let open = execution.steps.values().filter(|step| step.state == StepState::Pending).count();
    let item = |(run, step): (&RunKey, &StepRun)| {
        let StepState::Running { work: StepWork::Person { goal } } = &step.state else { return None };
        let id = StepRef { execution: execution.id.clone(), run: run.clone() };
        Some(InboxItem {
            kind: InboxKind::Step,
            subject: id.to_string(),
            blocks: open as u64,
            since: step.began.map(IsoTime),
            what: format!("Workflow \"{}\" waits for a decision: {}.", text(&execution.name), text(goal)),
            next: format!("fleet workflow complete {id}"),
            mission_id: None,
        })
    };
    execution.steps.iter().filter_map(item).collect()
}

fn of_question<'a>(question: &'a Question, behind: &Behind<'a>) -> InboxItem {
    let id = &question.id;
    let about = question.mission.as_ref().map(|mission| format!(" (mission {mission})")).unwrap_or_default();
    let choices = question.choices.iter().enumerate();
    let choices: Vec<String> = choices.map(|(at, choice)| format!("{}: {}", at + 1, text(choice))).collect();
    let choices = if choices.is_empty() { String::new() } else { format!(" [{}]", choices.join("; ")) };
    let answer = if question.choices.is_empty() { "ANSWER" } else { "NUMBER" };
    InboxItem {
        kind: InboxKind::Question,
        subject: id.to_string(),
        blocks: behind.count(&question.mission),
        since: Some(IsoTime(question.asked_at)),
        what: format!("{} asks: {}{choices}{about}.", question.handle, text(&question.text)),
        next: format!("fleet answer {id} {answer}"),
        mission_id: question.mission.clone(),
    }
}

fn of_landing<'a>(landing: &'a Landing, behind: &Behind<'a>) -> Option<InboxItem> {
    let (id, title) = (&landing.id, text(&landing.title));
    let retry = format!("fleet land retry {id}");
    let (since, what, next) = match &landing.state {
        LandingState::Review { since } => {
            (since, format!("\"{title}\" is finished and waits for review."), format!("fleet land approve {id}"))
        }
        LandingState::Stuck { since, obstacle } => {
            (since, format!("\"{title}\" cannot land: {}.", text(&obstacle.to_string())), retry)
        }
        LandingState::Waiting { since, why, .. } => {
            (since, format!("\"{title}\" waits to land: {}.", text(why)), "fleet land status".to_owned())
        }
        LandingState::Queued { .. }
        | LandingState::Cleared { .. }
        | LandingState::Returned { .. }
        | LandingState::Landed { .. }
        | LandingState::Dropped { .. } => return None,
    };
    Some(InboxItem {
        kind: InboxKind::Landing,
        subject: id.to_string(),
        blocks: behind.count([&landing.mission]),
        since: Some(IsoTime(*since)),
        what,
        next,
        mission_id: Some(landing.mission.clone()),
    })
}

/// A mission that wakes by itself needs no person, nor does one for which a budget in the list is raised.
fn of_mission<'a>(
    mission: &'a Mission,
    used: Option<Used>,
    budgets: &[UsedUp],
    behind: &Behind<'a>,
) -> Option<InboxItem> {
    let MissionState::Parked { why, until: None } = &mission.state else { return None };
    let id = &mission.id;
    let next = match (why, used) {
        (ParkReason::Budget { .. }, Some(used)) => {
            let (field, amount) = match used {
                Used::Dollars { .. } => ("max-budget-usd", "DOLLARS"),
                Used::Tokens { .. } => ("max-tokens", "TOKENS"),
                Used::Turns { .. } => ("max-turns", "TURNS"),
                Used::Secs { .. } => ("max-minutes", "MINUTES"),
            };
            format!("fleet mission update {id} --{field} {amount}")
        }
        (ParkReason::Budget { .. }, None) if !budgets.is_empty() => return None,
        (ParkReason::Stuck { landing, .. } | ParkReason::Dropped { landing, .. }, _) => {
            format!("fleet land retry {landing}")
        }
        (ParkReason::Dependencies { trouble: DependencyTrouble::Conflict { mission, with, .. } }, _) => {
            // Dispatched before that, it would be refused for the same reason.
            with.iter().chain([mission]).map(|mission| format!("fleet land {mission}")).collect::<Vec<_>>().join(" && ")
        }
        (ParkReason::Dependencies { trouble: DependencyTrouble::BranchGone { mission, .. } }, _) => {
            format!("fleet dispatch {mission}")
        }
        (
            ParkReason::Account { .. }
            | ParkReason::Budget { .. }
            | ParkReason::Blocked { .. }
            | ParkReason::Recorded { .. },
            _,
        ) => format!("fleet dispatch {id}"),
    };
    Some(InboxItem {
        kind: InboxKind::Mission,
        subject: id.to_string(),
        blocks: behind.count([id]),
        since: Some(IsoTime(mission.updated_at)),
        what: format!("\"{}\" is parked: {}.", text(&mission.title), text(&why.to_string())),
        next,
        mission_id: Some(id.clone()),
    })
}

fn of_account<'a>(account: &'a Account, ready: &'a [Ready], behind: &Behind<'a>) -> InboxItem {
    let parked = &account.parked;
    let name = &parked.account;
    let unpark = format!("fleet account unpark {name}");
    let (kind, what, next) = match (&parked.class, &account.login) {
        (FailureClass::Auth, Some(login)) => (
            InboxKind::Login,
            format!("Account {name} is not logged in: {}.", text(&parked.text)),
            format!("{login} && {unpark}"),
        ),
        (FailureClass::Auth, None) => {
            (InboxKind::Login, format!("Account {name} is not logged in: {}.", text(&parked.text)), unpark)
        }
        (_, _) => (InboxKind::Account, format!("Account {name} is parked: {}.", text(&parked.text)), unpark),
    };
    let blocked = ready.iter().filter(|one| one.account == *name).map(|one| &one.mission);
    InboxItem {
        kind,
        subject: name.clone(),
        blocks: behind.count(blocked.chain(&account.missions)),
        since: Some(IsoTime(parked.since)),
        what,
        next,
        mission_id: None,
    }
}

fn of_budget<'a>(budget: &'a UsedUp, ready: &'a [Ready], behind: &Behind<'a>) -> InboxItem {
    let (resource, amount) = match budget.used {
        Used::Dollars { .. } => ("usd", "DOLLARS"),
        Used::Tokens { .. } => ("tokens", "TOKENS"),
        Used::Turns { .. } => ("turns", "TURNS"),
        Used::Secs { .. } => ("minutes", "MINUTES"),
    };
    let field = format!("{}budget_{resource}", if budget.daily { "daily_" } else { "" });
    let (subject, whose, next) = match &budget.project {
        Some((id, name)) => {
            let field = field.replace('_', "-");
            let whose = format!("of project \"{}\"", text(name));
            (id.to_string(), whose, format!("fleet project update {id} --{field} {amount}"))
        }
        None => ("fleet".to_owned(), "of the fleet".to_owned(), format!("fleet config set {field}={amount}")),
    };
    let again = budget.resets_at.map(|at| format!("; it begins anew at {at:.0}")).unwrap_or_default();
    let day = if budget.daily { " for today" } else { "" };
    let of_it = |one: &&Ready| budget.project.as_ref().is_none_or(|(id, _)| one.project.as_ref() == Some(id));
    let blocked = ready.iter().filter(of_it).map(|one| &one.mission);
    InboxItem {
        kind: InboxKind::Budget,
        subject,
        blocks: behind.count(blocked.chain(&budget.missions)),
        since: None,
        what: format!("The budget {whose}{day} is used up ({}){again}.", budget.used),
        next,
        mission_id: None,
    }
}

/// A text of others within a sentence of ours: one line, not too long, without its own full stop.
fn text(of: &str) -> String {
    let line = of.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().filter(|letter| !letter.is_control()).collect();
    let line = line.trim_end_matches('.');
    match line.char_indices().nth(TEXT_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
#[path = "inbox_tests.rs"]
mod tests;
