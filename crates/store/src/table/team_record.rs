//! Plain records: by name, each once in a team.

use types::{RecordKind, TeamRecord};

use crate::{Index, Record, Table};

/// Where plain records are found.
pub mod by {
    use types::{RecordKind, TeamName};

    /// All of a kind, by name.
    #[must_use]
    pub fn all<K: RecordKind>() -> String {
        format!("{}/all", K::TABLE)
    }

    /// Those of a team, by name: each name once.
    #[must_use]
    pub fn team<K: RecordKind>(team: &TeamName) -> String {
        format!("{}/team/{team}", K::TABLE)
    }
}

impl<K: RecordKind> Record for TeamRecord<K> {
    const TABLE: Table = Table::TeamRecord(K::TABLE);
    type Id = K::Id;

    fn id(&self) -> K::Id {
        self.id.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        let order = self.fields.name().to_owned();
        vec![
            Index { group: by::all::<K>(), order: order.clone(), unique: false },
            Index { group: by::team::<K>(&self.team), order, unique: true },
        ]
    }

    fn labels(&self) -> Vec<String> {
        vec![by::team::<K>(&self.team)]
    }
}
