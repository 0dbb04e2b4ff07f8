//! The tool `submit_report`: the words of an agent about its work, kept before the call is answered.
//!
//! The token identifies the live session whose agent reports. What it submits waits until the
//! end of its process, where Fleet adds what it saw itself. An agent that Fleet did not start names the mission that it
//! holds; of its work Fleet sees nothing, so its words are a report at once.

use api::devfleet::{SubmitReport, SubmittedReport};
use api::{Code, Error};
use store::{Query, by};
use tokens::Member;
use types::{
    Author, Evidence, Handle as Name, Holder, Mission, MissionId, MissionState, Report, ReportId, Said, Session,
    SessionId, Source, Submission, Told,
};

use super::mission_commands::held_mission;
use crate::{Caller, Handle, Result, Service};

const TAKEN: &str = "Your report is kept. Fleet adds the commits it finds when you end; a second report replaces this.";

/// Reports of a mission among which one of the same author is looked for.
const LOOKED_AT: usize = 20;

impl Handle<SubmitReport> for Service {
    async fn handle(&self, caller: &Caller, op: SubmitReport) -> Result<SubmittedReport> {
        let member = caller.member()?;
        let said = read(&op)?;
        let mission_id = match self.speaker(member, op.mission_id.as_ref()).await? {
            Speaker::Session(session) => {
                self.submit(member, &session.id, &said).await?;
                session.mission.map(|assignment| assignment.mission)
            }
            Speaker::Holder(mission) => {
                self.report_of_holder(member, &mission, &said).await?;
                Some(mission.id)
            }
        };
        Ok(SubmittedReport { message: TAKEN.to_owned(), mission_id })
    }
}

/// Whose words they are.
pub(super) enum Speaker {
    /// Those of a session's agent.
    Session(Box<Session>),
    /// Those of this mission's holder.
    Holder(Box<Mission>),
}

impl Service {
    /// Finds out who reports: the agent of a session, or the holder of the mission that it names.
    pub(super) async fn speaker(&self, member: &Member, named: Option<&MissionId>) -> Result<Speaker> {
        let own = self.sessions.named(&member.team, &member.handle).await?;
        let is_named = |session: &Session| {
            named.is_none_or(|named| session.mission.as_ref().is_some_and(|own| own.mission == *named))
        };
        if let Some(session) = own.filter(is_named) {
            return Ok(Speaker::Session(Box::new(session)));
        }
        let Some(named) = named else { return Err(nobody(&member.handle).into()) };
        let mission = self.mission(member, named, "Mission").await?;
        match held_by(&mission) {
            // Leads may report for others, as any process on their machine could.
            Some((holder, _)) if *holder.handle() != member.handle && !member.role.leads() => {
                Err(not_yours(&mission).into())
            }
            Some((Holder::Session { session, .. }, _)) => {
                Ok(Speaker::Session(Box::new(self.session(member, session).await?)))
            }
            Some((Holder::Agent { .. }, _)) => Ok(Speaker::Holder(Box::new(mission))),
            None => Err(not_yours(&mission).into()),
        }
    }

    /// Keeps what the agent of a session says; the end of its process makes a report of it.
    async fn submit(&self, member: &Member, id: &SessionId, said: &Said) -> Result<()> {
        let by = self.stamp(member, &self.session(member, id).await?.team);
        let at = by.at;
        self.store
            .transact(&by, |tx| async move {
                // Read here too: one that ends at this moment either has this in its report, or this is refused.
                let session = tx.get::<Session>(id).await?.filter(|held| held.record.state.is_live());
                let run = session.ok_or_else(|| over(id))?.record.runs;
                let submission = Submission { session: id.clone(), run, said: said.clone(), at };
                match tx.get::<Submission>(id).await? {
                    Some(held) => tx.update(&held, &submission)?,
                    None => tx.insert(&submission)?,
                }
                Ok(())
            })
            .await
    }

    async fn report_of_holder(&self, member: &Member, mission: &Mission, said: &Said) -> Result<()> {
        let by = self.stamp(member, &mission.team);
        let (id, stamp) = (&mission.id, &by);
        self.store
            .transact(stamp, |tx| async move {
                let held = held_mission(&tx, member, id, "Mission").await?.record;
                let Some((Holder::Agent { handle }, generation)) = held_by(&held) else {
                    return Err(not_yours(&held).into());
                };
                let author = Author::Agent { handle: handle.clone(), generation };
                let said = Some(Told { source: Source::Submitted, said: said.clone() });
                let earlier = self.store.list::<Report>(Query::latest(by::report::mission(id), LOOKED_AT)).await?;
                let earlier = earlier.records.into_iter().find(|report| report.author == author);
                if let Some(earlier) = earlier
                    && let Some(held) = tx.get::<Report>(&earlier.id).await?
                {
                    let report = Report { said, updated_at: stamp.at, ..held.record.clone() };
                    tx.update(&held, &report)?;
                    return Ok(());
                }
                tx.insert(&Report {
                    id: self.draw_id(ReportId::from_code)?,
                    team: held.team,
                    project: held.project,
                    mission: Some(held.id),
                    author,
                    said,
                    evidence: Evidence::default(),
                    verdict: None,
                    discrepancies: Vec::new(),
                    created_at: stamp.at,
                    updated_at: stamp.at,
                })?;
                Ok(())
            })
            .await
    }
}

/// Reads the texts, each in the form and length in which it is kept.
fn read(op: &SubmitReport) -> Result<Said> {
    let unreadable = |why: String| Error::new(Code::FIELDS_INVALID, why).hint("Say at least what you did.");
    let texts = SubmitReport { mission_id: None, ..op.clone() };
    let texts = serde_json::to_value(texts).map_err(|error| unreadable(error.to_string()))?;
    Ok(reports::read_submitted(&texts).map_err(|error| unreadable(error.to_string()))?)
}

pub(super) fn held_by(mission: &Mission) -> Option<(&Holder, u64)> {
    match &mission.state {
        MissionState::Held { holder, generation, .. } => Some((holder, *generation)),
        MissionState::Draft
        | MissionState::Ready { .. }
        | MissionState::Landing { .. }
        | MissionState::Parked { .. }
        | MissionState::Done { .. }
        | MissionState::Failed { .. }
        | MissionState::Cancelled { .. } => None,
    }
}

fn nobody(handle: &Name) -> Error {
    Error::new(Code::SESSION_NOT_RUNNING, format!("`{handle}` is not an agent that works in a session of Fleet's"))
        .hint("Name the mission that you hold in `mission_id`.")
}

pub(super) fn not_yours(mission: &Mission) -> Error {
    Error::new(Code::MISSION_HELD, format!("you do not work on mission `{}`", mission.id))
        .hint(format!("Claim it first: `fleet task-update {} in_progress`.", mission.id))
}

fn over(session: &SessionId) -> Error {
    Error::new(Code::SESSION_NOT_RUNNING, format!("session `{session}` is over; its report is made"))
        .hint(format!("`fleet session show {session}` shows it."))
}
