//! MCP: the operations that are tools, over streamable HTTP, over the older HTTP with SSE, and over standard input.
//!
//! This is the only module that knows the MCP library. A tool is a binding in a row of the table of operations;
//! nothing is declared twice. Who calls is told by the token of each request and by nothing else, since
//! newer clients have no session. Start with `tools`, which answers every transport alike; each transport has a file
//! of its own, and what carries a call out is a [`Backend`].

mod backend;
#[cfg(test)]
mod bench;
mod catalogue;
mod entrance;
mod result;
mod schema;
mod sessions;
mod sse;
mod stdio;
mod streamable;
mod tools;
mod toolset;

use std::sync::{Arc, OnceLock};

use axum::routing::{any, get, post};
use axum::{Extension, Router};
use runtime::Kind;
use tokio_util::sync::CancellationToken;

use crate::App;
use catalogue::Catalogue;

pub use backend::Backend;
pub use catalogue::document;
pub use http::request::Parts;
pub use stdio::serve_stdio;
pub use toolset::{Toolset, UnknownToolset};

/// Every path at which MCP is spoken; a client may write the slash at its end or not.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/tools/{tool}", post(backend::serve))
        .route("/mcp", any(streamable::serve))
        .route("/mcp/", any(streamable::serve))
        .route("/mcp/sse", get(sse::open))
        .route("/mcp/sse/", get(sse::open))
        .route("/mcp/messages", post(sse::post))
        .route("/mcp/messages/", post(sse::post))
        .layer(Extension(Shared::default()))
}

/// The transports over HTTP of one server, made when the first client comes.
#[derive(Clone, Default)]
struct Shared(Arc<OnceLock<Mcp>>);

struct Mcp {
    catalogue: Arc<Catalogue>,
    streamable: streamable::Streamable,
    lines: sse::Lines,
    /// Ends every open stream when the server no longer listens: it would wait for them otherwise.
    stop: CancellationToken,
}

impl Shared {
    fn of(&self, app: &App) -> &Mcp {
        self.0.get_or_init(|| {
            let catalogue = Arc::new(Catalogue::new(&app.registry));
            let stop = CancellationToken::new();
            let streamable = streamable::Streamable::new(app, Arc::clone(&catalogue), stop.clone());
            let streams = stop.clone();
            app.tree.spawn(Kind::Listener, "mcp", |asked| async move {
                asked.asked().await;
                streams.cancel();
            });
            Mcp { catalogue, streamable, lines: sse::Lines::default(), stop }
        })
    }
}
