//! Calls with an idempotency key: by age.

use types::KeyedCall;

use super::time_key;
use crate::{Index, Record, Table};

/// Where calls with an idempotency key are found.
pub mod by {
    /// All of them, by age.
    #[must_use]
    pub fn all() -> String {
        "keyed-call/all".to_owned()
    }
}

impl Record for KeyedCall {
    const TABLE: Table = Table::KeyedCall;
    type Id = String;

    fn id(&self) -> String {
        self.id.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        vec![Index { group: by::all(), order: time_key(self.created_at), unique: false }]
    }

    fn labels(&self) -> Vec<String> {
        Vec::new()
    }
}
