//! `fleet attach`: a live session on the screen, and what is typed goes to its agent.

mod post;
mod screen;

use std::time::Duration;

use api::devfleet::SessionRow;
use tokio::sync::mpsc::Receiver;

use crate::context::Context;
use crate::failure::Failure;
use crate::session::editor::{Act, Editor};
use crate::session::keyboard::{self, Keys, Pipe};
use crate::session::{Follower, Frame, News, Shower, Wanted, find};

use post::Post;
use screen::Screen;

/// Follow a live session and send it messages
///
/// Every line typed is a message to the agent. Ctrl-D or Ctrl-C detaches; the agent continues. Lines can be piped in too:
/// then it detaches as soon as the agent has them.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// The session, its mission, or the name of its agent
    #[arg(value_name = "SESSION|HANDLE")]
    session: String,
    /// Start after this cursor of the transcript
    #[arg(long, value_name = "PLACE")]
    after: Option<String>,
}

/// How long piped input waits for an agent to take it.
const HAND_OVER_MAX: Duration = Duration::from_secs(30);

pub(crate) async fn run(args: Args, context: &mut Context<'_>) -> Result<u8, Failure> {
    let session = find(&args.session, Wanted::Live, context).await?;
    // Before the terminal is changed: an interrupt must find a handler that restores it.
    let mut signals = runtime::signals().map_err(|error| Failure::io("cannot listen for signals", &error))?;
    let interactive = context.terminal.is_interactive();
    let _keys = if interactive { Some(Keys::take()?) } else { None };
    let input = keyboard::read()?;
    let mut visit = Visit::new(&session, args.after, input, interactive, context);
    visit.greet(&session, context)?;
    loop {
        let flow = tokio::select! {
            biased;
            _ = signals.next() => Flow::Left,
            news = visit.follower.next() => visit.news(news?, context)?,
            typed = visit.input.recv(), if !visit.hung_up => visit.typed(typed, context).await?,
            states = visit.post.look() => visit.delivered(states?, context)?,
        };
        match flow {
            Flow::On if visit.is_idle(context) => return visit.leave(&session, context),
            Flow::On => {}
            Flow::Left => return visit.leave(&session, context),
            Flow::Over { success } => return Ok(u8::from(!success)),
        }
    }
}

enum Flow {
    On,
    Left,
    Over { success: bool },
}

/// One person with one session.
struct Visit {
    follower: Follower,
    shower: Shower,
    screen: Screen,
    post: Post,
    editor: Editor,
    pipe: Pipe,
    input: Receiver<Vec<u8>>,
    /// Nothing more will be typed.
    hung_up: bool,
    hung_up_at: Duration,
}

impl Visit {
    fn new(
        session: &SessionRow,
        after: Option<String>,
        input: Receiver<Vec<u8>>,
        interactive: bool,
        context: &Context<'_>,
    ) -> Self {
        let (options, environment, clock) = (context.options, context.environment, context.clock);
        Self {
            follower: Follower::new(session.id.clone(), after, options, environment, clock),
            shower: Shower::new(context.terminal.data_style(), context.terminal.width()),
            screen: Screen::new(interactive),
            post: Post::new(session.id.clone(), options, environment, clock),
            editor: Editor::default(),
            pipe: Pipe::default(),
            input,
            hung_up: false,
            hung_up_at: Duration::ZERO,
        }
    }

    fn greet(&mut self, session: &SessionRow, context: &mut Context<'_>) -> Result<(), Failure> {
        let hint = "What you type goes to it, line by line; Ctrl-D detaches.";
        self.screen.note(&format!("Attached to {} (session {}). {hint}", session.handle, session.id), context)
    }

    fn news(&mut self, news: Option<News>, context: &mut Context<'_>) -> Result<Flow, Failure> {
        match news {
            Some(News::Told(told)) => {
                self.screen.data(&self.shower.of(&told.frame), context)?;
                if let Frame::Done(done) = &told.frame {
                    self.screen.close(context)?;
                    return Ok(Flow::Over { success: done.is_success() });
                }
            }
            Some(News::Lost) => self.screen.note("The server does not answer; the agent continues.", context)?,
            Some(News::Back) => self.screen.note("The server is back.", context)?,
            None => return Ok(Flow::Left),
        }
        Ok(Flow::On)
    }

    async fn typed(&mut self, piece: Option<Vec<u8>>, context: &mut Context<'_>) -> Result<Flow, Failure> {
        let Some(piece) = piece else {
            (self.hung_up, self.hung_up_at) = (true, context.clock.monotonic());
            if self.screen.is_interactive() {
                return Ok(Flow::Left);
            }
            // The last line may have no line break.
            for line in self.pipe.push(b"\n") {
                self.send(&line, context).await?;
            }
            return Ok(Flow::On);
        };
        if !self.screen.is_interactive() {
            for line in self.pipe.push(&piece) {
                self.send(&line, context).await?;
            }
            return Ok(Flow::On);
        }
        for act in self.editor.feed(&piece) {
            match act {
                Act::Line(line) => self.send(&line, context).await?,
                Act::Redraw => {}
                Act::Leave => return Ok(Flow::Left),
            }
        }
        self.screen.typing(self.editor.text(), context)?;
        Ok(Flow::On)
    }

    async fn send(&mut self, line: &str, context: &mut Context<'_>) -> Result<(), Failure> {
        if line.trim().is_empty() {
            return Ok(());
        }
        self.screen.typing("", context)?;
        match self.post.send(line).await {
            Ok(()) => self.screen.said(line, context),
            Err(failure) => {
                let text = failure.render(context.terminal.message_style());
                self.screen.note(text.trim_end(), context)
            }
        }
    }

    fn delivered(&mut self, states: Vec<String>, context: &mut Context<'_>) -> Result<Flow, Failure> {
        for state in states {
            self.screen.note(&state, context)?;
        }
        Ok(Flow::On)
    }

    /// Piped input has nothing left to wait for.
    fn is_idle(&self, context: &Context<'_>) -> bool {
        let waited = context.clock.monotonic().saturating_sub(self.hung_up_at);
        self.hung_up && (self.post.is_handed_over() || waited > HAND_OVER_MAX)
    }

    fn leave(&mut self, session: &SessionRow, context: &mut Context<'_>) -> Result<u8, Failure> {
        self.screen.close(context)?;
        let waiting = match self.post.waiting() {
            0 => String::new(),
            1 => " One message is stored and waits for it.".to_owned(),
            many => format!(" {many} messages are stored and wait for it."),
        };
        let back = format!("`fleet attach {}` comes back, `fleet session cancel {0}` ends it.", session.id);
        context.terminal.say(&format!("Detached; {} continues.{waiting} {back}", session.handle));
        Ok(u8::from(self.post.failed()))
    }
}
