//! The command line of `opencode acp`: it is told to ask about everything, and is answered.

use serde_json::json;

use super::argv::{BINARY, BYPASS, ENV, PASS};
use crate::bridge::Started;
use crate::launch::extra;
use crate::{Brief, LaunchError, Setup, Trust};

pub(crate) fn acp(setup: &Setup, brief: &Brief) -> Result<Started, LaunchError> {
    let mut argv = vec![setup.binary.clone().unwrap_or_else(|| BINARY.to_owned()), "acp".to_owned()];
    let project = match brief.trust {
        Trust::User => {
            argv.push("--pure".to_owned());
            Some(("OPENCODE_DISABLE_PROJECT_CONFIG".to_owned(), "1".to_owned()))
        }
        Trust::Project => None,
    };
    argv.extend(extra("opencode", setup, brief, &BYPASS)?);
    let settings = json!({"autoupdate": false, "share": "disabled", "permission": {"*": "ask"}});
    let settings = ("OPENCODE_CONFIG_CONTENT".to_owned(), settings.to_string());
    let env = ENV.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let env = env.into_iter().chain(project).chain([settings]).collect();
    Ok(Started { argv, env, pass: PASS.to_vec(), files: Vec::new() })
}
