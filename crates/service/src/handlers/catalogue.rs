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
        // Nothing starts missions by itself yet, and the page says so.
        let idle = Loop { active: false, poll_interval: None, check_interval: None };
        Ok(SystemStatus {
            running_agents: self.sessions.running().into(),
            max_agents: self.settings().max_workers,
            engine: Engine::Cli,
            mission_watcher: idle.clone(),
            scheduler: idle,
            watcher_active: false,
            scheduler_active: false,
            scheduled_missions: self.store.count(by::mission::SCHEDULED),
        })
    }
}

impl Handle<GetFeatures> for Service {
    async fn handle(&self, _: &Caller, _: GetFeatures) -> Result<Features> {
        Ok(Features { remote_control: false })
    }
}
