//! `fleet login`: a link that signs a browser in once.

use api::fleet::CreateLoginLink;
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;

/// Create a one-time link that signs a browser in
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// Print the link
    #[arg(long)]
    link: bool,
}

pub(crate) async fn run(_: &Args, context: &mut Context<'_>) -> Result<u8, Failure> {
    let client = context.connect().await?;
    let link = client.call(CreateLoginLink {}).await?.output;
    let url = format!("{}{}", client.base_url().as_str().trim_end_matches('/'), link.path);
    if context.options.json {
        context.terminal.print_json(&json!({ "url": url, "expiresAt": link.expires_at }))?;
    } else {
        context.terminal.print(&format!("{url}\n"))?;
    }
    Ok(0)
}
