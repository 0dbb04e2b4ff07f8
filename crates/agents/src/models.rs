//! The models that an agent can be given, as far as Fleet knows them.
//!
//! Providers bring out new models all the time, so only agents whose models have a common form are known here; every
//! other agent takes any name and says itself what it does not know.

use crate::Setup;

/// The agents that are built in, by name.
pub const BUILT_IN: [&str; 6] = ["agy", "claude", "codex", "gemini", "opencode", "sim"];

/// The models of an agent: its short names, and how its full names begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Models {
    /// Short names and the full names of well-known models, which a typing error is compared with.
    pub names: &'static [&'static str],
    prefixes: &'static [&'static str],
    /// The variable that points the agent at another provider, whose models are not known here.
    elsewhere: &'static str,
}

const CLAUDE: Models = Models {
    names: &[
        "default",
        "best",
        "opus",
        "sonnet",
        "haiku",
        "opusplan",
        "opus[1m]",
        "sonnet[1m]",
        "claude-opus-4-6",
        "claude-sonnet-4-6",
        "claude-haiku-4-5",
    ],
    prefixes: &["claude-", "anthropic.", "anthropic/"],
    elsewhere: "ANTHROPIC_BASE_URL",
};

const GEMINI: Models = Models {
    names: &["auto", "pro", "flash", "flash-lite", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-3-pro-preview"],
    prefixes: &["gemini-", "gemma-", "models/"],
    elsewhere: "GOOGLE_GEMINI_BASE_URL",
};

impl Models {
    /// Returns the models of an agent that the settings describe so; none if it takes any name.
    #[must_use]
    pub fn of(agent: &str, setup: &Setup) -> Option<Self> {
        let known = match agent {
            "claude" => CLAUDE,
            "gemini" => GEMINI,
            _ => return None,
        };
        let named = setup.env.contains_key(known.elsewhere) || setup.pass.iter().any(|name| name == known.elsewhere);
        (!named).then_some(known)
    }

    /// Returns whether a name is one of these models. Names of a cloud provider (`us.anthropic.…`, `arn:…`) have a dot,
    /// a colon, a slash or an at sign in them, and are left to it.
    #[must_use]
    pub fn has(&self, model: &str) -> bool {
        self.names.contains(&model)
            || self.prefixes.iter().any(|prefix| model.starts_with(prefix))
            || model.contains(['.', ':', '/', '@'])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_knows_its_short_names_and_the_form_of_its_full_ones() {
        let claude = Models::of("claude", &Setup::default()).unwrap();
        for model in ["opus", "sonnet[1m]", "claude-next-9", "us.anthropic.claude-sonnet-4-6-v1:0", "arn:aws:bedrock"] {
            assert!(claude.has(model), "{model}");
        }
        for model in ["opsu", "gpt-5", "", "clade-opus-4"] {
            assert!(!claude.has(model), "{model}");
        }
        let gemini = Models::of("gemini", &Setup::default()).unwrap();
        assert!(gemini.has("gemini-9-ultra") && gemini.has("pro") && !gemini.has("opus"));
    }

    #[test]
    fn an_agent_whose_models_are_not_known_takes_any() {
        for agent in ["codex", "opencode", "agy", "sim", "mine"] {
            assert_eq!(Models::of(agent, &Setup::default()), None, "{agent}");
        }
        let mut setup = Setup::default();
        setup.env.insert("ANTHROPIC_BASE_URL".to_owned(), "http://127.0.0.1:1".to_owned());
        assert_eq!(Models::of("claude", &setup), None);
    }
}
