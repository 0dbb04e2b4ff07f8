//! Where a tool's call is carried out: here, or at a server.

use api::{Code, Error, Spec};
use http::request::Parts;
use serde_json::{Map, Value};
use service::{Caller, Given};

use crate::App;

/// Carries out the calls of tools.
pub trait Backend: Send + Sync + 'static {
    /// Carries one call out and returns its output as JSON.
    ///
    /// `request` is the HTTP request that it came in, where it came over HTTP.
    ///
    /// # Errors
    /// Returns what the caller is told.
    fn call(
        &self,
        request: Option<&Parts>,
        spec: &Spec,
        arguments: Map<String, Value>,
    ) -> impl Future<Output = Result<Value, Error>> + Send;
}

/// In the server itself. Whoever let the request pass has left the caller in it: see `http::admit`.
impl Backend for App {
    async fn call(&self, request: Option<&Parts>, spec: &Spec, arguments: Map<String, Value>) -> Result<Value, Error> {
        let timer = self.metrics.request(spec.name, self);
        let answer = carry_out(self, request, spec, arguments).await;
        timer.done(answer.as_ref().map_or_else(|error| error.status(spec.dialect()), |_| spec.status));
        answer
    }
}

async fn carry_out(
    app: &App,
    request: Option<&Parts>,
    spec: &Spec,
    arguments: Map<String, Value>,
) -> Result<Value, Error> {
    // Without a caller it is nobody who calls, and the gate refuses that.
    let caller = request.and_then(|parts| parts.extensions.get::<Caller>()).cloned().unwrap_or(Caller::Anonymous);
    let fault = |fault: String| Error::new(Code::INTERNAL, fault);
    let entry = app.registry.find(spec.name).ok_or_else(|| fault(format!("no operation `{}`", spec.name)))?;
    let answer = app.call(entry, caller, Given::from(arguments)).await?;
    serde_json::from_slice(&answer.body).map_err(|error| fault(error.to_string()))
}
