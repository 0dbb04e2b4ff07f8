//! The MCP server proper: lists the tools and calls them, the same on every transport.

use std::sync::Arc;

use http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::backend::Backend;
use super::catalogue::Catalogue;
use super::result;
use super::toolset::Toolset;

/// What a model is told of the server before it sees any tool.
const INSTRUCTIONS: &str = "Fleet runs fleets of coding agents: it keeps projects, the missions in them, and the team \
    that works on them. To plan and follow work, start with list_projects, then create_mission, list_missions and \
    get_mission_status; why says what a mission waits for, list_approvals what waits for a person, list_landings what \
    lands, get_logs what an agent does. To have one agent do one task in any repository, use create_worker, then \
    get_worker_status, collect_worker_result and cleanup_worker. As a member of a team, start with team_status and \
    team_tasks. A call that is refused says why and what to do next.";

/// Answers one client; cheap to make, since it keeps nothing of its own.
#[derive(Debug)]
pub(super) struct Tools<B> {
    catalogue: Arc<Catalogue>,
    backend: Arc<B>,
    toolset: Toolset,
}

impl<B: Backend> Tools<B> {
    /// Offers the tools, of which a client that does not say otherwise is shown a set.
    pub(super) fn new(catalogue: Arc<Catalogue>, backend: Arc<B>, toolset: Toolset) -> Self {
        Self { catalogue, backend, toolset }
    }

    fn unknown(&self, name: &str) -> ErrorData {
        let shown: String = name.chars().take(80).collect();
        let message = match self.catalogue.closest(name) {
            Some(closest) => format!("unknown tool `{shown}`; did you mean `{closest}`?"),
            None => format!("unknown tool `{shown}`; tools/list shows those there are"),
        };
        ErrorData::invalid_params(message, None)
    }
}

impl<B: Backend> ServerHandler for Tools<B> {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("fleet", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let asked = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Toolset>());
        Ok(ListToolsResult::with_all_items(self.catalogue.shown(asked.copied().unwrap_or(self.toolset))))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.catalogue.find(name).map(|listed| listed.tool.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let listed = self.catalogue.find(&request.name).ok_or_else(|| self.unknown(&request.name))?;
        let arguments = request.arguments.unwrap_or_default();
        let call = self.backend.call(context.extensions.get::<Parts>(), &listed.tool.name, arguments);
        tokio::select! {
            answer = call => Ok(answer.map_or_else(|error| result::refusal(listed.audience, &error), result::output).into()),
            // Nobody reads the answer any more. What was begun and writes is carried to its end elsewhere.
            () = context.ct.cancelled() => Err(ErrorData::internal_error("the call was cancelled", None)),
        }
    }
}
