//! Why a mission does not run: as data, and as one sentence that says what would change it.
//!
//! What is said here is said to people; nothing reads it back.

use std::fmt;

use types::{
    ApprovalId, Failure, FailureClass, Handle, Holder, MissionId, ParkReason, ParkedAccount, ProjectId, Proof,
    QuestionId, SessionId, Timestamp, Wait,
};

use crate::why_commands::{quoted, raise, raise_slots};
use crate::{Dependency, Overdrawn, Scope, Stands, Used};

/// What a sentence says for the project until it is known whose mission it is about.
const PROJECT: &str = "PROJECT";

/// Why a mission does not run, or that it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It is being written.
    Draft,
    /// It is ready, and waits for somebody to dispatch it.
    ByHand,
    /// It waits for another mission.
    Dependency {
        /// Of those it waits for, the one that is hardest to get past.
        dependency: Dependency,
        /// How many others it waits for.
        more: usize,
    },
    /// Its account is not good, or one for which everybody waits.
    Account {
        /// The account.
        parked: ParkedAccount,
    },
    /// A budget over it is used up.
    Budget {
        /// Whose.
        scope: Scope,
        /// What of it.
        used: Used,
        /// When it begins anew; none if that would not help.
        resets_at: Option<Timestamp>,
    },
    /// It failed, and is tried again later.
    BackOff {
        /// When.
        until: Timestamp,
    },
    /// All slots are taken.
    Full {
        /// Which.
        slot: Slot,
        /// How many there are.
        most: u32,
        /// How many ready missions wait for the same and go first.
        ahead: u32,
    },
    /// The last free slot is kept for a mission that has waited for too long.
    Kept {
        /// Which.
        slot: Slot,
        /// For whom.
        mission: MissionId,
    },
    /// It starts now.
    Starting,
    /// Somebody works on it.
    Held {
        /// Who.
        holder: Holder,
        /// Since when.
        since: Timestamp,
    },
    /// It was put aside.
    Parked {
        /// Why.
        why: ParkReason,
        /// When it wakes by itself.
        until: Option<Timestamp>,
    },
    /// It waits for an answer.
    Asking {
        /// What is to be answered.
        question: QuestionId,
        /// What it asks.
        text: String,
    },
    /// The session that works on it has no process for now.
    Waits {
        /// The session.
        session: SessionId,
        /// For what it waits.
        wait: Wait,
        /// When it continues; none if a person must say so.
        until: Option<Timestamp>,
        /// What its last process failed of, in words.
        text: Option<String>,
    },
    /// Its agent may not make a call before somebody says so.
    Approval {
        /// What is to be answered.
        approval: ApprovalId,
        /// What the call does.
        summary: String,
    },
    /// It is on its way to the target branch.
    Landing {
        /// Since when.
        since: Timestamp,
        /// How far it is, if that was looked up.
        progress: Option<String>,
    },
    /// Its work could not land, and its agent works on it again.
    SentBack {
        /// Who.
        holder: Holder,
        /// Since when.
        since: Timestamp,
        /// What kept it from landing.
        why: String,
    },
    /// It is done.
    Done {
        /// Since when.
        at: Timestamp,
        /// What speaks for it.
        proof: Proof,
    },
    /// It failed.
    Failed {
        /// When.
        at: Timestamp,
        /// Of what.
        failure: Failure,
        /// What its session ended with, in words, if that is known.
        text: Option<String>,
    },
    /// It was called off.
    Cancelled {
        /// When.
        at: Timestamp,
        /// By whom.
        by: Handle,
    },
}

/// What a slot is one of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Slot {
    /// Those of the fleet.
    Fleet,
    /// Those of this node.
    Node,
    /// Those of a project.
    Project(ProjectId),
    /// Those of a kind of agent.
    Agent(String),
}

