//! What is known of a session's work when it is over: its work is kept, looked at and judged.
//!
//! All of it can be done again after a crash and says the same: what was committed stays committed, what was submitted
//! stays submitted until the report is written, and what the process said is in its spool.

use reports::{Expectation, Left, RESULT_MAX, bounded, discrepancies, judge, told};
use store::Transaction;
use types::{
    Author, Claim, Discrepancy, Event, Evidence, FailureClass, LeftOut, Mission, Project, Reason, Report, ReportId,
    Session, SessionEnding, SessionState, Source, Submission, Told, Trouble, Verdict, Workspace,
};
use workspaces::{Committed, Seen};

use super::Actor;
use crate::redaction::cleaned;
use crate::{Error, Result};

/// Characters behind the prefix of a report's id.
const ID_LENGTH: usize = 6;

/// What the last process of a session said; nothing, if there was none.
#[derive(Debug, Clone, Default)]
pub(super) struct Words {
    /// The end of it.
    pub(super) texts: String,
    /// Its last words, if it came to its end.
    pub(super) last: String,
}

/// What is known of a session that is over.
#[derive(Debug, Clone)]
pub(super) struct Closing {
    id: ReportId,
    mission: Option<Mission>,
    /// What was submitted and is not yet part of a report.
    submission: Option<Submission>,
    told: Option<Told>,
    evidence: Evidence,
    verdict: Verdict,
    /// Whether the session has a branch that could be looked at.
    looked: bool,
}

/// What there is to judge a session by.
struct Found<'a> {
    session: &'a Session,
    mission: Option<&'a Mission>,
    told: Option<&'a Told>,
    evidence: &'a Evidence,
    /// What kept Fleet from looking.
    unseen: Option<String>,
}

impl Actor {
    /// Keeps the work of a session that is over and finds out what there is to know of it.
    pub(super) async fn close(&self, session: &Session, words: &Words) -> Result<Closing> {
        let tree = session.workspace.as_ref().filter(|workspace| workspace.worktree.is_some());
        let target = self.target(session).await?;
        let seen = match tree {
            Some(workspace) => self.look(workspace, target.as_deref()).await,
            None => Ok((Seen::default(), false)),
        };
        let (seen, kept, unseen) = match seen {
            Ok((seen, kept)) => (seen, kept, None),
            Err(error) => (Seen::default(), false, Some(error.to_string())),
        };
        let looked = tree.is_some() && unseen.is_none();
        let evidence = self.evidence(session, seen, kept);
        let store = &self.shared.parts.store;
        let submission = store.get::<Submission>(&session.id).await?;
        let result = match &session.workspace {
            Some(workspace) => self.shared.parts.workspaces.result(workspace, RESULT_MAX as u64 + 1).await,
            None => None,
        };
        let told = told(&left(session, submission.as_ref(), result.as_deref(), words));
        let told = told.map(|told| cleaned(&self.shared.redactor(), told));
        let mission = match &session.mission {
            Some(assignment) => store.get::<Mission>(&assignment.mission).await?,
            None => None,
        };
        let found = Found { session, mission: mission.as_ref(), told: told.as_ref(), evidence: &evidence, unseen };
        let verdict = found.judge();
        let code = self.shared.parts.rng.short_code(ID_LENGTH);
        let id = ReportId::from_code(&code).map_err(|error| Error::File {
            what: "cannot name a report".to_owned(),
            source: std::io::Error::other(error),
        })?;
        Ok(Closing { id, mission, submission, told, evidence, verdict, looked })
    }

    /// Returns the branch that the project of a session lands on, if it names one.
    async fn target(&self, session: &Session) -> Result<Option<String>> {
        let Some(project) = &session.project else { return Ok(None) };
        Ok(self
            .shared
            .parts
            .store
            .get::<Project>(project)
            .await?
            .and_then(|project| project.landing.settled_target().map(str::to_owned)))
    }

