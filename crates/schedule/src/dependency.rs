//! What a mission waits for, and what follows from that.
//!
//! Only a dependency that is done lets the mission start. The others never fail or cancel what waits for them: people
//! may retry the one or cut the link, and the work that waits is still wanted until a person says otherwise.

use types::{MissionId, MissionState};

/// A mission that must be done first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// Which.
    pub on: MissionId,
    /// Its state.
    pub stands: Stands,
}

/// The state of a dependency, as far as it matters to missions that wait for it; what is hardest to get past comes
/// last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stands {
    /// It is done, and what it made is on the target branch.
    Done,
    /// It is on its way to the target branch.
    Landing,
    /// It is ready, at work, or parked until a time: it may still be done without help.
    Open,
    /// It is parked until a person helps.
    NeedsPerson,
    /// It is a draft, and starts only when a person opens it.
    Draft,
    /// It was called off.
    Cancelled,
    /// It failed.
    Failed,
    /// There is no such mission.
    Missing,
}

impl Dependency {
    /// Describes a dependency by the state it was found in; none if there is no such mission.
    #[must_use]
    pub fn new(on: MissionId, state: Option<&MissionState>) -> Self {
        Self { on, stands: Stands::of(state) }
    }
}

impl Stands {
    fn of(state: Option<&MissionState>) -> Self {
        match state {
            None => Self::Missing,
            Some(MissionState::Draft) => Self::Draft,
            Some(MissionState::Parked { until: None, .. }) => Self::NeedsPerson,
            Some(MissionState::Ready { .. } | MissionState::Held { .. } | MissionState::Parked { .. }) => Self::Open,
            Some(MissionState::Landing { .. }) => Self::Landing,
            Some(MissionState::Done { .. }) => Self::Done,
            Some(MissionState::Failed { .. }) => Self::Failed,
            Some(MissionState::Cancelled { .. }) => Self::Cancelled,
        }
    }
}

/// Returns the dependency that is hardest to get past, and how many others are not done either.
pub(crate) fn hardest(dependencies: &[Dependency]) -> Option<(&Dependency, usize)> {
    let open = || dependencies.iter().filter(|dependency| dependency.stands != Stands::Done);
    // By id among equals, so that the answer does not depend on the order in which they are listed.
    let first = open().max_by(|a, b| a.stands.cmp(&b.stands).then_with(|| b.on.cmp(&a.on)))?;
    Some((first, open().count() - 1))
}

#[cfg(test)]
mod tests {
    use types::{ParkReason, Timestamp};

    use super::*;

    #[test]
    fn a_parked_dependency_needs_a_person_unless_it_wakes_by_itself() {
        let parked = |until| MissionState::Parked { why: ParkReason::Blocked { by: "ann".parse().unwrap() }, until };
        assert_eq!(Stands::of(Some(&parked(None))), Stands::NeedsPerson);
        assert_eq!(Stands::of(Some(&parked(Some(Timestamp::UNIX_EPOCH)))), Stands::Open);
    }
}
