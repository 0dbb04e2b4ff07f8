//! The command line of `gemini --acp`: it is told to ask about every call, and is answered.
//!
//! Its hooks do not run there. A rule for all tools makes it ask about those too that only read. Commands that it takes
//! to be harmless, such as `cat README.md`, it would run without a question all the same, unless the rule that says to
//! ask is one about what a tool is called with: so there is one for the shell, whatever it is called with.

use super::argv::{BINARY, BYPASS, ENV, PASS, SETTINGS, settings};
use crate::bridge::Started;
use crate::launch::{extra, plain};
use crate::{Brief, LaunchError, PrivateFile, Setup, Trust};

/// Every call is asked about, whatever other rules say.
const ASK: &str = "[[rule]]\ntoolName = \"run_shell_command\"\nargsPattern = \".\"\ndecision = \"ask_user\"\npriority = 999\n\n\
                   [[rule]]\ntoolName = \"*\"\ndecision = \"ask_user\"\npriority = 998\n";

pub(crate) fn acp(setup: &Setup, brief: &Brief) -> Result<Started, LaunchError> {
    setup.check_budget("gemini", brief)?;
    let mut argv = vec![setup.binary.clone().unwrap_or_else(|| BINARY.to_owned())];
    argv.extend(["--acp", "--approval-mode", "default"].map(str::to_owned));
    let trusted = match brief.trust {
        Trust::User => {
            argv.push("--skip-trust".to_owned());
            None
        }
        Trust::Project => Some(("GEMINI_CLI_TRUST_WORKSPACE".to_owned(), "true".to_owned())),
    };
    if let Some(model) = setup.model(brief.model.as_deref()) {
        argv.extend(["-m".to_owned(), plain("model", &model)?]);
    }
    let private = |name: &str, text: String| {
        brief.private_dir.as_ref().map(|folder| PrivateFile { path: folder.join(name), text })
    };
    let rules = private("gemini-asks.toml", ASK.to_owned());
    argv.extend(rules.iter().flat_map(|file| ["--policy".to_owned(), file.path.display().to_string()]));
    argv.extend(extra("gemini", setup, brief, &BYPASS)?);
    // Servers come with the conversation: those in the settings would be trusted without a permission check.
    let mut settings = settings(setup, brief);
    settings["mcpServers"] = serde_json::json!({});
    let file = brief
        .private_dir
        .as_ref()
        .map(|folder| PrivateFile { path: folder.join("gemini-settings.json"), text: settings.to_string() });
    let told = file.as_ref().map(|file| (SETTINGS.to_owned(), file.path.display().to_string()));
    let env = ENV.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let env = env.into_iter().chain(trusted).chain(told).collect();
    Ok(Started { argv, env, pass: PASS.to_vec(), files: file.into_iter().chain(rules).collect() })
}
