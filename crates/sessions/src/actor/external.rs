//! Following an agent that others run: what it reports comes in as lines of a spool without a process.

use agents::Account;
use supervisor::Line;
use types::{Handle, Session, SessionEnding, SessionState};

use super::record::Effects;
use super::report::Words;
use super::stream_state::StreamState;
use super::{Actor, Command, Flow};
use crate::Result;
use crate::error::Error;

impl Actor {
    pub(super) async fn follow_external(&mut self) -> Result<Flow> {
        let spool = self.shared.spools.run(&self.session, self.session.runs);
        self.shared.parts.processes.open_external(&spool).map_err(unreadable)?;
        self.broadcast.begin(self.written_bytes(&spool));
        let mut tail = self.shared.parts.processes.tail(&spool).map_err(unreadable)?;
        let adapter = self.adapter()?;
        let limits = types::Limits::default();
        let mut heard = StreamState::new(&self.session, adapter.as_ref(), limits, self.shared.parts.clock.now());
        self.running(None).await?;
        if let Some(by) = self.told_to_go() {
            return self.dismiss(by, &heard.account).await;
        }
        loop {
            tokio::select! {
                biased;
                () = self.server.asked() => return Ok(Flow::Leave),
                command = self.commands.recv() => match command {
                    Some(Command::Stop { by }) => {
                        self.dismissed = Some(by.clone());
                        self.shared.parts.processes.give_up(&spool).map_err(unreadable)?;
                        // What was reported before is heard before it goes.
                        while let Some(line) = tail.next().await.map_err(unreadable)? {
                            self.reported(&mut heard, &line);
                        }
                        return self.dismiss(by, &heard.account).await;
                    }
                    Some(Command::Letters | Command::Answered | Command::Overdrawn | Command::CeilingsChanged | Command::PermissionsChanged) => {}
                    None => return Ok(Flow::Leave),
                },
                line = tail.next() => match line.map_err(unreadable)? {
                    Some(line) => self.reported(&mut heard, &line),
                    None => return Ok(Flow::Leave),
                },
            }
        }
    }

    fn reported(&self, heard: &mut StreamState, line: &Line) {
        // What it wishes is for those to grant who run it.
        heard.line(&line.bytes, &self.shared.settings(), self.shared.parts.clock.now());
        self.live.send_modify(|live| heard.show(live));
        self.repeat(line);
    }

    /// Ends the session with what its agent said that it cost.
    async fn dismiss(&mut self, by: Handle, account: &Account) -> Result<Flow> {
        let at = self.shared.parts.clock.now();
        let session = Session {
            spending: account.meter.spending(),
            booked: account.meter.spending().in_all(self.session.booked.secs),
            conversation: account.session.clone().or_else(|| self.session.conversation.clone()),
            state: SessionState::Ended { at, ending: SessionEnding::Cancelled { by } },
            ..self.session.clone()
        };
        self.over(session, Effects::default(), &Words::default()).await
    }
}

fn unreadable(source: std::io::Error) -> Error {
    Error::File { what: "cannot follow what the agent reports".to_owned(), source }
}
