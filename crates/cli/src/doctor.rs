//! `fleet doctor`: what Fleet needs and whether it is there.

use crate::context::Context;
use crate::failure::Failure;

/// Check that everything Fleet needs is there
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {}

pub(crate) async fn run(_: &Args, _: &mut Context<'_>) -> Result<u8, Failure> {
    Ok(0)
}
