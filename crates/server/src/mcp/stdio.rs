//! MCP over standard input and output, for the process that an agent starts beside itself.

use std::io;
use std::sync::Arc;

use rmcp::service::ServerInitializeError;
use service::Registry;

use super::backend::Backend;
use super::catalogue::Catalogue;
use super::tools::Tools;
use super::toolset::Toolset;

/// Serves the one client at the other end of the pipes until it closes them.
///
/// # Errors
/// When the client does not speak MCP, or the pipes break before it has said what it wants.
pub async fn serve_stdio<B: Backend>(registry: &Registry, toolset: Toolset, backend: B) -> io::Result<()> {
    let tools = Tools::new(Arc::new(Catalogue::new(registry)), Arc::new(backend), toolset);
    match rmcp::serve_server(tools, rmcp::transport::stdio()).await {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        // A client that comes only to look whether the program starts.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error.to_string())),
    }
}
