//! What an agent is told about its mission: gathered here, written by [`reports`].

use reports::{DependencyReport, Expectation, Mail, PromptParts, SentBack, digest};
use store::{Query, by};
use types::{Delivery, Letter, Mission, Project, Reason, Report, Session, Verdict};

use crate::{Result, Service};

/// Letters to the last session that are passed on.
const LETTERS_MAX: usize = 20;

/// Everything that is known about a mission and worth telling.
struct Known {
    dependencies: Vec<(Mission, Option<Report>)>,
    last: Option<Report>,
    letters: Vec<Letter>,
}

impl Service {
    /// Reads the newest report of a mission.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn latest_report(&self, mission: &types::MissionId) -> Result<Option<Report>> {
        Ok(self.store.latest_report(by::report::mission(mission)).await?)
    }

    /// Writes what an agent that begins with a mission is told.
    pub(crate) async fn prompt(&self, mission: &Mission, project: Option<&Project>) -> Result<String> {
        let known = self.known(mission).await?;
        Ok(known.tell(mission, project, reports::prompt))
    }

    /// Writes what an agent that goes on with a mission is told; none if it knows everything already.
    pub(crate) async fn prompt_again(&self, mission: &Mission, project: Option<&Project>) -> Result<Option<String>> {
        let known = self.known(mission).await?;
        let news = !known.letters.is_empty() || !known.reasons().is_empty();
        Ok(news.then(|| known.tell(mission, project, reports::again)))
    }

    async fn known(&self, mission: &Mission) -> Result<Known> {
        let mut dependencies = Vec::new();
        for id in &mission.depends_on {
            if let Some(dependency) = self.store.get::<Mission>(id).await? {
                let report = self.latest_report(&dependency.id).await?;
                dependencies.push((dependency, report));
            }
        }
        let last = self.latest_report(&mission.id).await?;
        Ok(Known { dependencies, last, letters: self.unread(mission).await? })
    }

    /// Finds the letters that the last session of a mission did not get to read.
    async fn unread(&self, mission: &Mission) -> Result<Vec<Letter>> {
        let query = Query::latest(by::session::mission(&mission.id), 1);
        let Some(session) = self.store.list::<Session>(query).await?.records.pop() else { return Ok(Vec::new()) };
        let letters = self.sessions.letters(&session.id).await?.into_iter();
        let unread = letters.filter(|letter| matches!(letter.delivery, Delivery::Undelivered { .. }));
        Ok(unread.take(LETTERS_MAX).collect())
    }
}

impl Known {
    fn tell(
        &self,
        mission: &Mission,
        project: Option<&Project>,
        write: impl FnOnce(&PromptParts<'_>) -> String,
    ) -> String {
        let checks = project.map(|project| project.landing.checks.as_slice()).unwrap_or_default();
        let dependencies: Vec<DependencyReport<'_>> = self.dependencies.iter().map(dependency).collect();
        let letter = |letter: &'_ Letter| (letter.from.to_string(), letter.text.clone());
        let letters: Vec<(String, String)> = self.letters.iter().map(letter).collect();
        let mail: Vec<Mail<'_>> = letters.iter().map(|(from, text)| Mail { from, text }).collect();
        let reasons = self.reasons();
        let sent_back = (!reasons.is_empty()).then_some(SentBack::NotDone { reasons: &reasons });
        write(&PromptParts {
            project,
            checks,
            expectation: Expectation::of(&mission.kind, !checks.is_empty()),
            dependency_reports: &dependencies,
            last_report: self.last.as_ref().and_then(Report::words),
            mail: &mail,
            sent_back,
            ..PromptParts::new(mission)
        })
    }

    /// Why the last session's work was not done, as far as the next one can mend it.
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

fn dependency((mission, report): &(Mission, Option<Report>)) -> DependencyReport<'_> {
    DependencyReport {
        title: &mission.title,
        said: report.as_ref().and_then(Report::words),
        evidence: report.as_ref().map(|report| digest(&report.evidence)).unwrap_or_default(),
    }
}
