//! How an agent is pointed at a model that follows a script, instead of its provider's.
//!
//! Fleet tries each version of an agent that way, and so do its tests: the agent is the real one, with no account, no key
//! and nothing that it asks of the network but its model.

use std::collections::BTreeMap;

use crate::{Brief, PrivateFile};

/// What points an agent at another model. It goes into a [`Brief`], and the files into the home that the run is given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scripted {
    /// Environment to set. It also switches off what the agent would ask of the network beside its model.
    pub env: BTreeMap<String, String>,
    /// Arguments to add.
    pub args: Vec<String>,
    /// Files to write below the home folder of the run, to which their paths are relative.
    pub files: Vec<PrivateFile>,
}

impl Scripted {
    /// Makes one that sets this environment.
    #[must_use]
    pub fn env<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let env = pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Self { env, ..Self::default() }
    }

    /// Returns a brief that is carried out with that model.
    #[must_use]
    pub fn brief(&self, mut brief: Brief) -> Brief {
        brief.env.extend(self.env.clone());
        brief.args.extend(self.args.clone());
        brief
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claude::Claude;
    use crate::{Adapter as _, LaunchError, Setup};

    #[test]
    fn a_scripted_model_goes_into_the_brief_and_nothing_else_is_asked_of_the_network() {
        let claude = Claude::new(Setup { args: vec!["--own".to_owned()], ..Setup::default() });
        let mut scripted = claude.scripted("http://127.0.0.1:9/x").unwrap();
        scripted.args = vec!["--added".to_owned()];
        let launch = claude.launch(&scripted.brief(Brief::default())).unwrap();
        assert_eq!(launch.argv[launch.argv.len() - 2..], ["--own", "--added"]);
        assert_eq!(launch.env["ANTHROPIC_BASE_URL"], "http://127.0.0.1:9/x");
        assert_eq!(launch.env["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"], "1");
        let bypass = Brief { args: vec!["--dangerously-skip-permissions".to_owned()], ..Brief::default() };
        assert!(matches!(claude.launch(&bypass), Err(LaunchError::Bypass { .. })));
    }
}
