//! Why no commit has the work of all dependencies of a mission: as data, with a sentence for people.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::MissionId;

/// Why a mission cannot start from the work of its dependencies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum DependencyTrouble {
    /// Work that has not landed cannot be merged.
    Conflict {
        /// The dependency whose work cannot be merged.
        mission: MissionId,
        /// The dependencies whose work was merged before it; none if it conflicts with the target branch.
        with: Vec<MissionId>,
        /// The files.
        files: Vec<String>,
    },
    /// The branch with the work of a dependency is not there any more, and the work has not landed.
    BranchGone {
        /// The dependency.
        mission: MissionId,
        /// The branch.
        branch: String,
    },
}

impl fmt::Display for DependencyTrouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict { mission, with, files } if with.is_empty() => write!(
                f,
                "the work of {mission} conflicts with the target branch in {}, so there is nothing to start from; land it \
                 (`fleet land {mission}`: its agent settles the conflict) and dispatch it again",
                files.join(", ")
            ),
            Self::Conflict { mission, with, files } => {
                let names = with.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                let first = with.iter().map(|with| format!("`fleet land {with}`")).collect::<Vec<_>>().join(", ");
                let all = if with.len() == 1 { "both" } else { "all" };
                write!(
                    f,
                    "the work of {mission} conflicts with that of {names} in {}, so there is nothing to start from; land \
                     {all} ({first}, then `fleet land {mission}`, whose agent settles the conflict) and dispatch it again",
                    files.join(", ")
                )
            }
            Self::BranchGone { mission, branch } => write!(
                f,
                "the branch `{branch}` with the work of {mission} is gone, and that work has not landed; do {mission} again \
                 (`fleet dispatch {mission}`), or name what to start from (`fleet dispatch MISSION --base BRANCH`)"
            ),
        }
    }
}
