//! Where a tool's call is carried out: here, or at a server.

use api::{Code, Error};
use axum::body::Bytes;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::request::Parts;
use serde_json::{Map, Value};
use service::{Caller, Given};

use crate::admit::admit;
use crate::{App, reply, rest};

/// Carries out the calls of tools.
pub trait Backend: Send + Sync + 'static {
    /// Carries out one call and returns its output as JSON.
    ///
    /// `request` is the HTTP request that it came in, where it came over HTTP.
    ///
    /// # Errors
    /// Returns what the caller is told.
    fn call(
        &self,
        request: Option<&Parts>,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> impl Future<Output = Result<Value, Error>> + Send;
}

/// In the server itself, for the caller that `admit` has left in the request; without one the call is anonymous.
impl Backend for App {
    async fn call(&self, request: Option<&Parts>, tool: &str, arguments: Map<String, Value>) -> Result<Value, Error> {
        let caller = request.and_then(|parts| parts.extensions.get::<Caller>()).cloned().unwrap_or(Caller::Anonymous);
        let answer = call_tool(self, caller, tool, arguments).await?;
        serde_json::from_slice(&answer).map_err(|error| Error::new(Code::INTERNAL, error.to_string()))
    }
}

/// Answers `POST /tools/NAME`, by which a process that serves MCP on standard input carries its calls here.
pub(super) async fn serve(State(app): State<App>, Path(tool): Path<String>, request: Request) -> Response {
    let dialect = api::Dialect::ClaudeFleet;
    let (parts, body) = request.into_parts();
    let answer = async {
        let body = rest::read(&app, body).await;
        let caller = admit(&app, &parts)?;
        call_tool(&app, caller, &tool, rest::object(dialect, &body?)?).await
    };
    match answer.await {
        Ok(body) => reply::json(200, body),
        Err(error) => reply::error(dialect, &error),
    }
}

async fn call_tool(app: &App, caller: Caller, tool: &str, arguments: Map<String, Value>) -> Result<Bytes, Error> {
    let unknown = || Error::new(Code::ROUTE_NOT_FOUND, format!("no tool `{tool}`"));
    let binding = app.registry.find(tool).filter(|binding| binding.tool.is_some()).ok_or_else(unknown)?;
    let timer = app.metrics.request(&http::Method::POST, "/tools/{tool}", app);
    let answer = app.call(binding, caller, Given::from(arguments)).await;
    timer.done(answer.as_ref().map_or_else(|error| error.status(binding.spec.dialect()), |_| 200));
    answer.map(|answer| answer.body)
}
