//! `fleet logs`: what a session's agent said and did, and with `-f` what it says and does next.

use crate::context::Context;
use crate::failure::Failure;
use crate::session::{Follower, Frame, News, Shower, Told, Wanted, find, json_line};

/// Show the output of a session
///
/// Exits with status 0 when the session completed or still runs, with 1 when it failed or was cancelled.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// The session, its mission (then its newest), or the name of its agent
    #[arg(value_name = "SESSION|MISSION|HANDLE")]
    session: String,
    /// Follow until the session ends, across restarts of the server
    #[arg(long, short)]
    follow: bool,
    /// Start after this cursor (the `id` that `--json` prints)
    #[arg(long, value_name = "PLACE")]
    after: Option<String>,
}

impl Args {
    /// Follows the newest session of a mission.
    pub(crate) fn following(mission: &types::MissionId) -> Self {
        Self { session: mission.to_string(), follow: true, after: None }
    }
}

pub(crate) async fn run(args: Args, context: &mut Context<'_>) -> Result<u8, Failure> {
    let session = find(&args.session, Wanted::Any, context).await?;
    let follower = Follower::new(session.id.clone(), args.after, context.options, context.environment, context.clock);
    let mut follower = if args.follow { follower } else { follower.so_far() };
    follower.connect().await?;
    let mut page = Page::new(context);
    while let Some(news) = follower.next().await? {
        page.show(&news, context)?;
    }
    match page.success {
        Some(success) => Ok(u8::from(!success)),
        None => {
            let place = follower.place().map(|place| format!(" --after {place}")).unwrap_or_default();
            context.terminal.say(&format!("The session goes on: `fleet logs {} -f{place}` follows it.", session.id));
            Ok(0)
        }
    }
}

/// What is printed, and what is known from it.
struct Page {
    shower: Shower,
    /// How the session ended, once it has.
    success: Option<bool>,
}

impl Page {
    fn new(context: &Context<'_>) -> Self {
        let shower = Shower::new(context.terminal.data_style(), context.terminal.width());
        Self { shower, success: None }
    }

    fn show(&mut self, news: &News, context: &mut Context<'_>) -> Result<(), Failure> {
        match news {
            News::Told(told) => self.told(told, context),
            News::Lost => {
                context.terminal.say("The server does not answer; waiting for it to come back.");
                Ok(())
            }
            News::Back => {
                context.terminal.say("The server is back.");
                Ok(())
            }
        }
    }

    fn told(&mut self, told: &Told, context: &mut Context<'_>) -> Result<(), Failure> {
        if let Frame::Done(done) = &told.frame {
            self.success = Some(done.is_success());
        }
        let text = if context.options.json { json_line(told) } else { self.shower.of(&told.frame) };
        if text.is_empty() { Ok(()) } else { context.terminal.print(&text) }
    }
}

#[cfg(test)]
#[path = "logs_tests.rs"]
mod tests;
