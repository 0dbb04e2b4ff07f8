//! MCP servers of projects: by project, each name once.

use types::{ProjectServer, ServerId};

use crate::{Index, Record, Table};

/// Where MCP servers are found.
pub mod by {
    use types::ProjectId;

    /// The servers of a project, by name.
    #[must_use]
    pub fn project(project: &ProjectId) -> String {
        format!("mcp-server/project/{project}")
    }
}

impl Record for ProjectServer {
    const TABLE: Table = Table::McpServer;
    type Id = ServerId;

    fn id(&self) -> ServerId {
        self.id.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        vec![Index { group: by::project(&self.project), order: self.name.clone(), unique: true }]
    }

    fn labels(&self) -> Vec<String> {
        Vec::new()
    }
}
