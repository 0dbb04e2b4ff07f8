//! The command line of `codex app-server`. The options of a thread are in the request that starts it.

use super::argv::{BINARY, BYPASS, ENV, PASS, untrusted};
use crate::bridge::Started;
use crate::launch::extra;
use crate::{Brief, LaunchError, Setup, Trust};

/// Without these it asks servers of its maker, and waits for them at its end.
const ALWAYS: [&str; 7] = ["app-server", "-c", "analytics.enabled=false", "--disable", "plugins", "--disable", "apps"];

pub(crate) fn app_server(setup: &Setup, brief: &Brief) -> Result<Started, LaunchError> {
    setup.check_budget("codex", brief)?;
    let mut argv = vec![setup.binary.clone().unwrap_or_else(|| BINARY.to_owned())];
    argv.extend(ALWAYS.map(str::to_owned));
    if brief.trust == Trust::User {
        argv.extend(["-c".to_owned(), untrusted(brief)]);
    }
    argv.extend(extra("codex", setup, brief, &BYPASS)?);
    let env = ENV.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    Ok(Started { argv, env, pass: PASS.to_vec(), files: Vec::new() })
}
