//! Which server is meant, and with what token it is called.

use std::net::IpAddr;
use std::time::Duration;

use api::Code;
use client::Client;
use config::{ClientEnv, Environment, Home, Overrides, ServerFile};
use runtime::Clock;
use tokens::{Keys, Member};

use crate::failure::Failure;
use crate::options::Options;

/// How long the token of one call is good for.
const CALL_LIFETIME: Duration = Duration::from_secs(300);

/// Returns the address by which this machine reaches a server that described itself.
#[must_use]
pub fn server_url(server: &ServerFile) -> String {
    local_url(&server.host, server.port)
}

impl Options {
    /// Returns the server's address: the option, the environment, the server that runs here, or where one would.
    ///
    /// # Errors
    /// When it must be looked up in the home directory and that cannot be read.
    pub fn server_url(&self, environment: &Environment) -> Result<String, Failure> {
        if let Some(url) = self.url.clone().or_else(|| ClientEnv::of(environment).url) {
            return Ok(url);
        }
        let home = Home::resolve(environment)?;
        if let Some(server) = home.read_server()? {
            return Ok(server_url(&server));
        }
        let settings = config::load(&home, environment, &Overrides::new())?.settings;
        match settings.port {
            // The system chooses, and the server writes down what it chose.
            0 => Err(api::Error::new(Code::SERVER_UNREACHABLE, "cannot find the server: none runs here")
                .hint("Start it: `fleet up --background`.")
                .into()),
            port => Ok(local_url(settings.host.as_str(), port)),
        }
    }

    /// Returns the token that was given by option or environment.
    #[must_use]
    pub fn given_token(&self, environment: &Environment) -> Option<String> {
        let named = || ClientEnv::of(environment).token.map(|token| token.expose().to_owned());
        self.token.clone().or_else(named)
    }

    /// Returns the token to call with: the one given, the one in the file that is named, or one that the local key signs
    /// for the owner.
    ///
    /// The owner's token opens the server of this machine, so it is sent nowhere else.
    ///
    /// # Errors
    /// When there is none and the server is on another machine, or the local key cannot be read or made.
    pub fn bearer_token(&self, environment: &Environment, clock: &Clock) -> Result<String, Failure> {
        let filed = || ClientEnv::of(environment).filed_token();
        let token = match self.given_token(environment) {
            Some(token) => Some(token),
            None => filed()?.map(|token| token.expose().to_owned()),
        };
        match token {
            Some(token) => Ok(token),
            None if is_here(&self.server_url(environment)?, environment)? => {
                owner_token(environment, clock, CALL_LIFETIME)
            }
            None => Err(api::Error::new(
                Code::AUTHENTICATION_REQUIRED,
                "the server is on another machine, and no token is given",
            )
            .hint(
                "Give one that is good there: `--token TOKEN` or FLEET_TOKEN; `fleet token` on that machine prints it.",
            )
            .into()),
        }
    }

    /// Prepares calls to the server with the token to call with.
    ///
    /// # Errors
    /// When the address or the token cannot be found or used.
    pub fn connect(&self, environment: &Environment, clock: &Clock) -> Result<Client, Failure> {
        let token = self.bearer_token(environment, clock)?;
        Ok(Client::new(&self.server_url(environment)?, Some(&token))?)
    }

    /// Prepares calls that need no token, and so no key.
    ///
    /// # Errors
    /// When the address cannot be found or used.
    pub fn connect_anonymously(&self, environment: &Environment) -> Result<Client, Failure> {
        let token = self.given_token(environment);
        Ok(Client::new(&self.server_url(environment)?, token.as_deref())?)
    }
}

/// Tells whether an address is loopback, or that of the server that described itself here.
fn is_here(url: &str, environment: &Environment) -> Result<bool, Failure> {
    let authority =
        url.split_once("://").map_or(url, |(_, rest)| rest).split(['/', '?', '#']).next().unwrap_or_default();
    // What stands before an `@` is a name for the server to check, not the server.
    let place = authority.rsplit('@').next().unwrap_or_default();
    let host = match place.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => place.split(':').next().unwrap_or_default(),
    };
    let loopback = host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    Ok(loopback || Home::resolve(environment)?.read_server()?.is_some_and(|server| server_url(&server) == url))
}

/// Signs a token for the owner with the local key; no server is needed.
pub(crate) fn owner_token(environment: &Environment, clock: &Clock, lifetime: Duration) -> Result<String, Failure> {
    let key = Home::resolve(environment)?.local_key()?;
    let token = Keys::new(key.bytes(), None).issue(&Member::owner(), clock.now(), lifetime);
    token.map_err(|error| Failure::new(api::Kind::Internal, format!("cannot sign a token: {error}")))
}

/// A server that listens everywhere is reached by loopback.
fn local_url(host: &str, port: u16) -> String {
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) if address.is_unspecified() => format!("http://127.0.0.1:{port}"),
        Ok(IpAddr::V6(address)) if address.is_unspecified() => format!("http://[::1]:{port}"),
        Ok(IpAddr::V6(address)) => format!("http://[{address}]:{port}"),
        Ok(IpAddr::V4(_)) | Err(_) => format!("http://{host}:{port}"),
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
