//! The HTTP connection, made as cheap as its address allows.
//!
//! Loading the system's certificates takes longer than a whole call to a local server, so it is done for `https` alone.

use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, Url};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const CALL_TIMEOUT: Duration = Duration::from_secs(120);
/// A server says something every 15 seconds; one that is silent for so long is gone.
const SILENCE_MAX: Duration = Duration::from_secs(45);

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// An answer that ends.
    Answer,
    /// A stream, which may last.
    Stream,
}

/// Makes the client for one server.
pub(crate) fn build(server: &Url, wait: Wait) -> Result<reqwest::Client, String> {
    let builder = match wait {
        Wait::Answer => ClientBuilder::new().timeout(CALL_TIMEOUT),
        Wait::Stream => ClientBuilder::new().read_timeout(SILENCE_MAX),
    };
    // A redirect would carry the token to wherever it points.
    let builder = builder
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(Policy::none())
        .user_agent(concat!("fleet/", env!("CARGO_PKG_VERSION")));
    let builder = if is_loopback(server) { builder.no_proxy() } else { builder };
    let builder = if server.scheme() == "https" {
        // Fails only if some provider is there already, and then that one serves.
        let _ = ring::default_provider().install_default();
        builder
    } else {
        builder.tls_backend_preconfigured(without_certificates().map_err(|error| error.to_string())?)
    };
    builder.build().map_err(|error| error.to_string())
}

/// TLS without trusted roots: never used over plain HTTP, but the client cannot be built without one.
fn without_certificates() -> Result<ClientConfig, rustls::Error> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions()?;
    Ok(config.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

fn is_loopback(server: &Url) -> bool {
    let host = server.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
