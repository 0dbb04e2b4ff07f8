//! `fleet mcp`: the process that an agent starts beside itself to have Fleet's tools.
//!
//! It lists the tools by itself and carries every call to the server, as the agent that its environment names or else
//! as the owner. Its configuration holds no secret: a file of the session's, or the local key, proves who it is.
//! Standard output belongs to MCP alone; everything else goes to standard error.

use std::fmt::Display;
use std::str::FromStr;

use api::claude_fleet::Authenticate;
use api::{Code, Error, Kind};
use cli::{Failure, Options};
use client::Client;
use config::{ClientEnv, Environment, LogLevel};
use redact::Redactor;
use runtime::Clock;
use serde_json::{Map, Value};
use server::mcp::{Backend, Parts, Toolset};
use service::Registry;
use tokio::sync::Mutex;
use types::{Role, TeamName};

use crate::log;

type Result<T, E = Failure> = std::result::Result<T, E>;

/// Names the set of tools that the client is shown: `agent`, `orchestrator`, `workers`, `standard` or `all`.
const TOOLSET: &str = "FLEET_TOOLSET";

/// Serves the client at the other end of standard input and output until it closes them.
pub(crate) async fn serve_stdio(environment: &Environment, options: &Options) -> Result<()> {
    let _log = log::start(LogLevel::Warn, Redactor::default())?;
    let toolset = match environment.get(TOOLSET) {
        Some(word) => read(TOOLSET, word)?,
        None => Toolset::default(),
    };
    let backend = Remote::new(environment, options)?;
    let served = server::mcp::serve_stdio(&Registry::new(), toolset, backend).await;
    served.map_err(|error| Failure::io("cannot serve MCP on standard input", &error))
}

/// Carries calls to the server.
struct Remote {
    environment: Environment,
    options: Options,
    clock: Clock,
    /// The account it acts as; the bearer of the given token or the owner, when unset.
    agent: Option<Authenticate>,
    link: Mutex<Option<Link>>,
}

/// A client that worked, and the address it was made for.
struct Link {
    url: String,
    client: Client,
}

impl Remote {
    fn new(environment: &Environment, options: &Options) -> Result<Self, Failure> {
        let given = options.given_token(environment).is_some();
        let agent = if given { None } else { agent(&ClientEnv::of(environment))? };
        Ok(Self {
            environment: environment.clone(),
            options: options.clone(),
            clock: Clock::system(),
            agent,
            link: Mutex::new(None),
        })
    }

    /// Returns the client of before, if the server is still where it was.
    async fn client(&self) -> Result<Client, Error> {
        let url = self.options.server_url(&self.environment).map_err(told)?;
        let mut link = self.link.lock().await;
        if let Some(link) = link.as_ref().filter(|link| link.url == url) {
            return Ok(link.client.clone());
        }
        let client = self.connect().await?;
        *link = Some(Link { url, client: client.clone() });
        Ok(client)
    }

    async fn connect(&self) -> Result<Client, Error> {
        let client = self.options.connect(&self.environment, &self.clock).await.map_err(told)?;
        match &self.agent {
            Some(agent) => client.with_token(&client.call(agent.clone()).await?.output.token),
            None => Ok(client),
        }
    }
}

impl Backend for Remote {
    async fn call(&self, _: Option<&Parts>, tool: &str, arguments: Map<String, Value>) -> Result<Value, Error> {
        let answer = self.client().await?.tool(tool, arguments.clone()).await;
        let answer = match answer {
            // A refused token has done nothing yet, so the call is made again with a new one, once.
            Err(error) if matches!(error.code, Code::TOKEN_EXPIRED | Code::TOKEN_INVALID) => {
                *self.link.lock().await = None;
                self.client().await?.tool(tool, arguments).await
            }
            answer => answer,
        };
        answer.map(|reply| reply.body)
    }
}

/// Reads the account to act as from the environment.
fn agent(environment: &ClientEnv) -> Result<Option<Authenticate>, Failure> {
    let ClientEnv { agent_name: Some(name), team, agent_type, .. } = environment else { return Ok(None) };
    Ok(Some(Authenticate {
        handle: read("CLAUDE_CODE_AGENT_NAME", name)?,
        team_name: named("CLAUDE_FLEET_TEAM", team.as_deref(), TeamName::default_team)?,
        agent_type: named("CLAUDE_CODE_AGENT_TYPE", agent_type.as_deref(), || Role::Worker)?,
    }))
}

fn named<T: FromStr<Err: Display>>(
    variable: &str,
    text: Option<&str>,
    unset: impl FnOnce() -> T,
) -> Result<T, Failure> {
    text.map_or_else(|| Ok(unset()), |text| read(variable, text))
}

fn read<T: FromStr<Err: Display>>(variable: &str, text: &str) -> Result<T, Failure> {
    let refused = |error: T::Err| Failure::new(Kind::Invalid, format!("cannot use {variable}={text}: {error}"));
    text.parse().map_err(refused)
}

/// A failure of the command line as the tool's caller is told of it.
fn told(failure: Failure) -> Error {
    match failure {
        Failure::Refused { message, hints, code, .. } => {
            Error { hints, ..Error::new(code.unwrap_or(Code::INTERNAL), message) }
        }
        Failure::ReaderGone => Error::new(Code::INTERNAL, "standard output was closed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acts_as(pairs: &[(&str, &str)]) -> Result<Option<Authenticate>, Failure> {
        let environment = Environment::from_iter(pairs.iter().copied());
        Remote::new(&environment, &Options::default()).map(|remote| remote.agent)
    }

    #[test]
    fn it_acts_as_the_agent_that_the_environment_names_and_else_as_the_owner() {
        assert_eq!(acts_as(&[]).unwrap(), None);
        let named = |team: &str, agent_type| Authenticate {
            handle: "scout".parse().unwrap(),
            team_name: team.parse().unwrap(),
            agent_type,
        };
        assert_eq!(acts_as(&[("CLAUDE_CODE_AGENT_NAME", "scout")]).unwrap(), Some(named("default", Role::Worker)));
        let all = [
            ("CLAUDE_CODE_AGENT_NAME", "scout"),
            ("CLAUDE_CODE_TEAM_NAME", "red"),
            ("CLAUDE_CODE_AGENT_TYPE", "team-lead"),
        ];
        assert_eq!(acts_as(&all).unwrap(), Some(named("red", Role::TeamLead)));
    }

    #[test]
    fn a_given_token_says_itself_whom_it_speaks_for() {
        assert_eq!(acts_as(&[("CLAUDE_CODE_AGENT_NAME", "scout"), ("FLEET_TOKEN", "t")]).unwrap(), None);
    }

    #[test]
    fn a_name_that_is_none_is_told_by_its_variable() {
        let scout = ("CLAUDE_CODE_AGENT_NAME", "scout");
        for (pairs, variable) in [
            ([("CLAUDE_CODE_AGENT_NAME", "not a name!"), ("", "")], "CLAUDE_CODE_AGENT_NAME"),
            ([scout, ("CLAUDE_CODE_AGENT_TYPE", "boss")], "CLAUDE_CODE_AGENT_TYPE"),
        ] {
            let Err(Failure::Refused { message, .. }) = acts_as(&pairs) else { panic!("{variable} was taken") };
            assert!(message.contains(variable), "{message}");
        }
    }
}