    /// Commits what was left uncommitted and reads the branch; returns whether there was something to commit.
    async fn look(
        &self,
        workspace: &Workspace,
        target: Option<&str>,
    ) -> std::result::Result<(Seen, bool), workspaces::Error> {
        let message = format!("Keep what session {} left uncommitted", self.session.id);
        let kept = match self.shared.parts.workspaces.keep(workspace, &message).await {
            Ok(Committed::Commit(_)) => true,
            Ok(Committed::Nothing) => false,
            // It stays in the worktree, of which a snapshot is taken before it goes.
            Err(error) => {
                tracing::warn!(session = %self.session.id, %error, "work that was left uncommitted could not be committed");
                false
            }
        };
        let seen = self.shared.parts.workspaces.seen(workspace, target).await?;
        // A server that was killed after that commit finds it made.
        let before = seen.commits.first().is_some_and(|commit| commit.subject == message);
        Ok((seen, kept || before))
    }

    fn evidence(&self, session: &Session, seen: Seen, kept: bool) -> Evidence {
        let spent = session.spending.spent;
        bounded(Evidence {
            commits: seen.commits,
            files: seen.files,
            checks: Vec::new(),
            uncommitted_kept: kept,
            cost: spent.cost,
            cost_unknown: !session.spending.has_known_cost(),
            tokens: spent.tokens.plus(session.spending.unsettled),
            turns: session.spending.turns,
            duration_ms: self.duration_ms(session),
            left_out: LeftOut { commits: seen.more_commits, files: 0 },
        })
    }

    /// Adds up how long the processes of a session ran.
    fn duration_ms(&self, session: &Session) -> u64 {
        let exits = (1..=session.runs)
            .filter_map(|run| self.shared.parts.processes.exit(&self.shared.spools.run(session, run)));
        let ms = exits.map(|exit| exit.ended_at.as_millisecond().saturating_sub(exit.started_at.as_millisecond()));
        ms.filter_map(|ms| u64::try_from(ms).ok()).sum()
    }
}

/// Sorts what a session left by how it came in.
fn left<'a>(
    session: &Session,
    submission: Option<&'a Submission>,
    result: Option<&'a str>,
    words: &'a Words,
) -> Left<'a> {
    let of_last = |submission: &&Submission| submission.run == session.runs;
    Left {
        submitted: submission.filter(of_last).map(|submission| &submission.said),
        submitted_before: submission.filter(|submission| !of_last(submission)).map(|submission| &submission.said),
        result,
        texts: &words.texts,
        last_words: &words.last,
    }
}

impl Found<'_> {
    fn judge(&self) -> Verdict {
        let said = self.told.map(|told| &told.said);
        let mut reasons = match judge(said, self.evidence, self.expectation()) {
            Verdict::Done => Vec::new(),
            Verdict::NotDone(reasons) => reasons,
        };
        if let Some(why) = &self.unseen {
            // Whether there is a commit is not known then.
            let of_commits = |reason: &Reason| matches!(reason, Reason::NoCommit { .. } | Reason::NothingToDo);
            reasons.retain(|reason| !of_commits(reason));
            reasons.insert(0, Reason::Unseen { why: why.clone() });
        }
        if let Some(why) = unfinished(&self.session.state) {
            reasons.insert(0, Reason::NotFinished { why });
        }
        if reasons.is_empty() { Verdict::Done } else { Verdict::NotDone(reasons) }
    }

    /// Checks are due where the branch lands, not here; and no commit is due of what has no branch.
    fn expectation(&self) -> Expectation {
        let Some(mission) = self.mission else { return Expectation { commit_due: false, checks_due: false } };
        let tree = self.session.workspace.as_ref().is_some_and(|workspace| workspace.worktree.is_some());
        let due = Expectation::of(&mission.kind, false);
        let claims_nothing = self.told.is_some_and(|told| told.said.claim == Claim::NothingToDo);
        let excused = mission.may_change_nothing && claims_nothing;
        Expectation { commit_due: due.commit_due && tree && !excused, ..due }
    }
}

/// Says why a session did not come to its end; none if it did.
fn unfinished(state: &SessionState) -> Option<String> {
    match state {
        SessionState::Ended { ending: SessionEnding::Completed { .. }, .. } => None,
        SessionState::Ended { ending: SessionEnding::Failed { text, .. }, .. } => Some(text.clone()),
        SessionState::Ended { ending: SessionEnding::Cancelled { by }, .. } => Some(format!("{by} ended it")),
        SessionState::Starting { .. }
        | SessionState::Running { .. }
        | SessionState::Waiting { .. }
        | SessionState::Stopping { .. } => Some("it was cut off".to_owned()),
    }
}

