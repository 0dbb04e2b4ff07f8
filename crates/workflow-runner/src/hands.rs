//! What is done outside of an execution's record.

use async_trait::async_trait;
use types::MissionId;

/// Stops missions and lands their work. Both may be asked for again, and do nothing then.
#[async_trait]
pub trait Hands: Send + Sync + 'static {
    /// Calls a mission off that is not over, with its session and its landing.
    ///
    /// # Errors
    /// Says why that was not possible; it is asked for again.
    async fn stop(&self, mission: &MissionId) -> Result<(), String>;

    /// Puts the work of a mission into the landing queue.
    ///
    /// # Errors
    /// Says why that was not possible; it is asked for again.
    async fn land(&self, mission: &MissionId) -> Result<(), String>;
}
