//! What a mission starts from beside its target branch: the work of its dependencies that has not landed.

use types::{Mission, MissionId, MissionState, Proof, SessionId};

/// Work of a dependency that is done and not known to be on the target branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnlandedWork {
    /// The dependency.
    pub mission: MissionId,
    /// The session on whose branch the work is.
    pub session: SessionId,
    /// Whether the branch is known to have commits of that session.
    pub has_commits: bool,
}

/// Returns the work that a mission starts from beside its target branch, in the order of its dependencies.
///
/// What has landed is on the target branch. Work in place is in the folder, and what a person stated to be done has no
/// branch that Fleet knows of. A branch without commits counts too: it has what its mission started from. Work in
/// another project is in another repository.
#[must_use]
pub fn unlanded<'a>(mission: &Mission, dependencies: impl IntoIterator<Item = &'a Mission>) -> Vec<UnlandedWork> {
    let mut found: Vec<UnlandedWork> = Vec::new();
    for dependency in dependencies.into_iter().filter(|dependency| dependency.project == mission.project) {
        let MissionState::Done { proof: Proof::Session { session, commits: Some(commits) }, .. } = &dependency.state
        else {
            continue;
        };
        if found.iter().all(|known| known.mission != dependency.id) {
            let (id, session) = (dependency.id.clone(), session.clone());
            found.push(UnlandedWork { mission: id, session, has_commits: *commits > 0 });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use types::{Handle, TeamName, Timestamp};

    use super::*;
    use crate::{Statement, create};

    fn mission(id: &str, project: Option<&str>, state: MissionState) -> Mission {
        let mut said = Statement::new(TeamName::default_team(), "A cart".to_owned(), "Add it.".to_owned());
        said.project = project.map(|project| (project.parse().unwrap(), 1));
        let made = create(id.parse().unwrap(), said, Handle::owner(), Timestamp::UNIX_EPOCH);
        Mission { state, ..made }
    }

    fn done(proof: Proof) -> MissionState {
        MissionState::Done { at: Timestamp::UNIX_EPOCH, proof }
    }

    fn in_session(commits: Option<u64>) -> MissionState {
        done(Proof::Session { session: "s-x7k2m".parse().unwrap(), commits })
    }

    #[test]
    fn only_work_on_a_branch_that_has_not_landed_is_started_from_and_each_once() {
        let (own, other) = (Some("p-x7k2m"), Some("p-p4qrs"));
        let landed = Proof::Landed { landing: "d-x7k2m".parse().unwrap(), commit: "1".repeat(40), checks: 1 };
        let dependencies = [
            mission("m-aaaaa", own, in_session(Some(2))),
            mission("m-bbbbb", own, in_session(Some(0))),
            mission("m-ccccc", own, in_session(None)),
            mission("m-ddddd", own, done(landed)),
            mission("m-eeeee", own, done(Proof::Stated { by: Handle::owner() })),
            mission("m-fffff", other, in_session(Some(1))),
            mission("m-ggggg", own, MissionState::Draft),
            mission("m-aaaaa", own, in_session(Some(2))),
        ];
        let found = unlanded(&mission("m-zzzzz", own, MissionState::Draft), &dependencies);
        let found: Vec<(&str, bool)> = found.iter().map(|work| (work.mission.as_str(), work.has_commits)).collect();
        assert_eq!(found, [("m-aaaaa", true), ("m-bbbbb", false)]);
    }
}
