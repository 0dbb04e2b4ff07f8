//! What the server offers: models, presets, features.

use api::Listing;
use api::devfleet::{
    Engine, EngineInfo, Features, GetEngine, GetFeatures, GetSystemStatus, ListMissionTypes, ListModels,
    ListToolPresets, Loop, SystemStatus, ToolPresets,
};
use store::by;

use crate::{Caller, Handle, Result, Service};

/// The models that clients offer, before those that the settings name.
const MODELS: [&str; 3] = ["claude-opus-4-6", "claude-sonnet-4-6", "claude-haiku-4-5-20251001"];

/// The task that starts missions by itself.
const WATCHER: &str = "dispatcher";

/// The task that copies scheduled missions.
const SCHEDULER: &str = "schedules";

/// Seconds in which a mission that became ready is started at the latest, if it may.
const POLL_SECS: u32 = 5;

/// Seconds between looks at schedules.
const CHECK_SECS: u32 = 60;

impl Handle<ListModels> for Service {
    async fn handle(&self, _: &Caller, _: ListModels) -> Result<Listing<String>> {
        let mut models: Vec<String> = MODELS.map(str::to_owned).into();
        for model in self.settings().models() {
            if !models.contains(&model) {
                models.push(model);
            }
        }
        Ok(Listing::whole(models))
    }
}

impl Handle<ListToolPresets> for Service {
    async fn handle(&self, _: &Caller, _: ListToolPresets) -> Result<ToolPresets> {
        Ok(mission_runner::presets(&self.settings()).into_iter().collect())
    }
}

impl Handle<ListMissionTypes> for Service {
    async fn handle(&self, _: &Caller, _: ListMissionTypes) -> Result<Listing<String>> {
        Ok(Listing::whole(policy::PRESETS.map(|(name, _)| name.to_owned()).into()))
    }
}

impl Handle<GetEngine> for Service {
    async fn handle(&self, _: &Caller, _: GetEngine) -> Result<EngineInfo> {
        Ok(EngineInfo { engine: Engine::Cli, sdk_available: false })
    }
}

impl Handle<GetSystemStatus> for Service {
    async fn handle(&self, _: &Caller, _: GetSystemStatus) -> Result<SystemStatus> {
        // It follows the change feed, so it looks at once; the interval is the one that clients know.
        let watches = self.sessions.task_runs(WATCHER);
        let watcher = Loop { active: watches, poll_interval: Some(POLL_SECS), check_interval: None };
        let schedules = self.sessions.task_runs(SCHEDULER);
        let scheduler = Loop { active: schedules, poll_interval: None, check_interval: Some(CHECK_SECS) };
        Ok(SystemStatus {
            running_agents: self.sessions.running().into(),
            max_agents: self.settings().max_workers,
            engine: Engine::Cli,
            mission_watcher: watcher,
            scheduler,
            watcher_active: watches,
            scheduler_active: schedules,
            scheduled_missions: self.store.count(by::mission::SCHEDULED),
        })
    }
}

impl Handle<GetFeatures> for Service {
    async fn handle(&self, _: &Caller, _: GetFeatures) -> Result<Features> {
        Ok(Features { remote_control: false })
    }
}
