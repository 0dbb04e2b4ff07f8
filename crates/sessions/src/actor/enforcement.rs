//! Whether the calls of the next process will be held by its permissions file, and what follows if not.

use hook_probe::{Admission, Finding, admit};
use types::{Guard, Held, Network, Sandboxed, SessionEnding};

use super::start::Ready;
use super::{Actor, Command, Flow};
use crate::Result;

impl Actor {
    /// Finds out whether the agent is held by a permissions file, before it is started in one.
    ///
    /// A version that nobody has tried is tried now, which takes as long as a short run of it.
    pub(super) async fn admitted(&mut self) -> Result<Ready<()>> {
        let sandbox = self.sandbox_to_be();
        let calls = match self.found_out().await? {
            Ready::Yes(None) => Held::Untried,
            Ready::Yes(Some(found)) => match admit(self.access(), &found, &sandbox) {
                Admission::Runs(calls) => calls,
                Admission::Refused { why } => return Ok(Ready::No(why)),
            },
            Ready::No(why) => return Ok(Ready::No(why)),
            Ready::Else(flow) => return Ok(Ready::Else(flow)),
        };
        self.session.guard = Some(Guard { sandbox, calls, said: self.said() });
        Ok(Ready::Yes(()))
    }

    /// Returns what was found about the agent, unless the session is called off meanwhile; none if nothing is to be found.
    async fn found_out(&mut self) -> Result<Ready<Option<Finding>>> {
        let open = self.permissions.tools.is_none() && self.permissions.rules.is_empty();
        // Where nothing is forbidden there is nothing to hold; and what Fleet plays itself is no stranger.
        if open || self.adapter()?.discovery().is_none() {
            return Ok(Ready::Yes(None));
        }
        let (subject, shared) = (self.shared.subject(&self.session.order.agent)?, self.shared.clone());
        let found = shared.parts.hook_probes.find_out(&subject);
        tokio::pin!(found);
        loop {
            tokio::select! {
                biased;
                () = self.server.asked() => return Ok(Ready::Else(Flow::Leave)),
                found = &mut found => return Ok(Ready::Yes(Some(found))),
                command = self.commands.recv() => match command {
                    Some(Command::Stop { by }) => {
                        return Ok(Ready::Else(self.end(SessionEnding::Cancelled { by }).await?));
                    }
                    Some(Command::Letters | Command::Answered | Command::Overdrawn | Command::CeilingsChanged | Command::PermissionsChanged) => {}
                    None => return Ok(Ready::Else(Flow::Leave)),
                },
            }
        }
    }

    /// What the kernel will keep from the next process, as far as that is known before it is started.
    fn sandbox_to_be(&self) -> Sandboxed {
        if self.is_sandboxed() {
            return Sandboxed::Held { access: self.access(), network: Network::Open, lacks: Vec::new() };
        }
        match self.shared.support().holds_files() {
            Ok(()) => Sandboxed::Off { why: self.said_off() },
            Err(why) => Sandboxed::Missing { why: why.to_owned() },
        }
    }
}
