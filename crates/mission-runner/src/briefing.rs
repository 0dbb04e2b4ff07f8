//! The prompt of an agent: what it says is gathered here and written by [`reports`].

use reports::{Answer, DependencyReport, Expectation, Mail, PromptParts, SentBack, digest};
use store::{Query, by};
use types::{Delivery, Letter, Mission, Project, Question, QuestionState, Reason, Report, Session, Verdict};

use crate::{Result, Runner};

/// Messages to the last session that are passed on.
const MESSAGES_MAX: usize = 20;

/// Answers of people that are passed on.
const ANSWERS_MAX: usize = 20;

/// What is known about a mission, beside what it says itself.
struct Briefing {
    dependencies: Vec<(Mission, Option<Report>)>,
    last: Option<Report>,
    unread: Vec<Letter>,
    /// What earlier agents asked, and was answered.
    answered: Vec<Question>,
}

impl Runner {
    /// Writes the prompt of an agent that begins with a mission.
    pub(crate) async fn prompt(&self, mission: &Mission, project: Option<&Project>) -> Result<String> {
        let briefing = self.briefing(mission).await?;
        Ok(briefing.write(mission, project, reports::prompt))
    }

    /// Writes the prompt of an agent that continues with a mission; none if there is nothing new.
    pub(crate) async fn prompt_again(&self, mission: &Mission, project: Option<&Project>) -> Result<Option<String>> {
        let mut briefing = self.briefing(mission).await?;
        // What it heard is in its conversation.
        briefing.answered.retain(|question| question.heard.is_none());
        let news = !briefing.answered.is_empty() || !briefing.unread.is_empty() || !briefing.reasons().is_empty();
        Ok(news.then(|| briefing.write(mission, project, reports::again)))
    }

    async fn briefing(&self, mission: &Mission) -> Result<Briefing> {
        let mut dependencies = Vec::new();
        for id in &mission.depends_on {
            if let Some(dependency) = self.store.get::<Mission>(id).await? {
                let report = self.store.latest_report(by::report::mission(&dependency.id)).await?;
                dependencies.push((dependency, report));
            }
        }
        let last = self.store.latest_report(by::report::mission(&mission.id)).await?;
        let (unread, answered) = (self.unread(mission).await?, self.answered(mission).await?);
        Ok(Briefing { dependencies, last, unread, answered })
    }

    /// Finds what people answered to the agents of a mission, the newest.
    async fn answered(&self, mission: &Mission) -> Result<Vec<Question>> {
        let newest = Query::latest(by::question::mission(&mission.id), ANSWERS_MAX);
        let mut found = self.store.list::<Question>(newest).await?.records;
        found.retain(|question| matches!(question.state, QuestionState::Answered { .. }));
        found.reverse();
        Ok(found)
    }

    /// Finds the messages that the last session of a mission did not read.
    async fn unread(&self, mission: &Mission) -> Result<Vec<Letter>> {
        let query = Query::latest(by::session::mission(&mission.id), 1);
        let Some(session) = self.store.list::<Session>(query).await?.records.pop() else { return Ok(Vec::new()) };
        let letters = self.sessions.letters(&session.id).await?.into_iter();
        let unread = letters.filter(|letter| matches!(letter.delivery, Delivery::Undelivered { .. }));
        Ok(unread.take(MESSAGES_MAX).collect())
    }
}

impl Briefing {
    fn write(
        &self,
        mission: &Mission,
        project: Option<&Project>,
        write: impl FnOnce(&PromptParts<'_>) -> String,
    ) -> String {
        let checks = project.map(|project| project.landing.checks.as_slice()).unwrap_or_default();
        let dependencies: Vec<DependencyReport<'_>> = self.dependencies.iter().map(dependency).collect();
        let letter = |letter: &'_ Letter| (letter.from.to_string(), letter.text.clone());
        let letters: Vec<(String, String)> = self.unread.iter().map(letter).collect();
        let mail: Vec<Mail<'_>> = letters.iter().map(|(from, text)| Mail { from, text }).collect();
        let answers: Vec<Answer<'_>> = self.answered.iter().filter_map(answer).collect();
        let reasons = self.reasons();
        let sent_back = (!reasons.is_empty()).then_some(SentBack::NotDone { reasons: &reasons });
        write(&PromptParts {
            project,
            checks,
            expectation: Expectation::of(&mission.kind, !checks.is_empty()),
            dependency_reports: &dependencies,
            last_report: self.last.as_ref().and_then(Report::words),
            mail: &mail,
            answers: &answers,
            sent_back,
            ..PromptParts::new(mission)
        })
    }

    /// Why the last session's work was not done, as far as the next one can correct it.
    fn reasons(&self) -> Vec<Reason> {
        let verdict = self.last.as_ref().and_then(|report| report.verdict.as_ref());
        match verdict {
            Some(Verdict::NotDone(reasons)) => {
                reasons.iter().filter(|reason| !matches!(reason, Reason::NotFinished { .. })).cloned().collect()
            }
            Some(Verdict::Done) | None => Vec::new(),
        }
    }
}

fn answer(question: &Question) -> Option<Answer<'_>> {
    match &question.state {
        QuestionState::Answered { answer, .. } => Some(Answer { question: &question.text, answer }),
        QuestionState::Waiting | QuestionState::Withdrawn { .. } => None,
    }
}

fn dependency((mission, report): &(Mission, Option<Report>)) -> DependencyReport<'_> {
    DependencyReport {
        title: &mission.title,
        said: report.as_ref().and_then(Report::words),
        evidence: report.as_ref().map(|report| digest(&report.evidence)).unwrap_or_default(),
    }
}
