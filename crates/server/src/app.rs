//! What every route can reach.

use std::sync::Arc;

use api::Error;
use runtime::{Kind, Tree};
use service::{Answer, Binding, Caller, Given, Registry, Service};
use tokio::sync::oneshot;

use crate::limiter::Limiter;
use crate::metrics::Metrics;
use crate::stream_slots::StreamSlots;
use crate::ws::Voices;

/// Clients that may follow the fleet at the same time, over WebSocket and server-sent events together.
const STREAMS_MAX: usize = 4096;

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
    pub(crate) voices: Voices,
    /// Counts tokens that are not believed, by where they come from.
    pub(crate) bad_tokens: Limiter,
    pub(crate) slots: Arc<StreamSlots>,
    pub(crate) openapi: std::sync::OnceLock<String>,
}

impl App {
    /// Puts a server around the application.
    #[must_use]
    pub fn new(service: Arc<Service>, tree: Tree) -> Self {
        Self::with_streams(service, tree, STREAMS_MAX)
    }

    /// Like [`App::new`], with places for so many clients that follow the fleet.
    #[must_use]
    pub fn with_streams(service: Arc<Service>, tree: Tree, streams_max: usize) -> Self {
        Self(Arc::new(Parts {
            service,
            registry: Registry::new(),
            tree,
            limiter: Limiter::default(),
            metrics: Metrics::default(),
            voices: Voices::default(),
            bad_tokens: Limiter::default(),
            slots: Arc::new(StreamSlots::new(streams_max)),
            openapi: std::sync::OnceLock::new(),
        }))
    }

    /// Carries out a call.
    ///
    /// An operation of several commits runs in a task of its own, so a client that disconnects does not leave it half
    /// done. One commit is whole by itself, whether or not anyone waits for it.
    ///
    /// # Errors
    /// Returns what the caller is told.
    pub async fn call(&self, binding: &Binding, caller: Caller, given: Given) -> Result<Answer, Error> {
        let service = Arc::clone(&self.service);
        if !binding.spec.detached {
            return binding.call(service, caller, given).await;
        }
        let (app, name) = (self.clone(), binding.name);
        let (done, answer) = oneshot::channel();
        self.tree.spawn(Kind::Job, name, move |_| async move {
            if let Some(binding) = app.registry.find(name) {
                // No one listens any more when the client disconnected; the work is done all the same.
                let _ = done.send(binding.call(service, caller, given).await);
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
