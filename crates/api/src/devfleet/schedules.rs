//! Missions that run again and again.

use api_macros::{input, output};
use types::{CatchUp, MissionId, Overlap, ProjectId};

use crate::{Flag, IsoTime, SqlTime};

/// Run a mission at the times of a cron expression
///
/// At each time the mission is copied, and the copy starts by itself; the mission itself stays as it is. The copy has it as
/// its parent and is tagged `scheduled`.
#[input]
pub struct SetSchedule {
    /// The mission
    pub mission: MissionId,
    /// Minute, hour, day of the month, month, weekday (`30 2 * * mon-fri`), or `@hourly`, `@daily`, `@weekly`, `@monthly`
    #[schemars(length(min = 1, max = 200))]
    pub cron: String,
    /// Whether it is in force
    #[serde(default = "yes")]
    pub enabled: bool,
    /// The time zone of the expression, such as `Europe/Berlin`; UTC if it is left out
    #[schemars(length(min = 1, max = 100))]
    pub time_zone: Option<String>,
    /// What happens to times at which no server ran: `skip`, `once` or `all`
    #[serde(default)]
    pub catch_up: CatchUp,
    /// What happens while the last run is not over: `skip` or `allow`
    #[serde(default)]
    pub overlap: Overlap,
}

const fn yes() -> bool {
    true
}

/// Switch the schedule of a mission off; its expression is kept
#[input]
pub struct RemoveSchedule {
    /// The mission
    pub mission: MissionId,
}

/// List missions with a schedule, those in force first
#[input(Default)]
pub struct ListSchedules {}

/// A schedule that was set
#[output]
pub struct ScheduleSet {
    /// Always true
    pub ok: bool,
    /// The mission
    pub mission_id: MissionId,
    /// Its expression
    pub cron: String,
    /// Whether it is in force
    pub enabled: bool,
    /// When it runs next
    pub next_run_at: Option<IsoTime>,
}

/// A mission with a schedule
#[output]
pub struct ScheduleRow {
    /// The mission
    pub id: MissionId,
    /// Its title
    pub title: String,
    /// Its expression
    pub schedule_cron: String,
    /// 1 when it is in force
    pub schedule_enabled: Flag,
    /// The last time that was handled
    pub last_scheduled_at: Option<SqlTime>,
    /// When it runs next; unset when it is off
    pub next_run_at: Option<IsoTime>,
    /// The time zone of the expression
    pub time_zone: String,
    /// What happens to times at which no server ran
    pub catch_up: CatchUp,
    /// What happens while the last run is not over
    pub overlap: Overlap,
    /// What kind of work it is
    pub mission_type: String,
    /// Its project
    pub project_id: Option<ProjectId>,
    /// The name of its project
    pub project_name: Option<String>,
}
