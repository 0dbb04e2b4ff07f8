//! `agy`, Google's Antigravity command line.
//!
//! No registry has it, so nothing here was tested with it: the command line and the forms of its output are those that
//! the contract of `fleet` gives, and a stub is what tests run. It prints plain words, or lines like those of Claude
//! Code. It has no hook, takes no servers and cannot be resumed; which model it uses its own settings say.

use serde_json::Value;

use crate::claude::Claude;
use crate::launch::{COMMON, extra, passable, tmp};
use crate::{
    Access, Adapter, Brief, Capabilities, ContextLimit, Conversation, Counting, Discovery, Ending, Event, Exit,
    FailureClass, Launch, LaunchError, LoginCheck, McpForm, Needs, PermissionHook, Reader, Say, SessionIdSource, Setup,
    Signal, StdinProtocol,
};

/// The program, unless the settings name another.
const BINARY: &str = "agy";

/// As the contract has it.
const WINDOW: u64 = 128_000;

/// Lets everything through; only where a person wrote `full-access`.
const BYPASS: &str = "--dangerously-skip-permissions";

/// The adapter of `agy`.
#[derive(Debug, Clone, Default)]
pub struct Agy {
    setup: Setup,
}

impl Agy {
    /// Returns the adapter, as the settings want it.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        Self { setup }
    }
}

impl Adapter for Agy {
    fn name(&self) -> &str {
        "agy"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            resume: false,
            fork: false,
            live_input: false,
            budget_flag: false,
            turns_flag: false,
            mcp: McpForm::None,
            permission_hook: PermissionHook::None,
            context_limit: ContextLimit::Fixed { tokens: self.setup.context_limit.unwrap_or(WINDOW) },
            session_id: SessionIdSource::Told,
            counting: Counting::PerProcess,
        }
    }

    fn launch(&self, brief: &Brief) -> Result<Launch, LaunchError> {
        let incapable = |what| Err(LaunchError::Incapable { agent: "agy".to_owned(), what });
        match brief.conversation {
            Conversation::New { .. } => {}
            Conversation::Resume { .. } | Conversation::Fork { .. } => return incapable("continue a conversation"),
        }
        if brief.prompt.is_empty() {
            return incapable("wait to be told what to do");
        }
        if !brief.mcp.is_empty() {
            return incapable("use MCP servers");
        }
        let system = brief.system_prompt.iter().map(|text| format!("{text}\n\n"));
        let prompt: String = system.chain([brief.prompt.clone()]).collect();
        // The argument after `-p` is the prompt, whatever it begins with.
        let mut argv = vec![self.setup.binary.clone().unwrap_or_else(|| BINARY.to_owned()), "-p".to_owned(), prompt];
        if brief.access == Access::Full {
            argv.push(BYPASS.to_owned());
        }
        argv.extend(extra("agy", &self.setup, brief, &["dangerously"])?);
        let (tmp, keep) = tmp(&self.setup, brief);
        Ok(Launch {
            argv: passable(argv)?,
            cwd: brief.cwd.clone(),
            env: tmp.into_iter().chain(self.setup.env(brief)).collect(),
            pass: self.setup.pass(&[&COMMON[..], &["GEMINI_API_KEY", "GOOGLE_API_KEY"]].concat()),
            files: keep.into_iter().collect(),
            stdin: StdinProtocol::Closed,
            pty: self.setup.pty,
            opening: Vec::new(),
            stop: Signal::Term,
        })
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(AgyReader { lines: Claude::default().reader() })
    }

    fn reader_at(&self, state: &Value) -> Box<dyn Reader> {
        Box::new(AgyReader { lines: Claude::default().reader_at(state) })
    }

    fn needs(&self) -> Needs {
        Needs::of(&[".antigravity", ".gemini"], &[]).and_hosts(&crate::gemini::HOSTS)
    }

    fn discovery(&self) -> Option<Discovery> {
        Some(Discovery::of(self.setup.binary.as_ref(), BINARY, LoginCheck::Unknown).and_login(""))
    }

    fn is_silent(&self) -> bool {
        true
    }

    /// Plain words have no result: then what it returns is all there is.
    fn last_word(&self, exit: Exit, _: &str) -> Option<Ending> {
        match exit {
            Exit::Code { code: 0 } => Some(Ending::Completed),
            Exit::Code { .. } => Some(Ending::Failed { class: FailureClass::Crash }),
            Exit::Signal { .. } | Exit::Unseen => None,
        }
    }

    fn say(&self, _: &Say) -> Option<String> {
        None
    }
}

/// Reads lines like those of Claude Code, and takes any other line for something that was said.
struct AgyReader {
    lines: Box<dyn Reader>,
}

impl Reader for AgyReader {
    fn feed(&mut self, line: &[u8]) -> Vec<Event> {
        let said = |event: Event| {
            if let Event::Raw { line } = &event
                && serde_json::from_str::<Value>(line).is_err()
            {
                return Event::Text { text: line.clone(), within: None };
            }
            event
        };
        self.lines.feed(line).into_iter().map(said).collect()
    }

    fn state(&self) -> Value {
        self.lines.state()
    }
}

#[cfg(test)]
#[path = "agy_tests.rs"]
mod tests;
