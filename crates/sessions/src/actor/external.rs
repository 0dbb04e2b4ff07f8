//! Following an agent that others run: what it reports comes in as lines of a spool without a process.

use supervisor::Stream;
use types::SessionEnding;

use super::heard::Heard;
use super::{Actor, Command, Flow};
use crate::error::Error;
use crate::{Result, output};

impl Actor {
    pub(super) async fn follow_external(&mut self) -> Result<Flow> {
        let spool = self.hub.spools.run(&self.session, self.session.runs);
        output::touch(&spool).map_err(unreadable)?;
        let mut tail = self.hub.parts.watcher.tail(&spool, Stream::Output, 0).map_err(unreadable)?;
        let adapter = self.adapter()?;
        let limits = types::Limits::default();
        let mut heard = Heard::new(&self.session, adapter.as_ref(), limits, self.hub.parts.clock.now());
        self.running(None).await?;
        loop {
            tokio::select! {
                biased;
                () = self.server.asked() => return Ok(Flow::Leave),
                command = self.commands.recv() => match command {
                    Some(Command::Stop { by }) => {
                        self.hub.parts.watcher.give_up(&spool).map_err(unreadable)?;
                        return self.end(SessionEnding::Cancelled { by }).await;
                    }
                    Some(Command::Letters) => {}
                    None => return Ok(Flow::Leave),
                },
                line = tail.next() => match line.map_err(unreadable)? {
                    Some(line) => {
                        // What it wishes is for those to grant who run it.
                        heard.line(&line.bytes, &self.hub.settings(), self.hub.parts.clock.now());
                        self.live.send_modify(|live| heard.show(live));
                    }
                    None => return Ok(Flow::Leave),
                },
            }
        }
    }
}

fn unreadable(source: std::io::Error) -> Error {
    Error::File { what: "cannot follow what the agent reports".to_owned(), source }
}
