//! The scripted model as tests meet it: it waits as long as a test does, and panics when what a test needs does not
//! come.

use std::ops::Deref;

use runtime::{Clock, Tree};
use scripted_model::Model;

pub use scripted_model::{
    Act, Answer, Dialect, Met, Refusal, Reply, Request, Script, StopReason, Turn, Usage, When, Window,
};

use crate::PATIENCE;

/// A running model; dropping it closes its port, and requests that it has begun to answer continue.
#[derive(Debug)]
pub struct ModelServer(Model);

impl ModelServer {
    /// Starts a model that follows a script.
    ///
    /// # Panics
    /// When the system has no port left, and outside of a tokio runtime.
    pub async fn start(script: Script) -> Self {
        Self(Model::start(&Tree::new(Clock::system()), script).await.unwrap())
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
        let mut log = self.0.log();
        let came = tokio::time::timeout(PATIENCE, log.wait_for(|all| find(all).is_some())).await;
        let found = came.ok().and_then(Result::ok).and_then(|all| find(&all));
        found.unwrap_or_else(|| panic!("{what} does not come; there were: {:#?}", self.everything()))
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

impl Deref for ModelServer {
    type Target = Model;

    fn deref(&self) -> &Model {
        &self.0
    }
}

/// A hold in an answer, for which a test waits only a limited time.
#[derive(Debug, Clone, Default)]
pub struct Hold(scripted_model::Hold);

impl Hold {
    /// Makes a hold that is not released.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits until an answer has reached the hold.
    ///
    /// # Panics
    /// When none comes.
    pub async fn reached(&self) {
        let reached = tokio::time::timeout(PATIENCE, self.0.reached()).await;
        assert!(reached.is_ok(), "no answer has reached the hold");
    }
}

impl Deref for Hold {
    type Target = scripted_model::Hold;

    fn deref(&self) -> &scripted_model::Hold {
        &self.0
    }
}
