//! Why a mission is parked: as data for decisions, with a sentence for people.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{DependencyTrouble, FailureClass, Handle, LandingId, Obstacle};

/// Why a mission cannot continue for now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ParkReason {
    /// Its holder or a lead reported it blocked.
    Blocked {
        /// Who.
        by: Handle,
    },
    /// The account of its agent is unavailable.
    Account {
        /// What the account failed of.
        class: FailureClass,
        /// What the provider said.
        text: String,
    },
    /// A budget over it is used up.
    Budget {
        /// Which, and how much.
        text: String,
    },
    /// There is no commit to start from that has the work of all its dependencies.
    Dependencies {
        /// Why not.
        trouble: DependencyTrouble,
    },
    /// Its branch cannot land, and a person must decide.
    Stuck {
        /// The landing.
        landing: LandingId,
        /// What keeps it.
        obstacle: Obstacle,
    },
    /// Its landing was removed from the queue.
    Dropped {
        /// The landing.
        landing: LandingId,
        /// Who removed it.
        by: Handle,
        /// The branch with its work, which is kept.
        branch: String,
    },
    /// A reason that an older version stored as text.
    Recorded {
        /// The landing that the text begins with.
        landing: Option<LandingId>,
        /// The text, without the landing.
        text: String,
    },
}

impl ParkReason {
    /// Returns the landing that the mission is parked because of.
    #[must_use]
    pub fn landing(&self) -> Option<&LandingId> {
        match self {
            Self::Stuck { landing, .. } | Self::Dropped { landing, .. } => Some(landing),
            Self::Recorded { landing, .. } => landing.as_ref(),
            Self::Blocked { .. } | Self::Account { .. } | Self::Budget { .. } | Self::Dependencies { .. } => None,
        }
    }
}

impl fmt::Display for ParkReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(landing) = self.landing() {
            write!(f, "{LANDING}{landing}`: ")?;
        }
        match self {
            Self::Blocked { by } => write!(f, "{BLOCKED}{by}"),
            Self::Account { text, .. } | Self::Budget { text } | Self::Recorded { text, .. } => f.write_str(text),
            Self::Dependencies { trouble } => trouble.fmt(f),
            Self::Stuck { obstacle, .. } => obstacle.fmt(f),
            Self::Dropped { by, branch, .. } => {
                write!(f, "{by} removed it from the queue; branch `{branch}` is kept, and nothing of it has landed")
            }
        }
    }
}

/// How texts begin that older versions stored; the sentences of today begin the same.
const LANDING: &str = "landing `";
const BLOCKED: &str = "reported blocked by ";

/// How a reason is stored: as an object, and a [`ParkReason::Recorded`] one as the text it came from.
pub(crate) mod stored {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{ParkReason, from_text};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stored {
        Text(String),
        Reason(ParkReason),
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ParkReason, D::Error> {
        Ok(match Stored::deserialize(deserializer)? {
            Stored::Text(text) => from_text(text),
            Stored::Reason(reason) => reason,
        })
    }

    pub(crate) fn serialize<S: Serializer>(reason: &ParkReason, serializer: S) -> Result<S::Ok, S::Error> {
        if let ParkReason::Recorded { .. } = reason {
            return serializer.collect_str(reason);
        }
        reason.serialize(serializer)
    }
}

fn from_text(text: String) -> ParkReason {
    if let Some(by) = text.strip_prefix(BLOCKED).and_then(|by| by.parse().ok()) {
        return ParkReason::Blocked { by };
    }
    let about = text.strip_prefix(LANDING).and_then(|rest| rest.split_once("`: "));
    match about.and_then(|(landing, rest)| Some((landing.parse().ok()?, rest.to_owned()))) {
        Some((landing, text)) => ParkReason::Recorded { landing: Some(landing), text },
        None => ParkReason::Recorded { landing: None, text },
    }
}

#[cfg(test)]
#[path = "park_tests.rs"]
mod tests;