impl Why {
    /// Says it of a mission of a project: commands in the sentence name both, so that they can be pasted.
    #[must_use]
    pub fn of(&self, mission: &MissionId, project: Option<&str>) -> String {
        let said = self.to_string().replace("MISSION", mission.as_str());
        match project {
            Some(project) => said.replace(PROJECT, &quoted(project)),
            None => said,
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Draft => write!(out, "It is a draft; start it: `fleet dispatch MISSION`."),
            Self::ByHand => write!(out, "It is ready and waits to be started: `fleet dispatch MISSION`."),
            Self::Dependency { dependency, more } => say_dependency(out, dependency, *more),
            Self::Account { parked } => say_account(out, parked),
            Self::Budget { scope, used, resets_at } => say_budget(out, scope, *used, *resets_at),
            Self::BackOff { until } => write!(out, "It failed and is tried again at {until:.0}."),
            Self::Full { slot, most, ahead } => say_full(out, slot, *most, *ahead),
            Self::Kept { slot, mission } => {
                write!(out, "The last free slot {slot} is kept for mission {mission}, which has waited for longer.")
            }
            Self::Starting => write!(out, "It starts now."),
            Self::Held { holder, since } => say_held(out, holder, *since),
            Self::Parked { why, until: Some(until) } => {
                write!(out, "It is parked until {until:.0}: {}.", bare(&why.to_string()))
            }
            Self::Parked { why, until: None } => say_parked(out, why),
            Self::Waits { session, wait, until, text } => say_waits(out, session, wait, *until, text.as_deref()),
            Self::Asking { question, text } => {
                write!(out, "Its agent asks: {} Answer with `fleet answer {question} ANSWER`.", sentence(text))
            }
            Self::Approval { approval, summary } => say_approval(out, approval, summary),
            Self::Landing { since, progress } => {
                write!(out, "Its work is finished and has been on its way to the target branch since {since:.0}")?;
                match progress {
                    Some(progress) => write!(out, ": {}.", bare(progress)),
                    None => write!(out, "."),
                }
            }
            Self::SentBack { holder, since, why } => {
                write!(out, "Its work could not land: {}. It went back to its agent: ", bare(why))?;
                say_held(out, holder, *since)
            }
            Self::Done { at, proof } => say_done(out, *at, proof),
            Self::Failed { at, failure, text } => say_failed(out, *at, failure, text.as_deref()),
            Self::Cancelled { at, by } => {
                write!(out, "{by} cancelled it at {at:.0}; have it done after all: `fleet dispatch MISSION`.")
            }
        }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fleet => write!(out, "of the fleet"),
            Self::Node => write!(out, "of this node"),
            Self::Project(project) => write!(out, "of project {project}"),
            Self::Agent(agent) => write!(out, "for {agent}"),
        }
    }
}

impl fmt::Display for Used {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minutes = |secs: u64| secs as f64 / 60.0;
        match *self {
            Self::Dollars { spent, most } => write!(out, "${:.2} of ${:.2}", spent.dollars(), most.dollars()),
            Self::Tokens { spent, most } => write!(out, "{spent} of {most} tokens"),
            Self::Turns { spent, most } => write!(out, "{spent} of {most} turns"),
            Self::Secs { spent, most } => write!(out, "{:.1} of {:.1} minutes", minutes(spent), minutes(most)),
        }
    }
}

fn say_dependency(out: &mut fmt::Formatter<'_>, dependency: &Dependency, more: usize) -> fmt::Result {
    write!(out, "It waits for mission {}", dependency.on)?;
    match more {
        0 => {}
        1 => write!(out, " and one more")?,
        more => write!(out, " and {more} more")?,
    }
    let what = match dependency.stands {
        Stands::Done => ", which is done",
        Stands::Landing => ", which is on its way to the target branch",
        Stands::Open => " to be done",
        Stands::NeedsPerson => ": that needs a person",
        Stands::Draft => ": that is a draft; start it",
        Stands::Cancelled => ": that was cancelled; start it again",
        Stands::Failed => ": that failed; retry it",
        Stands::Missing => ": there is no such mission any more",
    };
    write!(out, "{what}")?;
    match dependency.stands {
        Stands::Draft | Stands::Cancelled | Stands::Failed => write!(out, " (`fleet dispatch {}`)", dependency.on)?,
        Stands::NeedsPerson => write!(out, ": `fleet why {}`", dependency.on)?,
        Stands::Done | Stands::Landing | Stands::Open | Stands::Missing => {}
    }
    match dependency.stands {
        Stands::Draft | Stands::Cancelled | Stands::Failed | Stands::Missing => {
            write!(out, ", or take the dependency away: `fleet mission update MISSION --depends-on OTHERS`.")
        }
        Stands::Done | Stands::Landing | Stands::Open | Stands::NeedsPerson => write!(out, "."),
    }
}

