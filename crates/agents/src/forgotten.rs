//! An agent without a description: its file or table was deleted while a session of it is not over.
//!
//! What it writes is kept as it is, and it can be stopped; it is not started again.

use serde_json::Value;

use crate::{
    Adapter, Brief, Capabilities, ContextLimit, Counting, Event, Launch, LaunchError, McpForm, PermissionHook, Reader,
    Say, SessionIdSource,
};

/// The adapter of an agent whose description was deleted.
#[derive(Debug, Clone)]
pub struct Forgotten {
    name: String,
}

impl Forgotten {
    /// Returns the adapter under the name that the agent had.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned() }
    }
}

impl Adapter for Forgotten {
    fn name(&self) -> &str {
        &self.name
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
            context_limit: ContextLimit::Told { assumed: 200_000 },
            session_id: SessionIdSource::Told,
            counting: Counting::PerProcess,
        }
    }

    fn launch(&self, _: &Brief) -> Result<Launch, LaunchError> {
        let why = "what described the agent is gone from the settings or from the folder of agents".to_owned();
        Err(LaunchError::Prompt { agent: self.name.clone(), why })
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(RawReader)
    }

    fn reader_at(&self, _: &Value) -> Box<dyn Reader> {
        Box::new(RawReader)
    }

    fn say(&self, _: &Say) -> Option<String> {
        None
    }
}

/// Keeps every line as it is; it remembers nothing.
struct RawReader;

impl Reader for RawReader {
    fn feed(&mut self, line: &[u8]) -> Vec<Event> {
        let line = String::from_utf8_lossy(line);
        let line = line.trim();
        if line.is_empty() { Vec::new() } else { vec![Event::Raw { line: line.to_owned() }] }
    }

    fn state(&self) -> Value {
        Value::Null
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_lines_are_kept_and_it_is_not_started_again() {
        let forgotten = Forgotten::new("scribe");
        assert_eq!(forgotten.reader().feed(b" x \n"), [Event::Raw { line: "x".to_owned() }]);
        let error = forgotten.launch(&Brief::default()).unwrap_err().to_string();
        assert!(error.contains("`scribe`") && error.contains("is gone"), "{error}");
    }
}
