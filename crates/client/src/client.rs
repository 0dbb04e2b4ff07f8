//! The client itself: a server's address and a token.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use api::{Code, Error, Operation, Spec};
use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{Method, Url};
use serde_json::{Map, Value};

use crate::connector::{self, Wait};
use crate::reply::{RawReply, Reply};
use crate::request::Request;
use crate::stream::Stream;

/// Names the place behind which a stream goes on.
const LAST_EVENT_ID: &str = "last-event-id";

/// Calls one server as one caller; clones share their connections.
#[derive(Debug, Clone)]
pub struct Client {
    base: Url,
    token: Option<HeaderValue>,
    http: reqwest::Client,
}

impl Client {
    /// Prepares calls to the server at `base_url`, with a token unless they are to be anonymous.
    ///
    /// # Errors
    /// When the address is not an `http` or `https` URL, or the token is invalid.
    pub fn new(base_url: &str, token: Option<&str>) -> Result<Self, Error> {
        let refused = |reason: String| {
            Error::new(Code::FIELDS_INVALID, format!("cannot use `{base_url}` as the server's URL: {reason}"))
                .hint("Give it as `http://127.0.0.1:3847`.")
        };
        let base = Url::parse(base_url).map_err(|error| refused(error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(refused("it is neither http nor https".to_owned()));
        }
        let token = token.map(bearer).transpose()?;
        let http = connector::build(&base, Wait::Answer).map_err(refused)?;
        Ok(Self { base, token, http })
    }

    /// Makes calls to the same server with a token.
    ///
    /// # Errors
    /// When the token is invalid.
    pub fn with_token(&self, token: &str) -> Result<Self, Error> {
        Ok(Self { token: Some(bearer(token)?), ..self.clone() })
    }

    /// Asks the server to prove by a challenge that it has the key of this machine; no token is sent. Any other answer
    /// is not a proof.
    ///
    /// # Errors
    /// [`Code::SERVER_UNREACHABLE`].
    pub async fn proof(&self, challenge: &str) -> Result<Option<String>, Error> {
        let mut url = self.base.clone();
        url.set_path("/identity");
        url.set_query(Some(&format!("challenge={challenge}")));
        let answer = self.http.get(url).send().await.map_err(|error| self.unreachable(&error))?;
        let body = answer.bytes().await.map_err(|error| self.unreachable(&error))?;
        let told: Option<Value> = serde_json::from_slice(&body).ok();
        Ok(told.and_then(|told| Some(told.get("proof")?.as_str()?.to_owned())))
    }

    /// Returns the address that the server is called at, if its URL says so itself: plain HTTP to an IP address, or to
    /// this machine by name, and no path.
    #[must_use]
    pub fn address(&self) -> Vec<SocketAddr> {
        let port = self.base.port_or_known_default().unwrap_or_default();
        let host = self.base.host_str().unwrap_or_default().trim_matches(['[', ']']);
        if self.base.scheme() != "http" || self.base.path() != "/" {
            return Vec::new();
        }
        let loopback = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
        let addresses = match host.parse::<IpAddr>() {
            Ok(address) => vec![address],
            Err(_) if host.eq_ignore_ascii_case("localhost") => loopback.to_vec(),
            Err(_) => Vec::new(),
        };
        addresses.into_iter().map(|address| SocketAddr::new(address.to_canonical(), port)).collect()
    }

    /// Returns the server's address.
    #[must_use]
    pub fn base_url(&self) -> &Url {
        &self.base
    }

    /// Calls an operation.
    ///
    /// # Errors
    /// What the server refused, or [`Code::SERVER_UNREACHABLE`].
    pub async fn call<O: Operation>(&self, operation: O) -> Result<Reply<O::Output>, Error> {
        let fields = match serde_json::to_value(operation) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => Map::new(),
            Err(error) => return Err(Error::new(Code::FIELDS_INVALID, error.to_string())),
        };
        self.send(&O::SPEC, fields).await?.typed()
    }

