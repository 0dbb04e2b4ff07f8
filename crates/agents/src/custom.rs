//! An agent that one TOML file describes: how to start it, and what its lines mean. No code is needed for it.
//!
//! The form of the file is in [`Definition`] and told for people in `docs/agents.md`. Lines that no rule fits are kept as
//! they are. Whether a file counts is decided where it is read, not here.

mod definition;
mod mapping;
mod rule;
mod template;

use std::sync::Arc;

use serde_json::Value;
use types::Limits;

pub use definition::{Definition, DefinitionError};
use mapping::{CustomReader, Rules};
use template::{Placeholder, Values};

use crate::launch::{COMMON, passable, plain, tmp};
use crate::{
    Adapter, Brief, Capabilities, ContextLimit, Conversation, Counting, Discovery, Ending, Exit, FailureClass, Launch,
    LaunchError, LoginCheck, McpForm, McpServer, McpTransport, Needs, PermissionHook, Price, PrivateFile, Reader, Say,
    SessionIdSource, Setup, Signal, StdinProtocol,
};

/// Names that no file can take: they have a meaning already.
pub const RESERVED: [&str; 9] = ["acp", "agy", "claude", "codex", "external", "gemini", "opencode", "shell", "sim"];

/// Assumed where the file does not say how much fits into the context.
const WINDOW: u64 = 128_000;

/// The adapter of an agent that a file describes.
#[derive(Debug, Clone)]
pub struct Custom {
    name: String,
    definition: Arc<Definition>,
    setup: Setup,
}

impl Custom {
    /// Returns the adapter; what the settings say of an agent of this name beats what the file says.
    #[must_use]
    pub fn new(name: &str, definition: Arc<Definition>, setup: &Setup) -> Self {
        let setup = setup.clone().or(&definition.setup);
        Self { name: name.to_owned(), definition, setup }
    }

    /// Returns everything that the settings and the file say of it together.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    fn incapable(&self, what: &'static str) -> LaunchError {
        LaunchError::Incapable { agent: self.name.clone(), what }
    }

    fn values(&self, brief: &Brief) -> Result<(Values, Vec<PrivateFile>), LaunchError> {
        let given = self.definition.gives_system_prompt();
        let prompt = match (&brief.system_prompt, &brief.conversation) {
            (Some(system), Conversation::New { .. }) if !given => format!("{system}\n\n{}", brief.prompt),
            (Some(_) | None, _) => brief.prompt.clone(),
        };
        let mut values = Values::new(self.definition.access(brief.access).to_vec());
        let model = self.setup.model(brief.model.as_deref()).map(|model| plain("model", &model)).transpose()?;
        values.set(Placeholder::Model, model);
        values.set(Placeholder::Cwd, Some(brief.cwd.display().to_string()));
        values.set(Placeholder::SystemPrompt, brief.system_prompt.clone());
        values.set(Placeholder::Session, session(&brief.conversation)?);
        let mut files = Vec::new();
        let mut file = |place: Placeholder, name: &str, text: Option<String>| {
            if let (true, Some(text), Some(folder)) = (self.definition.mentions(place), text, &brief.private_dir) {
                let path = folder.join(name);
                values.set(place, Some(path.display().to_string()));
                files.push(PrivateFile { path, text });
            }
        };
        file(Placeholder::PromptFile, "prompt.txt", Some(prompt.clone()));
        file(Placeholder::SystemPromptFile, "system-prompt.md", brief.system_prompt.clone());
        file(Placeholder::McpFile, "mcp.json", (!brief.mcp.is_empty()).then(|| servers(&brief.mcp)));
        values.set(Placeholder::PrivateDir, brief.private_dir.as_ref().map(|folder| folder.display().to_string()));
        values.set(Placeholder::Prompt, Some(prompt));
        Ok((values, files))
    }
}