fn say_account(out: &mut fmt::Formatter<'_>, parked: &ParkedAccount) -> fmt::Result {
    let fault = match parked.class {
        FailureClass::Quota { .. } => "has used up its quota",
        FailureClass::Auth => "was refused",
        FailureClass::RateLimit
        | FailureClass::Overloaded
        | FailureClass::ContextFull
        | FailureClass::NotStarted
        | FailureClass::Crash
        | FailureClass::Stale
        | FailureClass::Timeout
        | FailureClass::Budget
        | FailureClass::Denied
        | FailureClass::MaxTurns
        | FailureClass::Interrupted
        | FailureClass::NoSession
        | FailureClass::Invalid
        | FailureClass::NotDone => "is unavailable",
    };
    write!(out, "Account {} {fault} ({}); ", parked.account, bare(&parked.text))?;
    match parked.until {
        Some(until) => write!(out, "it is used again at {until:.0}."),
        None => write!(out, "have it used again: `fleet account unpark {}`.", parked.account),
    }
}

impl From<Overdrawn> for Why {
    fn from(over: Overdrawn) -> Self {
        Self::Budget { scope: over.scope, used: over.used, resets_at: over.resets_at }
    }
}

/// As a part of a sentence.
impl fmt::Display for Overdrawn {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.scope {
            Scope::Fleet => write!(out, "the budget of the fleet")?,
            Scope::Project(project) => write!(out, "the budget of project {project}")?,
            Scope::Mission(mission) => write!(out, "the budget of mission {mission}")?,
        }
        let day = if self.resets_at.is_some() { " for today" } else { "" };
        write!(out, "{day} is used up ({})", self.used)
    }
}

fn say_budget(out: &mut fmt::Formatter<'_>, scope: &Scope, used: Used, resets_at: Option<Timestamp>) -> fmt::Result {
    match scope {
        Scope::Fleet => write!(out, "The fleet's budget")?,
        Scope::Project(project) => write!(out, "The budget of project {project}")?,
        Scope::Mission(_) => write!(out, "Its budget")?,
    }
    write!(out, " is used up ({used}); ")?;
    match resets_at {
        Some(at) => {
            write!(
                out,
                "it continues by itself at {at:.0}, or when you raise the budget: {}.",
                raise(scope, used, true)
            )
        }
        None => write!(out, "raise it and the mission continues: {}.", raise(scope, used, false)),
    }
}

fn say_full(out: &mut fmt::Formatter<'_>, slot: &Slot, most: u32, ahead: u32) -> fmt::Result {
    match most {
        0 => return write!(out, "There is no slot {slot}: the limit is 0; raise it: {}.", raise_slots(slot)),
        1 => write!(out, "The one slot {slot} is taken; ")?,
        most => write!(out, "All {most} slots {slot} are taken; ")?,
    }
    match ahead {
        0 => write!(out, "it is next."),
        1 => write!(out, "one ready mission goes before it."),
        ahead => write!(out, "{ahead} ready missions go before it."),
    }
}

fn say_held(out: &mut fmt::Formatter<'_>, holder: &Holder, since: Timestamp) -> fmt::Result {
    match holder {
        Holder::Agent { handle } => write!(out, "{handle} has worked on it since {since:.0}."),
        Holder::Session { session, handle } => {
            write!(out, "{handle} has worked on it since {since:.0}, in session {session}.")
        }
    }
}

fn say_done(out: &mut fmt::Formatter<'_>, at: Timestamp, proof: &Proof) -> fmt::Result {
    match proof {
        Proof::Stated { by } => write!(out, "It was done at {at:.0}: {by} said so."),
        Proof::Session { session, commits: Some(1..) } => write!(
            out,
            "It was done at {at:.0}, and its work has not landed: it is on the branch of session {session}. Land it \
             with `fleet land MISSION`. Work lands by itself once the project has a check: \
             `fleet project update {PROJECT} --checks COMMAND`."
        ),
        Proof::Session { session, commits: Some(0) | None } => {
            write!(out, "It was done at {at:.0}, in session {session}.")
        }
        Proof::Landed { commit, checks, .. } => {
            let short = commit.get(..10).unwrap_or(commit);
            write!(out, "It was done at {at:.0}: it landed as {short}, with {}.", green(*checks))
        }
    }
}

