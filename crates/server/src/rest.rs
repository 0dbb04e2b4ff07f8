//! Every operation over REST: path, query and body become one object; the registry does the rest.

use std::collections::{BTreeMap, HashSet};

use api::{Access, Code, Dialect, Error, FieldProblem};
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{FromRequestParts, Query, RawPathParams, Request, State};
use axum::response::Response;
use axum::routing::any;
use http::request::Parts;
use http::{HeaderName, Method};
use serde_json::{Map, Value};
use service::{Answer, Binding, Given};

use crate::admit::{admit, admit_anyone};
use crate::{App, reply};

/// Names a call, so that it is carried out once however often it is sent.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The longest idempotency key.
pub(crate) const KEY_BYTES_MAX: usize = 200;

/// Which operation each method of one path is.
type Verbs = &'static [(Method, &'static str)];

/// Builds a route for every path of the table.
pub(crate) fn routes(app: &App) -> Router<App> {
    let mut paths: BTreeMap<&'static str, Vec<(Method, &'static str)>> = BTreeMap::new();
    for spec in app.registry.entries().iter().map(|entry| entry.spec) {
        if let Some(rest) = spec.rest {
            paths.entry(rest.path).or_default().push((method(rest.verb), spec.name));
        }
    }
    paths.into_iter().fold(Router::new(), |router, (path, verbs)| {
        // The table of operations lives as long as the program.
        let verbs: Verbs = Vec::leak(verbs);
        let handler = any(move |state, request| serve(state, request, path, verbs));
        // Clients that put a slash behind a path mean the same.
        router.route(path, handler.clone()).route(&format!("{path}/"), handler)
    })
}

async fn serve(State(app): State<App>, request: Request, path: &'static str, verbs: Verbs) -> Response {
    let wanted = if request.method() == Method::HEAD { &Method::GET } else { request.method() };
    let name = verbs.iter().find(|(method, _)| method == wanted).map(|(_, name)| *name);
    let Some(entry) = name.and_then(|name| app.registry.find(name)) else {
        let allowed: Vec<&str> = verbs.iter().map(|(method, _)| method.as_str()).collect();
        return reply::no_such_method(request.uri().path(), &allowed.join(", "));
    };
    let timer = app.metrics.request(wanted, path, &app);
    let response = match answer(&app, entry, request).await {
        Ok(answer) => reply::answer(entry.spec.status, answer),
        Err(error) => reply::error(entry.spec.dialect(), &error),
    };
    timer.done(response.status().as_u16());
    response
}

async fn answer(app: &App, entry: &Binding, request: Request) -> Result<Answer, Error> {
    let (mut parts, body) = request.into_parts();
    // Read even from those who may not call: a connection with half a body on it could not be used again.
    let body = read(app, body).await;
    let caller = match entry.spec.access {
        Access::Public => admit_anyone(app, &parts)?,
        Access::Read | Access::Work | Access::Lead | Access::Merge | Access::Owner => admit(app, &parts)?,
    };
    entry.admits(&caller)?;
    let mut texts = query(&parts)?;
    let fields = object(entry.spec.dialect(), &body?)?;
    texts.extend(path(&mut parts).await?);
    app.call(entry, caller, Given { fields, texts, key: key(&parts)? }).await
}

/// Reads the idempotency key of a call.
fn key(parts: &Parts) -> Result<Option<String>, Error> {
    let Some(value) = parts.headers.get(IDEMPOTENCY_KEY) else { return Ok(None) };
    let is_key = |text: &&str| (1..=KEY_BYTES_MAX).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
    let text = value.to_str().ok().filter(is_key);
    let refused = || {
        problem(
            vec!["Idempotency-Key".to_owned()],
            format!("is not a text of 1 to {KEY_BYTES_MAX} ASCII characters without blanks"),
        )
    };
    text.map(|text| Some(text.to_owned())).ok_or_else(refused)
}

/// Reads the fields of a query, each of which is given once.
pub(crate) fn query(parts: &Parts) -> Result<Vec<(String, String)>, Error> {
    let malformed = |_| problem(Vec::new(), "the query is not text".to_owned());
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri).map_err(malformed)?;
    let mut seen = HashSet::new();
    match pairs.iter().find(|(name, _)| !seen.insert(name.clone())) {
        Some((name, _)) => Err(problem(vec![name.clone()], "is given more than once".to_owned())),
        None => Ok(pairs),
    }
}

fn problem(path: Vec<String>, message: String) -> Error {
    Error::fields(vec![FieldProblem { path, message, given: None, missing: false }])
}

pub(crate) async fn read(app: &App, body: Body) -> Result<Bytes, Error> {
    let limit = app.service.settings().body_bytes_max as usize;
    to_bytes(body, limit).await.map_err(|_| {
        Error::new(Code::BODY_TOO_LARGE, format!("the body is larger than {limit} bytes"))
            .hint("Send less, or raise `body_bytes_max` with `fleet config set`.")
    })
}

pub(crate) fn object(dialect: Dialect, bytes: &[u8]) -> Result<Map<String, Value>, Error> {
    if bytes.is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            Err(malformed(dialect, "the body is JSON, but not an object".to_owned()))
        }
        Err(error) => Err(malformed(dialect, format!("the body is not JSON: {error}"))),
    }
}

/// One dialect's clients look for a list of problems, the other's for one line.
fn malformed(dialect: Dialect, message: String) -> Error {
    let error = Error::new(Code::BODY_MALFORMED, message.clone()).hint("Send one JSON object.");
    match dialect {
        Dialect::DevFleet => {
            let problem = FieldProblem { path: Vec::new(), message, given: None, missing: false };
            Error { fields: vec![problem], ..error }
        }
        Dialect::ClaudeFleet => error,
    }
}

async fn path(parts: &mut Parts) -> Result<Vec<(String, String)>, Error> {
    let malformed = |_| Error::new(Code::ROUTE_NOT_FOUND, "the path is not text");
    let params = RawPathParams::from_request_parts(parts, &()).await.map_err(malformed)?;
    Ok(params.iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect())
}

fn method(verb: api::Verb) -> Method {
    match verb {
        api::Verb::Get => Method::GET,
        api::Verb::Post => Method::POST,
        api::Verb::Put => Method::PUT,
        api::Verb::Patch => Method::PATCH,
        api::Verb::Delete => Method::DELETE,
    }
}
