//! `GET /identity`: the server proves to a client that it has the local key, before the client sends any token.
//!
//! A client draws a challenge; the answer is bound to the address at which the connection arrived, so that another
//! program which passes the challenge on gets a proof that its own client does not accept. It costs one signature and
//! counts against no rate: an agent that uses up the anonymous requests of this machine must not keep the owner out.

use std::net::SocketAddr;

use api::{Code, Error, FieldProblem};
use axum::extract::connect_info::Connected;
use axum::extract::{ConnectInfo, State};
use axum::response::Response;
use axum::serve::{IncomingStream, Listener};
use http::request::Parts;
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};

use crate::reply::{self, Refusal};
use crate::{App, rest};

const PATH: &str = "/identity";

/// Characters of a challenge: enough for 32 random bytes.
const CHALLENGE: std::ops::RangeInclusive<usize> = 22..=86;

/// Both ends of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ends {
    /// Where the client is.
    pub(crate) peer: SocketAddr,
    /// Where it called.
    pub(crate) local: Option<SocketAddr>,
}

/// The listener of a server, whose connections know both of their ends.
pub(crate) struct Door(pub(crate) TcpListener);

impl Listener for Door {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        let (connection, peer) = Listener::accept(&mut self.0).await;
        // Frames of a stream are small and each is wanted at once; the kernel would hold the second one back until the
        // first is acknowledged, which a reader may put off.
        drop(connection.set_nodelay(true));
        (connection, peer)
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

impl Connected<IncomingStream<'_, Door>> for Ends {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Self {
        Self { peer: *stream.remote_addr(), local: stream.io().local_addr().ok() }
    }
}

/// Answers a challenge.
pub(crate) async fn prove(State(app): State<App>, parts: Parts) -> Result<Response, Refusal> {
    let refused = |error| Refusal(PATH, error);
    let fields = rest::query(&parts).map_err(refused)?;
    let challenge = fields.iter().find(|(name, _)| name == "challenge").map_or("", |(_, text)| text);
    let is_word = challenge.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if !CHALLENGE.contains(&challenge.len()) || !is_word {
        let message = "takes 22 to 86 letters, digits, `-` and `_`, drawn for this call".to_owned();
        let problem = FieldProblem { path: vec!["challenge".to_owned()], message, given: None, missing: false };
        return Err(refused(Error::fields(vec![problem])));
    }
    let called = parts.extensions.get::<ConnectInfo<Ends>>().and_then(|ConnectInfo(ends)| ends.local);
    let unknown = || refused(Error::new(Code::INTERNAL, "the address of the connection is not known"));
    let address = canonical(called.ok_or_else(unknown)?);
    let proof = app.service.keys().prove(challenge, address).ok_or_else(unknown)?;
    let told = json!({ "server": app.service.keys().server(), "address": address, "proof": proof });
    Ok(reply::json(200, told.to_string().into_bytes()))
}

/// An IPv4 address that arrived at an IPv6 socket is written as the client wrote it.
fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}