/// Reports that the agent had none of Fleet's tools, if so: that explains a missing report.
fn without_tools(session: &Session) -> Option<Discrepancy> {
    let own = session.servers.iter().find(|server| server.name == super::tools::NAME && server.failed)?;
    Some(Discrepancy::NoTools { server: own.name.clone(), status: own.status.clone() })
}

impl Closing {
    /// Returns why the work of a mission is not done; none if it is, or if there is no mission.
    pub(super) fn missing(&self) -> Option<&[Reason]> {
        match &self.verdict {
            Verdict::NotDone(reasons) if self.mission.is_some() => Some(reasons),
            Verdict::NotDone(_) | Verdict::Done => None,
        }
    }

    /// Returns the mission, if it is still there.
    pub(super) fn mission(&self) -> Option<&Mission> {
        self.mission.as_ref()
    }

    /// Counts the commits on the session's branch; none if it has none.
    pub(super) fn commits(&self) -> Option<u64> {
        let count = self.evidence.commits.len() + self.evidence.left_out.commits;
        self.looked.then(|| u64::try_from(count).unwrap_or(u64::MAX))
    }

    /// Returns the session as it ends: one that says it is done and is not has failed.
    pub(super) fn ended(&self, session: &Session) -> Session {
        let mut ended = session.clone();
        if let SessionState::Ended { ending: ending @ SessionEnding::Completed { .. }, .. } = &mut ended.state
            && let Some(reasons) = self.missing()
        {
            let text = reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            let class = FailureClass::NotDone;
            ended.trouble = Some(Trouble { class: class.clone(), text: text.clone() });
            *ending = SessionEnding::Failed { class, text };
        }
        ended
    }

    /// Writes the report, in the transaction that ends the session; false if something else was submitted meanwhile.
    pub(super) async fn write(
        &self,
        tx: &Transaction,
        session: &Session,
        had_say: bool,
    ) -> std::result::Result<bool, store::Error> {
        let held = tx.get::<Submission>(&session.id).await?;
        if held.as_ref().map(|held| &held.record) != self.submission.as_ref() {
            return Ok(false);
        }
        if let Some(held) = held {
            tx.delete(&held);
        }
        if self.tells_something(session) {
            let report = self.report(session, had_say);
            tx.insert(&report)?;
            tx.append(Event::ReportMade { report: report.id, mission: report.mission, session: session.id.clone() });
        }
        Ok(true)
    }

    /// A session that was never about a mission, or broke off before it did anything, has nothing to report.
    fn tells_something(&self, session: &Session) -> bool {
        let on_purpose = self.told.as_ref().is_some_and(|told| told.source != Source::LastWords);
        let came_to_its_end = matches!(&session.state, SessionState::Ended { ending, .. } if match ending {
            SessionEnding::Completed { .. } | SessionEnding::Failed { class: FailureClass::NotDone, .. } => true,
            SessionEnding::Failed { .. } | SessionEnding::Cancelled { .. } => false,
        });
        on_purpose || self.mission.is_some() && (came_to_its_end || !self.evidence.commits.is_empty())
    }

    /// A session that has no say in its mission any more speaks for itself alone.
    fn report(&self, session: &Session, had_say: bool) -> Report {
        let mission = self.mission.as_ref().filter(|_| had_say).map(|mission| mission.id.clone());
        let said = self.told.as_ref().filter(|told| told.source != Source::LastWords);
        let differ = said.map(|told| discrepancies(&told.said, &self.evidence)).filter(|_| self.looked);
        let differ = without_tools(session).into_iter().chain(differ.unwrap_or_default()).collect();
        Report {
            id: self.id.clone(),
            team: session.team.clone(),
            project: session.project.clone(),
            mission,
            author: Author::Session { session: session.id.clone(), run: session.runs },
            said: self.told.clone(),
            evidence: self.evidence.clone(),
            verdict: Some(self.verdict.clone()),
            discrepancies: differ,
            created_at: session.updated_at,
            updated_at: session.updated_at,
        }
    }
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