fn say_parked(out: &mut fmt::Formatter<'_>, why: &ParkReason) -> fmt::Result {
    write!(out, "It is parked until a person reopens it: {}. ", bare(&why.to_string()))?;
    match why {
        ParkReason::Stuck { landing, .. } | ParkReason::Dropped { landing, .. } => {
            write!(
                out,
                "Try to land it again: `fleet land retry {landing}`; have its agent work on: `fleet resume MISSION`."
            )
        }
        // What to type is in the reason.
        ParkReason::Account { class: FailureClass::Auth, .. } => Ok(()),
        ParkReason::Account { .. } => write!(out, "See what was refused: `fleet account list`."),
        ParkReason::Budget { .. } => write!(out, "See what is used up: `fleet budget`."),
        ParkReason::Blocked { .. } | ParkReason::Recorded { .. } | ParkReason::Dependencies { .. } => {
            write!(out, "Start it: `fleet dispatch MISSION`.")
        }
    }
}

fn say_waits(
    out: &mut fmt::Formatter<'_>,
    session: &SessionId,
    wait: &Wait,
    until: Option<Timestamp>,
    text: Option<&str>,
) -> fmt::Result {
    write!(out, "Its session {session} waits: {wait}")?;
    if let Some(text) = text.map(bare).filter(|text| !text.is_empty()) {
        write!(out, ": {text}")?;
    }
    match (until, wait) {
        (Some(until), _) => write!(out, "; it continues at {until:.0}."),
        (None, Wait::Parked { .. }) => write!(out, "; see `fleet account list`."),
        (None, Wait::Budget) => write!(out, "; see `fleet budget`."),
        (None, Wait::Approval { approval }) => write!(out, "; answer it: `fleet approval allow {approval}`."),
        (None, Wait::Question { question }) => write!(out, "; answer it: `fleet answer {question} ANSWER`."),
        (None, Wait::BackOff { .. } | Wait::Slot) => write!(out, "; it continues by itself."),
    }
}

fn say_failed(out: &mut fmt::Formatter<'_>, at: Timestamp, failure: &Failure, text: Option<&str>) -> fmt::Result {
    match failure {
        Failure::Stated { by } => write!(out, "{by} gave it up at {at:.0}; retry it with `fleet dispatch MISSION`."),
        Failure::Session { session, class } => {
            let class = class.as_str();
            let text = text.map(bare).filter(|text| !text.is_empty()).map(|text| format!(": {text}"));
            let text = text.unwrap_or_default();
            write!(
                out,
                "Its session {session} failed at {at:.0} ({class}){text}; read `fleet logs {session}`, then retry it: `fleet dispatch MISSION`."
            )
        }
        Failure::NotDone { session, reasons } => {
            let reasons = reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            write!(
                out,
                "Its agent was through with it at {at:.0} in session {session}, and it is not done: {}; read \
                 `fleet report MISSION`, then retry it (`fleet resume MISSION`), or say yourself that it is done \
                 (`fleet mission update MISSION --status completed`).",
                bare(&reasons)
            )
        }
    }
}

fn green(checks: u32) -> String {
    match checks {
        0 => "nothing checked".to_owned(),
        1 => "its check green".to_owned(),
        many => format!("its {many} checks green"),
    }
}

fn say_approval(out: &mut fmt::Formatter<'_>, approval: &ApprovalId, summary: &str) -> fmt::Result {
    write!(out, "Its agent awaits approval: {}. ", bare(summary))?;
    write!(out, "Answer with `fleet approval allow {approval}` or `fleet approval deny {approval}`.")
}

/// A text of others as a sentence of its own, on one line.
fn sentence(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.ends_with(['.', '?', '!']) { line } else { format!("{line}.") }
}

/// A text of others within a sentence of ours, which brings its own full stop.
fn bare(text: &str) -> &str {
    text.trim().trim_end_matches('.')
}

#[cfg(test)]
#[path = "why_tests.rs"]
mod tests;
