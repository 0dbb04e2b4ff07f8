//! One try: find out who is there, speak to exactly that address, hear the status.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::address::{permitted, target};
use crate::decide::Answer;
use crate::sign::signature;
use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, Url};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};

/// How long a try may take, from the first question about the name to the status.
const TIMEOUT: Duration = Duration::from_secs(10);

/// What is sent.
#[derive(Debug, Clone, Copy)]
pub struct Delivery<'a> {
    /// Its id: the same at every try.
    pub id: &'a str,
    /// Where to.
    pub url: &'a str,
    /// The words: the same at every try.
    pub body: &'a str,
    /// Which try it is, from 1.
    pub attempt: u32,
}

/// What a try needs to know beside what is sent.
#[derive(Debug, Clone, Copy)]
pub struct Manner<'a> {
    /// What it is signed with; not at all without it.
    pub secret: Option<&'a str>,
    /// Whether link-local addresses may be spoken to.
    pub link_local: bool,
    /// The time that is signed, in seconds since 1970.
    pub seconds: i64,
}

/// Tries once.
pub async fn send(clock: &runtime::Clock, delivery: &Delivery<'_>, manner: &Manner<'_>) -> Answer {
    let late = |_| Answer::Nobody(format!("it did not answer within {} seconds", TIMEOUT.as_secs()));
    clock.timeout(TIMEOUT, attempt(delivery, manner)).await.unwrap_or_else(late)
}

async fn attempt(delivery: &Delivery<'_>, manner: &Manner<'_>) -> Answer {
    let url = match target(delivery.url) {
        Ok(url) => url,
        Err(refused) => return Answer::Refused(refused.0),
    };
    let address = match resolve(&url, manner.link_local).await {
        Ok(address) => address,
        Err(answer) => return answer,
    };
    let client = match client(&url, address) {
        Ok(client) => client,
        Err(why) => return Answer::Nobody(why),
    };
    let call = client
        .post(url)
        .header("content-type", "application/json")
        .header("fleet-delivery", delivery.id)
        .header("fleet-attempt", delivery.attempt)
        .body(delivery.body.to_owned());
    let call = match manner.secret {
        Some(secret) => call.header("fleet-signature", signature(secret.as_bytes(), manner.seconds, delivery.body)),
        None => call,
    };
    // The status is all that matters: the body is dropped with the connection, however long it is.
    match call.send().await {
        Ok(answer) => Answer::Status(answer.status().as_u16()),
        Err(error) => Answer::Nobody(innermost(&error)),
    }
}

/// Finds an address of the host that may be connected to. It is the one that is connected to: a name that resolves to
/// another address a moment later changes nothing.
async fn resolve(url: &Url, link_local: bool) -> Result<SocketAddr, Answer> {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let port = url.port_or_known_default().unwrap_or(80);
    let found = tokio::net::lookup_host((host, port)).await;
    let found = found.map_err(|error| Answer::Nobody(format!("`{host}` cannot be found: {error}")))?;
    let mut refused = None;
    for address in found {
        match permitted(address.ip(), link_local) {
            Ok(()) => return Ok(address),
            Err(why) => refused = Some(Answer::Refused(why.0)),
        }
    }
    Err(refused.unwrap_or_else(|| Answer::Nobody(format!("`{host}` has no address"))))
}

fn client(url: &Url, address: SocketAddr) -> Result<reqwest::Client, String> {
    let builder = ClientBuilder::new()
        .redirect(Policy::none())
        .no_proxy()
        .pool_max_idle_per_host(0)
        .resolve(url.host_str().unwrap_or_default(), address)
        .user_agent(concat!("fleet/", env!("CARGO_PKG_VERSION")));
    let builder = if url.scheme() == "https" {
        // Fails only if some provider is there already, and then that one serves.
        let _ = ring::default_provider().install_default();
        builder
    } else {
        builder.tls_backend_preconfigured(without_certificates().map_err(|error| error.to_string())?)
    };
    builder.build().map_err(|error| innermost(&error))
}

/// TLS without trusted roots: never used over plain HTTP, but the client cannot be built without one.
fn without_certificates() -> Result<ClientConfig, rustls::Error> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions()?;
    Ok(config.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

/// The outer errors only say that something failed.
fn innermost(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}
