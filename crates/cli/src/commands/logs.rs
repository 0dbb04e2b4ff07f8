//! `fleet logs`: what a session's agent said and did and how its work lands, and with `-f` what comes next.

use crate::context::Context;
use crate::failure::Failure;
use crate::session::{Follower, Frame, LandingPage, News, Shower, Then, Told, Wanted, find, json_line};

/// Show the output of a session and how its work lands
///
/// Exits with status 0 when the session completed or still runs, with 1 when it failed or was cancelled, or its work
/// cannot land.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// The session, its mission (then its newest), or the name of its agent
    #[arg(value_name = "SESSION|MISSION|HANDLE")]
    session: String,
    /// Follow until the session ends and its work has landed, across restarts of the server
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
    let mut landing = LandingPage::new(session.clone());
    loop {
        while let Some(news) = follower.next().await? {
            page.show(&news, context)?;
        }
        match page.success {
            Some(true) if args.follow => match landing.follow(context).await? {
                Then::Over { success } => return Ok(u8::from(!success)),
                Then::Again => {
                    let place = follower.place().map(str::to_owned);
                    let (options, environment, clock) = (context.options, context.environment, context.clock);
                    follower = Follower::new(session.id.clone(), place, options, environment, clock);
                    follower.connect().await?;
                }
            },
            Some(success) => {
                landing.show(context).await?;
                return Ok(u8::from(!success));
            }
            None => {
                let place = follower.place().map(|place| format!(" --after {place}")).unwrap_or_default();
                let say = format!("The session continues: `fleet logs {} -f{place}` follows it.", session.id);
                context.terminal.say(&say);
                return Ok(0);
            }
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
