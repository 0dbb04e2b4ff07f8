//! A model for real agents to talk to: it answers what a test has scripted, in the form of the Anthropic Messages API.
//!
//! [`ModelServer::start`] takes a [`Script`] and listens on 127.0.0.1, nowhere else. Every request is kept, those of the
//! conversation apart from what an agent asks beside it (titles, counts of tokens), which is answered harmlessly and
//! for no tokens, so that what an agent says it has used is what the script says. Nothing here waits for a time: a slow
//! answer is one that a test holds back with a [`Hold`].

mod answer;
mod hold;
mod refusal;
mod request;
mod script;
mod serve;
#[cfg(test)]
#[path = "model/wire_tests.rs"]
mod wire_tests;

use std::net::Ipv4Addr;
use std::sync::Arc;

use runtime::{Clock, Kind, Task, Tree};
use tokio::net::TcpListener;

pub use answer::{Answer, StopReason, Usage};
pub use hold::Hold;
pub use refusal::Refusal;
pub use request::{Met, Request};
pub use script::{Reply, Script, Turn, When};

use crate::PATIENCE;
use serve::Shared;

/// A running model; dropping it closes its door, and requests that it has begun to answer go on.
pub struct ModelServer {
    url: String,
    shared: Arc<Shared>,
    listener: Task,
}

impl ModelServer {
    /// Starts a model that follows a script.
    ///
    /// # Panics
    /// When the system has no port left, and outside of a tokio runtime.
    pub async fn start(script: Script) -> Self {
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}", socket.local_addr().unwrap());
        let shared = Arc::new(Shared::new(script));
        let served = serve::serve(socket, Arc::clone(&shared));
        let listen = |stop: runtime::Stop| async move {
            tokio::select! {
                () = stop.asked() => {}
                () = served => {}
            }
        };
        let listener = Tree::new(Clock::system()).spawn(Kind::Listener, "scripted model", listen);
        Self { url, shared, listener }
    }

    /// Returns what an agent needs as its base URL, such as `http://127.0.0.1:40123`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns a base URL under which requests carry a label, by which [`When::Label`] tells agents apart.
    #[must_use]
    pub fn url_for(&self, label: &str) -> String {
        format!("{}/{label}", self.url)
    }

    /// Adds a turn at the end of the script.
    pub fn then(&self, turn: impl Into<Turn>) {
        self.shared.script().push(turn.into());
    }

    /// Waits for a request of the conversation, counted from zero, and returns it.
    ///
    /// # Panics
    /// When it does not come.
    pub async fn request(&self, index: usize) -> Request {
        self.find(&format!("request {index}"), |at, _| at == index).await
    }

    /// Waits for a request of the conversation that meets a condition, and returns the first such.
    ///
    /// # Panics
    /// When none comes.
    pub async fn request_when(&self, when: &When) -> Request {
        self.find("a request that meets the condition", |_, request| when.holds(request)).await
    }

    async fn find(&self, what: &str, is_it: impl Fn(usize, &Request) -> bool) -> Request {
        let find = |all: &[Request]| {
            let mut conversation = all.iter().filter(|request| request.met.is_conversation()).enumerate();
            conversation.find(|(at, request)| is_it(*at, request)).map(|(_, request)| request.clone())
        };
        let mut log = self.shared.log();
        let came = tokio::time::timeout(PATIENCE, log.wait_for(|all| find(all).is_some())).await;
        let found = came.ok().and_then(Result::ok).and_then(|all| find(&all));
        found.unwrap_or_else(|| panic!("{what} does not come; there were: {:#?}", self.everything()))
    }

    /// Returns the requests of the conversation so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.everything().into_iter().filter(|request| request.met.is_conversation()).collect()
    }

    /// Returns all requests so far, also those beside the conversation and those to places that a model has not.
    #[must_use]
    pub fn everything(&self) -> Vec<Request> {
        self.shared.log().borrow().clone()
    }

    /// Returns how many turns of the script wait to be taken.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.shared.script().remaining()
    }

    /// Checks that the script and the requests came out even.
    ///
    /// # Panics
    /// When a turn was not taken, a request of the conversation met none, or one went where no model is.
    pub fn assert_done(&self) {
        let lost = |request: &Request| matches!(request.met, Met::Nothing | Met::Elsewhere);
        let lost: Vec<_> = self.everything().into_iter().filter(lost).collect();
        assert!(lost.is_empty(), "nothing answers these: {lost:#?}");
        assert_eq!(self.remaining(), 0, "turns of the script that no request took");
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.listener.cancel();
    }
}
