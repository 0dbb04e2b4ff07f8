//! `GET /ws`: the WebSocket of claude-fleet's contract, made safe.
//!
//! There, every socket was told everything. Here a socket is told nothing before it has shown a token, and then only
//! what its member may see. What is said is decided in `talk`, a pure function; `socket` does the rest.

mod lookup;
mod message;
mod socket;
mod talk;
mod voices;

use api::{Code, Error};
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;
use http::header::AUTHORIZATION;
use http::request::Parts;
use runtime::Kind;
use service::Caller;

pub(crate) use message::{Reply, Request};
use socket::Arrival;
pub(crate) use voices::Voices;

use crate::App;
use crate::admit::{address, admit, admit_anyone, token};
use crate::reply::Refusal;
use crate::stream_slots::Client;

pub(crate) const PATH: &str = "/ws";

/// Most bytes of one message from a client: far more than the longest that means anything.
const MESSAGE_BYTES_MAX: usize = 64 * 1024;

/// Turns a request into a socket, and lets it run under the task tree.
pub(crate) async fn upgrade(
    State(app): State<App>,
    parts: Parts,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Refusal> {
    let refused = |error| Refusal(PATH, error);
    let caller = caller(&app, &parts).map_err(refused)?;
    let upgrade = upgrade.map_err(|why| refused(upgrade_required(&why)))?;
    let slot = app.slots.take(Client::of(&caller)).map_err(refused)?;
    let opening = match caller {
        Caller::Known(member) => token(&parts).map(|token| (member, token.to_owned())),
        Caller::Anonymous => None,
    };
    let client = address(&parts);
    let upgrade = upgrade.max_message_size(MESSAGE_BYTES_MAX).max_frame_size(MESSAGE_BYTES_MAX);
    Ok(upgrade.on_upgrade(async move |socket| {
        // Each socket is a connection of its own, which is told when the server stops and may say goodbye.
        app.clone().tree.spawn(Kind::Connection, "ws", move |_| async move {
            socket::run(app, socket, Arrival { address: client, opening, slot }).await;
        });
    }))
}

/// A token in the header must be valid; an old cookie of a browser only leaves it anonymous.
fn caller(app: &App, parts: &Parts) -> Result<Caller, Error> {
    if parts.headers.contains_key(AUTHORIZATION) { admit(app, parts) } else { admit_anyone(app, parts) }
}

fn upgrade_required(why: &WebSocketUpgradeRejection) -> Error {
    Error::new(Code::UPGRADE_REQUIRED, format!("this path speaks WebSocket alone: {why}"))
        .hint("Open it with a WebSocket client, or follow `GET /api/events`.")
}
