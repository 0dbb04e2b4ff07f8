//! `fleet completions`: what a shell needs to complete commands, flags and their values.

use clap_complete::{Shell, generate};

use crate::context::Context;
use crate::failure::Failure;
use crate::invocation::root;
use crate::operations::entries;

/// Print a shell's completion script
///
/// For bash: `source <(fleet completions bash)`; for zsh and fish, save it where the shell looks for completions.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, Failure> {
    let mut script = Vec::new();
    generate(args.shell, &mut root(&entries()), "fleet", &mut script);
    context.terminal.print(&String::from_utf8_lossy(&script))?;
    Ok(0)
}
