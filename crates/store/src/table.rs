//! The key space: which tables there are, and where each entity is found.

mod agent;
mod mission;
mod project;

/// Every table. Append-only: the prefix of a retired table is never given to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// Members of teams.
    Agent,
    /// Units of work.
    Mission,
    /// Directories that missions work on.
    Project,
}

impl Table {
    /// Returns the name that begins the table's partitions.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Mission => "mission",
            Self::Project => "project",
        }
    }
}

/// The groups that records are found in, by entity.
pub mod by {
    pub use super::agent::by as agent;
    pub use super::mission::by as mission;
    pub use super::project::by as project;
}

/// Writes a time so that text order is time order, for every time there is.
fn time_key(at: types::Timestamp) -> String {
    format!("{:018}", at.as_microsecond() - types::Timestamp::MIN.as_microsecond())
}