    /// Calls an operation whose types are not known here.
    ///
    /// # Errors
    /// What the server refused, or [`Code::SERVER_UNREACHABLE`].
    pub async fn send(&self, spec: &Spec, fields: Map<String, Value>) -> Result<RawReply, Error> {
        self.exchange(Request::new(&self.base, spec, fields)?).await
    }

    /// Calls an MCP tool by its name.
    ///
    /// # Errors
    /// What the server refused, or [`Code::SERVER_UNREACHABLE`].
    pub async fn tool(&self, name: &str, arguments: Map<String, Value>) -> Result<RawReply, Error> {
        self.exchange(Request::tool(&self.base, name, arguments)?).await
    }

    /// Sends a request that was made before and reads the answer.
    ///
    /// # Errors
    /// What the server refused, or [`Code::SERVER_UNREACHABLE`].
    pub async fn exchange(&self, request: Request) -> Result<RawReply, Error> {
        let method = Method::from_bytes(request.method.as_bytes()).unwrap_or_default();
        let mut call = self.http.request(method, request.url);
        if let Some(token) = &self.token {
            call = call.header(AUTHORIZATION, token);
        }
        if let Some(body) = &request.body {
            call = call.json(body);
        }
        let answer = call.send().await.map_err(|error| self.unreachable(&error))?;
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let body = answer.bytes().await.map_err(|error| self.unreachable(&error))?;
        RawReply::read(status, &headers, &body)
    }

    /// Opens a stream of events at a path, such as `/api/sessions/s-x7k2m/stream?follow=false`, behind the place that
    /// was read to.
    ///
    /// # Errors
    /// What the server refused, or [`Code::SERVER_UNREACHABLE`].
    pub async fn stream(&self, path: &str, after: Option<&str>) -> Result<Stream, Error> {
        let refused = |reason: String| Error::new(Code::FIELDS_INVALID, format!("cannot read `{path}`: {reason}"));
        let mut url = self.base.clone();
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        let parts = path.split('/').filter(|part| !part.is_empty());
        let no_path = |()| refused("the server's URL can have no path".to_owned());
        url.path_segments_mut().map_err(no_path)?.pop_if_empty().extend(parts);
        url.set_query(query);
        let http = connector::build(&self.base, Wait::Stream).map_err(refused)?;
        let mut call = http.get(url);
        if let Some(token) = &self.token {
            call = call.header(AUTHORIZATION, token);
        }
        if let Some(after) = after {
            let place = HeaderValue::from_str(after).map_err(|_| refused("the cursor is not text".to_owned()))?;
            call = call.header(LAST_EVENT_ID, place);
        }
        let answer = call.send().await.map_err(|error| self.unreachable(&error))?;
        if answer.status().is_success() {
            return Ok(Stream::new(answer, self.base.as_str().trim_end_matches('/').to_owned()));
        }
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let body = answer.bytes().await.map_err(|error| self.unreachable(&error))?;
        Err(RawReply::read(status, &headers, &body).err().unwrap_or_else(|| refused(format!("status {status}"))))
    }

    fn unreachable(&self, error: &reqwest::Error) -> Error {
        let reason = if error.is_timeout() { "it did not answer in time".to_owned() } else { innermost(error) };
        let address = self.base.as_str().trim_end_matches('/');
        Error::new(Code::SERVER_UNREACHABLE, format!("cannot reach the server at {address}: {reason}"))
            .hint("Start it: `fleet up --background`.")
    }
}

fn bearer(token: &str) -> Result<HeaderValue, Error> {
    let refused = |_| {
        Error::new(Code::TOKEN_INVALID, "cannot use the token: it holds characters that no token has")
            .hint("Make a new one: `fleet token`.")
    };
    let mut value = HeaderValue::from_str(&format!("Bearer {}", token.trim())).map_err(refused)?;
    value.set_sensitive(true);
    Ok(value)
}

/// The layers above only repeat that sending failed; the last says why.
fn innermost(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
