//! What every route can reach.

use std::sync::Arc;

use api::Error;
use runtime::{Kind, Tree};
use service::{Answer, Caller, Entry, Given, Registry, Service};
use tokio::sync::oneshot;

use crate::limiter::Limiter;
use crate::metrics::Metrics;

/// The server's parts. A cheap handle: clones are the same server.
#[derive(Debug, Clone)]
pub struct App(Arc<Parts>);

/// See [`App`].
#[derive(Debug)]
pub struct Parts {
    pub(crate) service: Arc<Service>,
    pub(crate) registry: Registry,
    pub(crate) tree: Tree,
    pub(crate) limiter: Limiter,
    pub(crate) metrics: Metrics,
    pub(crate) openapi: std::sync::OnceLock<String>,
}

impl App {
    /// Puts a server around the application.
    #[must_use]
    pub fn new(service: Arc<Service>, tree: Tree) -> Self {
        Self(Arc::new(Parts {
            service,
            registry: Registry::new(),
            tree,
            limiter: Limiter::default(),
            metrics: Metrics::default(),
            openapi: std::sync::OnceLock::new(),
        }))
    }

    /// Carries out a call to the operation of that name.
    ///
    /// A call that may write runs in a task of its own: a client that goes away does not leave it half done.
    ///
    /// # Errors
    /// Returns what the caller is told.
    pub async fn call(&self, entry: &Entry, caller: Caller, given: Given) -> Result<Answer, Error> {
        let service = Arc::clone(&self.service);
        if entry.spec.verb.takes_query() && !entry.spec.destructive {
            return entry.call(service, caller, given).await;
        }
        let (app, name) = (self.clone(), entry.spec.name);
        let (done, answer) = oneshot::channel();
        self.tree.spawn(Kind::Job, name, move |_| async move {
            if let Some(entry) = app.registry.find(name) {
                // Nobody listens any more when the client went away; the work is done all the same.
                let _ = done.send(entry.call(service, caller, given).await);
            }
        });
        answer.await.unwrap_or_else(|_| Err(ended_early()))
    }
}

fn ended_early() -> Error {
    Error::new(api::Code::INTERNAL, "the server ended before the call did; it may have been carried out")
        .hint("Read before you try again.")
}

impl std::ops::Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}
