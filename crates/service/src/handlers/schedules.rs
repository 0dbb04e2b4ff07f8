//! Missions that run again and again: what is set and shown of them. `recurrence` runs them.

use api::devfleet::{Deleted, ListSchedules, RemoveSchedule, ScheduleRow, ScheduleSet, SetSchedule};
use api::{Code, Error, Flag, IsoTime, Listing, SqlTime};
use recurrence::Cron;
use store::{Query, by};
use tokens::Member;
use types::{Event, Mission, MissionId, Project, Schedule, Timestamp};

use super::LIST_MAX;
use super::mission_commands::held_mission;
use crate::{Caller, Handle, Result, Service};

const NOUN: &str = "Mission";

impl Handle<SetSchedule> for Service {
    async fn handle(&self, caller: &Caller, op: SetSchedule) -> Result<ScheduleSet> {
        let cron = known_cron("cron", &op.cron, op.time_zone.as_deref())?;
        let SetSchedule { mission, cron: text, enabled, time_zone, catch_up, overlap } = op;
        let now = self.clock.now();
        let said = Schedule { enabled, time_zone, catch_up, overlap, ..Schedule::new(text.clone(), now) };
        let change = |old: Option<Schedule>| {
            let fired_at = old.filter(|old| old.cron == said.cron && old.time_zone == said.time_zone);
            Some(Schedule { fired_at: fired_at.and_then(|old| old.fired_at), ..said.clone() })
        };
        self.reschedule(caller.member()?, &mission, change).await?;
        let next_run_at = cron.next_after(now).filter(|_| enabled).map(IsoTime);
        Ok(ScheduleSet { ok: true, mission_id: mission, cron: text, enabled, next_run_at })
    }
}

impl Handle<RemoveSchedule> for Service {
    async fn handle(&self, caller: &Caller, op: RemoveSchedule) -> Result<Deleted> {
        let off = |old: Option<Schedule>| old.map(|old| Schedule { enabled: false, ..old });
        self.reschedule(caller.member()?, &op.mission, off).await?;
        Ok(Deleted { ok: true })
    }
}

impl Handle<ListSchedules> for Service {
    async fn handle(&self, caller: &Caller, _: ListSchedules) -> Result<Listing<ScheduleRow>> {
        let who = self.viewer(caller.member()?);
        let query = Query::latest(by::mission::scheduled(), LIST_MAX);
        let missions = self.first::<Mission>(query, |mission| who.sees(mission)).await?;
        let mut rows = Vec::new();
        for mission in missions {
            let project = self.project_of(&mission).await?;
            rows.extend(row(mission, project, self.clock.now()));
        }
        rows.sort_by_key(|row| !row.schedule_enabled.0);
        Ok(Listing::whole(rows))
    }
}

fn row(mission: Mission, project: Option<Project>, now: Timestamp) -> Option<ScheduleRow> {
    let schedule = mission.schedule?;
    let next = Cron::of(&schedule).ok().and_then(|cron| cron.next_after(now));
    Some(ScheduleRow {
        id: mission.id,
        title: mission.title,
        schedule_enabled: Flag(schedule.enabled),
        last_scheduled_at: schedule.fired_at.map(SqlTime),
        next_run_at: next.filter(|_| schedule.enabled).map(IsoTime),
        time_zone: schedule.time_zone.unwrap_or_else(|| "UTC".to_owned()),
        catch_up: schedule.catch_up,
        overlap: schedule.overlap,
        schedule_cron: schedule.cron,
        mission_type: mission.kind.into(),
        project_id: mission.project,
        project_name: project.map(|project| project.name),
    })
}

/// Reads a cron expression that a field has; one that is never due would look scheduled and never run.
pub(super) fn known_cron(field: &str, cron: &str, zone: Option<&str>) -> Result<Cron> {
    let hint = "An example is `30 2 * * mon-fri`: at half past two from Monday to Friday.";
    let refused = |error| Error::new(Code::FIELDS_INVALID, format!("{field}: {error}")).hint(hint);
    Cron::parse(cron, zone).map_err(|error| refused(error).into())
}

impl Service {
    async fn reschedule(
        &self,
        member: &Member,
        id: &MissionId,
        change: impl Fn(Option<Schedule>) -> Option<Schedule>,
    ) -> Result<()> {
        let (by, change) = (self.stamp(member, &self.mission(member, id, NOUN).await?.team), &change);
        let at = by.at;
        let done = self.store.transact(&by, |tx| async move {
            let held = held_mission(&tx, member, id, NOUN).await?;
            let schedule = change(held.record.schedule.clone());
            if schedule != held.record.schedule {
                tx.append(Event::MissionUpdated { mission: id.clone() });
                tx.move_mission(&held, &Mission { schedule, updated_at: at, ..held.record.clone() })?;
            }
            Ok::<_, crate::Error>(())
        });
        done.await
    }
}
