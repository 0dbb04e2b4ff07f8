//! `fleet demo`: parsed here, done by the binary, which alone may start a server.

use std::path::PathBuf;

use clap::Args;

/// Run five scripted agents while their server is killed and restarted; needs no key
///
/// Makes a folder with a repository and a server of its own, and touches nothing else. Takes about twenty seconds and
/// exits with status 0 if everything was as promised.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct DemoArgs {
    /// Folder to use, empty or missing [default: one below the system's for temporary files]
    #[arg(long, value_name = "PATH")]
    pub dir: Option<PathBuf>,
    /// Let the agents hurry, for tests
    #[arg(long, hide = true)]
    pub fast: bool,
}
