//! A model for agents to talk to that answers what a script says, on 127.0.0.1 and nowhere else.
//!
//! It speaks what agents' command lines speak ([`Dialect`]): Anthropic Messages, OpenAI Responses, OpenAI chat
//! completions and Gemini. A [`Script`] is the same for all of them: what is said, which tool is called (by its own
//! name, or as an [`Act`] for whichever tool the agent has for it), what is refused, what it takes. Every request is
//! kept, those of the conversation apart from what an agent asks beside it (titles, counts of tokens), which is
//! answered harmlessly and for no tokens, so that what an agent says it has used is what the script says. Nothing here
//! waits for a time: a slow answer is one that is held back by a [`Hold`]. It never reaches out, and it never runs
//! anything. Start with [`Model`].

mod act;
mod answer;
mod dialect;
mod heard;
mod hold;
mod refusal;
mod request;
mod script;
mod serve;
mod write;

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;

use runtime::{Kind, Stop, Task, Tree};
use tokio::net::TcpListener;
use tokio::sync::watch;

pub use act::Act;
pub use answer::{Answer, StopReason, Usage, Window};
pub use dialect::Dialect;
pub use heard::{ParsedRequest, Said, Speaker, Tool, ToolForm};
pub use hold::Hold;
pub use refusal::Refusal;
pub use request::{Met, Request};
pub use script::{Reply, Script, Turn, When};

use serve::Shared;

/// A running model; dropping it closes its port, and requests that it has begun to answer continue.
#[derive(Debug)]
pub struct Model {
    url: String,
    shared: Arc<Shared>,
    listener: Task,
}

impl Model {
    /// Starts a model that follows a script, as a task of this tree.
    ///
    /// # Errors
    /// When the system has no port left.
    pub async fn start(tree: &Tree, script: Script) -> io::Result<Self> {
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let url = format!("http://{}", socket.local_addr()?);
        let shared = Arc::new(Shared::new(script));
        let served = serve::serve(socket, Arc::clone(&shared));
        // Not a listener of the server's own: when it fails, one script has failed.
        let listener = tree.spawn(Kind::Job, "scripted model", |stop: Stop| async move {
            tokio::select! {
                () = stop.asked() => Ok(()),
                served = served => served,
            }
        });
        Ok(Self { url, shared, listener })
    }

    /// Returns what an agent needs as its base URL, such as `http://127.0.0.1:40123`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns a base URL under which requests carry a label, by which [`When::Label`] distinguishes agents.
    #[must_use]
    pub fn url_for(&self, label: &str) -> String {
        format!("{}/{label}", self.url)
    }

    /// Adds a turn at the end of the script.
    pub fn then(&self, turn: impl Into<Turn>) {
        self.shared.script().push(turn.into());
    }

    /// Returns the requests as they come, to be waited on.
    #[must_use]
    pub fn log(&self) -> watch::Receiver<Vec<Request>> {
        self.shared.log()
    }

    /// Returns the requests of the conversation so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.everything().into_iter().filter(|request| request.met.is_conversation()).collect()
    }

    /// Returns all requests so far, also those beside the conversation and those to places that a model has not.
    #[must_use]
    pub fn everything(&self) -> Vec<Request> {
        self.log().borrow().clone()
    }

    /// Returns how many turns of the script wait to be taken.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.shared.script().remaining()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.listener.cancel();
    }
}
