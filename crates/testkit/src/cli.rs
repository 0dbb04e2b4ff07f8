//! The real agents, in the versions that `scripts/agents` pins: where they are.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// What the versions are pinned by.
const PINS: &str = include_str!("../../../scripts/agents/package.json");

/// Below the folder where cargo builds.
const INSTALLED: &str = "agents/node_modules";

/// An agent's command line that tests run as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cli {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
}

impl Cli {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Claude, Self::Codex, Self::Gemini];

    /// Returns its name in Fleet, which is also that of its program.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }

    fn package(self) -> &'static str {
        match self {
            Self::Claude => "@anthropic-ai/claude-code",
            Self::Codex => "@openai/codex",
            Self::Gemini => "@google/gemini-cli",
        }
    }

    /// Returns the program.
    ///
    /// # Panics
    /// When it is not installed, or in another version than the pinned one.
    #[must_use]
    pub fn binary(self) -> PathBuf {
        let test = std::env::current_exe().unwrap();
        let installed = test.ancestors().map(|folder| folder.join(INSTALLED)).find(|folder| folder.is_dir());
        let installed = installed.unwrap_or_else(|| panic!("the agents are not installed: run scripts/setup"));
        let (found, pinned) = (self.version_in(&installed), self.pinned_version());
        assert_eq!(found, pinned, "another {} is installed than scripts/agents pins: run scripts/setup", self.name());
        installed.join(".bin").join(self.name())
    }

    /// Returns the version that tests run.
    ///
    /// # Panics
    /// When `scripts/agents/package.json` does not name it.
    #[must_use]
    pub fn pinned_version(self) -> String {
        let pins: Value = serde_json::from_str(PINS).unwrap();
        let version = pins["dependencies"][self.package()].as_str();
        version.unwrap_or_else(|| panic!("scripts/agents/package.json pins no {}", self.name())).to_owned()
    }

    fn version_in(self, installed: &Path) -> String {
        let manifest = installed.join(self.package()).join("package.json");
        #[expect(clippy::disallowed_methods, reason = "a test looks at what is installed for it")]
        let text = std::fs::read_to_string(&manifest);
        let text =
            text.unwrap_or_else(|error| panic!("cannot read {}: {error}; run scripts/setup", manifest.display()));
        let manifest: Value = serde_json::from_str(&text).unwrap();
        manifest["version"].as_str().unwrap_or_default().to_owned()
    }
}
