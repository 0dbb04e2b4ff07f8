//! A WebSocket client.

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use super::{Server, within};

/// An open socket.
pub(crate) struct Socket(WebSocketStream<TcpStream>);

impl Server {
    /// Opens a socket; the status, when the server refuses.
    pub(crate) async fn socket(&self, headers: &[(&'static str, &str)]) -> Result<Socket, u16> {
        let mut request = format!("ws://{}/ws", self.address).into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        let stream = TcpStream::connect(self.address).await.unwrap();
        match within(client_async(request, stream)).await {
            Ok((socket, _)) => Ok(Socket(socket)),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }

    /// Opens a socket and shows a token.
    pub(crate) async fn authenticated(&self, token: &str) -> Socket {
        let mut socket = self.socket(&[]).await.unwrap_or_else(|status| panic!("refused with {status}"));
        let reply = socket.ask(&json!({ "type": "auth", "token": token })).await;
        assert_eq!(reply["type"], "authenticated", "{reply}");
        socket
    }
}

impl Socket {
    pub(crate) async fn say(&mut self, text: impl Into<String>) {
        within(self.0.send(Message::Text(text.into().into()))).await.unwrap();
    }

    /// Returns the next frame, whatever it is.
    pub(crate) async fn frame(&mut self) -> Message {
        within(self.0.next()).await.expect("the socket ended").unwrap()
    }

    /// Returns the next message, answering pings on the way.
    pub(crate) async fn hear(&mut self) -> Value {
        loop {
            match self.frame().await {
                Message::Text(text) => return serde_json::from_str(&text).unwrap(),
                Message::Ping(_) => {}
                other @ (Message::Binary(_) | Message::Pong(_) | Message::Close(_) | Message::Frame(_)) => {
                    panic!("{other:?}")
                }
            }
        }
    }

    pub(crate) async fn ask(&mut self, message: &Value) -> Value {
        self.say(message.to_string()).await;
        self.hear().await
    }

    /// Follows a chat that must be granted.
    pub(crate) async fn subscribe(&mut self, chat: &str) {
        let reply = self.ask(&json!({ "type": "subscribe", "chatId": chat })).await;
        assert_eq!(reply, json!({ "type": "subscribed", "chatId": chat }));
    }

    /// Sees that nothing was told up to now: the answer to a ping comes first.
    pub(crate) async fn hears_nothing(&mut self) {
        assert_eq!(self.ask(&json!({ "type": "ping" })).await, json!({ "type": "pong" }));
    }

    /// Waits for the connection to be cut, without answering anything.
    pub(crate) async fn cut_off(mut self) {
        let mut rest = Vec::new();
        // A reset is as good an end as any.
        let _ = within(self.0.get_mut().read_to_end(&mut rest)).await;
    }
}
