//! `fleet demo`: parsed here, done by the binary, which alone may start a server.

use std::path::PathBuf;

use clap::Args;

/// Watch agents work on a small repository while their server is killed; needs no key
///
/// Makes a folder with a repository and a server of its own, and touches nothing else. Takes about twenty seconds and
/// ends with 0 if everything was as promised.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct DemoArgs {
    /// Folder to play in, empty or not there yet [default: one below the system's for temporary files]
    #[arg(long, value_name = "PATH")]
    pub dir: Option<PathBuf>,
    /// Let the agents hurry, for tests
    #[arg(long, hide = true)]
    pub fast: bool,
}
