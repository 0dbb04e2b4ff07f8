//! Callbacks: by mission, and by the time at which they are due; and how far readers of the feed have read.

use types::{Bookmark, Callback, CallbackId, CallbackState};

use super::time_key;
use crate::{Index, Record, Table};

/// Where callbacks are found.
pub mod by {
    use types::MissionId;

    /// Those that are to be tried, by when.
    #[must_use]
    pub fn due() -> String {
        "callback/due".to_owned()
    }

    /// The callbacks of a mission, by age.
    #[must_use]
    pub fn mission(mission: &MissionId) -> String {
        format!("callback/mission/{mission}")
    }
}

impl Record for Callback {
    const TABLE: Table = Table::Callback;
    type Id = CallbackId;

    fn id(&self) -> CallbackId {
        self.id.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        let found = |group, at| Index { group, order: time_key(at), unique: false };
        let due = match &self.state {
            CallbackState::Due { at, .. } => Some(found(by::due(), *at)),
            CallbackState::Delivered { .. } | CallbackState::GivenUp { .. } => None,
        };
        [found(by::mission(&self.mission), self.created_at)].into_iter().chain(due).collect()
    }

    fn labels(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Record for Bookmark {
    const TABLE: Table = Table::Bookmark;
    type Id = String;

    fn id(&self) -> String {
        self.reader.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        Vec::new()
    }

    fn labels(&self) -> Vec<String> {
        Vec::new()
    }
}
