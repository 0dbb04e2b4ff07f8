//! Dependencies form no circle.

use std::collections::HashSet;

use types::MissionId;

/// A dependency that would close a circle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("mission `{mission}` would wait for itself")]
pub struct Cycle {
    /// The mission that would wait for itself.
    pub mission: MissionId,
}

/// Refuses `mission` among what its new dependencies wait for, directly or through others.
///
/// `known` are the dependencies of every mission reachable from the new ones, as read; a mission that is not in it waits
/// for nothing.
///
/// # Errors
/// Names the mission that would wait for itself.
pub fn cycle<'a>(
    mission: &MissionId,
    depends_on: &'a [MissionId],
    known: impl Fn(&MissionId) -> Option<&'a [MissionId]>,
) -> Result<(), Cycle> {
    let mut seen: HashSet<&MissionId> = HashSet::new();
    let mut open: Vec<&MissionId> = depends_on.iter().collect();
    while let Some(next) = open.pop() {
        if next == mission {
            return Err(Cycle { mission: mission.clone() });
        }
        if seen.insert(next) {
            open.extend(known(next).unwrap_or_default());
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "dependencies_tests.rs"]
mod tests;
