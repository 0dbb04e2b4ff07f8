//! The suite every engine passes.

use fleet_kv_sqlite::SqliteEngine;
use kv::conformance::{self, Place};

use crate::Folder;

impl Place for Folder {
    type Engine = SqliteEngine;

    async fn empty() -> Self {
        Self::new()
    }

    async fn open(&self) -> SqliteEngine {
        Self::open(self)
    }
}

conformance::suite!(Folder);