impl Adapter for Custom {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            resume: self.definition.resume.is_some(),
            fork: self.definition.fork.is_some(),
            live_input: false,
            budget_flag: false,
            turns_flag: false,
            mcp: if self.definition.mentions(Placeholder::McpFile) { McpForm::Argument } else { McpForm::None },
            permission_hook: PermissionHook::None,
            context_limit: ContextLimit::Fixed { tokens: self.setup.context_limit.unwrap_or(WINDOW) },
            session_id: SessionIdSource::Told,
            counting: if self.definition.counts_on { Counting::AcrossResumes } else { Counting::PerProcess },
        }
    }

    fn launch(&self, brief: &Brief) -> Result<Launch, LaunchError> {
        if brief.prompt.is_empty() {
            return Err(self.incapable("wait to be told what to do"));
        }
        if !brief.mcp.is_empty() && !self.definition.mentions(Placeholder::McpFile) {
            return Err(self.incapable("use MCP servers: its file has no `{mcp_file}`"));
        }
        if !self.definition.tells_cost() {
            self.setup.check_budget(&self.name, brief)?;
        }
        let template = match &brief.conversation {
            Conversation::New { .. } => &self.definition.argv,
            Conversation::Resume { .. } => {
                let resume = self.definition.resume.as_ref();
                resume.ok_or_else(|| self.incapable("continue a conversation: its file has no `resume`"))?
            }
            Conversation::Fork { .. } => {
                let fork = self.definition.fork.as_ref();
                fork.ok_or_else(|| self.incapable("continue a copy: its file has no `fork`"))?
            }
        };
        let (values, files) = self.values(brief)?;
        let mut argv = template.fill(&values).map_err(|place| LaunchError::Prompt {
            agent: self.name.clone(),
            why: format!("nothing is known for `{{{}}}` in its command line", place.name()),
        })?;
        if let (Some(binary), Some(program)) = (&self.setup.binary, argv.first_mut()) {
            program.clone_from(binary);
        }
        argv.extend(self.setup.args.iter().chain(&brief.args).cloned());
        let told = self.definition.reads_prompt();
        let (tmp, keep) = tmp(&self.setup, brief);
        Ok(Launch {
            argv: passable(argv)?,
            cwd: brief.cwd.clone(),
            env: tmp.into_iter().chain(self.setup.env(brief)).collect(),
            pass: self.setup.pass(&COMMON),
            files: files.into_iter().chain(keep).collect(),
            stdin: if told { StdinProtocol::Text } else { StdinProtocol::Closed },
            pty: self.setup.pty,
            opening: values.get(Placeholder::Prompt).filter(|_| told).into_iter().collect(),
            stop: self.stop(),
        })
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(CustomReader::new(Rules::of(&self.definition)))
    }

    fn reader_at(&self, state: &Value) -> Box<dyn Reader> {
        Box::new(CustomReader::at(Rules::of(&self.definition), state))
    }

    fn discovery(&self) -> Option<Discovery> {
        let program = self.definition.argv.program()?;
        let login = self.definition.login.clone().unwrap_or(LoginCheck::Unknown);
        let asked = Discovery::of(self.setup.binary.as_ref(), &program, login);
        let login_command = self.definition.login_command.clone();
        Some(Discovery { version_args: self.definition.version_args.clone(), login_command, ..asked })
    }

    fn needs(&self) -> Needs {
        self.definition.needs.clone()
    }

    fn stop(&self) -> Signal {
        self.definition.stop
    }

    fn is_silent(&self) -> bool {
        self.definition.silent
    }

    fn keeps_budget(&self, asked: Limits, model: Option<&str>) -> bool {
        self.definition.tells_cost() || self.setup.has_prices_for(asked, model)
    }

    fn price(&self, model: Option<&str>) -> Option<Price> {
        self.setup.price(model)
    }

    /// What it returns decides where its lines have no result, and names what it failed of where the file says so.
    fn last_word(&self, exit: Exit, _: &str) -> Option<Ending> {
        let Exit::Code { code } = exit else { return None };
        if let Some(class) = self.definition.exit_codes.get(&code) {
            return Some(Ending::Failed { class: class.clone() });
        }
        match code {
            _ if self.definition.tells_results() => None,
            0 => Some(Ending::Completed),
            _ => Some(Ending::Failed { class: FailureClass::Crash }),
        }
    }

    fn say(&self, _: &Say) -> Option<String> {
        None
    }
}

fn session(conversation: &Conversation) -> Result<Option<String>, LaunchError> {
    match conversation {
        Conversation::New { .. } => Ok(None),
        Conversation::Resume { session } | Conversation::Fork { session } => plain("session id", session).map(Some),
    }
}

/// The servers in the form that most agents read.
fn servers(servers: &[McpServer]) -> String {
    let server = |server: &McpServer| {
        let value = match &server.transport {
            McpTransport::Stdio { command, args, env } => {
                serde_json::json!({"type": "stdio", "command": command, "args": args, "env": env})
            }
            McpTransport::Http { url, headers } => {
                serde_json::json!({"type": "http", "url": url, "headers": headers})
            }
            McpTransport::Sse { url, headers } => {
                serde_json::json!({"type": "sse", "url": url, "headers": headers})
            }
        };
        (server.name.clone(), value)
    };
    let servers: serde_json::Map<String, Value> = servers.iter().map(server).collect();
    serde_json::json!({ "mcpServers": servers }).to_string()
}

#[cfg(test)]
#[path = "custom_tests.rs"]
mod tests;
