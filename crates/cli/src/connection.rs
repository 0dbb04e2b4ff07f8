//! Which server is called, and with which token.

use std::net::IpAddr;
use std::time::Duration;

use api::Code;
use client::Client;
use config::{ClientEnv, Environment, Home, Overrides, ServerFile};
use runtime::Clock;
use tokens::{Keys, Member, TokenError};

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

    /// Returns the token that was given, or that is in the file which is named.
    fn own_token(&self, environment: &Environment) -> Result<Option<String>, Failure> {
        match self.given_token(environment) {
            Some(token) => Ok(Some(token)),
            None => Ok(ClientEnv::of(environment).filed_token()?.map(|token| token.expose().to_owned())),
        }
    }

    /// Prepares calls to the server with the token to call with: the one given, the one in the file that is named, or
    /// one that the local key signs for the owner.
    ///
    /// A token that the local key signed opens the server that has this key, so it is sent to that one alone: the
    /// server proves first that it has the key, and nothing secret is sent before. Nothing is made here, neither a home
    /// nor a key.
    ///
    /// # Errors
    /// When the address or the token cannot be found or used, or the server is another one and no token is given.
    pub async fn connect(&self, environment: &Environment, clock: &Clock) -> Result<Client, Failure> {
        let url = self.server_url(environment)?;
        if let Some(token) = self.own_token(environment)? {
            return Ok(Client::new(&url, Some(&token))?);
        }
        let client = Client::new(&url, None)?;
        let (home, challenge) = (Home::resolve(environment)?, config::challenge()?);
        let proof = client.proof(&challenge).await?.unwrap_or_default();
        let key = home.existing_key()?;
        let keys = key.as_ref().map(|key| Keys::new(key.bytes(), None));
        let is_ours =
            |keys: &Keys| client.address().into_iter().any(|address| keys.is_proven(&challenge, address, &proof));
        match keys.filter(is_ours) {
            Some(keys) => {
                let token = keys.issue(&Member::owner(), clock.now(), CALL_LIFETIME).map_err(unsigned)?;
                Ok(client.with_token(&token)?)
            }
            None => Err(another_server(&url, &home).into()),
        }
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

/// The refusal to send a token of the local key to a server that has not proven to have it.
fn another_server(url: &str, home: &Home) -> api::Error {
    let message = format!(
        "the server at {} does not have the key of {}, and no token is given",
        url.trim_end_matches('/'),
        home.path().display()
    );
    api::Error::new(Code::AUTHENTICATION_REQUIRED, message).hint(
        "Give a token that is good there: `--token TOKEN` or FLEET_TOKEN; `fleet token` on the server's machine prints \
         one. A server that runs here is found without `--url` and CLAUDE_FLEET_URL.",
    )
}

/// Signs a token for the owner with the local key; no server is needed, and no key is made.
pub(crate) fn owner_token(environment: &Environment, clock: &Clock, lifetime: Duration) -> Result<String, Failure> {
    let home = Home::resolve(environment)?;
    let none = || {
        let message = format!("{} holds no key: no server has been started with this home", home.path().display());
        api::Error::new(Code::AUTHENTICATION_REQUIRED, message)
            .hint("Start one: `fleet up --background`; or make the key first: `fleet init`.")
    };
    let key = home.existing_key()?.ok_or_else(none)?;
    Keys::new(key.bytes(), None).issue(&Member::owner(), clock.now(), lifetime).map_err(unsigned)
}

fn unsigned(error: TokenError) -> Failure {
    Failure::new(api::Kind::Internal, format!("cannot sign a token: {error}"))
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
